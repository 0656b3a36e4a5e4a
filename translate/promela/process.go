package promela

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/translate/internal/ident"
)

// A process is a proctype: a process of the computation with its steps. Some steps move other
// processes as well.
type process struct {
	number int
	name   string // mangled
	steps  []step
}

// A step is a meta-event that the process of its least event executes.
type step struct {
	events []graphs.Event
	at     int32      // how many events of the process come before it
	moves  graphs.Cut // by process: its count after the step; 0 if it takes no part
	// the events that must have happened, apart from the needs of earlier steps
	needs   []graphs.Event
	visible bool
}

// twoPlaces reports whether the process goes to another place before a visible step. It does if some
// of its steps are visible and others are not.
func (p process) twoPlaces() bool {
	return slices.ContainsFunc(p.steps,
		func(s step) bool { return s.visible != p.steps[0].visible })
}

// at is the name of the counter of a process, seen that of the counter that propositions read.
func (t *translator) at(p int) string { return "at_" + ident.Mangle(t.comp.Processes()[p]) }

func (t *translator) seen(p int) string { return "seen_" + ident.Mangle(t.comp.Processes()[p]) }

// makeProcesses finds the steps of each process between the initial and the final cut.
func (t *translator) makeProcesses() []process {
	c := t.comp
	var list []process
	for p, name := range c.Processes() {
		known := c.Initial().Clone()
		proc := process{number: p, name: ident.Mangle(name)}
		for k := c.Initial()[p] + 1; k <= c.Final()[p]; k++ {
			if e := c.Event(p, int(k)); c.Step(e)[0] == e {
				proc.steps = append(proc.steps, newStep(c, e, known))
			}
		}
		if len(proc.steps) > 0 {
			list = append(list, proc)
		}
	}
	return list
}

// newStep returns the step with e as its least event. known is the cut that earlier steps of the
// process need.
func newStep(c *graphs.Computation, e graphs.Event, known graphs.Cut) step {
	p := c.Process(e)
	s := step{events: c.Step(e), at: int32(c.Position(e)) - 1}
	s.moves = make(graphs.Cut, c.NumProcesses())
	needs := make(map[int]graphs.Event)
	need := func(u graphs.Event) {
		q := c.Process(u)
		if q >= 0 && q != p && !c.SameStep(u, e) && int32(c.Position(u)) > known[q] {
			known[q] = int32(c.Position(u))
			needs[q] = u
		}
	}
	for _, f := range s.events {
		q := c.Process(f)
		s.moves[q] = max(s.moves[q], int32(c.Position(f)))
		// What comes before on other processes of the meta-event must have happened, too.
		if c.Position(f) > 1 {
			need(f - 1)
		}
		for _, u := range c.Preds(f) {
			need(u)
		}
	}
	for q := range c.NumProcesses() {
		if u, ok := needs[q]; ok {
			s.needs = append(s.needs, u)
		}
	}
	return s
}

// markVisible marks the visible steps, once all propositions are made.
func (t *translator) markVisible() {
	for i := range t.processes {
		for j := range t.processes[i].steps {
			s := &t.processes[i].steps[j]
			s.visible = slices.ContainsFunc(s.events,
				func(e graphs.Event) bool { return t.visible[e] })
			for _, e := range s.events {
				if s.visible {
					t.watched[t.comp.Process(e)] = true
				}
			}
		}
	}
}

// declare writes the counters.
func (t *translator) declare(b *strings.Builder) {
	c := t.comp
	for p := range c.NumProcesses() {
		if c.Initial()[p] == c.Final()[p] {
			continue
		}
		kind := "byte"
		switch n := c.Len(p); {
		// Counters are as small as can be, since every state has them.
		case n > 1<<15-1:
			kind = "int"
		case n > 255:
			kind = "short"
		}
		fmt.Fprintf(b, "local %s %s = %d;", kind, t.at(p), c.Initial()[p])
		if t.watched[p] {
			fmt.Fprintf(b, " %s %s = %d;", kind, t.seen(p), c.Initial()[p])
		}
		fmt.Fprintf(b, " /* %s */\n", remark(c.Processes()[p]))
	}
}

// write writes a proctype. The process is at its first place before a step that is not visible, and
// goes to its second place before one that is.
func (t *translator) write(b *strings.Builder, p process) {
	t.list(b, p)
	fmt.Fprintf(b, "active proctype proc_%s()\n{\nend:\n  do\n", p.name)
	var hidden, visible []step
	var positions []int32
	for _, s := range p.steps {
		if s.visible {
			visible = append(visible, s)
			positions = append(positions, s.at)
		} else {
			hidden = append(hidden, s)
		}
	}
	if p.twoPlaces() {
		t.options(b, p, hidden, "  ", true)
		fmt.Fprintf(b, "  :: %s ->\n    if\n", among(t.at(p.number), positions))
		t.options(b, p, visible, "    ",
			slices.ContainsFunc(visible, func(s step) bool { return len(s.events) > 1 }))
		b.WriteString("    fi\n")
	} else {
		t.options(b, p, p.steps, "  ", true)
	}
	b.WriteString("  od\n}\n\n")
}

