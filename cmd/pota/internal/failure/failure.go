// Package failure presents errors to the user of the command: the text of an error, with the place
// in a formula below it, and its exit status.
package failure

import (
	"context"
	"errors"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

// InProperty returns an error about the formula of a property, a *syntax.PropertyError.
func InProperty(p syntax.Property, err error) error {
	return &syntax.PropertyError{File: p.File, Name: p.Name, Err: err}
}

// Text returns the printed form of an error: one line, and below it the place in a formula, if any.
// Only the snippet of the formula may have several lines; everything else is made printable.
func Text(err error) string {
	text, place := err.Error(), ""
	if f, ok := errors.AsType[*syntax.PropertyError](err); ok {
		place = f.Place()
		text = strings.TrimSuffix(text, place)
	}
	return graphs.Printable(text) + place
}

// Head returns the first line of Text.
func Head(err error) string {
	head, _, _ := strings.Cut(Text(err), "\n")
	return head
}

// All returns the errors joined in err, or err alone. Each is printed on a line of its own.
func All(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, All(err)...)
	}
	return all
}

// Is reports whether err has a cause of type E.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// IsLimit reports whether err is due to a limit.
func IsLimit(err error) bool { return Is[*budget.LimitError](err) }

// Status returns the exit status of a run that fails with err. It is Undecided at a limit, after an
// interruption, or if a fragment or another tool's language is too narrow. In those cases the input
// is correct, and another engine or a larger limit may help.
func Status(err error) exit.Status {
	narrow := Is[*rctl.NoSliceError](err) || Is[*promela.InexpressibleError](err) ||
		Is[*promela.LimitError](err) || Is[*smv.Error](err)
	if IsLimit(err) || errors.Is(err, context.Canceled) || narrow {
		return exit.Undecided
	}
	return exit.BadInput
}
