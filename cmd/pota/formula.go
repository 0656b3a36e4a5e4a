package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// A formulaError shows the place in the formula.
type formulaError struct {
	file string // in which the place is, "" for none
	name string // of the property, "" for none
	err  error
}

// misfit is an error about the formula of a property.
func misfit(p syntax.Property, err error) error {
	return &formulaError{p.File, p.Name, err}
}

func (e *formulaError) Error() string { return e.of() + ":" + e.err.Error() + e.place() }

// of is what the place is in.
func (e *formulaError) of() string { return cmp.Or(e.file, e.name, "formula") }

// place shows the place in lines of their own.
func (e *formulaError) place() string {
	if at, ok := errors.AsType[*syntax.Error](e.err); ok {
		if snippet := strings.TrimRight(at.Snippet(), "\n"); snippet != "" {
			return "\n" + snippet
		}
	}
	return ""
}

// errorText returns what an error says: one line, and below it the place in a formula.
func errorText(err error) string {
	text, place := err.Error(), ""
	if f, ok := errors.AsType[*formulaError](err); ok {
		place = f.place()
		text = strings.TrimSuffix(text, place)
	}
	return graphs.Printable(text) + place
}

func (e *formulaError) Unwrap() error { return e.err }

func (s *session) parseFormula(text string) (*syntax.Formula, error) {
	return do(s, "parsing the formula", func(context.Context) (*syntax.Formula, error) { return parse(text) })
}

func parse(text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, &formulaError{err: err}
	}
	return f, nil
}

// named reports whether flags name properties, so that no argument is a formula.
func named(c *cli.Context) bool {
	return c.String("properties") != "" || len(c.StringSlice("property")) > 0
}

// longestFile is how many bytes a property file may have.
const longestFile = 64 << 20

// properties returns formulas, those that --property makes, and those of the property
// file that -f names: all, or those that --property chooses.
func (s *session) properties(c *cli.Context, formulas ...string) ([]syntax.Property, error) {
	return do(s, "reading the properties", func(ctx context.Context) ([]syntax.Property, error) { return propertiesOf(ctx, c, formulas) })
}

func propertiesOf(ctx context.Context, c *cli.Context, formulas []string) ([]syntax.Property, error) {
	var all []syntax.Property
	for _, text := range formulas {
		f, err := parse(text)
		if at, ok := errors.AsType[*syntax.Error](err); ok {
			if _, err := pattern.Parse(text); err == nil {
				at.Hint = "write --property " + text
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, syntax.Property{Formula: f, Source: text})
	}
	ofFile, err := propertiesOfFile(ctx, c.String("properties"))
	if err != nil {
		return nil, err
	}
	chosen := false
	for _, text := range c.StringSlice("property") {
		if i := slices.IndexFunc(ofFile, func(p syntax.Property) bool { return p.Name == text }); i >= 0 {
			all, chosen = append(all, ofFile[i]), true
			continue
		}
		p, err := pattern.Parse(text)
		switch {
		case is[*pattern.Error](err) && ofFile != nil && !strings.Contains(text, ":"):
			return nil, usagef("--property %s: %s has no property of that name, and %v", text, c.String("properties"), err)
		case is[*pattern.Error](err):
			return nil, usagef("--property %s: %v", text, err)
		case err != nil:
			return nil, misfit(syntax.Property{Name: text}, err)
		}
		all = append(all, p)
	}
	if chosen {
		return all, nil
	}
	return append(all, ofFile...), nil
}

// propertiesOfFile reads a property file; there is none where file is "".
func propertiesOfFile(ctx context.Context, file string) ([]syntax.Property, error) {
	if file == "" {
		return nil, nil
	}
	text, err := trace.ReadFile(ctx, file, longestFile)
	if err != nil {
		if file == "-" {
			return nil, usagef("-f takes a file of properties; standard input, -, can only be a trace")
		}
		if _, mistaken := syntax.Parse(file); mistaken == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("-f takes a file of properties, and there is none called %s; a formula is written without -f", file)
		}
		return nil, err
	}
	named, err := syntax.ParseProperties(string(text))
	switch {
	case err != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil, usagef("-f takes a file of properties, one a line as name: formula, and %s holds JSON, as a trace does", file)
	case err != nil:
		var all []error
		for _, err := range err.(syntax.Errors) {
			all = append(all, misfit(syntax.Property{File: file}, err))
		}
		return nil, errors.Join(all...)
	case len(named) == 0:
		return nil, fmt.Errorf("%s: a property file must have a property; write one a line as name: formula", file)
	}
	for i := range named {
		named[i].File = file
	}
	return named, nil
}

// resolve relates the formula of a property to an execution.
func (s *session) resolve(p syntax.Property, e *format.Execution) (*syntax.Formula, error) {
	g, err := do(s, "expanding quantifiers", func(ctx context.Context) (*syntax.Formula, error) {
		return syntax.Resolve(ctx, p.Formula, rctl.Scope(e.Computation))
	})
	if is[*limitError](err) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, misfit(p, err))
	}
	return g, nil
}

// A question is a formula, perhaps none, about the one execution of a trace.
type question struct {
	*format.Execution
	formula, resolved *syntax.Formula
}

// question reads the trace that f is about: with all values, labels and names, or with
// only what it takes to decide f.
func (s *session) question(c *cli.Context, f *syntax.Formula, path string, all bool) (*question, error) {
	var variables map[string]bool
	if !all {
		variables = syntax.Names(f)
	}
	in, err := s.inputOf(c, variables, all)
	if err != nil {
		return nil, err
	}
	q := &question{formula: f}
	if q.Execution, err = s.readOne(in, path); err == nil && f != nil {
		q.resolved, err = s.resolve(syntax.Property{Formula: f}, q.Execution)
	}
	return q, err
}

// wrap adds the name of the execution to an error.
func (q *question) wrap(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", q.Name, err)
	}
	return err
}
