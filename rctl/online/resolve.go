package online

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// resolutions holds the formulas and how they are resolved in executions. Executions with the same processes and
// variables share resolved formulas.
type resolutions struct {
	list    []*prepared
	columns []syntax.Column
	scope   map[spoken]bool // the processes and variables that some formula mentions
	anyone  bool            // whether some formula ranges over processes

	several bool // whether there may be several executions
	shared  stream.Recent[[]resolution]
	key     []byte
}

// prepared is a formula with the facts about it that are the same in all executions.
type prepared struct {
	formula *syntax.Formula
	columns []syntax.Column // the columns that it mentions
	needs   []spoken        // the processes and variables that it names
	names   map[string]bool // the result of syntax.Names
	ranges  bool            // whether it has quantifiers over processes, or aggregates
	bare    bool            // whether it names a variable without its process
	learns  bool            // whether it depends on what processes learn about each other

	// At most one of these is set, and says how a formula about data or time is decided.
	touching *touching        // binding by binding
	bounded  *syntax.Response // by deadlines
	pairs    bool             // by pairs of events
	whole    bool             // on the whole execution
}

// spoken is a process, or a variable and its process, which is "" if the formula does not name it.
type spoken struct{ process, variable string }

// speaksOf reports whether some formula may mention a process, or a variable of it.
func (r *resolutions) speaksOf(process, variable string) bool {
	return r.scope[spoken{process, variable}] || r.anyone && variable == "" || variable != "" && r.scope[spoken{"", variable}]
}

// A resolution has the bounds of a formula by side, in negation normal form. Both are the same formula if no process
// can join. The zero resolution stands for an error.
type resolution struct {
	resolved *syntax.Formula // the upper bound, before it was put into normal form
	bounds   [2]*syntax.Formula
}

// newResolutions prepares formulas, for clocks that agree within skew.
func newResolutions(formulas []*syntax.Formula, skew time.Duration) *resolutions {
	r := &resolutions{scope: make(map[spoken]bool)}
	for _, f := range formulas {
		p := prepare(f, skew)
		r.list = append(r.list, p)
		for _, c := range p.columns {
			if !slices.ContainsFunc(r.columns, func(d syntax.Column) bool { return d.Name() == c.Name() }) {
				r.columns = append(r.columns, c)
			}
		}
		if p.ofData() {
			continue // its names are not names of processes and variables
		}
		p.mentions()
		for _, x := range p.needs {
			r.scope[x] = true
		}
		if p.ranges {
			r.anyone = true
			for name := range p.names {
				r.scope[spoken{"", name}] = true
			}
		}
	}
	return r
}

// prepare chooses how a formula is decided. A formula with closed conditions only becomes one about columns.
func prepare(f *syntax.Formula, skew time.Duration) *prepared {
	p := &prepared{formula: f}
	if syntax.HasBounds(f) {
		p.bounded = syntax.ResponseOf(f)
		p.whole = p.bounded == nil
		return p
	}
	if syntax.DataFree(f) {
		return p
	}
	if g, columns, ok := syntax.Columns(f); ok {
		p.formula, p.columns = g, columns
		return p
	}
	if p.touching = newTouching(f); p.touching == nil {
		// If clocks may be off, the difference of two times is known only at the end.
		t, _ := front(f)
		p.pairs = t != nil && !byClocks(f, skew)
		p.whole = !p.pairs
	}
	return p
}

// mentions records the processes and variables that a formula mentions.
func (p *prepared) mentions() {
	p.names = syntax.Names(p.formula)
	syntax.WalkExprs(p.formula, func(e *syntax.Expr) {
		if e.Op == syntax.ExprVar {
			p.bare = p.bare || e.Process.Text == ""
			p.needs = append(p.needs, spoken{e.Process.Text, e.Text})
		}
		processes := []syntax.Name{e.Process}
		if e.Op == syntax.ExprTransit {
			processes = []syntax.Name{e.From, e.To}
		}
		for _, process := range processes {
			if process.Text != "" {
				p.needs = append(p.needs, spoken{process.Text, ""})
			}
		}
	})
	p.ranges = isOpen(p.formula, &opening{joins: func(*syntax.Quantifier, []syntax.Name) bool { return true }})
	// EF and AG of a predicate need no more than the window, as part.learning says.
	p.learns = syntax.Find(syntax.NNF(p.formula), func(g *syntax.Formula) bool {
		window := (g.Op == syntax.OpEF || g.Op == syntax.OpAG) && syntax.IsPropositional(g.Sub[0])
		return g.Op.IsTemporal() && !window
	}) != nil
}

// ofData reports whether a formula is decided by binding or by deadlines, or on the whole execution.
func (p *prepared) ofData() bool { return p.byEvents() || p.whole }

// byEvents reports whether a formula is decided by visiting each event once.
func (p *prepared) byEvents() bool { return p.touching != nil || p.bounded != nil || p.pairs }

