package frontier

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

var (
	each   = flag.Int("each", 0, "cases of each family and number of processes")
	seed   = flag.Uint64("seed", 1, "seed of the random cases")
	only   = flag.Int("only", -1, "the one case to decide")
	chosen = flag.Int("family", -1, "the one family to decide, from 0")
	cores  = flag.Int("cores", 0, "cores that a decision may use, 0 for all")
	limit  = flag.Duration("limit", 10*time.Second, "time for each case")
	probes = flag.Bool("probes", false, "decide shapes of growing size")
	folder = flag.String("cases", "", "directory of cases with an index.jsonl")
)

// memory bounds what a case may take.
const memory = 3 << 30

// decide decides a formula within some time and tells how long that took. A failure names the
// case.
func decide(t *testing.T, within time.Duration, name string, c *graphs.Computation, text string) (*rctl.Result, time.Duration) {
	t.Helper()
	start := time.Now()
	// The limit covers resolving, since quantifiers multiply a formula.
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	f, err := resolve(ctx, c, text)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, text, err)
	}
	opts := rctl.Options{Evidence: true, MaxMemory: memory, Cores: *cores}
	res, err := rctl.Check(ctx, c, f, opts)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, text, err)
	}
	return res, time.Since(start)
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
	events    = [...]int{10, 30, 100, 300, 1000} // how many events each process has, one case each
	messages  = [...]float64{0.02, 0.1, 0.3, 0.6}
)

// Random cases are decided in time. Those that are not are counted and listed: they are no
// failure.
func TestFrontier(t *testing.T) {
	if *each == 0 {
		t.Skip("-args -each says how many cases to decide of each kind")
	}
	head("family", processes[:])
	// Numbers count all cases, decided or not, so that -only finds each again.
	number := -1
	var open []string
	slowest := time.Duration(0)
	for i, family := range families {
		// A family left out keeps its numbers.
		if *chosen >= 0 && i != *chosen {
			number += *each * len(processes)
			continue
		}
		// A row for each family, a column for each number of processes.
		row := "| " + family.name + " |"
		for _, n := range processes {
			solved := 0
			for range *each {
				// Numbers go on, so that a case is the same when it is drawn alone.
				if number++; *only >= 0 && number != *only {
					continue
				}
				// A generator for each case, by seed and number: any case can be drawn alone.
				r := rand.New(rand.NewPCG(*seed, uint64(number)))
				size, rate := events[r.IntN(len(events))], messages[r.IntN(len(messages))]
				c := computation(r, n, size, rate)
				text := family.draw(writer{r, n, c})
				name := fmt.Sprintf("case %d: n=%d k=%d messages %g", number, n, size, rate)
				res, took := decide(t, *limit, name, c, text)
				slowest = max(slowest, took)
				if res.Verdict != rctl.Unknown {
					solved++
				} else {
					open = append(open, name+": "+text)
				}
				// The log is indented, and the table is not, for those who keep it.
				if took > time.Second || number == *only {
					progress(t, name, res, took, text)
				}
			}
			row += fmt.Sprintf(" %d/%d |", solved, *each)
		}
		fmt.Println(row)
	}
	fmt.Printf("\n%d of %d cases undecided within %s; the slowest took %.1f s\n", len(open),
		number+1, *limit, slowest.Seconds())
	for _, line := range open {
		fmt.Println(line)
	}
}

// head prints the head of a table with a column for each number of processes.
func head(first string, processes []int) {
	fmt.Printf("| %s |", first)
	for _, n := range processes {
		fmt.Printf(" n=%d |", n)
	}
	fmt.Println("\n|---|" + strings.Repeat("---|", len(processes)))
}

// progress logs how a case was decided.
func progress(t *testing.T, name string, res *rctl.Result, took time.Duration, text string) {
	t.Helper()
	t.Logf("%s: %s by %s in %.1f s: %s", name, res.Verdict, res.Engine, took.Seconds(), text)
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

// Shapes are decided in time on computations whose processes have ever more events; the last
// number of events for which they were is printed.
func TestProbes(t *testing.T) {
	if !*probes {
		t.Skip("-args -probes decides shapes of growing size")
	}
	sizes := []int{6, 10, 20, 40}
	head("shape", sizes)
	for _, shape := range shapes {
		row := "| `" + shape.name + "` |"
		for _, n := range sizes {
			decided := 0
			// Sizes double until a case is open; the last one decided counts.
			for size := 30; n*size <= maxEvents; size *= 2 {
				// One generator for each size, so the sizes do not depend on how far the others
				// got.
				r := rand.New(rand.NewPCG(*seed, uint64(n*size)))
				c := computation(r, n, size, 0.1)
				text := shape.formula
				if shape.measured != "" {
					text = fmt.Sprintf(text, threshold(t, c, shape.measured))
				}
				name := fmt.Sprintf("n=%d k=%d", n, size)
				res, took := decide(t, *limit, name, c, text)
				progress(t, name, res, took, text)
				if res.Verdict == rctl.Unknown {
					break
				}
				decided = size
			}
			row += fmt.Sprintf(" %d", decided)
			if decided*2*n > maxEvents { // the doubling ended by size and not by time
				row += " and more"
			}
			row += " |"
		}
		fmt.Println(row)
	}
}

// threshold is a number a little above what an expression is at both ends of c.
func threshold(t *testing.T, c *graphs.Computation, expr string) int {
	t.Helper()
	greatest := 0
	for _, cut := range []graphs.Cut{c.Initial(), c.Final()} {
		// There is no way to ask for a value, only whether it is some number.
		for k := 0; ; k++ {
			is, err := at(c, fmt.Sprintf("(%s) == %d", expr, k), cut)
			if err != nil {
				t.Fatal(err)
			}
			if is {
				greatest = max(greatest, k)
				break
			}
		}
	}
	return greatest + 1 + greatest/8
}
