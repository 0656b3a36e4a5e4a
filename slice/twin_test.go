package slice_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/slice"
)

// A twin is a slice beside the set of cuts that it should be, as found by brute
// force: set[i] tells whether the i-th cut of the lattice satisfies the predicate.
type twin struct {
	name  string
	slice *slice.Slice
	set   []bool
}

// maker makes twins over one random computation.
type maker struct {
	r *rand.Rand
	l *graphtest.Lattice
	c *graphs.Computation
}

func (m maker) predicate() twin {
	c := m.c
	switch p, q := m.r.IntN(c.NumProcesses()), m.r.IntN(c.NumProcesses()); m.r.IntN(6) {
	case 0:
		k := int64(m.r.IntN(4) - 1)
		return twin{fmt.Sprintf("transit(%d,%d)<=%d", p, q, k), slice.TransitAtMost(c, p, q, k),
			m.where(func(cut graphs.Cut) bool { return m.transit(cut, p, q) <= k })}
	case 1:
		k := int64(m.r.IntN(4) - 1)
		return twin{fmt.Sprintf("transit(%d,%d)>=%d", p, q, k), slice.TransitAtLeast(c, p, q, k),
			m.where(func(cut graphs.Cut) bool { return m.transit(cut, p, q) >= k })}
	case 2:
		if p != q {
			return m.difference(p, q)
		}
	case 3:
		return m.chains(p, q)
	}
	return m.chain(m.r.IntN(c.NumProcesses()))
}

func (m maker) where(holds func(graphs.Cut) bool) []bool {
	set := make([]bool, len(m.l.Cuts))
	for i, cut := range m.l.Cuts {
		set[i] = holds(cut)
	}
	return set
}

func (m maker) transit(cut graphs.Cut, p, q int) int64 {
	n := int64(0)
	for _, msg := range m.c.Messages() {
		if m.c.Process(msg.Send) != p || int(msg.To) != q {
			continue
		}
		if m.c.Has(cut, msg.Send) {
			n++
		}
		if msg.Recv != graphs.Bottom && m.c.Has(cut, msg.Recv) {
			n--
		}
	}
	return n
}

func (m maker) events(p int) []graphs.Event {
	var events []graphs.Event
	for k := 1; k <= m.c.Len(p); k++ {
		events = append(events, m.c.Event(p, k))
	}
	return events
}

func (m maker) chain(p int) twin {
	holds := m.local(p)
	return twin{fmt.Sprintf("chain(%d,%v)", p, holds), slice.Chain(m.c, m.events(p), holds),
		m.where(func(cut graphs.Cut) bool { return holds[cut[p]] })}
}

// chains is a predicate of each of two processes, which may be the same.
func (m maker) chains(p, q int) twin {
	x, y := m.local(p), m.local(q)
	both := func(yield func([]graphs.Event, []bool) bool) { _ = yield(m.events(p), x) && yield(m.events(q), y) }
	return twin{fmt.Sprintf("chains(%d,%v, %d,%v)", p, x, q, y), slice.Chains(m.c, both),
		m.where(func(cut graphs.Cut) bool { return x[cut[p]] && y[cut[q]] })}
}

// local returns after how many events of a process a predicate holds.
func (m maker) local(p int) []bool {
	holds := make([]bool, m.c.Len(p)+1)
	bias := 1 + m.r.IntN(5)
	for i := range holds {
		holds[i] = m.r.IntN(bias) != 0 || m.r.IntN(4) == 0
	}
	return holds
}

func (m maker) difference(p, q int) twin {
	grow := func(n int) []int {
		v := make([]int, n+1)
		for i := 1; i <= n; i++ {
			v[i] = v[i-1] + m.r.IntN(3)
		}
		return v
	}
	x, y, k := grow(m.c.Len(p)), grow(m.c.Len(q)), m.r.IntN(5)-2
	return twin{fmt.Sprintf("%v@%d-%v@%d<=%d", x, p, y, q, k),
		slice.Difference(m.c, m.events(p), m.events(q), func(i, j int) bool { return x[i]-y[j] <= k }),
		m.where(func(cut graphs.Cut) bool { return x[cut[p]]-y[cut[q]] <= k })}
}

