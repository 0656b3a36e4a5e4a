package infer

import (
	"maps"
	"math"
	"path"
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
	members map[string]bool // names of processes in any run
	single  bool            // each run has one member, or the variables are shared
	domain  string          // what stands after the names of a quantifier, "" for all processes
	of      string          // for sentences, where there is a domain: " of user*"
	having  bool            // the domain is made of the variables of a formula
}

// A variable is all variables of one name.
type variable struct {
	name   string
	text   string // as in formulas
	class  *class
	shared bool
	kind   graphs.Kind

	values    map[graphs.Value]bool // at most maxDistinct
	many      bool                  // there are more
	inits     map[graphs.Value]bool
	owners    int  // the most processes of a run that have it
	whole     bool // its values are whole numbers, from low to high
	low, high int64

	assigned, kinds int  // assignments, and different values of them
	passing         int  // values that several processes assign
	field           bool // tells of single events rather than of a state
	id              bool // its values look like ids
	changes         bool // some process has several values of it
	begins          bool // it is given a value at the start, or by an event what it was then
	returns         bool // it comes back from another value to what it was at the start
	names           bool // its values are names of processes
	small           bool // a number that some event makes less than any time since 1970

	run struct { // that is being looked at
		owners int
		on     map[graphs.Value]int // which process has assigned a value, -1 for several
	}
}

// Bounds on the values of a variable: on how many are kept, and on numbers that formulas add.
const (
	maxDistinct = 64
	maxWhole    = 1 << 40
)

// variablesOf collects the variables of good runs, in order of first appearance. The time complexity
// of variablesOf is O(assignments).
func variablesOf(runs []Run) []*variable {
	var all []*variable
	index := make(map[string]*variable)
	members := make(map[string]map[string]bool)
	for _, r := range runs {
		c := r.Computation
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
					kind:   w.Kind,
					values: make(map[graphs.Value]bool),
					inits:  make(map[graphs.Value]bool),
					whole:  true,
					low:    math.MaxInt64,
					high:   math.MinInt64,
				}
				v.run.on = make(map[graphs.Value]int)
				index[w.Name], members[w.Name] = v, make(map[string]bool)
				all = append(all, v)
			}
			v.shared = v.shared || w.Process == graphs.Shared
			if w.Process != graphs.Shared {
				members[w.Name][c.Processes()[w.Process]] = true
			}
			v.look(c, w)
		}
		for _, v := range all {
			v.owners = max(v.owners, v.run.owners)
		}
	}
	for _, v := range all {
		v.names = v.namesProcesses(runs[0].Computation)
	}
	fieldsOf(runs, index)
	classify(runs, all, members)
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
		if v.many = v.many || len(v.values) == maxDistinct && !v.values[x]; len(v.values) < maxDistinct {
			v.values[x] = true
		}
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
		v.returns = v.returns || x == w.Init && x != w.Value(i-1)
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

// Bounds on ids.
const (
	maxPerID   = 20 // how often one is assigned, on average: each request has few events
	minNumbers = 8  // of ids that are numbers: fewer may be counters
)

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
// Times are fields as well. Numbers are ids only beside words for the event, since counters pass
// from one process to another, too.
//
// The thresholds are shares rather than absolute: 9 of 10 events for a field of all events, half
// of the assignments for a field beside an id. Logs lose a line here and there.
func fieldsOf(runs []Run, index map[string]*variable) {
	for _, v := range index {
		v.id = v.eventual() && v.passes()
	}
	beside := assignedBeside(runs, index, func(v *variable) bool { return v.eventual() && !v.id && !v.many })
	for name, v := range index {
		// Ids may begin with 0; counters come back to it.
		untouched := v.first() == graphs.Int(0) && !v.returns
		number := v.kind == graphs.Number && v.small && untouched && v.kinds >= minNumbers
		v.id = v.id || number && v.passes() && beside[name] == v.assigned
	}
	beside = assignedBeside(runs, index, func(v *variable) bool { return v.id })
	events := make(map[string]int)
	for _, r := range runs {
		for _, w := range r.Computation.Variables() {
			if w.Process != graphs.Shared {
				events[w.Name] += r.Computation.Len(w.Process)
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

// assignedBeside counts by variable the assignments at events that assign such a variable, too.
func assignedBeside(runs []Run, index map[string]*variable, such func(*variable) bool) map[string]int {
	n := make(map[string]int)
	for _, r := range runs {
		at := make(map[graphs.Event]bool)
		for _, w := range r.Computation.Variables() {
			if v := index[w.Name]; v != nil && such(v) {
				for _, e := range w.Events() {
					at[e] = true
				}
			}
		}
		for _, w := range r.Computation.Variables() {
			for _, e := range w.Events() {
				if at[e] && w.Process != graphs.Shared {
					n[w.Name]++
				}
			}
		}
	}
	return n
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

// classify gives each variable its class.
//
// Variables are compared by their sets of processes over all runs. A process may be missing from
// one run, and is still of its class.
func classify(runs []Run, all []*variable, members map[string]map[string]bool) {
	everybody := make(map[string]bool)
	for _, r := range runs {
		for _, name := range r.Computation.Processes() {
			everybody[name] = true
		}
	}
	var classes []*class
	for _, v := range all {
		names := members[v.name]
		if v.shared {
			v.class = &class{single: true}
			continue
		}
		i := slices.IndexFunc(classes, func(k *class) bool { return maps.Equal(k.members, names) })
		if i < 0 {
			i = len(classes)
			classes = append(classes, &class{members: names})
		}
		v.class = classes[i]
		v.class.single = v.owners == 1
	}
	for _, k := range classes {
		k.name(runs, all, everybody)
	}
}

// name finds the domain of a class: all processes, a pattern that just the members match, or else
// the processes with the variables of the formula.
func (k *class) name(runs []Run, all []*variable, everybody map[string]bool) {
	// A quantifier without having is an error where a process lacks the variable.
	complete := true
	for _, v := range all {
		if v.class != k {
			continue
		}
		for _, r := range runs {
			for p, name := range r.Computation.Processes() {
				if k.members[name] && r.Computation.Variable(p, v.name) == nil {
					complete = false
				}
			}
		}
	}
	if complete && len(k.members) == len(everybody) {
		return
	}
	names := slices.Sorted(maps.Keys(k.members))
	// Of sorted names, the first and the last have the least in common.
	prefix := names[0]
	for !strings.HasPrefix(names[len(names)-1], prefix) {
		prefix = prefix[:len(prefix)-1]
	}
	prefix = strings.ToValidUTF8(prefix, "") // not half a letter
	pattern := prefix + "*"
	if complete && len(prefix) > 0 && !strings.ContainsAny(prefix, `*?["\`) {
		others := 0
		for name := range everybody {
			if ok, _ := path.Match(pattern, name); ok {
				others++
			}
		}
		if others == len(names) {
			k.domain, k.of = ` in "`+pattern+`"`, " of "+pattern
			return
		}
	}
	k.having = true
}

// quantifier returns a quantifier over the members with some variables, "" for a single process.
func (k *class) quantifier(word, names string, variables ...*variable) string {
	if k.single {
		return ""
	}
	domain := k.domain
	if k.having {
		var having []string
		for _, v := range variables {
			if !slices.Contains(having, v.text) {
				having = append(having, v.text)
			}
		}
		domain = " having " + strings.Join(having, ", ")
	}
	return word + " " + names + domain + ": "
}
