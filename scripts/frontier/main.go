// Command frontier looks for where exact decision ends: it decides random formulas on
// random computations and prints how many of each kind were decided in time.
//
//	go run ./scripts/frontier                    750 cases, by family and number of processes
//	go run ./scripts/frontier -probes            shapes with sizes doubled until each ends
//	go run ./scripts/frontier -cases DIR         those of DIR/index.jsonl, with their verdicts
//
// A case is drawn from -seed and its number alone: -only N draws case N again and
// prints its formula. Each case has -limit of time and 3 GiB of memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

func main() {
	var h harness
	flag.IntVar(&h.each, "each", 30, "cases of each family and number of processes")
	flag.Uint64Var(&h.seed, "seed", 1, "seed of the random cases")
	flag.IntVar(&h.only, "only", -1, "the one case to decide")
	flag.IntVar(&h.family, "family", -1, "the one family to decide, from 0")
	flag.IntVar(&h.cores, "cores", 0, "cores that a decision may use, 0 for all")
	flag.DurationVar(&h.limit, "limit", 10*time.Second, "time for each case")
	probes := flag.Bool("probes", false, "decide shapes of growing size")
	cases := flag.String("cases", "", "directory of cases with an index.jsonl")
	flag.Parse()
	// One of three ways to draw cases: known ones, shapes of growing size, random ones.
	var err error
	switch {
	case *cases != "":
		err = h.known(*cases)
	case *probes:
		err = h.probe()
	default:
		err = h.random()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "frontier:", err)
		os.Exit(1)
	}
}

// A harness decides cases within limits.
type harness struct {
	each   int
	seed   uint64
	only   int
	family int
	cores  int
	limit  time.Duration
}

// memory bounds what a case may take.
const memory = 3 << 30

// decide decides a formula and tells how long that took.
func (h *harness) decide(c *graphs.Computation, text string) (*rctl.Result, time.Duration, error) {
	start := time.Now()
	// The limit covers resolving, since quantifiers multiply a formula.
	ctx, cancel := context.WithTimeout(context.Background(), h.limit)
	defer cancel()
	f, err := resolve(ctx, c, text)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", text, err)
	}
	res, err := rctl.Check(ctx, c, f, rctl.Options{Evidence: true, MaxMemory: memory, Cores: h.cores})
	return res, time.Since(start), err
}

// resolve parses a formula about c.
func resolve(ctx context.Context, c *graphs.Computation, text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	return syntax.Resolve(ctx, f, rctl.Scope(c))
}

// at decides a formula without temporal operators at a cut of c.
func at(c *graphs.Computation, text string, cut graphs.Cut) (bool, error) {
	f, err := resolve(context.Background(), c, text)
	if err != nil {
		return false, err
	}
	return rctl.At(c, f, cut)
}

// Sizes are drawn with equal shares, so large cases are as frequent as small ones.
var (
	processes = [...]int{3, 5, 8, 12, 20}
	events    = [...]int{10, 30, 100, 300, 1000} // of each process
	messages  = [...]float64{0.02, 0.1, 0.3, 0.6}
)

// random decides random cases.
func (h *harness) random() error {
	fmt.Printf("| family |")
	for _, n := range processes {
		fmt.Printf(" n=%d |", n)
	}
	fmt.Println("\n|---|" + strings.Repeat("---|", len(processes)))
	// Numbers count all cases, decided or not, so that -only finds each again.
	number := -1
	var open []string
	slowest := time.Duration(0)
	for i, family := range families {
		// A family left out keeps its numbers.
		if h.family >= 0 && i != h.family {
			number += h.each * len(processes)
			continue
		}
		// A row for each family, a column for each number of processes.
		row := "| " + family.name + " |"
		for _, n := range processes {
			solved := 0
			for range h.each {
				// Numbers go on, so that a case is the same when it is drawn alone.
				if number++; h.only >= 0 && number != h.only {
					continue
				}
				// A generator for each case, by seed and number: any case can be drawn alone.
				r := rand.New(rand.NewPCG(h.seed, uint64(number)))
				each, rate := events[r.IntN(len(events))], messages[r.IntN(len(messages))]
				c := computation(r, n, each, rate)
				text := family.draw(writer{r, n, c})
				res, took, err := h.decide(c, text)
				if err != nil {
					return fmt.Errorf("case %d: %w", number, err)
				}
				slowest = max(slowest, took)
				if res.Verdict != rctl.Unknown {
					solved++
				} else {
					open = append(open, fmt.Sprintf("case %d: n=%d k=%d messages %g: %s", number, n, each, rate, text))
				}
				// Progress and slow cases go to standard error; the table alone is standard
				// output.
				if took > time.Second || number == h.only {
					fmt.Fprintf(os.Stderr, "case %d: n=%d k=%d messages %g: %s by %s in %.1f s: %s\n", number, n, each, rate, res.Verdict, res.Engine, took.Seconds(), text)
				}
			}
			row += fmt.Sprintf(" %d/%d |", solved, h.each)
		}
		fmt.Println(row)
	}
	fmt.Printf("\n%d of %d cases undecided within %s; the slowest took %.1f s\n", len(open), number+1, h.limit, slowest.Seconds())
	for _, line := range open {
		fmt.Println(line)
	}
	return nil
}

