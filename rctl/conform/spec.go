package conform

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Spec is a diagram with which traces are compared.
type Spec struct {
	Name     string // the name of its file
	Scenario *scenario.Scenario

	labels []*regexp.Regexp // by arrow: the pattern of its messages
	lineOf func(at int) int
}

// Open reads a diagram from a file in Mermaid or Markdown. FILE#2 is the second diagram of a file;
// without a number, the file must have only one. Errors are *trace.Error and ctx.Err().
func Open(ctx context.Context, name string) (*Spec, error) {
	path, number := name, 0
	if file, after, found := strings.Cut(name, "#"); found {
		if n, err := strconv.Atoi(after); err == nil {
			path, number = file, n
		}
	}
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return Read(ctx, source, number)
}

// Read reads the diagram with the given number, counted from 1, or the only one for 0, and closes
// the source. Its errors are those of Open.
func Read(ctx context.Context, source *trace.Source, number int) (*Spec, error) {
	diagrams, err := mermaid.Parse(ctx, source, trace.Options{})
	switch n := len(diagrams); {
	case err != nil:
		return nil, err
	case number == 0 && n > 1, number < 0, number > n:
		return nil, &trace.Error{File: source.Path, Msg: fmt.Sprintf("it has %s: choose one by its number, as in %s#1",
			graphs.Plural(n, "sequence diagram"), source.Path)}
	}
	d := diagrams[max(number-1, 0)]
	of, err := scenario.New(d)
	if err != nil {
		return nil, err
	}
	s := &Spec{Name: source.Path, Scenario: of, lineOf: d.Lines()}
	if len(of.Arrows) == 0 {
		return nil, d.Errorf(0, "a diagram without an arrow specifies nothing")
	}
	for _, a := range of.Arrows {
		pattern := "^" + regexp.QuoteMeta(a.Text) + "$"
		switch n := len(a.Text); {
		case n == 0:
			pattern = "" // any text
		case n > 2 && a.Text[0] == '/' && a.Text[n-1] == '/':
			pattern = a.Text[1 : n-1]
		}
		label, err := regexp.Compile(pattern)
		if err != nil {
			return nil, d.Errorf(a.At, "the label is no regular expression: %v", err)
		}
		s.labels = append(s.labels, label)
	}
	for _, n := range of.Notes {
		if _, err := assertion(n); err != nil {
			return nil, d.Errorf(n.At, "the note has a comparison, but is no assertion: %v", err)
		}
	}
	return s, nil
}

// compares matches comparisons, which only assertions have; other notes may be for people.
var compares = lazy.Regexp(`[=!<>]=`)

// assertion returns the formula of a note, or nil if the note is for people. An assignment asserts
// that the variable has that value.
func assertion(n scenario.Note) (*syntax.Formula, error) {
	text := n.Text
	if len(n.Sets) > 0 {
		var all []string
		for _, set := range n.Sets {
			all = append(all, set.Variable+" == "+set.Value.String())
		}
		text = strings.Join(all, " && ")
	}
	f, err := pattern.Formulas().Parse(text)
	if err == nil && !(syntax.IsPropositional(f) && syntax.DataFree(f)) {
		f, err = nil, fmt.Errorf("it must speak of the values of variables, without temporal operators and events")
	}
	if err != nil && !compares().MatchString(text) {
		return nil, nil
	}
	return f, err
}

// Variables returns the variables that a comparison needs: the names of spans, the variables of the
// notes, and those of Options.Each. A reader may skip all others.
func (s *Spec) Variables(each string) map[string]bool {
	all := map[string]bool{"service": true, "operation": true}
	if f, err := ParseEach(each); err == nil {
		maps.Copy(all, syntax.Names(f))
	}
	for _, n := range s.Scenario.Notes {
		if f, _ := assertion(n); f != nil {
			maps.Copy(all, syntax.Names(f))
		}
	}
	return all
}

// errorf makes an error for a diagram and a trace that a verdict would say nothing about.
func (s *Spec) errorf(format string, args ...any) *trace.Error {
	return &trace.Error{File: s.Name, Msg: graphs.Printable(fmt.Sprintf(format, args...))}
}