// list writes the names of a process's events, with their positions.
func (t *translator) list(b *strings.Builder, p process) {
	c := t.comp
	fmt.Fprintf(b, "/* process %s:\n  ", remark(c.Processes()[p.number]))
	width := 2
	for k := c.Initial()[p.number] + 1; k <= c.Final()[p.number]; k++ {
		item := fmt.Sprintf(" %d %s", k, remark(c.ID(c.Event(p.number, int(k)))))
		if k < c.Final()[p.number] {
			item += ","
		}
		if width += len(item); width > 100 {
			b.WriteString("\n  ")
			width = 2 + len(item)
		}
		b.WriteString(item)
	}
	b.WriteString(" */\n")
}

// options writes the options for steps that are all visible or all not: one option for all steps of a
// single event, and one for each meta-event. If ranged is set, the first one has the positions of its
// steps in its guard.
func (t *translator) options(b *strings.Builder, p process, steps []step, indent string, ranged bool) {
	counter := t.at(p.number)
	var positions []int32
	var guards []string
	var effects string
	for _, s := range steps {
		if len(s.events) > 1 {
			continue
		}
		positions = append(positions, s.at)
		if len(s.needs) > 0 {
			guards = append(guards,
				fmt.Sprintf("(%s != %d || %s) /* %s */", counter, s.at, t.wait(s), t.reasons(s)))
		}
		effects = counter + "++"
		if s.visible {
			effects += fmt.Sprintf("; %s = %s", t.seen(p.number), counter)
		}
	}
	if ranged && len(positions) > 0 {
		guards = append([]string{among(counter, positions)}, guards...)
	}
	switch {
	case len(positions) == 0:
	case len(guards) == 0:
		fmt.Fprintf(b, "%s:: d_step { true -> %s }\n", indent, effects)
	case len(guards) == 1 && ranged:
		fmt.Fprintf(b, "%s:: d_step { %s -> %s }\n", indent, guards[0], effects)
	default:
		between := "\n" + indent + "     && "
		fmt.Fprintf(b, "%s:: d_step { (%s\n%s   ) -> %s }\n", indent, strings.Join(guards, between),
			indent, effects)
	}
	for _, s := range steps {
		if len(s.events) > 1 {
			t.meta(b, s, counter, indent)
		}
	}
}

// meta writes the option for a meta-event.
func (t *translator) meta(b *strings.Builder, s step, counter, indent string) {
	fmt.Fprintf(b, "%s/* together: %s */\n", indent, t.ids(s.events))
	guard := fmt.Sprintf("%s == %d", counter, s.at)
	if len(s.needs) > 0 {
		guard += " && " + t.wait(s) + " /* " + t.reasons(s) + " */"
	}
	var effects []string
	for q, k := range s.moves {
		if k == 0 {
			continue
		}
		effects = append(effects, fmt.Sprintf("%s = %d", t.at(q), k))
		if s.visible {
			effects = append(effects, fmt.Sprintf("%s = %d", t.seen(q), k))
		}
	}
	fmt.Fprintf(b, "%s:: d_step { (%s) -> %s }\n", indent, guard, strings.Join(effects, "; "))
}

// wait returns the guard of a step: the events of other processes that must have happened.
func (t *translator) wait(s step) string {
	list := make([]string, len(s.needs))
	for i, u := range s.needs {
		list[i] = fmt.Sprintf("%s >= %d", t.at(t.comp.Process(u)), t.comp.Position(u))
	}
	return strings.Join(list, " && ")
}

// reasons names the events that a step waits for, as a comment.
func (t *translator) reasons(s step) string {
	return t.ids(s.events[:1]) + " after " + t.ids(s.needs)
}

// ids returns a list of events for a comment.
func (t *translator) ids(events []graphs.Event) string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = remark(t.comp.ID(e))
	}
	return strings.Join(list, ", ")
}

// among returns the condition that a counter has one of the values, given in increasing
// order.
func among(counter string, values []int32) string {
	var list []string
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && values[j+1] == values[j]+1 {
			j++
		}
		switch lo, hi := values[i], values[j]; {
		case lo == hi:
			list = append(list, fmt.Sprintf("%s == %d", counter, lo))
		case lo == 0:
			list = append(list, fmt.Sprintf("%s <= %d", counter, hi))
		default:
			list = append(list, fmt.Sprintf("%s >= %d && %s <= %d", counter, lo, counter, hi))
		}
		i = j + 1
	}
	return "(" + strings.Join(list, " || ") + ")"
}
