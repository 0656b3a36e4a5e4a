// Shards estimates what it would take to decide EF of a conjunction of local conditions on
// one computation whose processes are spread over several machines: how much they would have
// to tell each other, in how many rounds. It simulates, and measures no network.
//
//	go run ./scripts/shards
//
// The computation is random: each event is a send with probability 1/4, to a process of the
// same machine with probability "local" and of any machine otherwise, and is received by a
// later event. Two ways are compared.
//
// Vector clocks: a message from one machine to another carries the clock of its send: all
// entries, or those that have changed since the sender last wrote to that receiver (Singhal and
// Kshemkalyani, 1992). With them each event can be compared with any other.
//
// Rounds: no clocks. Each machine keeps the first event of each of its processes that the
// least satisfying cut may still have as its last. In a round it moves them on to one where
// the condition of the process is true and that is not before what it was told, follows what
// is received on the way, within the machine at once, and then tells the other machines the
// sends that must be in the cut, one number for a process (Garg and Chase, 1995, by direct
// dependence). The cut is found when nobody has to tell anything: that all machines know it
// takes one more round.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"text/tabwriter"
)

// computation has the events of each process; that of a receive has where it was sent.
type computation struct {
	events [][]event
	cross  int // messages between machines
	full   int // entries of clocks in these
	less   int // entries that have changed
}

type event struct {
	true bool  // the condition of the process holds after it
	from int32 // process that sent what it receives, -1 for none
	sent int32 // the number of that event, from 1
}

type message struct {
	from, sent int32
	clock      []int32 // nil within a machine
}

// random makes a computation of n processes and about total events on some machines.
func random(rng *rand.Rand, n, total, machines int, local, truth float64) *computation {
	c := &computation{events: make([][]event, n)}
	clocks := make([][]int32, n)
	told := make(map[[2]int][]int32) // the clock that one process last sent another
	waiting := make([][]message, n)
	for p := range clocks {
		clocks[p] = make([]int32, n)
	}
	for range total {
		p := rng.IntN(n)
		e := event{true: rng.Float64() < truth, from: -1}
		if k := len(waiting[p]); k > 0 && rng.IntN(2) == 0 {
			m := waiting[p][0]
			waiting[p] = waiting[p][1:]
			e.from, e.sent = m.from, m.sent
			for q, x := range m.clock {
				clocks[p][q] = max(clocks[p][q], x)
			}
		}
		c.events[p] = append(c.events[p], e)
		clocks[p][p]++
		if rng.IntN(4) != 0 {
			continue
		}
		to := rng.IntN(n)
		if rng.Float64() < local {
			to = to/machines*machines + p%machines // the machine of p is p % machines
			to = min(to, (n-1-p%machines)/machines*machines+p%machines)
		}
		m := message{int32(p), clocks[p][p], append([]int32(nil), clocks[p]...)}
		waiting[to] = append(waiting[to], m)
		if to%machines == p%machines {
			continue
		}
		c.cross++
		c.full += n
		before := told[[2]int{p, to}]
		for q, x := range m.clock {
			if before == nil && x > 0 || before != nil && before[q] != x {
				c.less++
			}
		}
		told[[2]int{p, to}] = m.clock
	}
	return c
}

// rounds finds the least cut at which the conditions of all processes hold, and tells in how
// many rounds, and how many numbers machines told each other.
func (c *computation) rounds(machines int) (cut []int32, rounds, numbers int, found bool) {
	n := len(c.events)
	cut = make([]int32, n)
	least := make([]int32, n)
	dirty := make([]bool, n)
	for p := range dirty {
		dirty[p], least[p] = true, 1
	}
	for found = true; ; rounds++ {
		outside := make([]map[int32]int32, machines) // what each machine has to tell
		for m := range machines {
			outside[m] = make(map[int32]int32)
			for again := true; again; {
				again = false
				for p := m; p < n; p += machines {
					if !dirty[p] {
						continue
					}
					dirty[p] = false
					for cut[p] < least[p] || cut[p] > 0 && !c.events[p][cut[p]-1].true {
						if int(cut[p]) == len(c.events[p]) {
							return nil, rounds, numbers, false
						}
						e := c.events[p][cut[p]]
						cut[p]++
						switch q := e.from; {
						case q < 0:
						case int(q)%machines != m:
							if e.sent > least[q] {
								outside[m][q] = max(outside[m][q], e.sent)
							}
						case e.sent > least[q]:
							least[q], dirty[q], again = e.sent, true, true
						}
					}
				}
			}
		}
		quiet := true
		for _, of := range outside {
			numbers += len(of)
			for q, sent := range of {
				if sent > least[q] {
					least[q], dirty[q] = sent, dirty[q] || sent > cut[q]
				}
			}
			quiet = quiet && len(of) == 0
		}
		if quiet {
			return cut, rounds + 1, numbers, true
		}
	}
}

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "processes\tevents\tmachines\tlocal\ttrue\tmessages between/event\tclock entries/event\tof them changed\trounds\tnumbers/event\tfound\t")
	for _, n := range []int{16, 128} {
		for _, machines := range []int{2, 8} {
			for _, local := range []float64{0, 0.9} {
				for _, truth := range []float64{0.5, 0.02} {
					const total = 400_000
					c := random(rng, n, total, machines, local, truth)
					_, rounds, numbers, found := c.rounds(machines)
					per := func(x int) string { return fmt.Sprintf("%.3f", float64(x)/total) }
					fmt.Fprintf(w, "%d\t%d\t%d\t%.1f\t%.2f\t%s\t%s\t%s\t%d\t%s\t%t\t\n", n, total, machines, local, truth, per(c.cross), per(c.full), per(c.less), rounds, per(numbers), found)
				}
			}
		}
	}
	w.Flush() //nolint:errcheck // nowhere to report it
}
