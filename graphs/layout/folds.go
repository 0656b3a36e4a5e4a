package layout

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Node is an event, or a fold of several events of one process that follow each other.
//
//	(1) a fold has no event that its makers want to see, and none of a meta-event of several
//	(2) no event of a fold receives a message after one of them has sent one
//
// Then whatever leads into a fold came before whatever leads out of it, so that nodes are
// ordered as events are.
type Node struct {
	First  graphs.Event
	Count  int
	Anchor graphs.Event // the last event of a fold to which an edge leads, or else the first
}

// Folds are the nodes of a diagram, process by process.
type Folds struct {
	Nodes []Node

	number []int32 // of each event: its node
}

// Unfolded has a node for each event of a window.
func Unfolded(w *Window) *Folds { return Fold(w, func(graphs.Event) bool { return true }) }

// Fold splits the events of a window into nodes. Events that seen accepts are nodes of their own.
//
// The time complexity of Fold is O(|V|+|edges|).
func Fold(w *Window, seen func(graphs.Event) bool) *Folds {
	c, shows := w.Of, w.Inside
	f := &Folds{number: make([]int32, c.Top()+1)}
	for p := range c.NumProcesses() {
		for k := int(w.Low[p]) + 1; k <= int(w.High[p]); k++ {
			first := c.Event(p, k)
			n := Node{First: first, Anchor: first}
			sent := false
			for ; k+n.Count <= int(w.High[p]); n.Count++ {
				e := c.Event(p, k+n.Count)
				receives := slices.ContainsFunc(c.Preds(e), shows)
				if seen(e) || sent && receives || len(c.Step(e)) > 1 {
					break
				}
				if receives {
					n.Anchor = e
				}
				sent = sent || slices.ContainsFunc(c.Succs(e), shows)
			}
			if n.Count < 2 {
				n.Count, n.Anchor = 1, first
			}

			for e := first; e < first+graphs.Event(n.Count); e++ {
				f.number[e] = int32(len(f.Nodes))
			}
			f.Nodes = append(f.Nodes, n)
			k += n.Count - 1
		}
	}
	return f
}

// node returns the node that has e.
func (f *Folds) node(e graphs.Event) Node { return f.Nodes[f.number[e]] }
