package ist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A universe lists all tuples, each with its number, so that a set can be a list of
// truth values: the twin of a Set.
type universe struct {
	*Store
	tuples [][]int32
	number map[string]int
}

type twin []bool

func newUniverse(tops []int32, moves []Move) *universe {
	u := &universe{Store: New(context.Background(), tops, moves, 0), number: map[string]int{}}
	t := make([]int32, len(tops))
	var extend func(v int)
	extend = func(v int) {
		if v == len(tops) {
			u.number[fmt.Sprint(t)] = len(u.tuples)
			u.tuples = append(u.tuples, slices.Clone(t))
			return
		}
		for t[v] = 0; t[v] <= tops[v]; t[v]++ {
			extend(v + 1)
		}
	}
	extend(0)
	return u
}

func (u *universe) where(holds func(t []int32) bool) twin {
	w := make(twin, len(u.tuples))
	for i, t := range u.tuples {
		w[i] = holds(t)
	}
	return w
}

func (u *universe) some(w twin, holds func(t []int32) bool) bool {
	for i, t := range u.tuples {
		if w[i] && holds(t) {
			return true
		}
	}
	return false
}

// set builds the node of a twin from the last level up, without any operation.
func (u *universe) set(w twin) Set {
	var build func(v int, w twin) Set
	build = func(v int, w twin) Set {
		if v == len(u.tops) {
			if w[0] {
				return u.Node(v, nil)
			}
			return Empty
		}
		part := len(w) / int(u.tops[v]+1)
		var list []Interval
		for x := range u.tops[v] + 1 {
			list = append(list, Interval{x, build(v+1, w[int(x)*part:(int(x)+1)*part])})
		}
		return u.Node(v, list)
	}
	return build(0, w)
}

func (u *universe) subset(bits uint64) twin {
	w := make(twin, len(u.tuples))
	for i := range w {
		w[i] = bits>>i&1 != 0
	}
	return w
}

func (u *universe) random(r *rand.Rand) twin {
	w := make(twin, len(u.tuples))
	rate := 1 + r.IntN(6)
	if r.IntN(2) == 0 {
		for i := range w {
			w[i] = r.IntN(rate) == 0
		}
		return w
	}
	for range 1 + r.IntN(4) {
		box := u.box(r)
		for i, t := range u.tuples {
			w[i] = w[i] || within(t, box)
		}
	}
	return w
}

func (u *universe) box(r *rand.Rand) []Range {
	var box []Range
	for _, top := range u.tops {
		a, b := r.Int32N(top+1), r.Int32N(top+1)
		box = append(box, Range{min(a, b), max(a, b)})
	}
	return box
}

func within(t []int32, box []Range) bool {
	for v, x := range t {
		if x < box[v].Lo || x > box[v].Hi {
			return false
		}
	}
	return true
}

func atMost(t, s []int32) bool {
	for v := range t {
		if t[v] > s[v] {
			return false
		}
	}
	return true
}

// next lists the tuples to which one move leads from t.
func (u *universe) next(t []int32) [][]int32 {
	var all [][]int32
	for v := range t {
		if t[v] < u.tops[v] {
			s := slices.Clone(t)
			s[v]++
			all = append(all, s)
		}
	}
	for _, m := range u.moves {
		s := slices.Clone(t)
		ok := true
		for i, v := range m.Vars {
			ok = ok && t[v] == m.From[i]
			s[v] += m.Gain[i]
		}
		if ok {
			all = append(all, s)
		}
	}
	return all
}

func (u *universe) before(w twin) twin {
	return u.where(func(t []int32) bool {
		for _, s := range u.next(t) {
			if w[u.number[fmt.Sprint(s)]] {
				return true
			}
		}
		return false
	})
}

func (u *universe) after(w twin) twin {
	a := make(twin, len(w))
	for i, t := range u.tuples {
		if w[i] {
			for _, s := range u.next(t) {
				a[u.number[fmt.Sprint(s)]] = true
			}
		}
	}
	return a
}

func or(a, b twin) twin    { return merge(a, b, func(x, y bool) bool { return x || y }) }
func and(a, b twin) twin   { return merge(a, b, func(x, y bool) bool { return x && y }) }
func minus(a, b twin) twin { return merge(a, b, func(x, y bool) bool { return x && !y }) }

