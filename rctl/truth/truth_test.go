package truth

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
)

// The rules of parts in a window say at every cut of it what brute force says.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	rules := make(map[Rule]int)
	for range graphtest.Rounds(t, 400) {
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 14, Kinds: graphtest.AllKinds})
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 3})
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			continue
		}
		parts, err := New(t.Context(), c, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		w := layout.All(c)
		if r.IntN(2) == 0 {
			low, high := l.Cuts[r.IntN(len(l.Cuts))], l.Cuts[r.IntN(len(l.Cuts))]
			w = layout.Between(c, low.Meet(high), low.Join(high))
		}
		all := parts.In(w)
		holds := make([][]bool, len(all))
		for k, p := range parts.parts {
			holds[k] = rctltest.Holds(l, p.formula)
			rules[all[k].Rule]++
		}
		for i, cut := range l.Cuts {
			if !w.Least.Within(cut) || !cut.Within(w.Greatest) {
				continue
			}
			has := func(e int32) bool { return e < 0 || int(e) < w.Len() && c.Has(cut, numbered(w, e)) }
			for k := range all {
				if got, ok := evaluate(all, k, has); ok && got != holds[k][i] {
					t.Fatalf("%s: %s, by %s, is %t at %v", text, all[k].Text, all[k].Rule, got, cut)
				}
			}
		}
		checkAlong(t, parts, all, l, w)
		checkSlices(t, parts, l, w)
	}
	t.Log(rules)
	for _, rule := range []Rule{"true", "not", "all", "any", Column, Sums, Slice, Asked} {
		if rules[rule] == 0 {
			t.Errorf("no part is told by %s", rule)
		}
	}
}

// numbered returns the event of a number.
func numbered(w *layout.Window, number int32) graphs.Event {
	for e := graphs.Event(1); ; e++ {
		if w.Number(e) == number {
			return e
		}
	}
}

// evaluate returns the truth of a part at the cut of some events, and ok = false if an engine has
// to decide it.
func evaluate(all []Part, k int, has func(int32) bool) (truth, ok bool) {
	at := func(s Steps) int64 {
		x := s.First
		for i, e := range s.At {
			if has(e) {
				x = s.Values[i]
			}
		}
		return x
	}
	p := all[k]
	var of []bool
	for _, sub := range p.Sub {
		truth, ok := evaluate(all, sub, has)
		if !ok && p.Rule != Slice && p.Rule != Asked {
			return false, false
		}
		of = append(of, truth)
	}
	switch p.Rule {
	case "true", "false":
		return p.Rule == "true", true
	case "not":
		return !of[0], true
	case "implies":
		return !of[0] || of[1], true
	case "iff":
		return of[0] == of[1], true
	case "all", "any":
		truth := p.Rule == "all"
		for _, x := range of {
			if p.Rule == "all" {
				truth = truth && x
			} else {
				truth = truth || x
			}
		}
		return truth, true
	case Column:
		return at(*p.Column) == 1, true
	case Sums:
		truth := true
		for _, sum := range p.Sums {
			total := int64(0)
			for _, term := range sum.Terms {
				total += at(term)
			}
			truth = truth && map[string]bool{"<": total < 0, "<=": total <= 0, "==": total == 0, "!=": total != 0, ">=": total >= 0, ">": total > 0}[sum.Rel]
		}
		return truth, true
	case Slice:
		truth := true
		for i := 0; i < len(p.Edges); i += 2 {
			truth = truth && (has(p.Edges[i]) || !has(p.Edges[i+1]))
		}
		return truth != p.Not, true
	}
	return false, false
}

// checkAlong asks for parts along the run of the window, and checks the answers.
func checkAlong(t *testing.T, parts *Formula, all []Part, l *graphtest.Lattice, w *layout.Window) {
	t.Helper()
	var cuts []graphs.Cut
	cut := w.Least.Clone()
	for {
		cuts = append(cuts, cut.Clone())
		p := 0
		for ; p < len(cut); p++ {
			if next, ok := w.Of.Next(cut, p); ok && next.Within(w.Greatest) {
				cut = next
				break
			}
		}
		if p == len(cut) {
			break
		}
	}
	if err := parts.Along(t.Context(), all, len(cuts), func(i int) graphs.Cut { return cuts[i] }); err != nil {
		t.Fatal(err)
	}
	for k, p := range all {
		if p.Rule != Asked {
			continue
		}
		holds := rctltest.Holds(l, parts.parts[k].formula)
		for i, cut := range cuts {
			if want := map[bool]byte{true: '1', false: '0'}[holds[l.Index(cut)]]; p.Known[0][i] != want {
				t.Fatalf("%s is %c at %v", p.Text, p.Known[0][i], cut)
			}
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := parts.Along(done, all, len(cuts), func(i int) graphs.Cut { return cuts[i] }); err != nil {
		t.Fatal(err)
	}
}

// checkSlices checks what a window says of slices against their cuts.
func checkSlices(t *testing.T, parts *Formula, l *graphtest.Lattice, w *layout.Window) {
	t.Helper()
	for k := range parts.parts {
		s, err := parts.SliceOf(t.Context(), k)
		if _, ok := err.(*rctl.NoSliceError); ok {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, of := view.SliceOf(w, s.Edges(), s.Lean()), s.Computation()
		always, never := make([]bool, w.Len()), make([]bool, w.Len())
		empty := true
		for i := range always {
			always[i], never[i] = true, true
		}
		for _, cut := range l.Cuts {
			if of.Empty() || !of.Consistent(cut) || !w.Least.Within(cut) || !cut.Within(w.Greatest) {
				continue
			}
			empty = false
			for e := range always {
				inside := w.Of.Has(cut, numbered(w, int32(e)))
				always[e], never[e] = always[e] && inside, never[e] && !inside
			}
		}
		if empty != got.Empty || !empty && (count(always) != len(got.Forced) || count(never) != len(got.Out)) {
			t.Fatalf("slice of %s: empty %t, %v forced, %v out, not %t, %v, %v", parts.parts[k].text, got.Empty, got.Forced, got.Out, empty, always, never)
		}
		for _, e := range got.Forced {
			if !empty && !always[e] {
				t.Fatalf("%d is forced", e)
			}
		}
	}
}

func count(list []bool) int {
	n := 0
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}
