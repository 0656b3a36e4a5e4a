package conform

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
)

// A view is the part of a trace that belongs to one value, or the whole trace. It numbers
// processes, events, steps and messages in their order of appearance, so that views of one shape
// have equal posets.
type view struct {
	value     string // the value as formulas write it
	ends      []end
	poset     scenario.Poset
	processes []int     // by index in the view: the process
	positions [][]int32 // by process: the positions of its events, by occurrence
}

// build builds the poset without its clocks.
func (v *view) build(k *checker) {
	first := make(map[int32]int32) // the first end of each message, which is its number in the view
	step := int32(0)
	for i, o := range v.ends {
		p := k.c.Process(o.event)
		local := slices.Index(v.processes, p)
		if local < 0 {
			local = len(v.processes)
			v.processes, v.positions = append(v.processes, p), append(v.positions, nil)
			v.poset.Processes = append(v.poset.Processes, k.lanes[p])
		}
		v.positions[local] = append(v.positions[local], int32(k.c.Position(o.event)))
		if _, known := first[o.message]; !known {
			first[o.message] = int32(i)
		}
		if i > 0 && !k.c.SameStep(v.ends[i-1].event, o.event) {
			step++
		}
		v.poset.Occurrences = append(v.poset.Occurrences, scenario.Occurrence{
			Process:  int32(local),
			Position: int32(len(v.positions[local])),
			Step:     step,
			Phase:    o.phase,
			Message:  first[o.message],
			Arrows:   k.messages[o.message].arrows,
		})
	}

	// One array holds all clocks: occurrences times processes of the view.
	n := len(v.processes)
	clocks := make([]int32, n*len(v.ends))
	for i := range v.ends {
		v.poset.Occurrences[i].Clock = clocks[i*n : (i+1)*n]
	}
}

// clocks completes the posets of views: for each occurrence and process, the last position that
// happened before. It makes one pass over the computation per process, in time O(n·(|V|+|edges|)).
func (k *checker) clocks(views []*view) error {
	// Most views involve few processes, so each pass visits only its own views.
	touching := make(map[int][]*view)
	for _, v := range views {
		for _, p := range v.processes {
			touching[p] = append(touching[p], v)
		}
	}
	var before []int32
	for p, all := range touching {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		before = k.c.LastBeforeInto(p, before)
		for _, v := range all {
			number := slices.Index(v.processes, p)
			for i, o := range v.ends {
				// Events of one step happen together, none before another.
				last := before[o.event]
				for last > 0 && k.c.SameStep(k.c.Event(p, int(last)), o.event) {
					last--
				}
				count, _ := slices.BinarySearch(v.positions[number], last+1)
				v.poset.Occurrences[i].Clock[number] = int32(count)
			}
		}
	}
	return nil
}

// shape returns a key of everything that Decide reads. It takes time O(n·k) for n occurrences on k
// processes, excluding notes.
func (v *view) shape(c *graphs.Computation, notes []map[int]moment) string {
	numbers := []int32{int32(len(v.ends)), int32(len(v.processes))}
	for _, o := range v.poset.Occurrences {
		numbers = append(numbers, o.Process, o.Position, o.Step, int32(o.Phase), o.Message, int32(len(o.Arrows)))
		numbers = append(append(numbers, o.Arrows...), o.Clock...)
	}
	// numbers have a fixed size, so there is no error
	key, _ := binary.Append(nil, binary.LittleEndian, numbers)
	for _, note := range notes {
		for number, p := range v.processes {
			key = append(key, ';') // only some processes may have the note
			for k := 0; note[p] != nil && k <= len(v.positions[number]); k++ {
				key = strconv.AppendBool(key, note[p].within(v.interval(c, number, k)))
			}
		}
	}
	return string(key)
}

// interval returns the first and last state of a process between its k-th occurrence and the next
// one.
//
// Example: with occurrences at events 2 and 5, the intervals are the states 0 to 1, 2 to 4, and 5
// to the last.
func (v *view) interval(c *graphs.Computation, number, k int) (from, to int) {
	at, to := v.positions[number], c.Len(v.processes[number])
	if k > 0 {
		from = int(at[k-1])
	}
	if k < len(at) {
		to = max(from, int(at[k])-1)
	}
	return from, to
}

// holds reports whether a note holds in some state after the first occurrences of each process, and
// before the next ones.
func (v *view) holds(c *graphs.Computation, note map[int]moment, counts []int32) bool {
	part := false
	for number, p := range v.processes {
		if m := note[p]; m != nil {
			part = true
			if m.within(v.interval(c, number, int(counts[number]))) {
				return true
			}
		}
	}
	// The only process of a lifeline may have no occurrence in the view.
	for p, m := range note {
		part = part || len(note) > 1 || !m.within(0, c.Len(p))
	}
	return !part
}