// regular makes a twin of a random regular predicate, nested to the given depth.
func (m maker) regular(depth int) twin {
	if depth == 0 || m.r.IntN(5) == 0 {
		return m.predicate()
	}
	p := m.regular(depth - 1)
	switch m.r.IntN(6) {
	case 0:
		return twin{"EF " + p.name, slice.EF(p.slice), m.ef(p.set)}
	case 1:
		return twin{"AG " + p.name, slice.AG(p.slice), not(m.ef(not(p.set)))}
	case 2:
		return twin{"EG " + p.name, slice.EG(p.slice), m.weakUntil(p.set, none(p.set))}
	case 3:
		q := m.regular(depth - 1)
		return twin{"(" + p.name + " && " + q.name + ")", slice.And(p.slice, q.slice), and(p.set, q.set)}
	case 4:
		q := m.regular(depth - 1)
		return twin{"E[" + p.name + " U same && " + q.name + "]", slice.EU(p.slice, q.slice), m.until(p.set, and(p.set, q.set))}
	}
	q := m.regular(depth - 1)
	return twin{"E[" + q.name + " R " + p.name + "]", slice.ER(q.slice, p.slice), m.weakUntil(p.set, and(p.set, q.set))}
}

// until is E[p U q], weakUntil E[p W q], by walking the lattice from the top.
func (m maker) until(p, q []bool) []bool { return m.backwards(p, q, false) }

func (m maker) weakUntil(p, q []bool) []bool { return m.backwards(p, q, true) }

func (m maker) backwards(p, q []bool, atEnd bool) []bool {
	set := make([]bool, len(m.l.Cuts))
	for i := len(set) - 1; i >= 0; i-- {
		ahead := len(m.l.Steps[i]) == 0 && atEnd
		for _, j := range m.l.Steps[i] {
			ahead = ahead || set[j]
		}
		set[i] = q[i] || p[i] && ahead
	}
	return set
}

func (m maker) ef(p []bool) []bool { return m.until(not(none(p)), p) }

func none(p []bool) []bool { return make([]bool, len(p)) }

func not(p []bool) []bool {
	q := make([]bool, len(p))
	for i := range p {
		q[i] = !p[i]
	}
	return q
}

func and(p, q []bool) []bool {
	r := make([]bool, len(p))
	for i := range p {
		r[i] = p[i] && q[i]
	}
	return r
}

func or(p, q []bool) []bool { return not(and(not(p), not(q))) }

func eachRandom(t *testing.T, seed uint64, try func(t *testing.T, m maker)) {
	for i := range graphtest.Rounds(t, 400) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		if c.NumProcesses() == 0 {
			continue
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			try(t, maker{r, graphtest.NewLattice(c), c})
		})
		if t.Failed() {
			return
		}
	}
}

func (m maker) compare(t *testing.T, w twin) {
	t.Helper()
	var least, greatest graphs.Cut
	for i, cut := range m.l.Cuts {
		if got := w.slice.Contains(cut); got != w.set[i] {
			t.Fatalf("%s at %v: in the slice is %v, brute force says %v\nedges %v", w.name, cut, got, w.set[i], w.slice.Edges())
		}
		if !w.set[i] {
			continue
		}
		if least == nil {
			least, greatest = cut, cut
		}
		least, greatest = least.Meet(cut), greatest.Join(cut)
	}
	if w.slice.Empty() != (least == nil) {
		t.Fatalf("%s: empty is %v", w.name, w.slice.Empty())
	}
	if least == nil {
		return
	}
	if !w.slice.Least().Equal(least) || !w.slice.Greatest().Equal(greatest) {
		t.Fatalf("%s: bounds %v and %v, brute force says %v and %v", w.name, w.slice.Least(), w.slice.Greatest(), least, greatest)
	}
}

func TestRegularPredicates(t *testing.T) {
	eachRandom(t, 1, func(t *testing.T, m maker) {
		for range 10 {
			w := m.regular(m.r.IntN(5))
			m.compare(t, w)
			if !w.slice.Lean() {
				t.Fatalf("%s is not lean", w.name)
			}
		}
	})
}

