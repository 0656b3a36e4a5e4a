package scenario

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
)

var thorough = flag.Bool("thorough", false, "try all random cases")

// An element is an occurrence or a note of a scenario.
type element struct {
	arrow int32 // -1 for a note
	note  int32
	phase Phase
	lane  int
	pair  int // the send, if this is a receive
}

// A pomset is one scenario.
type pomset struct {
	elements []element
	before   [][]bool
}

// join puts q after p: unordered, on each lifeline, or as a whole.
func join(p, q pomset, how string) pomset {
	n := len(p.elements)
	r := pomset{elements: slices.Clone(p.elements)}
	for _, e := range q.elements {
		e.pair += n
		r.elements = append(r.elements, e)
	}
	for i := range r.elements {
		row := make([]bool, len(r.elements))
		for j := range row {
			switch {
			case i < n && j < n:
				row[j] = p.before[i][j]
			case i >= n && j >= n:
				row[j] = q.before[i-n][j-n]
			case i < n && j >= n:
				row[j] = how == "vertical" || how == "weak" && r.elements[i].lane == r.elements[j].lane
			}
		}
		r.before = append(r.before, row)
	}
	for k := range r.elements { // the closure
		for i := range r.elements {
			for j := range r.elements {
				r.before[i][j] = r.before[i][j] || r.before[i][k] && r.before[k][j]
			}
		}
	}
	return r
}

// A listing enumerates the scenarios of statements.
type listing struct {
	*Scenario
	how   string
	loops int
	over  *bool // whether there are too many
}

// enumerate returns the scenarios of a diagram, or nil if there are too many.
func enumerate(s *Scenario, how string, loops int) []way {
	over := false
	all := listing{s, how, loops, &over}.list(s.Diagram.Body)
	if over {
		return nil
	}
	return all
}

const maxScenarios = 600

// A way is a scenario, which may have been left by a break.
type way struct {
	pomset
	left bool
}

// list returns the scenarios of statements.
func (l listing) list(body []mermaid.Statement) []way {
	all := []way{{}}
	for i := range body {
		var next []way
		for _, w := range all {
			if w.left {
				next = append(next, w)
				continue
			}
			for _, v := range l.statement(&body[i]) {
				next = append(next, way{join(w.pomset, v.pomset, l.how), v.left})
			}
		}
		if all = next; len(all) > maxScenarios {
			*l.over = true
			return nil
		}
	}
	return all
}

func (l listing) statement(st *mermaid.Statement) []way {
	one := func(elements ...element) []way {
		p := pomset{elements: elements}
		for i := range elements {
			row := make([]bool, len(elements))
			for j := range row {
				row[j] = i < j && elements[0].arrow >= 0
			}
			p.before = append(p.before, row)
		}
		return []way{{pomset: p}}
	}
	switch st.Kind {
	case mermaid.Message:
		n := int32(slices.IndexFunc(l.Arrows, func(a Arrow) bool { return a.Statement == st }))
		switch a := l.Arrows[n]; {
		case a.From == a.To:
			return one(element{n, -1, Act, st.From, 0})
		case !a.Received():
			return one(element{n, -1, Send, st.From, 0})
		}
		return one(element{n, -1, Send, st.From, 0}, element{n, -1, Receive, st.To, 0})
	case mermaid.Note:
		n := int32(slices.IndexFunc(l.Notes, func(n Note) bool { return n.Statement == st }))
		return one(element{-1, n, Act, st.From, 0})
	case mermaid.Choice:
		var all []way
		for _, b := range st.Branches {
			for _, w := range l.list(b.Body) {
				all = append(all, way{w.pomset, w.left || b.Breaks})
			}
		}
		return all
	case mermaid.Par:
		all := []way{{}}
		for _, b := range st.Branches {
			var next []way
			for _, w := range all {
				for _, v := range l.list(b.Body) {
					next = append(next, way{join(w.pomset, v.pomset, "par"), false})
				}
			}
			all = next
		}
		return all
	case mermaid.Loop:
		round := l.list(st.Body)
		var all []way
		again := []way{{}}
		for k := 0; ; k++ {
			if st.Times < 0 || st.Times == k {
				all = append(all, again...)
			}
			if k == st.Times || st.Times < 0 && k == l.loops {
				return all
			}
			var next []way
			for _, w := range again {
				for _, v := range round {
					v.pomset = join(w.pomset, v.pomset, l.how)
					if v.left {
						all = append(all, way{v.pomset, false})
					} else {
						next = append(next, v)
					}
				}
			}
			if again = next; len(again)+len(all) > maxScenarios {
				*l.over = true
				return nil
			}
		}
	}
	return []way{{}}
}

