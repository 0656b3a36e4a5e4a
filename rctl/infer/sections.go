package infer

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A section is what a process does for one value of a key from an event of one sort to the next of
// another, such as from the taking of a lock to its release.
type section struct {
	process  int
	from, to graphs.Event // to is ⊥ for a section that does not end
}

// sections returns the sections from an a to a b of an episode, process by process, as between has
// them in formulas, and whether these are all that there is: a and b come in turn.
func sections(c *graphs.Computation, as, bs episode) (all []section, inTurn bool) {
	inTurn = true
	events := slices.Concat(as.events, bs.events)
	slices.Sort(events)
	for _, e := range slices.Compact(events) {
		_, begins := slices.BinarySearch(as.events, e)
		_, ends := slices.BinarySearch(bs.events, e)
		n := len(all) - 1
		open := n >= 0 && all[n].process == c.Process(e) && all[n].to == graphs.Bottom
		inTurn = inTurn && begins != ends && begins != open
		switch {
		case begins && !open:
			all = append(all, section{process: c.Process(e), from: e})
		case ends && !begins && open:
			all[n].to = e
		}
	}
	return all, inTurn
}

// overlap reports whether two processes can be in their sections at once. The time complexity of
// overlap is O(s·log s) for s sections.
//
// Two sections cannot meet if one is over when the other begins. If none meet, they form a line,
// which is that of their beginnings in any order that causality allows; so neighbours suffice.
func (f *facts) overlap(all []section) bool {
	slices.SortStableFunc(all, func(x, y section) int { return cmp.Compare(f.rank[x.from], f.rank[y.from]) })
	for i := 1; i < len(all); i++ {
		x, y := all[i-1], all[i]
		over := x.to != graphs.Bottom && f.before(x.to, y.from)
		if x.process != y.process && !over {
			return true
		}
	}
	return false
}

// pairsOf returns how many pairs of sections are on different processes.
func pairsOf(all []section) int {
	n := len(all) * (len(all) - 1) / 2
	on := make(map[int]int)
	for _, x := range all {
		n -= on[x.process] // pairs with earlier ones of the same process
		on[x.process]++
	}
	return n
}
