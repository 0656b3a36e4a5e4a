package spin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
)

// Options says how to decide.
type Options struct {
	MaxMemory int64 // how many bytes the checker may use; 0 is no limit
}

// A Result is SPIN's answer.
type Result struct {
	Verdict rctl.Verdict
	Reason  string // why the verdict is Unknown

	// Evidence is made of the run to the error that SPIN found, and has been replayed. It is
	// nil if no single run shows the verdict.
	Evidence *rctl.Evidence

	// The checker has several runs where parts of the formula are decided one by one.
	States int64 // how many states were stored, in all runs
	Memory int64 // bytes, the most of all runs
}

// A MissingError says that a program is not installed.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	return e.Program + " is not installed; on Debian and Ubuntu: apt-get install spin gcc"
}

// A FailedError says that a program failed.
type FailedError struct {
	Program string
	Output  string
	Err     error
}

func (e *FailedError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.Output), "\n")
	return fmt.Sprintf("%s: %v: %s", e.Program, e.Err, strings.Join(lines[:min(len(lines), 3)], "; "))
}

func (e *FailedError) Unwrap() error { return e.Err }

// Check decides f, resolved in the scope of c, at c's initial cut. A Boolean
// combination that no claim can state is decided part by part. When ctx is done or the
// limit of memory is reached the verdict is Unknown, with the reason. Errors are
// *MissingError, *FailedError, the errors of promela.Translate, and, as the sign of a
// bug, evidence that did not replay.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	res := new(Result)
	err := programs("spin", "gcc")
	if err == nil {
		err = (&checker{ctx, c, opts, res}).decide(syntax.NNF(f))
	}
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

// A checker decides one formula and its parts, and adds up what SPIN did.
type checker struct {
	ctx  context.Context
	comp *graphs.Computation
	opts Options
	res  *Result
}

// decide decides f in negation normal form.
func (k *checker) decide(f *syntax.Formula) error {
	// A combination that no claim can state is decided by its parts. These may use
	// slices, the whole may not, so that SPIN decides as much as it can.
	parts := f.Op == syntax.OpAnd || f.Op == syntax.OpOr
	m, err := promela.Translate(k.ctx, k.comp, f, promela.Options{NoSlices: parts})
	var none *promela.InexpressibleError
	switch {
	case parts && errors.As(err, &none):
		// What a part cannot state either is an error.
		return k.parts(f)
	case err != nil:
		return err
	}
	return k.model(m)
}

// parts decides a conjunction or disjunction by its operands.
func (k *checker) parts(f *syntax.Formula) error {
	decisive, verdict := rctl.Fails, rctl.Holds
	reason := ""
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

// model runs SPIN on a model.
func (k *checker) model(m *promela.Model) error {
	found, movers, err := k.run(m)
	if err != nil || k.res.Verdict == rctl.Unknown && k.res.Reason != "" {
		return err
	}
	k.conclude(rctl.Fails)
	if found == m.Witness {
		k.conclude(rctl.Holds)
	}
	if !found {
		return nil
	}
	run, err := m.Events(movers)
	if err != nil {
		return fmt.Errorf("bug: the trail of SPIN does not replay: %w", err)
	}
	if k.res.Evidence, err = m.Evidence(run); err != nil {
		return fmt.Errorf("bug: the run that SPIN found for %s does not replay: %w", m.Formula, err)
	}
	return nil
}

// conclude notes a verdict that nothing shows so far.
func (k *checker) conclude(v rctl.Verdict) {
	k.res.Verdict, k.res.Reason = v, ""
	k.res.Evidence = nil
}