// brute decides by trying all scenarios, matchings and orders.
type brute struct {
	*Poset
	p      pomset
	strict bool // whether happened-before must contain the order of the scenario
	at     []int
	done   []bool // by element
	gone   []bool // by occurrence

	full, prefix bool
}

func (b *brute) try(n int) {
	if b.full {
		return
	}
	if n == len(b.Occurrences) {
		rest := false
		for i, e := range b.p.elements {
			rest = rest || !b.done[i] && e.arrow >= 0
		}
		b.prefix = b.prefix || rest
		b.full = !slices.Contains(b.done, false)
	}
	for i, e := range b.p.elements {
		ready := !b.done[i]
		for j := range b.p.elements {
			ready = ready && (!b.p.before[j][i] || b.done[j])
		}
		if !ready {
			continue
		}
		if e.arrow < 0 {
			counts := make([]int32, len(b.Processes))
			for o, gone := range b.gone {
				if gone {
					counts[b.Occurrences[o].Process]++
				}
			}
			if b.Holds(int(e.note), counts) {
				b.done[i] = true
				b.try(n)
				b.done[i] = false
			}
			continue
		}
		for o := range b.Occurrences {
			if b.gone[o] || !b.fits(i, o) {
				continue
			}
			b.done[i], b.gone[o], b.at[i] = true, true, o
			b.try(n + 1)
			b.done[i], b.gone[o] = false, false
		}
	}
}

// fits reports whether an occurrence may be the next, matched with an element.
func (b *brute) fits(i, o int) bool {
	e, is := b.p.elements[i], &b.Occurrences[o]
	if e.phase != is.Phase || !slices.Contains(is.Arrows, e.arrow) {
		return false
	}
	if e.phase == Receive && b.Occurrences[b.at[e.pair]].Message != is.Message {
		return false
	}
	for k := range b.Occurrences {
		if !b.gone[k] && k != o && strictly(&b.Occurrences[k], is) {
			return false
		}
	}
	for j, d := range b.done {
		if b.strict && d && b.p.before[j][i] && b.p.elements[j].arrow >= 0 && !before(&b.Occurrences[b.at[j]], is) {
			return false
		}
	}
	return true
}

// verdict returns the verdict of the definition; ok is false if there is too much to try.
func verdict(s *Scenario, p *Poset, vertical bool) (v Verdict, ok bool) {
	how := "weak"
	if vertical {
		how = "vertical"
	}
	all := enumerate(s, how, len(p.Occurrences)+1)
	if all == nil {
		return 0, false
	}
	best := Violated
	for _, w := range all {
		for _, strict := range []bool{true, false} {
			if len(w.elements) > 14 {
				return 0, false
			}
			n := len(w.elements)
			b := &brute{Poset: p, p: w.pomset, strict: strict, at: make([]int, n), done: make([]bool, n), gone: make([]bool, len(p.Occurrences))}
			b.try(0)
			switch {
			case b.full && strict:
				return Conforms, true
			case b.full:
				best = ByLuck
			case b.prefix && best == Violated:
				best = Unfinished
			}
		}
	}
	return best, true
}

// diagram writes a random diagram.
func diagram(r *rand.Rand, notes bool) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\nparticipant A\nparticipant B\nparticipant C\n")
	var block func(depth, most int, inLoop, inPar bool)
	block = func(depth, most int, inLoop, inPar bool) {
		for range 1 + r.IntN(most) {
			from, to := r.IntN(3), r.IntN(3)
			kinds := 10
			if depth == 0 {
				kinds = 5
			}
			switch k := r.IntN(kinds); {
			case k == 4 && notes:
				fmt.Fprintf(&b, "Note over %c: n%d == 1\n", 'A'+from, r.IntN(3))
			case k < 5:
				arrow := "->>"
				if r.IntN(8) == 0 {
					arrow = "-x"
				}
				fmt.Fprintf(&b, "%c%s%c: %c\n", 'A'+from, arrow, 'A'+to, 'x'+r.IntN(2))
			case k == 5:
				b.WriteString("par\n")
				block(depth-1, 2, false, true)
				b.WriteString("and\n")
				block(depth-1, 2, false, true)
				b.WriteString("end\n")
			case k == 6:
				b.WriteString("alt one\n")
				block(depth-1, 2, inLoop, inPar)
				b.WriteString("else two\n")
				block(depth-1, 2, inLoop, inPar)
				b.WriteString("end\n")
			case k == 7:
				b.WriteString("opt\n")
				block(depth-1, 2, inLoop, inPar)
				b.WriteString("end\n")
			case k == 8:
				fmt.Fprintf(&b, "loop %s\n", []string{"", "2 times"}[r.IntN(2)])
				block(depth-1, 2, true, false)
				b.WriteString("end\n")
			case k == 9 && (inLoop || !inPar):
				b.WriteString("break\n")
				block(depth-1, 1, inLoop, inPar)
				b.WriteString("end\n")
			}
		}
	}
	block(2, 3, false, false)
	return b.String()
}

