package infer

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A class is the processes that have a variable: variables that the same processes have in all runs
// belong to one class.
//
// For example, where server has the variables queue and load, and each of client-1, client-2 has
// cs, there are two classes. That of the clients has the domain "client-*", so formulas about it
// begin with forall i in "client-*".
type class struct {
	members map[member]bool
	single  bool   // each run has one member, or the variables are shared
	domain  string // follows the names of a quantifier; "" for all processes
	of      string // for sentences, where there is a domain: " of user*"
	having  bool   // the domain is made of the variables of a formula
}

// A member is a process of a run, by name, because a process may be missing from some run.
type member struct {
	run  int
	name string
}

// A variable is all variables of one name.
type variable struct {
	name   string
	text   string // as in formulas
	class  *class
	shared bool
	kind   graphs.Kind

	values    map[graphs.Value]bool // at most maxDistinct
	many      bool                  // there are more values
	inits     map[graphs.Value]bool
	owners    int  // the most processes of a run that have it
	whole     bool // its values are whole numbers, from low to high
	low, high int64

	assigned, kinds int  // assignments, and different values of them
	passing         int  // values that several processes assign
	field           bool // tells of single events rather than of a state
	id              bool // its values look like ids
	changes         bool // some process has several values of it
	begins          bool // it has a value at the start, or an event assigns the zero value
	names           bool // its values are names of processes
	small           bool // a number that some event makes less than any time since 1970

	run struct { // the run that is being looked at
		owners int
		on     map[graphs.Value]int // the process that assigned each value; -1 for several
	}
}

// Bounds on the values of a variable: on how many are kept, and on numbers that formulas add.
const (
	maxDistinct = 64
	maxWhole    = 1 << 40
)

// variablesOf collects the variables of good runs, in order of first appearance. The time
// complexity of variablesOf is O(assignments).
func variablesOf(runs []Run) []*variable {
	var all []*variable
	index := make(map[string]*variable)
	everybody := make(map[member]bool)
	for n, r := range runs {
		c := r.Computation
		for _, name := range c.Processes() {
			everybody[member{n, name}] = true
		}
		for _, v := range all {
			v.run.owners, v.run.on = 0, make(map[graphs.Value]int)
		}
		for _, w := range c.Variables() {
			if w.Skipped() || w.Kind == graphs.NoKind {
				continue
			}
			v := index[w.Name]
			if v == nil {
				v = &variable{
					name:   w.Name,
					text:   (&syntax.Expr{Op: syntax.ExprVar, Text: w.Name}).String(),
					class:  &class{members: make(map[member]bool)},
					kind:   w.Kind,
					values: make(map[graphs.Value]bool),
					inits:  make(map[graphs.Value]bool),
					whole:  true,
					low:    math.MaxInt64,
					high:   math.MinInt64,
				}
				v.run.on = make(map[graphs.Value]int)
				index[w.Name] = v
				all = append(all, v)
			}
			if w.Process == graphs.Shared {
				v.shared = true
			} else {
				v.class.members[member{n, c.Processes()[w.Process]}] = true
			}
			v.look(c, w)
			v.owners = max(v.owners, v.run.owners)
		}
	}
	for i, v := range all {
		v.names = v.namesProcesses(runs[0].Computation)
		v.class.single = v.shared || v.owners == 1
		v.class.name(everybody)
		for _, w := range all[:i] {
			if !v.shared && !w.shared && maps.Equal(w.class.members, v.class.members) {
				v.class = w.class
			}
		}
	}
	fieldsOf(runs, index)
	return all
}

// leastTime is less than the times of all logs, in seconds since 1970 or any smaller unit, and more
// than most counters come to.
var leastTime = graphs.Int(100_000_000)

// look notes the values of a variable of one process.
func (v *variable) look(c *graphs.Computation, w *graphs.Variable) {
	v.run.owners++
	v.inits[w.Init] = true
	v.begins = v.begins || w.Init != graphs.Zero(w.Kind)
	for i := -1; i < w.Len(); i++ {
		x := w.Value(i)
		if len(v.values) < maxDistinct {
			v.values[x] = true
		}
		v.many = v.many || !v.values[x]
		if n := x.Int64(); w.Kind == graphs.Number {
			v.whole = v.whole && !x.Float && -maxWhole < n && n < maxWhole
			v.low, v.high = min(v.low, n), max(v.high, n)
		}
		if i < 0 {
			continue
		}
		// What the first event of a process gives a variable may be a value for good.
		since := i > 0 || w.Process == graphs.Shared || c.Position(w.Event(i)) > 1
		v.changes = v.changes || x != w.Value(i-1) && since
		v.begins = v.begins || x == graphs.Zero(w.Kind)
		v.small = v.small || w.Kind == graphs.Number && x.Compare(leastTime) < 0
		if w.Kind == graphs.Bool || w.Process == graphs.Shared {
			continue
		}
		v.assigned++
		switch first, known := v.run.on[x]; {
		case !known:
			v.run.on[x] = w.Process
			v.kinds++
		case first != w.Process && first >= 0:
			v.run.on[x] = -1
			v.passing++
		}
	}
}

