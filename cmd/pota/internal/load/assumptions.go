package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/syntax"
)

// Assumptions returns the assumptions that a verdict on a formula, nil for any, rests on beside the
// trace. Whoever reads a report does not see the flags.
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

// Assumed returns the assumptions of a verdict on an execution, as a certificate states them:
// whoever verifies it must read the trace in the same way. Files are named by their digests.
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
	// The default is left out, so that old certificates stay valid.
	if in.Unit != time.Second {
		all = append(all, "--time-unit "+in.given.TimeUnit)
	}
	if why := e.Computation.LowerBound(); why != "" {
		all = append(all, "lower bound of causality: "+why)
	}
	return all, nil
}