// A happening is an occurrence of a generated trace.
type happening struct {
	lane     int
	phase    Phase
	message  int // -1 for an action
	from, to int
	label    string
	lost     bool
}

// execute makes a trace from a pomset: a random order of its occurrences.
func execute(r *rand.Rand, s *Scenario, p pomset) []happening {
	done := make([]bool, len(p.elements))
	message := make([]int, len(p.elements))
	var all []happening
	for range p.elements {
		var ready []int
		for i := range p.elements {
			ok := !done[i]
			for j := range p.elements {
				ok = ok && (!p.before[j][i] || done[j])
			}
			if ok {
				ready = append(ready, i)
			}
		}
		i := ready[r.IntN(len(ready))]
		done[i] = true
		e := p.elements[i]
		if e.arrow < 0 {
			continue
		}
		a := s.Arrows[e.arrow]
		h := happening{lane: e.lane, phase: e.phase, message: -1, from: a.From, to: a.To, label: a.Text, lost: a.From != a.To && !a.Received()}
		switch e.phase {
		case Send:
			message[i] = i
			h.message = i
		case Receive:
			h.message = message[e.pair]
		}
		all = append(all, h)
	}
	return all
}

// mutate makes a small change to a trace.
func mutate(r *rand.Rand, all []happening) []happening {
	if len(all) == 0 {
		return all
	}
	i := r.IntN(len(all))
	drop := func(m int) {
		all = slices.DeleteFunc(all, func(h happening) bool { return h.message == m && m >= 0 })
	}
	switch r.IntN(6) {
	case 0: // cut off
		all = all[:i]
	case 1:
		if m := all[i].message; m >= 0 {
			drop(m)
		} else {
			all = slices.Delete(all, i, i+1)
		}
	case 2: // doubled
		for _, h := range slices.Clone(all) {
			if h.message == all[i].message && (h.message >= 0 || h == all[i]) {
				if h.message >= 0 {
					h.message += 100
				}
				all = append(all, h)
			}
		}
	case 3: // swapped, if no receive comes before its send
		if i+1 < len(all) && !(all[i].phase == Send && all[i+1].phase == Receive && all[i].message == all[i+1].message) {
			all[i], all[i+1] = all[i+1], all[i]
		}
	case 4: // sent to another process
		for k := range all {
			if all[k].message == all[i].message && all[i].message >= 0 {
				to := 3 - all[i].from - all[i].to
				if to < 0 || to > 2 || to == all[k].from || all[k].lost {
					continue
				}
				if all[k].phase == Receive {
					all[k].lane = to
				}
			}
		}
		for k := range all {
			for _, h := range all {
				if h.phase == Receive && h.message == all[k].message {
					all[k].to = h.lane
				}
			}
		}
	}
	return all
}

// poset makes the input of Decide from a trace. Each lifeline has a process, which may be on
// several of them, and those in split have two. With shared, the first process of A is also one of
// B.
func poset(r *rand.Rand, s *Scenario, all []happening, of []int, split []bool, shared, together bool) *Poset {
	p := &Poset{Processes: make([]uint64, 6)}
	for lane, q := range of {
		p.Processes[2*q] |= 1 << lane
		p.Processes[2*q+1] |= 1 << lane
	}
	if shared {
		p.Processes[2*of[0]] |= 2
	}
	truth := r.Uint64()
	p.Holds = func(note int, counts []int32) bool {
		for q := 0; q < 6; q += 2 {
			at := uint64(counts[q])*7 + uint64(note)*13 + uint64(q)*17
			if p.Processes[q]>>s.Notes[note].Lifeline&1 == 1 && truth>>(at%64)&1+truth>>((at+5)%64)&1 > 0 {
				return true
			}
		}
		return false
	}
	// The process of a happening determines its possible lifelines, and a message depends on both
	// of its processes.
	processes := make([]int, len(all))
	ends := make(map[[2]int]uint64)
	for i, h := range all {
		processes[i] = 2 * of[h.lane]
		if split[h.lane] {
			processes[i] += r.IntN(2)
		}
		if shared && h.lane == 1 && r.IntN(2) == 0 {
			processes[i] = 2 * of[0]
		}
		ends[[2]int{h.message, int(h.phase)}] = p.Processes[processes[i]]
	}
	clocks := make([][]int32, 6)
	for q := range clocks {
		clocks[q] = make([]int32, 6)
	}
	sent := make(map[int][]int32)
	steps := int32(0)
	for i, h := range all {
		q := processes[i]
		from, to := p.Processes[q], p.Processes[q]
		if h.message >= 0 {
			from = ends[[2]int{h.message, int(Send)}]
			if to = ends[[2]int{h.message, int(Receive)}]; h.lost {
				to = p.Processes[2*of[h.to]]
			}
		}
		o := Occurrence{Process: int32(q), Phase: h.phase, Message: int32(h.message)}
		now := slices.Clone(clocks[q])
		// An event may do several things, if their phases are in order.
		last := len(p.Occurrences) - 1
		if together && i > 0 && p.Occurrences[last].Process == o.Process && p.Occurrences[last].Phase <= h.phase && h.phase != Receive && r.IntN(2) == 0 {
			o.Position, o.Step, o.Clock = p.Occurrences[last].Position, p.Occurrences[last].Step, p.Occurrences[last].Clock
		} else {
			if h.phase == Receive {
				for k, n := range sent[h.message] {
					now[k] = max(now[k], n)
				}
			}
			steps++
			o.Clock, o.Step, o.Position = now, steps, now[q]+1
			clocks[q] = slices.Clone(now)
			clocks[q][q]++
		}
		if h.phase == Send {
			sent[h.message] = slices.Clone(clocks[q])
		}
		for a, arrow := range s.Arrows {
			action := arrow.From == arrow.To
			ends := from>>arrow.From&1 == 1 && to>>arrow.To&1 == 1 && action == (h.from == h.to)
			if ends && arrow.Text == h.label && (!action && !arrow.Received()) == h.lost {
				o.Arrows = append(o.Arrows, int32(a))
			}
		}
		p.Occurrences = append(p.Occurrences, o)
	}
	return p
}

