package truth

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Part is a part of a formula in a window. Event numbers are those of the window.
type Part struct {
	Text string `json:"text"`
	Op   string `json:"op"`
	Sub  []int  `json:"sub,omitempty"` // the indices of its operands
	Rule Rule   `json:"rule"`

	Column *Steps `json:"column,omitempty"` // for the rule Column: 1 for true, 0 for false
	Sums   []Sum  `json:"sums,omitempty"`   // for the rule Sums: all of them hold
	// for the rule Slice: pairs of events; -1 is in every cut of the window, and the number of
	// its events in none
	Edges []int32 `json:"edges,omitempty"`
	Not   bool    `json:"not,omitempty"` // whether the slice is that of the negation
	// for the rule Asked: the events that may change an atom
	Seen []int32 `json:"seen,omitempty"`

	// for the rule Asked, one text for each run: 1, 0 or ? (unknown) for each cut of the run
	Known []string `json:"known,omitempty"`
}

// Steps is a function along a chain: First before the first event of At, and Values[i] from
// At[i] on.
type Steps struct {
	First  int64   `json:"first"`
	At     []int32 `json:"at"`
	Values []int64 `json:"values"`
}

// A Sum is true at the cuts where the sum of the terms is in relation Rel to 0.
type Sum struct {
	Rel   string  `json:"rel"`
	Terms []Steps `json:"terms"`
}

// In returns the parts in a window.
//
// The time complexity of In is O(changes+edges) of all parts.
func (t *Formula) In(w *layout.Window) []Part {
	all := make([]Part, len(t.parts))
	for i, p := range t.parts {
		q := Part{Text: graphs.Printable(p.text), Op: p.formula.Op.String(), Sub: p.sub, Rule: p.rule, Not: p.negated}
		switch p.rule {
		case Column:
			steps := stepsIn(w, p.column, func(b bool) int64 {
				if b {
					return 1
				}
				return 0
			})
			q.Column = &steps
		case Sums:
			for _, s := range p.sums {
				sum := Sum{Rel: s.rel.String()}
				for _, column := range s.terms {
					sum.Terms = append(sum.Terms, stepsIn(w, column, func(x int64) int64 { return x }))
				}
				q.Sums = append(q.Sums, sum)
			}
		case Slice:
			q.Edges = w.Pairs(p.edges)
		case Asked:
			for _, e := range p.seen {
				if w.Inside(e) {
					q.Seen = append(q.Seen, w.Number(e))
				}
			}
		}
		all[i] = q
	}

	return all
}

// stepsIn returns the part of a column within a window.
func stepsIn[T comparable](w *layout.Window, column atoms.Column[T], number func(T) int64) Steps {
	first := atoms.Count(w.Of, column.Events, w.Low)
	steps := Steps{First: number(column.Values[first]), At: []int32{}, Values: []int64{}}
	for i := first; i < len(column.Events) && w.Of.Has(w.High, column.Events[i]); i++ {
		steps.At = append(steps.At, w.Number(column.Events[i]))
		steps.Values = append(steps.Values, number(column.Values[i+1]))
	}
	return steps
}

// Along decides the parts with the rule Asked at the n cuts of a run, and adds the answers found
// before ctx is done. EF, once false, stays false along a run, and AG, once true, stays true, so
// bisection finds the cut at which they change.
func (t *Formula) Along(ctx context.Context, parts []Part, n int, cut func(i int) graphs.Cut) error {
	for k := range parts {
		if parts[k].Rule != Asked {
			continue
		}
		known := make([]byte, n)
		for i := range known {
			known[i] = '?'
		}
		ask := func(i int) (bool, error) {
			if known[i] == '?' && ctx.Err() == nil {
				v, _, err := t.At(ctx, k, cut(i))
				if err != nil {
					return false, err
				}
				known[i] = map[rctl.Verdict]byte{rctl.Holds: '1', rctl.Fails: '0', rctl.Unknown: '?'}[v]
			}
			return known[i] != '?', nil
		}
		var err error
		if op := t.parts[k].formula.Op; op == syntax.OpEF || op == syntax.OpAG {
			err = bisect(known, ask, 0, n-1)
		} else {
			for i := n - 1; i >= 0 && err == nil; i-- {
				_, err = ask(i)
			}
		}
		if err != nil {
			return err
		}
		parts[k].Known = append(parts[k].Known, string(known))
	}

	return nil
}

// bisect fills in the answers from first to last, where the truth changes at most once.
func bisect(known []byte, ask func(int) (bool, error), first, last int) error {
	if first > last {
		return nil
	}
	for _, i := range []int{first, last} {
		if ok, err := ask(i); !ok || err != nil {
			return err
		}
	}

	if known[first] == known[last] {
		for i := first; i < last; i++ {
			known[i] = known[last]
		}
		return nil
	}

	if last-first < 2 {
		return nil
	}
	middle := (first + last) / 2
	if err := bisect(known, ask, first, middle); err != nil {
		return err
	}
	return bisect(known, ask, middle, last)
}