// lanes returns the set of lifelines of each process. A lifeline without a process is an error.
//
// Example: "participant W as worker-*" stands for both of the processes worker-1 and worker-2. A
// process that matches two participants is on both lifelines.
func (s *Spec) lanes(c *graphs.Computation) (of []uint64, err error) {
	of = make([]uint64, c.NumProcesses())
	known := slices.Clone(c.Processes())
	for p := range of {
		known = append(known, textOf(c, p, "service")) // diagrams show the service of a span
	}
	for lane, name := range s.Scenario.Diagram.Participants {
		occupy := func(called string) (found bool) {
			for i, name := range known {
				if name != "" && trace.Match(called, name, true) {
					of[i%len(of)] |= 1 << lane
					found = true
				}
			}
			return found
		}
		// An alias that is not the name of a process is for people.
		if alias := s.Scenario.Diagram.Aliases[lane]; alias != "" && occupy(alias) || occupy(name) {
			continue
		}
		return nil, s.errorf("no process or service is called %q%s; rename the participant, or write participant %s as NAME, which may have * in it",
			name, hint(name, known), name)
	}
	return of, nil
}

// hint suggests what was probably meant, if that is clear.
func hint(text string, known []string) string {
	if near := syntax.DidYouMean(text, known); near != "" {
		return " (" + near + ")"
	}
	return ""
}

// A moment counts the states of a process that satisfy an assertion, so that a test of an interval
// takes time O(1): element k is how many of the first k states satisfy it.
//
// Example: the assertion holds in 1 and 2 of the states 0 to 3. The moment is 0 0 1 2 2, and
// within(2, 3) compares 2 with 1: it holds in one of them.
type moment []int32

// within reports whether the assertion holds in one of the states from, …, to.
func (m moment) within(from, to int) bool { return m[to+1] > m[from] }

// moments evaluates the notes along the processes of their lifelines. A note for people has no
// moment: it is not a formula, or its names are not those of variables.
func (s *Spec) moments(ctx context.Context, c *graphs.Computation, lanes []uint64) ([]map[int]moment, error) {
	all := make([]map[int]moment, len(s.Scenario.Notes))
	for i, n := range s.Scenario.Notes {
		all[i] = make(map[int]moment)
		for p := range c.Processes() {
			if lanes[p]>>n.Lifeline&1 == 0 {
				continue
			}
			if err := s.along(ctx, c, n, p, all[i]); err != nil {
				return nil, err
			}
		}
		if len(all[i]) == 0 && (len(n.Sets) > 0 || compares().MatchString(n.Text)) {
			return nil, s.Scenario.Diagram.Errorf(n.At, "the note asserts something about variables that %s has not",
				s.Scenario.Diagram.Participants[n.Lifeline])
		}
	}
	return all, nil
}

// along evaluates a note along a process, unless the note is for people or the process lacks a
// variable.
func (s *Spec) along(ctx context.Context, c *graphs.Computation, n scenario.Note, p int, moments map[int]moment) error {
	f, _ := assertion(n)
	if f == nil {
		return nil
	}
	missing := false
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		if e.Op == syntax.ExprVar && e.Process.Text == "" {
			missing = missing || c.Variable(p, e.Text) == nil
			e.Process.Text = c.Processes()[p]
		}
	})
	if missing {
		return nil
	}
	resolved, err := syntax.Resolve(ctx, f, scope.Of(c))
	if err != nil {
		return s.Scenario.Diagram.Errorf(n.At, "the note: %v", err)
	}
	test, err := atoms.NewTest(c, resolved)
	if err != nil {
		return err
	}
	if owner, _, ok := syntax.ChainOf(resolved); !ok || owner != p {
		return s.Scenario.Diagram.Errorf(n.At, "a note asserts something about variables of its participant, and of no other")
	}
	all := make(moment, c.Len(p)+2)
	for k, holds := range test.States {
		all[k+1] = all[k]
		if holds {
			all[k+1]++
		}
	}
	moments[p] = all
	return nil
}
