package infer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A section is what a process does for one value of a key from an event of one sort to the next of
// another, such as from the taking of a lock to its release.
type section struct {
	process  int
	from, to graphs.Event // to is ⊥ for a section that does not end
}

// exclusive: for each value of a key, no two processes are in a section of it at once.
//
// For example, locks by name: a takes k1 and drops it, b takes k2 beside that, and k1 when a has
// dropped it. Each process takes and drops a lock in turn, so take and drop are the ends of
// sections; they may meet for different locks.
//
//	forall r in values(lock): AG(forall i != j:
//	    !(between(op == "take" && lock == r, op == "drop" && lock == r)@i && between(…)@j))
func (f *filler) exclusive() {
	if len(f.sorts) == 0 {
		return
	}
	for k, key := range f.keys {
		if key == nil {
			continue
		}
		s := f.common(k)
		for a, begin := range f.sorts {
			for b, end := range f.sorts {
				// On each process of an episode, they come in turn, the first one first.
				inTurn := s.with[a] > 0 && s.with[b] > 0 && s.first[b].has(a) && s.gap[a].has(b) && s.gap[b].has(a)
				if a == b || !inTurn || slices.Contains(begin.fields, key) || slices.Contains(end.fields, key) {
					continue
				}
				is := fmt.Sprintf("between(%s && %s == r, %s && %[2]s == r)", begin.text(), key.text, end.text())
				f.add(&candidate{
					formula: fmt.Sprintf("forall r in values(%s): AG(forall i != j: !(%s@i && %[2]s@j))", key.text, is),
					says: fmt.Sprintf("for each %s, no two processes are between %s and %s at once",
						key.text, begin.words(), end.words()),
					key:   key,
					apart: true,
					holds: func(g *facts) bool {
						return !slices.ContainsFunc(g.stories[k].episodes, func(one *episode) bool { return g.overlap(one, a, b) })
					},
					asked: func(g *facts) int {
						n := 0
						for _, one := range g.stories[k].episodes {
							n += pairsOf(one.sections(g.comp, a, b))
						}
						return n
					},
				})
			}
		}
	}
}

// sections returns the sections of an episode, process by process, as between has them in formulas.
func (one *episode) sections(c *graphs.Computation, a, b int) []section {
	var all []section
	for i, e := range one.events {
		n := len(all) - 1
		open := n >= 0 && all[n].process == c.Process(e) && all[n].to == graphs.Bottom
		switch {
		case one.sorts[i].has(a) && !open:
			all = append(all, section{process: c.Process(e), from: e})
		case one.sorts[i].has(b) && !one.sorts[i].has(a) && open:
			all[n].to = e
		}
	}
	return all
}

// overlap reports whether two processes can be in their sections of an episode at once. The time
// complexity of overlap is O(v·log v) for an episode with v events.
//
// Two sections cannot meet if one is over when the other begins. If none meet, they form a line,
// which is that of their beginnings in any order that causality allows; so neighbours suffice.
func (f *facts) overlap(one *episode, a, b int) bool {
	all := one.sections(f.comp, a, b)
	slices.SortStableFunc(all, func(x, y section) int { return cmp.Compare(f.rank[x.from], f.rank[y.from]) })
	for i := 1; i < len(all); i++ {
		x, y := all[i-1], all[i]
		over := x.to != graphs.Bottom && f.rows[y.from][x.process] >= int32(f.comp.Position(x.to))
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
