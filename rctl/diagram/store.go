package diagram

import (
	"context"
	"encoding/binary"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
)

// A Chain is a process, or the assignments of a shared variable, between the initial and the final
// cut.
type Chain struct {
	atoms.Chain
	Low, High int // the states at the initial and the final cut

	rank int
	comp *graphs.Computation
}

// Event returns the event that leads to a state.
func (h *Chain) Event(state int) graphs.Event { return h.Chain.Event(h.comp, int32(state)) }

// A Node is a function of the states of chains: a leaf or a choice.
//
//	(1) a leaf has no chain and no runs
//	(2) the first run of a choice starts at Chain.Low, each further one later, none
//	    after Chain.High; there are two or more, and neighbours have different nodes
//	(3) the chains of the nodes below come later in the order of the store
//	(4) a store has no two equal nodes
type Node struct {
	Chain *Chain
	Runs  []Run
	Value graphs.Value // the value of a leaf

	id uint32
}

// A Run leads from the states from From up to the next run to a node.
type Run struct {
	From int
	Node *Node
}

// Leaf reports whether n is a constant.
func (n *Node) Leaf() bool { return n.Chain == nil }

// An Interval is a range of states, including both ends.
type Interval struct{ From, To int }

// A Branch is one of the nodes to which a choice leads, and the states that lead there.
type Branch struct {
	Node  *Node
	Where []Interval
}

// Branches returns the nodes to which a choice leads, each once, in the order of their first runs.
func (n *Node) Branches() []Branch {
	var all []Branch
	at := make(map[*Node]int)
	for i, run := range n.Runs {
		to := n.Chain.High
		if i+1 < len(n.Runs) {
			to = n.Runs[i+1].From - 1
		}
		k, seen := at[run.Node]
		if !seen {
			k = len(all)
			at[run.Node] = k
			all = append(all, Branch{Node: run.Node})
		}
		all[k].Where = append(all[k].Where, Interval{run.From, to})
	}
	return all
}

// A Store makes the nodes of one computation.
type Store struct {
	ctx    context.Context
	comp   *graphs.Computation
	order  []int // the place of each process in the order; nil for the order of their numbers
	chains map[atoms.Chain]*Chain
	shared int // the number of chains of shared variables
	nodes  map[string]*Node
	leaves map[graphs.Value]*Node
	work   int // how many runs may still be made
	key    []byte
}

// NewStore returns an empty store for c, which must have a cut. Chains are tested in the order of
// the processes, followed by shared variables in the order of their first use. Order, if not nil,
// is the place of each process; then shared variables come before the processes.
func NewStore(ctx context.Context, c *graphs.Computation, order []int) *Store {
	return &Store{
		ctx: ctx, comp: c, order: order, chains: make(map[atoms.Chain]*Chain),
		nodes: make(map[string]*Node), leaves: make(map[graphs.Value]*Node),
	}
}

// Chain returns the chain of a process or of a shared variable.
func (s *Store) Chain(chain atoms.Chain) *Chain {
	h := s.chains[chain]
	if h != nil {
		return h
	}
	low, high := chain.Bounds(s.comp)
	h = &Chain{Chain: chain, Low: int(low), High: int(high), comp: s.comp}
	switch {
	case chain.Shared == nil && s.order == nil:
		h.rank = chain.Process
	case chain.Shared == nil:
		h.rank = s.order[chain.Process]
	case s.order == nil:
		h.rank = s.comp.NumProcesses() + s.shared
		s.shared++
	default:
		s.shared++
		h.rank = -s.shared
	}
	s.chains[chain] = h
	return h
}

func (s *Store) number() uint32 { return uint32(len(s.nodes) + len(s.leaves)) }

// leaf returns the leaf with a value.
func (s *Store) leaf(v graphs.Value) *Node {
	n := s.leaves[v]
	if n == nil {
		n = &Node{Value: v, id: s.number()}
		s.leaves[v] = n
	}
	return n
}

// choice returns the node with these runs. Adjacent runs may lead to the same node.
func (s *Store) choice(h *Chain, runs []Run) *Node {
	kept := runs[:1]
	for _, run := range runs[1:] {
		if run.Node != kept[len(kept)-1].Node {
			kept = append(kept, run)
		}
	}
	if len(kept) == 1 {
		return kept[0].Node
	}
	s.key = binary.AppendUvarint(s.key[:0], uint64(h.rank))
	for _, run := range kept {
		s.key = binary.AppendUvarint(s.key, uint64(run.From))
		s.key = binary.AppendUvarint(s.key, uint64(run.Node.id))
	}
	n := s.nodes[string(s.key)]
	if n == nil {
		n = &Node{Chain: h, Runs: append([]Run(nil), kept...), id: s.number()}
		s.nodes[string(s.key)] = n
	}
	return n
}

// apply returns the node of op(x, y) at every cut. If s.work is used up, it gives up and returns a
// meaningless node.
//
// The time complexity of apply is O(runs of the result before equal ones are merged), which is at
// most the product of the runs of x and of y.
func (s *Store) apply(op func(x, y graphs.Value) graphs.Value, x, y *Node) *Node {
	done := make(map[[2]*Node]*Node)
	var walk func(x, y *Node) *Node
	walk = func(x, y *Node) *Node {
		if x.Leaf() && y.Leaf() {
			return s.leaf(op(x.Value, y.Value))
		}
		if n := done[[2]*Node{x, y}]; n != nil {
			return n
		}
		var runs []Run
		h := x.Chain // the first chain that x or y tests
		if x.Leaf() || !y.Leaf() && y.Chain.rank < x.Chain.rank {
			h = y.Chain
		}
		i, j := 0, 0
		for from := h.Low; s.goesOn(); {
			runs = append(runs, Run{from, walk(at(x, h, i), at(y, h, j))})
			nextX, nextY := next(x, h, i), next(y, h, j)
			from = min(nextX, nextY)
			if from > h.High {
				break
			}
			if nextX == from {
				i++
			}
			if nextY == from {
				j++
			}
		}
		if s.work <= 0 {
			return x
		}
		n := s.choice(h, runs)
		done[[2]*Node{x, y}] = n
		return n
	}
	return walk(x, y)
}

// goesOn counts a run, and reports whether it may be made.
func (s *Store) goesOn() bool {
	if s.work > 0 && s.work%1024 == 0 && s.ctx.Err() != nil {
		s.work = 0
	}
	s.work--
	return s.work >= 0
}

// at returns the node to which the i-th run of x leads if x tests h; otherwise it returns x.
func at(x *Node, h *Chain, i int) *Node {
	if x.Chain != h {
		return x
	}
	return x.Runs[i].Node
}

// next returns the state at which the run after the i-th one starts.
func next(x *Node, h *Chain, i int) int {
	if x.Chain != h || i+1 == len(x.Runs) {
		return h.High + 1
	}
	return x.Runs[i+1].From
}
