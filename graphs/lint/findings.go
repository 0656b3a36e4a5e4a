package lint

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
)

// impossible reports events that no cut contains: they cannot have happened as the trace says.
func (s *search) impossible() {
	c := s.c
	if c.Empty() {
		s.report("impossible", nil, "no consistent cut satisfies the edges of the trace")
		return
	}
	var never []graphs.Event
	for p := range c.NumProcesses() {
		// The first such event of a process represents all after it.
		if k := int(c.Final()[p]); k < c.Len(p) {
			never = append(never, c.Event(p, k+1))
		}
	}
	if never != nil {
		s.report("impossible", few(never),
			"no consistent cut has %s, nor what comes after on its process", s.ids(never))
	}
}

// lost reports messages that are never received, by channel.
func (s *search) lost() {
	type channel struct{ from, to int }
	sends := make(map[channel][]graphs.Event)
	for _, m := range s.c.Messages() {
		if m.Recv == graphs.Bottom {
			ch := channel{s.c.Process(m.Send), int(m.To)}
			sends[ch] = append(sends[ch], m.Send)
		}
	}
	// Sorted by the numbers of the processes, so that a trace always has the same findings.
	order := slices.SortedFunc(maps.Keys(sends), func(a, b channel) int {
		return cmp.Or(a.from-b.from, a.to-b.to)
	})
	names := s.c.Processes()
	// Ten channels show the pattern; the others are only counted.
	const most = 10
	more, channels := 0, 0
	for i, ch := range order {
		if i >= most {
			more += len(sends[ch])
			channels++
			continue
		}
		to, verb := "", "are"
		if ch.to >= 0 {
			to = " to " + names[ch.to]
		}
		if len(sends[ch]) == 1 {
			verb = "is"
		}
		s.report("lost", few(sends[ch]), "%s from %s%s %s never received, sent by %s",
			graphs.Plural(len(sends[ch]), "message"), names[ch.from], to, verb, s.ids(sends[ch]))
	}
	if channels > 0 {
		s.report("lost", nil, "%s on %s more never received", graphs.Plural(more, "message"),
			graphs.Plural(channels, "channel"))
	}
}

// alone reports processes without edges to or from others, and those without events.
func (s *search) alone() {
	c := s.c
	touched := make([]bool, c.NumProcesses())
	for e := graphs.Event(1); e < c.Top(); e++ {
		for _, f := range c.Succs(e) {
			if c.Process(e) != c.Process(f) {
				touched[c.Process(e)], touched[c.Process(f)] = true, true
			}
		}
	}
	for _, m := range c.Messages() {
		touched[c.Process(m.Send)] = true
	}
	// If no process exchanges anything, that is one finding, not one for each process.
	var alone, idle []string
	for p, name := range c.Processes() {
		switch {
		case c.Len(p) == 0:
			idle = append(idle, name)
		case !touched[p]:
			alone = append(alone, name)
		}
	}
	switch {
	case len(alone) > 1 && len(alone)+len(idle) == c.NumProcesses():
		s.report("alone", nil, "no message or other causality between any of the %s",
			graphs.Plural(len(alone), "process"))
	case len(alone) > 0 && c.NumProcesses() > 1:
		s.report("alone", nil, "no message or other causality between the others and %s",
			list(alone))
	}
	if len(idle) > 0 {
		s.report("idle", nil, "no event of %s", list(idle))
	}
}

// letters matches single letters and whole numbers of a name. Numbers are not joined, because n1-2
// and n12 are different.
var letters = lazy.Regexp(`\p{L}|\p{Nd}+`)

// namesakes reports processes that are probably the same one.
func (s *search) namesakes() {
	groups := make(map[string][]string)
	var order []string
	for _, name := range s.c.Processes() {
		key := strings.Join(letters().FindAllString(strings.ToLower(name), -1), " ")
		if len(groups[key]) == 0 {
			order = append(order, key)
		}
		groups[key] = append(groups[key], name)
	}
	for _, key := range order {
		// Names without letters and numbers are not compared.
		if g := groups[key]; len(g) > 1 && key != "" {
			s.report("namesake", nil, "%s are different processes: are they meant to be?", list(g))
		}
	}
}

// syncs reports syncs of a single event, which say nothing.
func (s *search) syncs() {
	var single []graphs.Event
	for _, sync := range s.c.Syncs() {
		if len(sync) == 1 {
			single = append(single, sync[0])
		}
	}
	if single != nil {
		s.report("sync", few(single), "%s has a sync that no event of another process has",
			s.ids(single))
	}
}

// constants reports variables that are assigned at least twice but never change, by name.
func (s *search) constants() {
	for _, first := range s.c.Variables() {
		vs := s.c.VariablesNamed(first.Name)
		if vs[0] != first {
			continue // the first variable of a name reports all of that name
		}
		constant := slices.DeleteFunc(slices.Clone(vs), func(v *graphs.Variable) bool {
			for i := range v.Len() {
				if !v.Value(i).Equal(v.Init) {
					return true
				}
			}
			return v.Len() < 2
		})
		switch {
		case len(constant) == 0:
		case first.Process == graphs.Shared:
			s.report("constant", nil, "the shared variable %s is assigned, but never changes", first.Name)
		case len(constant) == len(vs) && len(vs) > 1:
			s.report("constant", nil, "%s is assigned, but never changes on any process", first.Name)
		default:
			var owners []string
			for _, v := range constant {
				owners = append(owners, s.c.Processes()[v.Process])
			}
			s.report("constant", nil, "%s is assigned, but never changes on %s", first.Name, list(owners))
		}
	}
}

// asHappened reports shared variables that events of several processes assign.
func (s *search) asHappened() {
	var names []string
	for _, v := range s.c.Variables() {
		elsewhere := func(e graphs.Event) bool { return s.c.Process(e) != s.c.Process(v.Events()[0]) }
		if v.Process == graphs.Shared && slices.ContainsFunc(v.Events(), elsewhere) {
			names = append(names, v.Name)
		}
	}
	if names != nil {
		s.report(AsHappened, nil,
			"the assignments of %s by several processes are taken in the order in which they happened: no other order is considered", list(names))
	}
}
