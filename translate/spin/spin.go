package spin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
)

// Options says how to decide.
type Options struct {
	MaxMemory int64  // bytes that the checker may take; 0 is no limit
	Slice     bool   // check a slice where that is sound, see the package comment
	NoSlices  bool   // keep slices out of the formula, see promela.Options
	Optimize  string // flag for gcc in place of the model's, such as -O0
}

// A Result is what SPIN said.
type Result struct {
	Verdict rctl.Verdict
	Reason  string // of Unknown

	// Run and Cut are the run to the error that SPIN found, in the computation, and
	// where it ends; nil where it found none. Evidence has been replayed; it is nil
	// where no single run shows the verdict.
	Run      []graphs.Event
	Cut      graphs.Cut
	Evidence *rctl.Evidence

	Runs    int           // of the checker; several where parts of the formula are decided one by one
	Sliced  int           // runs on a slice
	States  int64         // stored, in all runs
	Memory  int64         // bytes, the most of all runs
	Elapsed time.Duration // spin, gcc and the checker
}

// A MissingError says that a program is not installed.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	return e.Program + " is not installed; on Debian and Ubuntu: apt-get install spin gcc"
}

// A FailedError says that a program did not do its work.
type FailedError struct {
	Program string
	Output  string
	Err     error
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.Program, e.Err, firstLines(e.Output))
}

func (e *FailedError) Unwrap() error { return e.Err }

func firstLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(len(lines), 3)], "; ")
}

// Check decides f, which must be resolved in the scope of c, at c's initial cut. A
// Boolean combination that no claim can state is decided part by part. When ctx is
// done or the limit of memory is reached the verdict is Unknown, with the reason.
// Errors are *MissingError, *FailedError, those of promela.Translate, and evidence
// that did not replay, which would be a bug.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	begun := time.Now()
	res := new(Result)
	err := programs("spin", "gcc")
	if err == nil {
		err = (&checker{ctx, c, opts, res}).decide(syntax.NNF(f))
	}
	res.Elapsed = time.Since(begun)
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil {
		res.Verdict, res.Reason = rctl.Unknown, "interrupted"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			res.Reason = "the time limit was reached"
		}
		return res, nil
	}
	return nil, err
}

type checker struct {
	ctx  context.Context
	comp *graphs.Computation
	opts Options
	res  *Result
}

// decide decides f in negation normal form.
func (k *checker) decide(f *syntax.Formula) error {
	parts := f.Op == syntax.OpAnd || f.Op == syntax.OpOr
	m, err := promela.Translate(k.ctx, k.comp, f, promela.Options{NoSlices: k.opts.NoSlices || parts})
	var none *promela.InexpressibleError
	switch {
	case parts && errors.As(err, &none):
		return k.parts(f)
	case err != nil:
		return err
	}
	return k.model(m)
}

// parts decides a conjunction or disjunction by its operands.
func (k *checker) parts(f *syntax.Formula) error {
	decisive, verdict, reason := rctl.Fails, rctl.Holds, ""
	if f.Op == syntax.OpOr {
		decisive, verdict = rctl.Holds, rctl.Fails
	}
	for _, g := range f.Sub {
		if err := k.decide(g); err != nil {
			return err
		}
		switch k.res.Verdict {
		case decisive:
			return nil
		case rctl.Unknown:
			verdict, reason = rctl.Unknown, k.res.Reason
		}
	}
	k.conclude(verdict) // one part alone shows nothing
	k.res.Reason = reason
	return nil
}

// model runs SPIN on a model, or where that is sound, on one of a slice: every run of
// the computation to the cut that it finds there shows the same.
func (k *checker) model(m *promela.Model) error {
	model, sliced := m, (*graphs.Computation)(nil)
	if goal := reached(m); k.opts.Slice && goal != nil {
		s, err := rctl.SliceOf(k.ctx, k.comp, goal)
		var none *rctl.NoSliceError
		switch {
		case errors.As(err, &none):
		case err != nil:
			return err
		default:
			k.res.Sliced++
			if s.Empty() {
				k.conclude(verdict(m, false))
				return nil
			}
			sliced = s.Computation()
			if model, err = promela.Translate(k.ctx, sliced, m.Formula, promela.Options{NoSlices: true}); err != nil {
				return err
			}
		}
	}
	found, movers, err := k.run(model)
	if err != nil || k.res.Verdict == rctl.Unknown && k.res.Reason != "" {
		return err
	}
	k.conclude(verdict(m, found))
	if !found {
		return nil
	}
	run, err := model.Events(movers)
	if err != nil {
		return fmt.Errorf("bug: the trail of SPIN does not replay: %w", err)
	}
	if sliced != nil {
		cut := sliced.Initial().Clone()
		for _, e := range run {
			p := sliced.Process(e)
			cut[p] = max(cut[p], int32(sliced.Position(e)))
		}
		run = k.comp.Topological(k.comp.Initial(), cut)
	}
	return k.show(m, run)
}

