package infer

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A class is a set of processes with the same variables: variables of the same processes in all runs
// belong to one class.
//
// For example, if server has the variables queue and load, and each of client-1, client-2 has cs,
// there are two classes. The class of the clients has the domain "client-*", so formulas about it
// begin with forall i in "client-*".
type class struct {
	members map[member]bool
	single  bool   // whether each run has one member, or the variables are shared
	domain  string // the text after the names of a quantifier; "" for all processes
	of      string // the domain in sentences, such as " of user*"; "" if there is none
	having  bool   // whether the variables of a formula determine the domain
}

// A member is a process of a run, by name, because a process may be missing from some run.
type member struct {
	run  int
	name string
}

// A variable stands for all variables of one name, on all processes and in all good runs.
type variable struct {
	name   string
	text   string // the name in the syntax of formulas
	class  *class
	shared bool
	kind   graphs.Kind

	values    map[graphs.Value]bool // the first values, at most maxDistinct
	many      bool                  // whether there are more values
	inits     map[graphs.Value]bool // the values at the start
	owners    int                   // the most processes of a run that have it
	whole     bool                  // whether its values are whole numbers, from low to high
	low, high int64

	assigned, kinds int  // how many assignments it has, and how many different values in them
	passing         int  // how many values several processes assign
	field           bool // whether it is about single events rather than a state
	id              bool // whether its values look like ids
	changes         bool // whether some process has several values of it
	begins          bool // whether it has a value at the start, or an event assigns the zero value
	names           bool // whether its values are names of processes
	small           bool // whether some assigned number is less than any time since 1970

	run struct { // the run that is being surveyed
		owners int
		on     map[graphs.Value]int // the process that assigned each value; -1 for several
	}
}

// Bounds on the values of a variable.
const (
	maxDistinct = 64      // values that are kept
	maxWhole    = 1 << 40 // numbers that formulas add
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

// minTime is less than the times of all logs, in seconds since 1970 or any smaller unit, and more
// than most counters reach.
var minTime = graphs.Int(100_000_000)

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
		// The first event of a process may set a variable to a constant, which is no change.
		since := i > 0 || w.Process == graphs.Shared || c.Position(w.Event(i)) > 1
		v.changes = v.changes || x != w.Value(i-1) && since
		v.begins = v.begins || x == graphs.Zero(w.Kind)
		v.small = v.small || w.Kind == graphs.Number && x.Compare(minTime) < 0
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

// namesProcesses reports whether the values of a variable, except those at the start, are names of
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

// fieldsOf distinguishes ids, and fields that describe an event, from variables that are a state. A
// field is assigned by events most of which assign an id, too, or by nearly all events of its
// processes. Times are fields as well.
//
// The thresholds are shares, because logs lose some lines: 9 of 10 events for a field of all events,
// and half of the assignments for a field next to an id.
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
	// The readers of spans use these names.
	namesKind := index["operation"] != nil && index["event"] != nil
	for name, v := range index {
		always := v.eventual() && v.assigned > 3 && 10*v.assigned >= 9*events[name]
		v.field = v.id || v.time() || always || v.eventual() && beside[name] > 0 && 2*beside[name] >= v.assigned
		namesKind = namesKind || always
	}
	// If each event names its kind, its other assignments are about the event, too, except Booleans.
	for _, v := range index {
		v.field = v.field || namesKind && v.kind != graphs.Bool && !v.begins && !v.shared
	}
}

// time reports whether a number looks like a time, which says nothing about other runs.
func (v *variable) time() bool {
	return v.kind == graphs.Number && !v.small && !v.begins && v.assigned > 0
}

// eventual reports whether a variable may be about single events: it is a string without a value at
// the start, and its values are not names of processes.
func (v *variable) eventual() bool {
	return v.kind == graphs.String && !v.begins && !v.names
}

// name sets the domain of a class: all processes, a pattern that only the members match, or else
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
	// The common prefix of sorted names is that of the first and the last.
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

// quantifier returns a quantifier over the members with some variables; "" for a single process.
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