// known reports whether all names of a formula are known in a stream. If they are, and the formula cannot be
// resolved, another attempt makes sense only when all processes and variables are known.
func (p *prepared) known(s *stream.Stream) bool {
	return !slices.ContainsFunc(p.needs, func(x spoken) bool {
		switch p, ok := s.Process(x.process); {
		case x.process == "":
			return !s.Named(x.variable)
		case x.variable == "":
			return !ok
		default:
			return !ok || s.Kind(p, x.variable) == graphs.NoKind
		}
	})
}

// isOpen reports whether a quantifier in f is open.
func isOpen(f *syntax.Formula, o *opening) bool {
	o.bound(syntax.NNF(f), lower)
	return o.found
}

// maxShared is how many processes an execution may have if it shares resolved formulas.
const maxShared = 64

// in returns the resolutions that are shared by all executions with the processes and variables of a stream; nil if
// the stream shares none. With many short executions, sharing saves a quarter of the time.
func (r *resolutions) in(s *stream.Stream) []resolution {
	if !r.several || len(s.Processes()) > maxShared {
		return nil
	}
	// The key has everything in the stream that resolving a formula depends on.
	key := r.key[:0]
	for _, name := range s.Processes() {
		key = append(append(key, name...), 0xff) // 0xff never occurs in UTF-8
	}
	for process, name := range s.Variables {
		key = append(key, 0xff, byte(s.Kind(process, name)))
		key = append(strconv.AppendInt(key, int64(process), 10), ' ')
		key = append(key, name...)
	}

	if s.Fixed() {
		key = append(key, 0xff, 0xff)
	}
	r.key = key
	all, ok := r.shared.Find(key)
	if !ok {
		all = make([]resolution, len(r.list))
		r.shared.Add(string(key), all)
	}

	return all
}

// resolve resolves a formula in a scope.
func (r *resolutions) resolve(property int, s scope, shared []resolution) (found resolution, err error) {
	if shared != nil && shared[property].resolved != nil {
		return shared[property], nil
	}
	f, o := r.list[property].formula, s.opening()
	open := r.list[property].ranges && isOpen(f, o)
	for at := range found.bounds {
		// A closed formula says the same in both bounds, and is resolved once.
		g := f
		if open {
			g = o.of(syntax.NNF(f), side(at))
		} else if at > 0 {
			found.bounds[at] = found.bounds[0]
			break
		}
		if found.resolved, err = syntax.Resolve(context.Background(), g, s); err != nil {
			return resolution{}, err
		}
		found.bounds[at] = syntax.NNF(found.resolved)
	}
	if shared != nil {
		shared[property] = found
	}
	return found, nil
}

// scope is the set of processes and variables that formulas may mention at a moment of a stream. The number
// stream.Scope identifies the moment.
type scope struct {
	s     *stream.Stream
	at    int
	fixed bool
}

// present returns the current scope.
func (m *Monitor) present() scope { return scope{m.stream, m.stream.Scope(), m.stream.Fixed()} }

// opening returns the opening that distinguishes open quantifiers from closed ones in a scope.
func (s scope) opening() *opening {
	has := func(process string, needs []syntax.Name) bool {
		p, ok := s.LookupProcess(process)
		return ok && !slices.ContainsFunc(needs, func(variable syntax.Name) bool {
			_, has := s.Variable(p, variable.Text)
			return !has
		})
	}
	return &opening{
		joins: func(q *syntax.Quantifier, needs []syntax.Name) bool {
			lacks := func(process syntax.Name) bool { return !has(process.Text, needs) }
			return !s.fixed && (q.Domain == nil || slices.ContainsFunc(q.Domain, lacks))
		},
		there: func(all []syntax.Name) []syntax.Name {
			return slices.DeleteFunc(slices.Clone(all), func(process syntax.Name) bool { return !has(process.Text, nil) })
		},
	}
}

func (s scope) Processes() []string { return s.s.ProcessesBy(s.at) }

func (s scope) LookupProcess(name string) (int, bool) {
	p, ok := s.s.Process(name)
	return p, ok && p < len(s.Processes())
}

// Variable returns the type of a variable, judging by its values so far.
func (s scope) Variable(process int, name string) (syntax.Type, bool) {
	k := s.s.KindBy(s.at, process, name)
	return known.TypeOf(k), k != graphs.NoKind
}

// Owners lists the processes known to have a variable.
func (s scope) Owners(name string) []int {
	var owners []int
	for p := graphs.Shared; p < len(s.Processes()); p++ {
		if s.s.KindBy(s.at, p, name) != graphs.NoKind {
			owners = append(owners, p)
		}
	}

	return owners
}

// VariableNames lists the names of all variables, for hints.
func (s scope) VariableNames() []string {
	var names []string
	for _, name := range s.s.Variables {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
