package load

import (
	"context"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// Choices reads the values of --binding, NAME=VALUE each.
func Choices(texts []string) ([]bindings.Choice, error) {
	var all []bindings.Choice
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, exit.Usagef("--binding takes a name and what it stands for, such as r=r17, not %q", text)
		}
		all = append(all, bindings.Choice{Name: name, Value: value})
	}
	return all, nil
}

// OnClocks reports whether a formula compares times of an execution whose clocks are not believed.
// What these tell is about the whole trace.
func OnClocks(f *syntax.Formula, e *format.Execution) bool {
	_, times := syntax.OfEvents(f)
	return times && e.Clocks != nil
}

// Narrow returns what one binding of a formula about data is about: the events of an execution that
// matter to it, and the formula about it alone. Without choices it is the first that decides the
// verdict. Other formulas stay as they are, and so does one that ranges over nothing.
func Narrow(ctx context.Context, p syntax.Property, e *format.Execution, only []bindings.Choice, opts rctl.Options) (syntax.Property, *format.Execution, error) {
	if OnClocks(p.Formula, e) {
		return p, e, exit.Usagef("what clocks tell of times is about whole traces: one value or event is shown without --skew and --clock-offset where the formula compares times")
	}
	b, err := bindings.Choose(ctx, e.Computation, p.Formula, bindings.Options{
		Options: opts,
		Only:    only,
		Times:   Times(e, false),
	})
	if failure.Is[*syntax.Error](err) {
		err = failure.InProperty(p, err)
	}
	if err == nil && b == nil && len(only) > 0 {
		err = exit.Usagef("--binding chooses a value or an event, and the formula does not begin with a quantifier over them, as in forall r in values(req): …")
	}
	if err != nil || b == nil {
		return p, e, err
	}
	about := *e
	about.Computation = b.Computation
	about.Clocks = nil // of events of other numbers
	p.Formula = b.Formula
	p.Source = b.Formula.String()
	return p, &about, nil
}