// reached returns p where the claim of a model is EF p and p has no temporal
// operator; else nil.
func reached(m *promela.Model) *syntax.Formula {
	f := m.Formula
	if !m.Witness {
		f = syntax.NNF(syntax.Not(f))
	}
	if f.Op == syntax.OpEF && syntax.IsPropositional(f.Sub[0]) {
		return f.Sub[0]
	}
	return nil
}

// verdict returns what it means for the formula of a model that an error was found, or
// none.
func verdict(m *promela.Model, found bool) rctl.Verdict {
	if found == m.Witness {
		return rctl.Holds
	}
	return rctl.Fails
}

// conclude notes a verdict that nothing shows so far.
func (k *checker) conclude(v rctl.Verdict) {
	k.res.Verdict, k.res.Reason = v, ""
	k.res.Run, k.res.Cut, k.res.Evidence = nil, nil, nil
}

func (k *checker) show(m *promela.Model, run []graphs.Event) error {
	cut := k.comp.Initial().Clone()
	for _, e := range run {
		cut[k.comp.Process(e)]++
	}
	ev, err := m.Evidence(run)
	if err != nil {
		return fmt.Errorf("bug: the run that SPIN found for %s does not replay: %w", m.Formula, err)
	}
	k.res.Run, k.res.Cut, k.res.Evidence = run, cut, ev
	return nil
}

// run writes a model, compiles its checker and runs it. It returns whether that
// found an error, and the processes that move on its trail.
func (k *checker) run(m *promela.Model) (found bool, movers []int, err error) {
	dir, err := os.MkdirTemp("", "pota-spin-")
	if err != nil {
		return false, nil, err
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	const name = "trace.pml"
	var text bytes.Buffer
	m.WriteTo(&text) //nolint:errcheck // a bytes.Buffer takes everything
	if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600); err != nil {
		return false, nil, err
	}
	k.res.Runs++
	out, err := command(k.ctx, dir, "spin", "-a", name)
	if _, missing := os.Stat(filepath.Join(dir, "pan.c")); err != nil || missing != nil {
		return false, nil, failed("spin", out, err)
	}
	flags := append([]string{"-w"}, m.Compile...)
	if k.opts.Optimize != "" {
		flags = append(flags, k.opts.Optimize)
	}
	if k.opts.MaxMemory > 0 {
		flags = append(flags, fmt.Sprintf("-DMEMLIM=%d", max(1, k.opts.MaxMemory>>20)))
	}
	if out, err := command(k.ctx, dir, "gcc", append(flags, "-o", "pan", "pan.c")...); err != nil {
		return false, nil, failed("gcc", out, err)
	}
	out, err = command(k.ctx, dir, "./pan", append(m.Run, fmt.Sprintf("-w%d", k.tableBits()))...)
	if k.ctx.Err() != nil {
		return false, nil, k.ctx.Err()
	}
	found, read := k.read(out)
	switch {
	case !read || err != nil && !found && k.res.Reason == "":
		return false, nil, failed("pan", out, err)
	case !found:
		return false, nil, nil
	}
	movers, err = trail(filepath.Join(dir, name+".trail"))
	return true, movers, err
}

func failed(program, output string, err error) error {
	if err == nil {
		err = errors.New("no result")
	}
	return &FailedError{program, output, err}
}

// tableBits returns the size of the checker's hash table: no larger than the number
// of cuts needs, nor than an eighth of the memory.
func (k *checker) tableBits() int {
	bits := min(24, rctl.Bound(k.comp).BitLen()+2)
	for k.opts.MaxMemory > 0 && bits > 10 && 8<<bits > k.opts.MaxMemory/8 {
		bits--
	}
	return max(bits, 10)
}

var (
	errorsLine = regexp.MustCompile(`errors: (\d+)`)
	statesLine = regexp.MustCompile(`(\d+(?:\.\d+)?(?:e[+-]?\d+)?) states, stored`)
	memoryLine = regexp.MustCompile(`(\d+\.\d+)\s+total actual memory usage`)
)

// read takes the verdict and the figures from the checker's output.
func (k *checker) read(out string) (found, ok bool) {
	k.res.Verdict, k.res.Reason = rctl.Unknown, ""
	k.res.States += int64(figure(statesLine, out))
	k.res.Memory = max(k.res.Memory, int64(figure(memoryLine, out)*(1<<20)))
	m := errorsLine.FindStringSubmatch(out)
	found = m != nil && m[1] != "0"
	switch {
	case found:
	case strings.Contains(out, "MEMLIM") && strings.Contains(out, "reached"), strings.Contains(out, "out of memory"):
		k.res.Reason = "SPIN reached the memory limit"
		return false, true
	case strings.Contains(out, "max search depth too small"), strings.Contains(out, "Search not completed"):
		k.res.Reason = "SPIN did not complete its search"
	}
	return found, m != nil
}

// figure returns the number that a line of the checker's output has, 0 where there is
// no such line.
func figure(line *regexp.Regexp, out string) float64 {
	m := line.FindStringSubmatch(out)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n
}

// trail reads which processes move on a trail of SPIN.
func trail(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var movers []int
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) != 3 || strings.HasPrefix(line, "-") {
			continue
		}
		pid, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("the trail of SPIN has a line %q", line)
		}
		movers = append(movers, pid)
	}
	return movers, nil
}
