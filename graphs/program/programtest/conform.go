package programtest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/program"
)

// Conform checks on random walks that a program is as package program requires: its
// layout is valid, transitions start and end where their actions do, a process that
// holds the program is alone, and transitions of actions that do not conflict commute
// and do not enable each other.
func Conform(t testing.TB, p program.Program, walks, steps int, seed uint64) {
	t.Helper()
	if err := p.Layout().Valid(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range walks {
		s := p.Initial(nil)
		for range steps {
			all := conforms(t, p, s)
			if len(all) == 0 {
				break
			}
			next, err := p.Apply(s, all[r.IntN(len(all))], nil)
			if err != nil {
				t.Fatalf("a walk ends with %v", err)
			}
			s = next
		}
	}
}

// conforms checks one state, and returns its transitions.
func conforms(t testing.TB, p program.Program, s []byte) []program.Transition {
	t.Helper()
	l := p.Layout()
	if len(s) != l.Size {
		t.Fatalf("a state has %d bytes and not %d", len(s), l.Size)
	}
	all := enabled(p, s)
	for _, x := range all {
		// Who holds the program is alone.
		if h := p.Holder(s); h >= 0 && h != l.Actions[x.Action].Process {
			t.Fatalf("%v is enabled while process %d holds the program", x, h)
		}
		// What the language leaves undefined may be enabled; then there is no state to look at.
		after, err := p.Apply(s, x, nil)
		if err != nil {
			continue
		}
		// Apply must append, and give the same state each time.
		if again, err := p.Apply(s, x, []byte{7}); err != nil || !bytes.Equal(again[1:], after) ||
			again[0] != 7 {
			t.Fatalf("%v does not append the same state again", x)
		}
		// Processes move as their actions say. One that takes no part moves only if it is created.
		for q := range l.Processes {
			moved := p.Location(after, q) != p.Location(s, q)
			i := slices.IndexFunc(l.ActionsOf(x),
				func(a *program.Action) bool { return a.Process == q })
			switch {
			case i < 0 && moved && !created(l, q, p.Location(s, q), p.Location(after, q), x):
				t.Fatalf("%v moves process %d, which does not take part", x, q)
			case i >= 0 && (l.ActionsOf(x)[i].From != p.Location(s, q) ||
				!slices.Contains(l.ActionsOf(x)[i].To, p.Location(after, q))):
				t.Fatalf("%v leads from %d to %d, which is not what its action says", x,
					p.Location(s, q), p.Location(after, q))
			}
		}
		written(t, p, s, x, after)
		// A solitary action also lists what the rest of its sequence accesses.
		if a := &l.Actions[x.Action]; a.Solitary && !a.Global && p.Holder(s) < 0 {
			written(t, p, s, x, released(p, after))
		}
		// Within an atomic sequence no other order is possible.
		if p.Holder(s) < 0 && p.Holder(after) < 0 {
			commutes(t, p, s, x, after, all)
		}
	}
	return all
}

// released follows a process while it holds the program, for a number of steps.
func released(p program.Program, s []byte) []byte {
	for range 100 {
		all := enabled(p, s)
		if p.Holder(s) < 0 || len(all) == 0 {
			break
		}
		// Any way to go on will do, as the action lists the accesses of all of them.
		next, err := p.Apply(s, all[0], nil)
		if err != nil {
			break
		}
		s = next
	}
	return s
}

// created reports whether x may start process q, unborn before.
func created(l *program.Layout, q, unborn, to int, x program.Transition) bool {
	return slices.ContainsFunc(l.Actions, func(b program.Action) bool {
		return b.Process == q && b.From == unborn && slices.Contains(b.To, to) &&
			slices.ContainsFunc(l.ActionsOf(x),
				func(a *program.Action) bool { return meet(a.Writes, b.Awaits) })
	})
}

// written checks that variables change only when their objects are written.
func written(t testing.TB, p program.Program, s []byte, x program.Transition, after []byte) {
	t.Helper()
	for i, v := range p.Layout().Variables {
		if p.Value(s, i) != p.Value(after, i) && !slices.ContainsFunc(p.Layout().ActionsOf(x),
			func(a *program.Action) bool {
				return slices.ContainsFunc(v.Objects,
					func(o int) bool { return slices.Contains(a.Writes, o) })
			}) {
			t.Fatalf("%v, %q, changes %s without writing it", x, p.Layout().Actions[x.Action].Label,
				v.Name)
		}
	}
}

// commutes checks a transition against the others.
func commutes(t testing.TB, p program.Program, s []byte, x program.Transition, after []byte,
	all []program.Transition) {
	t.Helper()
	l := p.Layout()
	// What conflicts with nothing may be swapped: it stays enabled, and both orders lead to one
	// state.
	later := enabled(p, after)
	for _, y := range all {
		if x == y || conflict(l, x, y) {
			continue
		}
		// Neither disables the other.
		if !slices.Contains(later, y) {
			t.Fatalf("%s disables %s, which do not conflict", name(l, x), name(l, y))
		}
		// Both orders lead to the same state, if both exist.
		xy, err := p.Apply(after, y, nil)
		other, otherErr := p.Apply(s, y, nil)
		if err != nil || otherErr != nil || p.Holder(other) >= 0 || p.Holder(xy) >= 0 {
			continue
		}
		if yx, err := p.Apply(other, x, nil); err != nil || !bytes.Equal(xy, yx) {
			t.Fatalf("%s and %s do not conflict and do not commute", name(l, x), name(l, y))
		}
	}
	// A transition that was not enabled before waits for what x writes.
	for _, y := range later {
		wakes := between(l, x, y, func(a, b *program.Action) bool { return meet(a.Writes, b.Awaits) })
		if !slices.Contains(all, y) && !conflict(l, x, y) && !wakes {
			t.Fatalf("%s enables %s, which neither reads nor awaits what it writes", name(l, x),
				name(l, y))
		}
	}
}

// name describes a transition in messages.
func name(l *program.Layout, x program.Transition) string {
	a := &l.Actions[x.Action]
	return l.Processes[a.Process].Name + ": " + a.Label
}

// enabled returns the transitions of all processes.
func enabled(p program.Program, s []byte) (all []program.Transition) {
	for q := range p.Layout().Processes {
		all = p.Enabled(s, q, all)
	}
	return all
}

// conflict reports whether two transitions conflict, or have a process in common.
func conflict(l *program.Layout, x, y program.Transition) bool {
	return between(l, x, y, func(a, b *program.Action) bool {
		return a.Process == b.Process || a.Global || b.Global ||
			meet(a.Writes, b.Writes) || meet(a.Writes, b.Reads) || meet(a.Reads, b.Writes)
	})
}

// between reports whether two transitions have actions that are related.
func between(l *program.Layout, x, y program.Transition, is func(a, b *program.Action) bool) bool {
	return slices.ContainsFunc(l.ActionsOf(x), func(a *program.Action) bool {
		return slices.ContainsFunc(l.ActionsOf(y), func(b *program.Action) bool { return is(a, b) })
	})
}

// meet reports whether two sorted lists share a number.
func meet(a, b []int) bool {
	return slices.ContainsFunc(a, func(x int) bool { return slices.Contains(b, x) })
}