// TestTwin compares verdicts with the definition.
func TestTwin(t *testing.T) {
	cases := 1000
	if *thorough {
		cases = 20_000
	}
	r := rand.New(rand.NewPCG(37, 1))
	seen := make(map[Verdict]int)
	for n := 0; n < cases; {
		notes := r.IntN(3) == 0
		text := diagram(r, notes)
		d, err := mermaid.Parse(context.Background(), trace.From("d.mmd", strings.NewReader(text)), trace.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s, err := New(d[0])
		if err != nil {
			t.Fatal(err)
		}
		vertical := r.IntN(2) == 0
		small := enumerate(s, "weak", 2)
		if small == nil {
			continue
		}
		w := small[r.IntN(len(small))]
		if len(w.elements) > 8 {
			continue
		}
		if vertical && r.IntN(2) == 0 {
			if all := enumerate(s, "vertical", 2); all != nil {
				w = all[r.IntN(len(all))]
			}
		}
		trace := execute(r, s, w.pomset)
		if len(trace) > 7 {
			continue
		}
		if r.IntN(3) > 0 {
			trace = mutate(r, trace)
		}
		of, split := []int{0, 1, 2}, []bool{r.IntN(3) == 0, r.IntN(3) == 0, false}
		if r.IntN(4) == 0 {
			of = [][]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}}[r.IntN(4)]
		}
		shared := r.IntN(4) == 0
		p := poset(r, s, trace, of, split, shared, r.IntN(2) == 0)
		want, ok := verdict(s, p, vertical)
		if !ok {
			continue
		}
		n++
		seen[want]++
		got, err := s.Decider(always, vertical).Decide(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != want {
			t.Fatalf("case %d: %v, want %v (vertical %v, of %v, split %v, shared %v)\n%s\n%+v\n%+v", n, got.Verdict, want, vertical, of, split, shared, text, trace, p.Occurrences)
		}
		check(t, p, got)
	}
	t.Log(seen)
	for v := Conforms; v <= Violated; v++ {
		if v != Unknown && seen[v] < cases/50 {
			t.Errorf("only %d cases are %v", seen[v], v)
		}
	}
}

// check checks the evidence of a verdict.
func check(t *testing.T, p *Poset, r *Result) {
	t.Helper()
	for _, pair := range r.Pairs {
		if before(&p.Occurrences[pair.Before], &p.Occurrences[pair.After]) {
			t.Fatalf("the pair %v is ordered", pair)
		}
	}
	if r.Verdict == ByLuck {
		at := make([]int, len(p.Occurrences))
		for i, o := range r.Another {
			at[o] = i
		}
		for i := range p.Occurrences {
			for j := range p.Occurrences {
				if strictly(&p.Occurrences[i], &p.Occurrences[j]) && at[i] > at[j] {
					t.Fatalf("%v is against happened-before", r.Another)
				}
			}
		}
		if at[r.Pairs[0].Before] < at[r.Pairs[0].After] {
			t.Fatalf("%v keeps the pair %v", r.Another, r.Pairs[0])
		}
	}
	if r.Verdict == Violated && r.Found < 0 && r.Why != False {
		t.Fatalf("nothing is wrong in %+v", r)
	}
}