// From a later cut on, a slice has the cuts that it had there, and operators on it are what they are
// by brute force.
func TestFrom(t *testing.T) {
	eachRandom(t, 13, func(t *testing.T, m maker) {
		if len(m.l.Cuts) == 0 {
			return
		}
		c := m.c.From(m.l.Cuts[m.r.IntN((len(m.l.Cuts)+3)/4)])
		later := maker{m.r, &graphtest.Lattice{}, c}
		for _, cut := range m.l.Cuts {
			if c.Initial().Within(cut) {
				later.l.Cuts = append(later.l.Cuts, cut)
			}
		}
		compare := func(name string, s *slice.Slice, set []bool) {
			name += " from " + fmt.Sprint(c.Initial())
			later.compare(t, twin{name, s, later.where(func(cut graphs.Cut) bool { return set[m.l.Index(cut)] })})
		}
		for range 20 {
			p, q := m.regular(3), m.regular(3)
			s, both := p.slice.From(c), and(p.set, q.set)
			compare(p.name, s, p.set)
			compare("EF "+p.name, slice.EF(s), m.ef(p.set))
			compare("AG "+p.name, slice.AG(s), not(m.ef(not(p.set))))
			compare("EG "+p.name, slice.EG(s), m.weakUntil(p.set, none(p.set)))
			compare(p.name+" U "+q.name, slice.EU(s, q.slice.From(c)), m.until(p.set, both))
			compare(q.name+" R "+p.name, slice.ER(q.slice.From(c), s), m.weakUntil(p.set, both))
		}
	})
}

// The slices of EX are lean, and their union has every cut that steps into the slice.
func TestNext(t *testing.T) {
	found := 0
	eachRandom(t, 9, func(t *testing.T, m maker) {
		for range 10 {
			w := m.regular(m.r.IntN(3))
			set := none(w.set)
			for i := range set {
				for _, j := range m.l.Steps[i] {
					set[i] = set[i] || w.set[j]
				}
			}
			got := none(set)
			for _, s := range slice.EX(w.slice) {
				if !s.Lean() {
					t.Fatalf("EX %s is not lean", w.name)
				}
				inside := m.where(s.Contains)
				m.compare(t, twin{"a part of EX " + w.name, s, inside})
				got = or(got, inside)
				found++
			}
			if !slices.Equal(got, set) {
				t.Fatalf("EX %s: %v, brute force says %v", w.name, got, set)
			}
		}
	})
	if least := graphtest.Rounds(t, 400); found < least {
		t.Errorf("only %d slices", found)
	}
}

// A slice is a computation: reading its edges back gives the same cuts, and
// slicing it once more changes nothing.
func TestSliceIsAComputation(t *testing.T) {
	eachRandom(t, 2, func(t *testing.T, m maker) {
		w := m.regular(3)
		c := w.slice.Computation()
		cuts := graphtest.Cuts(c)
		n := 0
		for i, cut := range m.l.Cuts {
			if w.set[i] {
				if n >= len(cuts) || !cuts[n].Equal(cut) {
					t.Fatalf("%s: cut %v is missing from its computation", w.name, cut)
				}
				n++
			}
		}
		if n != len(cuts) {
			t.Fatalf("%s: its computation has %d cuts, not %d", w.name, len(cuts), n)
		}
		if c.Empty() != (n == 0) {
			t.Fatalf("%s: empty is %v", w.name, c.Empty())
		}
		checkComponents(t, w, c)
	})
}

// A run of a slice goes through cuts of it, from one meta-event of its computation to the
// next.
func TestRun(t *testing.T) {
	ahead := 0
	eachRandom(t, 10, func(t *testing.T, m maker) {
		for range 20 {
			w := m.regular(3)
			if w.slice.Empty() {
				continue
			}
			inside := m.where(w.slice.Contains)
			from, to := w.slice.Least(), w.slice.Greatest()
			cut, c := from.Clone(), w.slice.Computation()
			for run := w.slice.Run(from, to); len(run) > 0; {
				step := c.Step(run[0])
				for _, e := range run[:len(step)] {
					cut[c.Process(e)]++
				}
				run = run[len(step):]
				if i := m.l.Index(cut); i < 0 || !inside[i] {
					t.Fatalf("%s: a run from %v to %v comes to %v", w.name, from, to, cut)
				}
				if strings.Contains(w.name, " U ") || strings.Contains(w.name, " R ") {
					ahead++
				}
			}
			if !cut.Equal(to) {
				t.Fatalf("%s: a run from %v to %v ends at %v", w.name, from, to, cut)
			}
		}
	})
	if least := graphtest.Rounds(t, 400); ahead < least {
		t.Errorf("only %d steps of slices of untils", ahead)
	}
}

