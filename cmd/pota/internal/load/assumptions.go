package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Assumptions returns the assumptions, other than the trace, of a verdict on a formula; nil stands
// for any formula. Readers of a report need them, since they do not see the flags.
func (in *Reader) Assumptions(f *syntax.Formula) []string {
	var all []string
	if in.given.Order != "" {
		all = append(all, "the order in "+in.given.Order)
	}
	switch {
	case in.clocks == nil:
		if f != nil && syntax.ComparisonsOf(f).Any {
			all = append(all, "clocks are right; --skew says how far they may be apart (pota help time)")
		}
	case in.clocks.bound < 0:
		all = append(all, "clocks differ by constant offsets")
	case in.clocks.offset:
		all = append(all, "clocks differ by constant offsets of at most "+in.given.Offset)
	default:
		all = append(all, "clocks agree within "+in.given.Skew)
	}
	return all
}

// Assumed returns the assumptions of a verdict on an execution in the form for a certificate. Its
// verifier must read the trace in the same way. Files are identified by their digests.
func (in *Reader) Assumed(ctx context.Context, e *format.Execution) ([]string, error) {
	all, err := in.options.Assumed(ctx)
	if err != nil {
		return nil, err
	}
	if in.given.Order != "" {
		content, err := trace.ReadFile(ctx, in.given.Order, MaxFile)
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("--order %x", sha256.Sum256(content)))
	}
	if in.clocks != nil {
		all = append(all, in.clocks.flag+" "+in.clocks.text)
	}
	// Leave out the default, so that old certificates stay valid.
	if in.Unit != time.Second {
		all = append(all, "--time-unit "+in.given.TimeUnit)
	}
	if why := e.Computation.LowerBound(); why != "" {
		all = append(all, "lower bound of causality: "+why)
	}
	return all, nil
}

// An assumption bounds how well clocks agree.
type assumption struct {
	flag, text string
	bound      time.Duration // negative for an offset that only messages bound
	offset     bool
}

// parseClocks reads the assumption on clocks. It returns nil if there is none.
func parseClocks(opts Options) (*assumption, error) {
	switch {
	case opts.Skew != "" && opts.Offset != "":
		return nil, exit.Usagef("--skew lets each clock go wrong from event to event, and --clock-offset by a constant: give one of them")
	case opts.Offset == "auto":
		return &assumption{flag: "--clock-offset", text: opts.Offset, bound: -1, offset: true}, nil
	case opts.Offset != "":
		d, err := parseBound("--clock-offset", "a duration with its unit, such as 5ms or 1.5s, or auto", opts.Offset)
		return &assumption{flag: "--clock-offset", text: d.String(), bound: d, offset: true}, err
	case opts.Skew != "":
		d, err := parseBound("--skew", "a duration with its unit, such as 5ms or 1.5s", opts.Skew)
		return &assumption{flag: "--skew", text: d.String(), bound: d}, err
	}
	return nil, nil
}

// parseBound reads the duration in the value of a flag.
func parseBound(flag, want, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, exit.Usagef("%s must be %s, not %q", flag, want, text)
	case d < 0:
		return 0, exit.Usagef("%s must not be negative, but it is %s: clocks cannot agree within less than nothing", flag, d)
	}
	return d, nil
}

// Skew returns the bound within which clocks are assumed to agree.
func (in *Reader) Skew() (bound time.Duration, ok bool) {
	if in.clocks == nil || in.clocks.offset {
		return 0, false
	}
	return in.clocks.bound, true
}

// addClocks adds the order that clocks imply, and keeps their model for comparisons of times. It
// first compares the clocks with causality: a contradiction is an error.
func (in *Reader) addClocks(ctx context.Context, e *format.Execution) error {
	if in.clocks == nil {
		return nil
	}
	readings, err := clocks.Read(ctx, e.Computation, in.Unit)
	if err != nil {
		return err
	}
	if in.clocks.offset {
		e.Clocks, err = readings.Offsets(in.clocks.bound)
	} else {
		e.Clocks, err = readings.Skew(in.clocks.bound)
	}
	if err == nil {
		e.Computation, err = e.Clocks.Ordered(ctx)
	}
	return err
}

// Times returns the times of an execution for formulas. Comparisons that depend on clocks count
// against the formula or, if inFavour is set, in its favour.
func Times(e *format.Execution, inFavour bool) scope.Times {
	return scope.Times{Unit: e.Unit, Model: e.Clocks, InFavour: inFavour}
}
