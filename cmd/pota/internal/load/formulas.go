package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// MaxFile is how many bytes a property file may have.
const MaxFile = 64 << 20

// Formulas name the properties that a command is about.
type Formulas struct {
	Texts    []string // formulas
	File     string   // a property file, "" for none
	Patterns []string // patterns, or names of properties of the file, which choose among them
}

// Named reports whether flags name the properties, so that no argument is a formula.
func (from Formulas) Named() bool {
	names := func(text string) bool { return !syntax.IsDefinition(text) }
	return from.File != "" || slices.ContainsFunc(from.Patterns, names)
}

// Parse parses a formula. The error is a *syntax.PropertyError.
func Parse(text string) (*syntax.Formula, error) {
	f, err := pattern.Formulas().Parse(text)
	if err != nil {
		return nil, &syntax.PropertyError{Err: err}
	}
	return f, nil
}

// Formula is Parse as a step of a run.
func Formula(r *job.Run, text string) (*syntax.Formula, error) {
	return job.Do(r, "parsing the formula", func(context.Context) (*syntax.Formula, error) {
		return Parse(text)
	})
}

// Properties returns the properties that are named: formulas, patterns, and the property file.
// Where a pattern is the name of a property in the file, only the named ones are taken.
func Properties(r *job.Run, from Formulas) ([]syntax.Property, error) {
	return job.Do(r, "reading the properties", from.read)
}