// checkComponents compares the meta-events of a slice's computation with the strongly
// connected components that gonum finds in the slice: ⊥ is in one with what every cut
// has, ⊤ with what none has.
func checkComponents(t *testing.T, w twin, c *graphs.Computation) {
	t.Helper()
	if c.Empty() {
		return
	}
	seen := 0
	for _, component := range topo.TarjanSCC(w.slice.Directed()) {
		var members []graphs.Event
		for _, n := range component {
			members = append(members, graphs.Event(n.ID()))
		}
		slices.Sort(members)
		seen += len(members)
		size := w.slice.Least().Size() + 1
		switch last := members[len(members)-1]; {
		case members[0] == graphs.Bottom:
		case last == c.Top():
			size = c.NumEvents() - w.slice.Greatest().Size() + 1
		default:
			if !slices.Equal(members, c.Step(last)) {
				t.Fatalf("%s: gonum finds the component %v, its computation has %v", w.name, members, c.Step(last))
			}
			continue
		}
		if len(members) != size {
			t.Fatalf("%s: %v are in a component with ⊥ or ⊤, and not %d", w.name, members, size)
		}
	}
	if seen != c.NumEvents()+2 {
		t.Fatalf("%s: gonum finds %d events", w.name, seen)
	}
}

// Above is the closure operator of the slice.
func TestAbove(t *testing.T) {
	eachRandom(t, 3, func(t *testing.T, m maker) {
		w := m.regular(3)
		for _, cut := range m.l.Cuts {
			var want graphs.Cut
			for j, d := range m.l.Cuts {
				if w.set[j] && cut.Within(d) {
					if want == nil {
						want = d
					}
					want = want.Meet(d)
				}
			}
			got, ok := w.slice.Above(cut)
			if ok != (want != nil) || ok && !got.Equal(want) {
				t.Fatalf("%s above %v: %v, brute force says %v", w.name, cut, got, want)
			}
		}
	})
}

// The slices of || and ! are the least lattices around their cuts.
func TestLeastSlices(t *testing.T) {
	eachRandom(t, 4, func(t *testing.T, m maker) {
		p, q, s := m.regular(2), m.regular(2), m.regular(1)
		for _, w := range []twin{
			{p.name + " || " + q.name, slice.Or(p.slice, q.slice), or(p.set, q.set)},
			{p.name + " || " + q.name + " || " + s.name, slice.Or(p.slice, q.slice, s.slice), or(s.set, or(p.set, q.set))},
			{"!" + p.name, slice.Not(p.slice), not(p.set)},
		} {
			m.compare(t, twin{w.name, w.slice, m.sublattice(w.set)})
		}
	})
}

// sublattice closes a set of cuts under union and intersection.
func (m maker) sublattice(set []bool) []bool {
	closed := append([]bool(nil), set...)
	for grown := true; grown; {
		grown = false
		for i := range closed {
			for j := range i {
				if !closed[i] || !closed[j] {
					continue
				}
				for _, cut := range []graphs.Cut{m.l.Cuts[i].Join(m.l.Cuts[j]), m.l.Cuts[i].Meet(m.l.Cuts[j])} {
					if k := m.l.Index(cut); !closed[k] {
						closed[k], grown = true, true
					}
				}
			}
		}
	}
	return closed
}

func TestLeastOutside(t *testing.T) {
	all, better, short := *slice.MaxOutside, 0, make(map[bool]int)
	defer func() { *slice.MaxOutside = all }()
	eachRandom(t, 5, func(t *testing.T, m maker) {
		for range 10 {
			w := m.regular(m.r.IntN(4))
			size := -1
			for i, cut := range m.l.Cuts {
				if !w.set[i] && (size < 0 || cut.Size() < size) {
					size = cut.Size()
				}
			}
			for _, *slice.MaxOutside = range []int{all, 0} {
				cut, least, ok := w.slice.LeastOutside()
				if ok != (size >= 0) || ok && (least && cut.Size() != size || w.slice.Contains(cut) || m.l.Index(cut) < 0) || !least && *slice.MaxOutside == all {
					t.Fatalf("%s: %v is outside, least: %t; brute force says of size %d", w.name, cut, least, size)
				}
				if ok && !least {
					short[w.slice.LooksAhead()]++
				}
				if ok && cut.Size() != size {
					better++
				}
			}
		}
	})
	if better == 0 || short[false] == 0 || short[true] == 0 {
		t.Errorf("the search was cut short %v times, by whether the slice looks ahead, and found no smallest cut %d times", short, better)
	}
}