// namesProcesses reports whether the values of a variable, but for one at the start, are names of
// processes.
func (v *variable) namesProcesses(c *graphs.Computation) bool {
	some := false
	for x := range v.values {
		_, ok := c.ProcessNumber(x.Text())
		if !ok && !v.inits[x] {
			return false
		}
		some = some || ok
	}
	return some && v.kind == graphs.String && !v.many
}

// maxPerID bounds how often an id is assigned, on average: each request has few events.
const maxPerID = 20

// passes reports whether values look like ids: there are several, each on few events, and most of
// them pass from one process to another.
//
// For example, the request r7 is assigned at the client, the proxy and the server: three events,
// and more than one process. A term of an election passes between processes, too, but many events
// assign the same one.
func (v *variable) passes() bool {
	return v.kinds > 2 && v.assigned <= maxPerID*v.kinds && 2*v.passing >= v.kinds
}

// fieldsOf tells ids, and fields that say what kind of event one is, from variables with a state:
// most events that assign them assign an id, too, or all events of their processes assign them.
// Times are fields as well.
//
// The thresholds are shares rather than absolute: 9 of 10 events for a field of all events, half
// of the assignments for a field beside an id. Logs lose a line here and there.
func fieldsOf(runs []Run, index map[string]*variable) {
	for _, v := range index {
		v.id = v.eventual() && v.passes()
	}
	beside, events := make(map[string]int), make(map[string]int)
	for _, r := range runs {
		withID := make(map[graphs.Event]bool)
		for _, w := range r.Computation.Variables() {
			if v := index[w.Name]; v != nil && v.id {
				for _, e := range w.Events() {
					withID[e] = true
				}
			}
		}
		for _, w := range r.Computation.Variables() {
			if w.Process == graphs.Shared {
				continue
			}
			events[w.Name] += r.Computation.Len(w.Process)
			for _, e := range w.Events() {
				if withID[e] {
					beside[w.Name]++
				}
			}
		}
	}
	// The readers of spans call events so.
	told := index["operation"] != nil && index["event"] != nil
	for name, v := range index {
		always := v.eventual() && v.assigned > 3 && 10*v.assigned >= 9*events[name]
		v.field = v.id || v.time() || always || v.eventual() && beside[name] > 0 && 2*beside[name] >= v.assigned
		told = told || always
	}
	// Where each event names its kind, all else that it assigns is about it, too, but for Booleans.
	for _, v := range index {
		v.field = v.field || told && v.kind != graphs.Bool && !v.begins && !v.shared
	}
}

// time reports whether a number looks like the time of something, which says nothing of other runs.
func (v *variable) time() bool {
	return v.kind == graphs.Number && !v.small && !v.begins && v.assigned > 0
}

// eventual reports whether a variable may be what single events tell: nobody gave it a value at the
// start, and its values are no names of processes.
func (v *variable) eventual() bool {
	return v.kind == graphs.String && !v.begins && !v.names
}

// name finds the domain of a class: all processes, a pattern that just the members match, or else
// the processes with the variables of the formula.
func (k *class) name(everybody map[member]bool) {
	if len(k.members) == len(everybody) || k.single {
		return
	}
	var names []string
	for m := range k.members {
		names = append(names, m.name)
	}
	slices.Sort(names)
	// Of sorted names, the first and the last have the least in common.
	prefix := names[0]
	for !strings.HasPrefix(names[len(names)-1], prefix) {
		prefix = prefix[:len(prefix)-1]
	}
	prefix = strings.ToValidUTF8(prefix, "") // not half a letter
	matching := 0
	for m := range everybody {
		if strings.HasPrefix(m.name, prefix) {
			matching++
		}
	}
	if k.having = prefix == "" || strings.ContainsAny(prefix, `*?["\`) || matching > len(k.members); !k.having {
		k.domain, k.of = ` in "`+prefix+`*"`, " of "+prefix+"*"
	}
}

// quantifier returns a quantifier over the members with some variables, "" for a single process.
func (k *class) quantifier(word, names string, variables ...*variable) string {
	if k.single {
		return ""
	}
	var having []string
	for _, v := range variables {
		having = append(having, v.text)
	}
	domain := k.domain
	if k.having {
		domain = " having " + strings.Join(slices.Compact(having), ", ")
	}
	return word + " " + names + domain + ": "
}