func merge(a, b twin, op func(x, y bool) bool) twin {
	c := make(twin, len(a))
	for i := range a {
		c[i] = op(a[i], b[i])
	}
	return c
}

// closed iterates a step to the least fixpoint above w.
func closed(w, along twin, step func(twin) twin) twin {
	for {
		next := or(w, and(along, step(w)))
		if slices.Equal(next, w) {
			return w
		}
		w = next
	}
}

// same compares a set with its twin, which it must be node for node.
func (u *universe) same(t *testing.T, what string, got Set, want twin) {
	t.Helper()
	if u.Err() != nil {
		t.Fatalf("%s: %v", what, u.Err())
	}
	if got == u.set(want) {
		if err := u.Valid(got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return
	}
	if err := u.Valid(got); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for i, tuple := range u.tuples {
		if u.Contains(got, tuple) != want[i] {
			t.Fatalf("%s: contains %v: %t, want %t", what, tuple, !want[i], want[i])
		}
	}
	t.Fatalf("%s: the set is right, but it is node %d and not %d", what, got, u.set(want))
}

func (u *universe) checkOne(t *testing.T, w twin) {
	a := u.set(w)
	u.same(t, "Complement", u.Complement(a), u.where(func(t []int32) bool { return !w[u.number[fmt.Sprint(t)]] }))
	u.same(t, "Down", u.Down(a), u.where(func(t []int32) bool { return u.some(w, func(s []int32) bool { return atMost(t, s) }) }))
	u.same(t, "Up", u.Up(a), u.where(func(t []int32) bool { return u.some(w, func(s []int32) bool { return atMost(s, t) }) }))
	u.same(t, "Minimal", u.Minimal(a), u.where(func(t []int32) bool {
		return w[u.number[fmt.Sprint(t)]] && !u.some(w, func(s []int32) bool { return atMost(s, t) && !slices.Equal(s, t) })
	}))
	u.same(t, "Before", u.Before(a), u.before(w))
	u.same(t, "After", u.After(a), u.after(w))
	u.checkQueries(t, a, w)
}

func (u *universe) checkQueries(t *testing.T, a Set, w twin) {
	var want [][]int32
	for i, tuple := range u.tuples {
		if w[i] {
			want = append(want, tuple)
		}
	}
	var got [][]int32
	for tuple := range u.All(a) {
		got = append(got, slices.Clone(tuple))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("All gives %v, not %v", got, want)
	}
	for range u.All(a) { // and can be left
		break
	}
	if n := u.Count(a); n.Int64() != int64(len(want)) {
		t.Fatalf("Count gives %s, not %d", n, len(want))
	}
	if len(want) == 0 {
		if u.Least(a) != nil || u.Smallest(a) != nil {
			t.Fatal("Empty has a least tuple")
		}
		return
	}
	if least := u.Least(a); !slices.Equal(least, want[0]) {
		t.Fatalf("Least gives %v, not %v", least, want[0])
	}
	smallest := want[0]
	for _, tuple := range want {
		if sum(tuple) < sum(smallest) {
			smallest = tuple
		}
	}
	if got := u.Smallest(a); !slices.Equal(got, smallest) {
		t.Fatalf("Smallest gives %v, not %v", got, smallest)
	}
	for i, tuple := range u.tuples {
		if u.Contains(a, tuple) != w[i] {
			t.Fatalf("Contains %v: not %t", tuple, w[i])
		}
	}
}

func sum(t []int32) (n int32) {
	for _, x := range t {
		n += x
	}
	return n
}

func (u *universe) checkTwo(t *testing.T, v, w twin) {
	a, b := u.set(v), u.set(w)
	u.same(t, "Union", u.Union(a, b), or(v, w))
	u.same(t, "Intersect", u.Intersect(a, b), and(v, w))
	u.same(t, "Minus", u.Minus(a, b), minus(v, w))
}

func (u *universe) checkReach(t *testing.T, v, w twin) {
	a, b := u.set(v), u.set(w)
	u.same(t, "Backward", u.Backward(a, b), closed(w, v, u.before))
	u.same(t, "Forward", u.Forward(a, b), closed(w, v, u.after))
}

// All operations on all sets of small universes, each with a tenth of the others, and
// with -full all others.
func TestSmallUniverses(t *testing.T) {
	each := func(u *universe, check func(v, w twin)) {
		n := 1 << len(u.tuples)
		for x := range n {
			r := rand.New(rand.NewPCG(6, uint64(x)))
			for _, y := range r.Perm(n)[:min(graphtest.Rounds(t, n/10+1), n)] {
				check(u.subset(uint64(x)), u.subset(uint64(y)))
			}
		}
	}
	for _, tops := range [][]int32{{1, 1, 1}, {7}, {0, 3, 0, 1}, {2, 2}} {
		u := newUniverse(tops, nil)
		for x := range uint64(1) << len(u.tuples) {
			u.checkOne(t, u.subset(x))
		}
		each(u, func(v, w twin) { u.checkTwo(t, v, w) })
	}
	for _, u := range []*universe{
		newUniverse([]int32{1, 1, 1}, nil),
		newUniverse([]int32{3, 1}, nil),
		newUniverse([]int32{1, 3}, []Move{{Vars: []int{0, 1}, From: []int32{0, 1}, Gain: []int32{1, 2}}}),
		newUniverse([]int32{1, 1, 1}, []Move{{Vars: []int{0, 2}, From: []int32{0, 0}, Gain: []int32{1, 1}}}),
	} {
		each(u, func(v, w twin) { u.checkReach(t, v, w) })
	}
}

// Results are right however much is forgotten, and nothing is mistaken for
// something else that is remembered.
func TestTinyCache(t *testing.T) {
	for i := range 100 {
		r := rand.New(rand.NewPCG(10, uint64(i)))
		tops := randomTops(r)
		u := newUniverse(tops, randomMoves(r, tops))
		for range 4 {
			v, w := u.random(r), u.random(r)
			u.memo = cache{entries: make([]entry, 1)}
			u.checkTwo(t, v, w)
			u.memo = cache{entries: make([]entry, 1)}
			u.checkReach(t, v, w)
			u.memo = cache{entries: make([]entry, 1)}
			a, b := u.set(v), u.set(w)
			for range 3 {
				u.memo.stored = 0
				u.same(t, "Union", u.Union(a, b), or(v, w))
				u.same(t, "Intersect", u.Intersect(a, b), and(v, w))
				u.same(t, "Minus", u.Minus(a, b), minus(v, w))
				u.same(t, "Before", u.Before(a), u.before(v))
				u.same(t, "After", u.After(a), u.after(v))
			}
		}
	}
}

func randomTops(r *rand.Rand) []int32 {
	if r.IntN(8) == 0 { // long lists of intervals
		return [][]int32{{60}, {50, 1}, {1, 40}}[r.IntN(3)]
	}
	tops := make([]int32, 1+r.IntN(4))
	for v := range tops {
		tops[v] = r.Int32N(5)
	}
	return tops
}

func randomMoves(r *rand.Rand, tops []int32) []Move {
	var moves []Move
	for range r.IntN(5) {
		var m Move
		for v, top := range tops {
			if top > 0 && r.IntN(2) == 0 {
				from := r.Int32N(top)
				m.Vars = append(m.Vars, v)
				m.From = append(m.From, from)
				m.Gain = append(m.Gain, 1+r.Int32N(top-from))
			}
		}
		if len(m.Vars) > 0 {
			moves = append(moves, m)
		}
	}
	return moves
}

// All operations on random sets of larger universes, with joint moves.
func TestRandomUniverses(t *testing.T) {
	for i := range 120 {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		tops := randomTops(r)
		u := newUniverse(tops, randomMoves(r, tops))
		for range 4 {
			v, w := u.random(r), u.random(r)
			u.checkOne(t, v)
			u.checkTwo(t, v, w)
			u.checkReach(t, v, w)
			box := u.box(r)
			u.same(t, "box", u.Store.box(box), u.where(func(t []int32) bool { return within(t, box) }))
			tuple := u.tuples[r.IntN(len(u.tuples))]
			u.same(t, "Tuple", u.Tuple(tuple), u.where(func(t []int32) bool { return slices.Equal(t, tuple) }))
			var sets []Set
			union, common := u.set(make(twin, len(v))), u.Full()
			for range r.IntN(6) {
				sets = append(sets, u.set(u.random(r)))
			}
			for _, a := range sets {
				union, common = u.Union(union, a), u.Intersect(common, a)
			}
			if u.UnionOf(sets) != union || u.IntersectionOf(sets) != common {
				t.Fatal("UnionOf or IntersectionOf differs from the operations one by one")
			}
			u.checkWhere(t, r)
			u.checkAtLeast(t, r)
		}
	}
}

func (u *universe) checkWhere(t *testing.T, r *rand.Rand) {
	v := r.IntN(len(u.tops))
	has := make([]bool, u.tops[v]+1)
	var ranges []Range
	for x := range has {
		if has[x] = r.IntN(2) == 0; !has[x] {
			continue
		}
		if x > 0 && has[x-1] && r.IntN(2) == 0 {
			ranges[len(ranges)-1].Hi = int32(x)
		} else {
			ranges = append(ranges, Range{int32(x), int32(x)})
		}
	}
	u.same(t, fmt.Sprint("Where ", v, ranges), u.Where(v, ranges), u.where(func(t []int32) bool { return has[t[v]] }))
}

func randomBounds(r *rand.Rand, at, need int32) []Bound {
	var bounds []Bound
	for range r.IntN(4) {
		at, need := r.Int32N(at+2), 1+r.Int32N(need+3)
		if n := len(bounds); n == 0 || bounds[n-1].At < at && bounds[n-1].Need < need {
			bounds = append(bounds, Bound{at, need})
		}
	}
	return bounds
}

func (u *universe) checkAtLeast(t *testing.T, r *rand.Rand) {
	v, w := r.IntN(len(u.tops)), r.IntN(len(u.tops))
	bounds := randomBounds(r, u.tops[v], u.tops[w])
	u.same(t, fmt.Sprint("AtLeast ", v, w, bounds), u.AtLeast(v, w, bounds), u.where(func(t []int32) bool {
		for _, s := range bounds {
			if t[v] >= s.At && t[w] < s.Need {
				return false
			}
		}
		return true
	}))
}

// Select agrees with intersecting the bounds one by one.
func TestSelect(t *testing.T) {
	for i := range graphtest.Rounds(t, 600) {
		r := rand.New(rand.NewPCG(8, uint64(i)))
		u := newUniverse(randomTops(r), nil)
		// Random pairs of tuples v ≥ a ⇒ w ≥ b, closed by brute force.
		all := u.Full()
		for range r.IntN(6) {
			v, w := r.IntN(len(u.tops)), r.IntN(len(u.tops))
			if v == w && u.tops[v] > 1 { // leave out a value other than the least and the greatest
				at := 1 + r.Int32N(u.tops[v]-1)
				all = u.Intersect(all, u.AtLeast(v, v, []Bound{{at, at + 1}}))
			}
			if v != w && u.tops[v] > 0 && u.tops[w] > 0 {
				all = u.Intersect(all, u.AtLeast(v, w, []Bound{{1 + r.Int32N(u.tops[v]), 1 + r.Int32N(u.tops[w])}}))
			}
		}
		b := NewBounds(len(u.tops))
		for v := range u.tops {
			for w := range u.tops {
				if bounds := u.closure(all, v, w); v != w {
					b.Set(v, w, bounds)
				} else {
					b.Set(v, w, slices.DeleteFunc(bounds, func(t Bound) bool { return t.At == t.Need }))
				}
			}
		}
		if got := u.Select(b); got != all {
			t.Fatalf("case %d: Select gives node %d, not %d", i, got, all)
		}
	}
}

// closure returns the bounds from v to w that hold in all of a set.
func (u *universe) closure(all Set, v, w int) []Bound {
	var bounds []Bound
	for at := range u.tops[v] + 1 {
		need := u.tops[w]
		for _, t := range u.tuples {
			if u.Contains(all, t) && t[v] >= at {
				need = min(need, t[w])
			}
		}
		if need > 0 && (len(bounds) == 0 || bounds[len(bounds)-1].Need < need) {
			bounds = append(bounds, Bound{at, need})
		}
	}
	return bounds
}

// A set built in different ways is the same node.
func TestCanonical(t *testing.T) {
	for i := range 200 {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		u := newUniverse(randomTops(r), nil)
		w := u.random(r)
		byNode := u.set(w)
		var points []Set
		for i, t := range u.tuples {
			if w[i] {
				points = append(points, u.Tuple(t))
			}
		}
		r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		removed := u.Full()
		for i, t := range u.tuples {
			if !w[i] {
				removed = u.Minus(removed, u.Tuple(t))
			}
		}
		if byUnion := u.UnionOf(points); byNode != byUnion || byNode != removed {
			t.Fatalf("case %d: nodes %d, %d and %d of one set", i, byNode, byUnion, removed)
		}
	}
}

func staircases(s *Store) Set {
	a := s.Full()
	for v := range s.tops {
		for w := range v {
			var up, down []Bound
			for x := int32(3); x <= s.tops[v]; x += int32(3 + (v+w)%3) {
				up = append(up, Bound{x, x - 2})
				down = append(down, Bound{x, x - 1})
			}
			a = s.Intersect(a, s.Intersect(s.AtLeast(v, w, up), s.AtLeast(w, v, down)))
		}
	}
	return a
}

func TestLimits(t *testing.T) {
	tops := []int32{200, 200, 200, 200, 200, 200}
	for _, bytes := range []int64{1 << 20, 100 << 10} {
		s := New(context.Background(), tops, nil, bytes)
		s.Down(s.Minus(s.Full(), staircases(s)))
		var limit *LimitError
		if !errors.As(s.Err(), &limit) {
			t.Fatalf("%d: the error is %v", bytes, s.Err())
		}
		if s.Bytes() > bytes {
			t.Errorf("%d nodes and %d bytes of %d", s.Size(), s.Bytes(), bytes)
		}
	}
	patience := &graphtest.Patience{Context: context.Background(), Most: 20}
	tops = []int32{9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000}
	s := New(patience, tops, nil, 100<<20)
	staircases(s)
	if !errors.Is(s.Err(), context.DeadlineExceeded) || patience.Asked > patience.Most+5 {
		t.Errorf("%v, after asking %d times", s.Err(), patience.Asked)
	}
}

func TestTry(t *testing.T) {
	tops := []int32{200, 200, 200, 200}
	s := New(context.Background(), tops, nil, 0)
	a := s.box([]Range{{1, 5}, {0, 7}, {3, 90}, {0, 9}})
	if s.Try(s.Size()+100, func() { staircases(s) }) || s.Err() != nil || s.Size() > 200 {
		t.Errorf("%d nodes, error %v", s.Size(), s.Err())
	}
	if s.Complement(s.Complement(a)) != a || s.Valid(a) != nil {
		t.Error("the store is not as good as before")
	}
	if !s.Try(s.Size()+100, func() { a = s.Down(a) }) || !s.Contains(a, make([]int32, 4)) {
		t.Error("a small operation is not tried")
	}
}

func TestArrange(t *testing.T) {
	// A ring whose names are mixed up; 4 has no relations.
	ring := []int{3, 0, 6, 1, 5, 2}
	related := make([][]int64, 7)
	for v := range related {
		related[v] = make([]int64, 7)
	}
	cost := make([]float64, 7)
	for i, v := range ring {
		related[v][ring[(i+1)%len(ring)]] = 1
		cost[v] = 1
	}
	order := Arrange(related, cost)
	sorted := slices.Sorted(slices.Values(order))
	if !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6}) {
		t.Fatalf("no order: %v", order)
	}
	a := &arrangement{cost: cost, near: [][]int{{3, 6}, {6, 5}, {5, 3}, {0, 2}, {}, {1, 2}, {0, 1}}}
	if got, best := a.price(order), a.price([]int{3, 0, 6, 1, 5, 2, 4}); got > best+1e-9 {
		t.Errorf("%v costs %f, the ring in order %f", order, got, best)
	}
}