// read reads the properties in the order of the command line: formulas, patterns, the file.
//
// Definitions come first, then formulas, then the file, since each may use those before it.
// Patterns come last: one that is the name of a property in the file chooses that property.
func (from Formulas) read(ctx context.Context) ([]syntax.Property, error) {
	var all []syntax.Property
	defs := pattern.Formulas()
	for _, text := range from.Patterns {
		// All of them first: a formula may use what stands behind it on the command line.
		if !syntax.IsDefinition(text) {
			continue
		}
		if err := defs.Define(text); err != nil {
			return nil, &syntax.PropertyError{Name: "--property", Err: err}
		}
	}
	for _, text := range from.Texts {
		f, err := defs.Parse(text)
		if err != nil {
			err = &syntax.PropertyError{Err: err}
		}
		if at, ok := errors.AsType[*syntax.Error](err); ok {
			// Patterns look like formulas, and users forget the flag.
			if _, err := pattern.Parse(text); err == nil {
				at.Hint = "write --property " + text
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, syntax.Property{Formula: f, Source: text})
	}

	inFile, err := from.readFile(ctx, defs)
	if err != nil {
		return nil, err
	}

	// Names choose from the file. Without any, the whole file is meant.
	chosen := false
	for _, text := range from.Patterns {
		if syntax.IsDefinition(text) {
			continue
		}
		// A name in the file wins over a pattern: the user wrote both.
		named := func(p syntax.Property) bool { return p.Name == text }
		if i := slices.IndexFunc(inFile, named); i >= 0 {
			all = append(all, inFile[i])
			chosen = true
			continue
		}
		p, err := from.pattern(text, inFile != nil)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if chosen {
		return all, nil
	}
	return append(all, inFile...), nil
}

// pattern returns the property made by a pattern. A text without a colon may be meant as a name
// in the file, and the error says so.
func (from Formulas) pattern(text string, hasFile bool) (syntax.Property, error) {
	p, err := pattern.Parse(text)
	switch {
	case err == nil:
		return p, nil
	case !failure.Is[*pattern.Error](err):
		return p, failure.InProperty(syntax.Property{Name: text}, err)
	// A name with a slip reads like a pattern without arguments.
	case hasFile && !strings.Contains(text, ":"):
		return p, exit.Usagef("--property %s: %s has no property of that name, and %v", text, from.File, err)
	}
	return p, exit.Usagef("--property %s: %v", text, err)
}

// readFile reads the property file, which may use and add definitions; an empty name stands for
// none.
func (from Formulas) readFile(ctx context.Context, defs *syntax.Definitions) ([]syntax.Property, error) {
	file := from.File
	if file == "" {
		return nil, nil
	}
	text, err := trace.ReadFile(ctx, file, MaxFile)
	if err != nil {
		// Some take -f for the flag of a formula, or of a trace.
		if file == "-" {
			return nil, exit.Usagef("-f takes a file of properties; standard input, -, can only be a trace")
		}
		if _, bad := syntax.Parse(file); bad == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Usagef("-f takes a file of properties, and there is none called %s; a formula is written without -f", file)
		}
		return nil, err
	}

	// The parser goes on after a mistake, so all of a file are reported at once.
	all, err := defs.ParseProperties(string(text))
	switch {
	// A trace after -f is a common mistake. The errors of the parser would hide it.
	case err != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil, exit.Usagef("-f takes a file of properties, one a line as name: formula, and %s holds JSON, as a trace does", file)
	case err != nil:
		// Each mistake has its own line of output.
		var errs []error
		for _, err := range err.(syntax.Errors) {
			errs = append(errs, failure.InProperty(syntax.Property{File: file}, err))
		}
		return nil, errors.Join(errs...)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: a property file must have a property; write one a line as name: formula", file)
	}
	for i := range all {
		// Errors found later name the file, too.
		all[i].File = file
	}
	return all, nil
}

// VariablesOf returns the names of the variables that properties speak of.
func VariablesOf(properties []syntax.Property) map[string]bool {
	all := make(map[string]bool)
	for _, p := range properties {
		maps.Copy(all, syntax.Names(p.Formula))
	}
	return all
}

// Resolve relates the formula of a property to an execution. It returns the resolved formula, and
// the execution that this is about: for formulas about events, a copy with columns of what events
// have done. The error has the name of the execution, except at a limit: several executions may
// have the same mistake. Comparisons of times that depend on clocks are against the formula.
func Resolve(r *job.Run, p syntax.Property, e *format.Execution) (*format.Execution, *syntax.Formula, error) {
	about, resolved, err := ResolveWith(r, p, e, Times(e, false))
	return about, resolved.Formula, err
}

// ResolveWith is Resolve with other times. At a limit the execution is returned together with the
// error, so that the caller can report an unknown verdict on it.
func ResolveWith(r *job.Run, p syntax.Property, e *format.Execution, times scope.Times) (*format.Execution, rctl.Resolved, error) {
	resolved, err := job.Do(r, "expanding quantifiers", func(ctx context.Context) (rctl.Resolved, error) {
		return rctl.ResolveWith(ctx, e.Computation, p.Formula, times)
	})
	if err != nil && !failure.IsLimit(err) {
		return nil, resolved, fmt.Errorf("%s: %w", e.Name, failure.InProperty(p, err))
	}
	about := e
	if err == nil && resolved.Computation != e.Computation {
		about = new(*e)
		about.Computation = resolved.Computation
	}
	return about, resolved, err
}

// A Question is a property, perhaps none, about the one execution of a trace.
type Question struct {
	syntax.Property
	Execution *format.Execution
	Resolved  *syntax.Formula // nil before it is resolved
	Assumed   []string        // what a verdict rests on beside the trace

	order *order.File // that was applied, nil for none
}

// Orders returns the edges that an order file added to the execution, as it was read.
func (q *Question) Orders(ctx context.Context) ([]graphs.Edge, error) {
	if q.order == nil {
		return nil, nil
	}
	return q.order.Edges(ctx, q.Execution.Computation)
}

// Ask reads a trace for a formula, nil for none. If want has no names, only the variables of the
// formula are read: a decision needs no others, and a picture shows them all.
func Ask(r *job.Run, opts Options, formula *string, path string, want Want) (*Question, error) {
	q := new(Question)
	var err error
	if formula != nil {
		q.Source = *formula
		if q.Formula, err = Formula(r, q.Source); err != nil {
			return nil, err
		}
		// A picture shows all variables, and says so by wanting names.
		if !want.Names {
			want.Variables = syntax.Names(q.Formula)
		}
		want = want.With(q.Formula)
	}
	in, err := New(r, opts, want)
	if err != nil {
		return nil, err
	}
	q.Assumed = in.Assumptions(q.Formula)
	q.order = in.order
	q.Execution, err = in.ReadOne(r, path)
	return q, err
}

// Resolve relates the formula to the execution, see the function.
func (q *Question) Resolve(r *job.Run) error {
	e, f, err := Resolve(r, q.Property, q.Execution)
	if err == nil {
		q.Execution, q.Resolved = e, f
	}
	return err
}

// Narrow makes it a question about one binding, where the formula is about data.
func (q *Question) Narrow(r *job.Run, only []bindings.Choice) error {
	return q.Wrap(r.Try("choosing a binding", func(ctx context.Context) (err error) {
		opts := rctl.Options{MaxMemory: r.Budget.Memory(1)}
		q.Property, q.Execution, err = Narrow(ctx, q.Property, q.Execution, only, opts)
		return err
	}))
}

// Wrap adds the name of the execution to an error.
func (q *Question) Wrap(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", q.Execution.Name, err)
	}
	return err
}

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