// shapes are formulas with thresholds that neither end of the trace meets.
var shapes = [...]struct{ name, formula, measured string }{
	{"EG(count <= c)", "EG((count i: b@i) <= %d)", "count i: b@i"},
	{"EG(sum <= c)", "EG((sum i: x@i) <= %d)", "sum i: x@i"},
	{"AF(sum >= c)", "AF((sum i: x@i) >= %d)", "sum i: x@i"},
	{"AG(count -> AF(count, sum))", "AG((count i: c@i) >= 2 -> AF((count i: c@i) == 0 || (sum i: x@i) >= %d))", "sum i: x@i"},
	{"EG(pairs)", "EG(exists i != j: x@i == x@j && y@i == y@j)", ""},
	{"AG(local -> AX local)", `AG(s@P0 == "req" -> AX(s@P1 != "cs" || x@P0 <= 9))`, ""},
	{"AG EF(count == 2)", `AG(EF((count i: s@i == "cs") == 2))`, ""},
	{"EF(sum == c)", "EF((sum i: x@i) == %d)", "sum i: x@i"},
	{"A[count U sum]", "A[(count i: b@i) <= %[1]d U (sum i: x@i) >= %[1]d]", "sum i: x@i"},
}

// maxEvents ends the doubling of sizes.
const maxEvents = 1_000_000

// probe doubles the events of each process until a shape is not decided in time.
func (h *harness) probe() error {
	sizes := []int{6, 10, 20, 40}
	fmt.Printf("| shape |")
	for _, n := range sizes {
		fmt.Printf(" n=%d |", n)
	}
	fmt.Println("\n|---|" + strings.Repeat("---|", len(sizes)))
	for _, shape := range shapes {
		row := "| `" + shape.name + "` |"
		for _, n := range sizes {
			decided := 0
			// Sizes double until a case is open; the last one decided counts.
			for each := 30; n*each <= maxEvents; each *= 2 {
				// One generator for each size, so the sizes do not depend on how far the others
				// got.
				r := rand.New(rand.NewPCG(h.seed, uint64(n*each)))
				c := computation(r, n, each, 0.1)
				text := shape.formula
				if shape.measured != "" {
					most, err := threshold(c, shape.measured)
					if err != nil {
						return err
					}
					text = fmt.Sprintf(text, most)
				}
				res, took, err := h.decide(c, text)
				if err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "n=%d k=%d: %s by %s in %.1f s: %s\n", n, each, res.Verdict, res.Engine, took.Seconds(), text)
				if res.Verdict == rctl.Unknown {
					break
				}
				decided = each
			}
			// The doubling ended by size and not by time.
			switch {
			case decided*2*n > maxEvents:
				row += fmt.Sprintf(" %d and more |", decided)
			default:
				row += fmt.Sprintf(" %d |", decided)
			}
		}
		fmt.Println(row)
	}
	return nil
}

// threshold is a number a little above what an expression is at both ends of c.
func threshold(c *graphs.Computation, expr string) (int, error) {
	var ends []int
	for _, cut := range []graphs.Cut{c.Initial(), c.Final()} {
		// There is no way to ask for a value, only whether it is some number.
		for k := 0; ; k++ {
			is, err := at(c, fmt.Sprintf("(%s) == %d", expr, k), cut)
			if err != nil {
				return 0, err
			}
			if is {
				ends = append(ends, k)
				break
			}
		}
	}
	return slices.Max(ends) + 1 + slices.Max(ends)/8, nil
}
