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

// MaxFile bounds the size of a property file, in bytes.
const MaxFile = 64 << 20

// Formulas name the properties for a command.
type Formulas struct {
	Texts    []string // formulas
	File     string   // a property file; "" for none
	Patterns []string // patterns, definitions, or names that choose properties of the file
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

// Properties returns the properties that from names: formulas, patterns, and the property file. If
// some pattern is the name of a property in the file, only the named properties of the file are
// included.
func Properties(r *job.Run, from Formulas) ([]syntax.Property, error) {
	return job.Do(r, "reading the properties", from.read)
}

// read reads the properties in the order of the command line: formulas, patterns, the file.
//
// It reads definitions first, then formulas, then the file, since each may use the definitions
// before it. Patterns come last, since a pattern that is the name of a property in the file chooses
// that property.
func (from Formulas) read(ctx context.Context) ([]syntax.Property, error) {
	var all []syntax.Property
	defs := pattern.Formulas()
	for _, text := range from.Patterns {
		// Read all definitions first, since a formula may use a later one on the command line.
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

	// Names choose properties of the file. Without any, the whole file is used.
	chosen := false
	for _, text := range from.Patterns {
		if syntax.IsDefinition(text) {
			continue
		}
		// A name in the file takes precedence over a pattern, since the user wrote both.
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

// pattern returns the property for a pattern. A text without a colon may be meant as a name in the
// file, and the error then says so.
func (from Formulas) pattern(text string, hasFile bool) (syntax.Property, error) {
	p, err := pattern.Parse(text)
	switch {
	case err == nil:
		return p, nil
	case !failure.Is[*pattern.Error](err):
		return p, failure.InProperty(syntax.Property{Name: text}, err)
	// A misspelled name looks like a pattern without arguments.
	case hasFile && !strings.Contains(text, ":"):
		return p, exit.Usagef("--property %s: %s has no property of that name, and %v", text, from.File, err)
	}
	return p, exit.Usagef("--property %s: %v", text, err)
}

// readFile reads the property file, which may use and add definitions. Without a file, it returns
// nil.
func (from Formulas) readFile(ctx context.Context, defs *syntax.Definitions) ([]syntax.Property, error) {
	file := from.File
	if file == "" {
		return nil, nil
	}
	text, err := trace.ReadFile(ctx, file, MaxFile)
	if err != nil {
		// Users may mistake -f for the flag of a formula, or of a trace.
		if file == "-" {
			return nil, exit.Usagef("-f takes a file of properties; standard input, -, can only be a trace")
		}
		if _, bad := syntax.Parse(file); bad == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Usagef("-f takes a file of properties, and there is none called %s; a formula is written without -f", file)
		}
		return nil, err
	}

	// The parser goes on after a mistake, so all mistakes of a file are reported at once.
	all, err := defs.ParseProperties(string(text))
	switch {
	// A trace after -f is a common mistake, which the errors of the parser would hide.
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
		// Errors that are found later also name the file.
		all[i].File = file
	}
	return all, nil
}

// VariablesOf returns the names of the variables that properties mention.
func VariablesOf(properties []syntax.Property) map[string]bool {
	all := make(map[string]bool)
	for _, p := range properties {
		maps.Copy(all, syntax.Names(p.Formula))
	}
	return all
}

// Resolve resolves the formula of a property on an execution. It returns the resolved formula, and
// the execution that it is about: for formulas about events, a copy with columns for past events.
// Except at a limit, the error has the name of the execution, since several executions may have the
// same mistake. Comparisons of times that depend on clocks count against the formula.
func Resolve(r *job.Run, p syntax.Property, e *format.Execution) (*format.Execution, *syntax.Formula, error) {
	about, resolved, err := ResolveWith(r, p, e, Times(e, false))
	return about, resolved.Formula, err
}

// ResolveWith is Resolve with other times. At a limit, it returns the execution with the error, so
// that the caller can report an unknown verdict on it.
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
	Assumed   []string        // the assumptions of a verdict, other than the trace

	order *order.File // the order file that was applied; nil for none
}

// Orders returns the edges that the order file added to the execution.
func (q *Question) Orders(ctx context.Context) ([]graphs.Edge, error) {
	if q.order == nil {
		return nil, nil
	}
	return q.order.Edges(ctx, q.Execution.Computation)
}

// Ask reads a trace for a formula; nil stands for no formula. If want has no names, it reads only
// the variables of the formula: a decision needs no others, but a picture shows all variables.
func Ask(r *job.Run, opts Options, formula *string, path string, want Want) (*Question, error) {
	q := new(Question)
	var err error
	if formula != nil {
		q.Source = *formula
		if q.Formula, err = Formula(r, q.Source); err != nil {
			return nil, err
		}
		// A picture shows all variables; its want has names.
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

// Resolve resolves the formula on the execution, like the function Resolve.
func (q *Question) Resolve(r *job.Run) error {
	e, f, err := Resolve(r, q.Property, q.Execution)
	if err == nil {
		q.Execution, q.Resolved = e, f
	}
	return err
}

// Narrow restricts the question to one binding if the formula is about data.
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

// Choices reads the values of --binding, each in the form NAME=VALUE.
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

// OnClocks reports whether a formula compares times of an execution whose clocks may be wrong. The
// order that such clocks imply depends on the whole trace.
func OnClocks(f *syntax.Formula, e *format.Execution) bool {
	_, times := syntax.OfEvents(f)
	return times && e.Clocks != nil
}

// Narrow restricts a formula about data to one binding. It returns the formula for that binding,
// and the events of the execution that matter to it. Without choices, it uses the first binding
// that decides the verdict. Other formulas are unchanged, and so is a formula without bindings.
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
	about.Clocks = nil // the model has other event numbers
	p.Formula = b.Formula
	p.Source = b.Formula.String()
	return p, &about, nil
}
