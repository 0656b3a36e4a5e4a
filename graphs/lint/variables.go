package lint

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// constants reports variables that are assigned again and again and never change, by
// name.
func (s *search) constants() {
	for _, vs := range s.byName() {
		var owners []string
		for _, v := range vs {
			if v.Len() > 1 && !changes(v) {
				owners = append(owners, s.owner(v))
			}
		}
		switch {
		case len(owners) == 0:
		case len(owners) == len(vs) && len(vs) > 1:
			s.report("constant", nil, "%s is assigned, but never changes on any process",
				vs[0].Name)
		case vs[0].Process == graphs.Shared:
			s.report("constant", nil, "the shared variable %s is assigned, but never changes",
				vs[0].Name)
		default:
			s.report("constant", nil, "%s is assigned, but never changes on %s", vs[0].Name,
				list(owners))
		}
	}
}

// changes reports whether v ever has another value.
func changes(v *graphs.Variable) bool {
	for i := range v.Len() {
		if !v.Value(i).Equal(v.Init) {
			return true
		}
	}
	return false
}

// byName returns the variables grouped by name, in order of first appearance.
func (s *search) byName() [][]*graphs.Variable {
	var groups [][]*graphs.Variable
	seen := make(map[string]bool)
	for _, v := range s.c.Variables() {
		if !seen[v.Name] {
			seen[v.Name] = true
			groups = append(groups, s.c.VariablesNamed(v.Name))
		}
	}
	return groups
}

// owner names a variable with its process.
func (s *search) owner(v *graphs.Variable) string {
	if v.Process == graphs.Shared {
		return "all"
	}
	return s.c.Processes()[v.Process]
}

// A number grows as a rule when it grows at least this often, and this many times as
// often as it falls.
const (
	minGrowth   = 8
	mostlyGrows = 20
)

// falls reports numbers that look as if they never decreased, and do.
func (s *search) falls() {
	for _, v := range s.c.Variables() {
		if v.Kind != graphs.Number {
			continue
		}
		grows := 0
		var falls []int
		for i := range v.Len() {
			switch v.Value(i).Compare(v.Value(i - 1)) {
			case 1:
				grows++
			case -1:
				falls = append(falls, i)
			}
		}
		// A number that often falls is no counter.
		if len(falls) == 0 || grows < minGrowth || grows < mostlyGrows*len(falls) {
			continue
		}
		i := falls[0]
		events := make([]graphs.Event, len(falls))
		for k, i := range falls {
			events[k] = v.Event(i)
		}
		name := v.Name
		if v.Process != graphs.Shared {
			name += "@" + s.owner(v)
		}
		s.report("falls", few(events), "%s grows %s and falls %s: from %s to %s at %s", name,
			times(grows), times(len(falls)), v.Value(i-1), v.Value(i), s.c.ID(v.Event(i)))
	}
}

// times writes a number of times in words.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// A variable looks shared when it goes from one writer to another at least this often,
// this share of the times, of ten, in an order that happened-before tells, and with a
// new value. Processes that each have a copy write again what others wrote.
const (
	minHandovers = 8
	mostly       = 9
)

// races reports variables that look shared and are written concurrently. Where
// causality is a lower bound, that writes are concurrent tells nothing.
func (s *search) races() {
	if s.c.LowerBound() != "" {
		return
	}
	for _, vs := range s.byName() {
		if vs[0].Process != graphs.Shared && len(vs) > 1 {
			s.race(vs)
		}
	}
}

// race goes through the writes of all variables of a name in an order that could have happened. Two
// that follow each other on different processes are a handover. It is ordered if the earlier one is
// in the past of the later one.
func (s *search) race(vs []*graphs.Variable) {
	c := s.c
	writes := make([]int32, c.Top()+1) // by event, the assignment from 1
	writers := 0
	of := make([]*graphs.Variable, c.NumProcesses())
	for _, v := range vs {
		if v.Len() > 0 {
			writers++
		}
		of[v.Process] = v
		for i, e := range v.Events() {
			writes[e] = int32(i + 1)
		}
	}
	// A write of the value that is there already is a copy, and no sign of sharing.
	value := func(e graphs.Event) graphs.Value { return of[c.Process(e)].Value(int(writes[e]) - 1) }
	if writers < 2 {
		return
	}
	// the number of the last write in the past of an event, itself among it
	latest := make([]int32, c.Top()+1)
	var numbered []graphs.Event // writes in order; the k-th has number k
	numbered = append(numbered, graphs.Bottom)
	var races [][2]graphs.Event
	handovers, copies := 0, 0
	for step := range c.Steps() {
		// Events of a step share their past: the latest write before any of them.
		past := int32(0)
		for _, e := range step {
			for _, f := range c.Preds(e) {
				past = max(past, latest[f])
			}
			if c.Position(e) > 1 {
				past = max(past, latest[e-1])
			}
		}
		for _, e := range step {
			if writes[e] == 0 {
				continue
			}
			last := int32(len(numbered) - 1)
			if last > 0 && c.Process(numbered[last]) != c.Process(e) {
				handovers++
				if value(e).Equal(value(numbered[last])) {
					copies++
				}
				if past < last {
					races = append(races, [2]graphs.Event{numbered[last], e})
				}
			}
			numbered = append(numbered, e)
			past = last + 1
		}
		for _, e := range step {
			latest[e] = past
		}
	}
	if len(races) == 0 || handovers < minHandovers ||
		10*(handovers-max(len(races), copies)) < mostly*handovers {
		return
	}
	first := races[0]
	s.report("race", slices.Clone(first[:]),
		"%s looks shared: happened-before orders %d of the %s from one writer to another, but %s and %s write it concurrently",
		vs[0].Name, handovers-len(races), graphs.Plural(handovers, "change"), c.ID(first[0]),
		c.ID(first[1]))
}

// asHappened reports shared variables that several processes assign.
func (s *search) asHappened() {
	var names []string
	for _, v := range s.c.Variables() {
		if v.Process != graphs.Shared {
			continue
		}
		for _, e := range v.Events() {
			if s.c.Process(e) != s.c.Process(v.Events()[0]) {
				names = append(names, v.Name)
				break
			}
		}
	}
	if names != nil {
		s.report(AsHappened, nil,
			"the assignments of %s by several processes are taken in the order in which they happened: no other order is considered", list(names))
	}
}
