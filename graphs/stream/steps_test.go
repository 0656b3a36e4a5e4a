package stream

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// planned is an event of a random execution, by the names of events: it sends its own name.
type planned struct {
	name, process string
	recv, after   []string
	sync          []string
}

// plan makes random events, of each process in their order, which may have cycles and wait for what never comes.
func plan(r *rand.Rand, processes, length, size int) (all [][]planned) {
	for p := range processes {
		var list []planned
		for k := range length {
			list = append(list, planned{name: fmt.Sprintf("%d:%d", p, k+1), process: fmt.Sprint(p)})
		}
		all = append(all, list)
	}
	received := make(map[string]bool)
	for p := range all {
		for k := range all[p] {
			e := &all[p][k]
			near := func() string {
				return fmt.Sprintf("%d:%d", r.IntN(processes), max(1, k+r.IntN(3)-r.IntN(2)))
			}
			if name := near(); r.IntN(2) == 0 && !received[e.process+name] {
				received[e.process+name] = true
				e.recv = append(e.recv, name)
			}
			if r.IntN(4) == 0 {
				e.after = append(e.after, near())
			}
		}
	}
	for s := range processes * length / 3 {
		k := r.IntN(length)
		for _, p := range r.Perm(processes)[:size] {
			if at := k + r.IntN(2); at < length {
				all[p][at].sync = append(all[p][at].sync, fmt.Sprint("s", s))
			}
		}
	}
	return all
}

// admissible returns how many events of each process can be admitted of those that have arrived, where the syncs
// that complete says are: the most that need nothing else and have no cycle without a sync.
func admissible(arrived [][]planned, complete func(sync string) bool) map[string]int {
	in, members := make(map[string]planned), make(map[string][]string)
	before := make(map[string][]string)
	for _, list := range arrived {
		for k, e := range list {
			in[e.name] = e
			for _, s := range e.sync {
				members[s] = append(members[s], e.name)
			}
			before[e.name] = slices.Concat(e.recv, e.after)
			if k > 0 {
				before[e.name] = append(before[e.name], list[k-1].name)
			}
		}
	}
	for name := range in { // what happened before itself, without a sync
		seen := make(map[string]bool)
		for list := slices.Clone(before[name]); len(list) > 0; list = list[1:] {
			if !seen[list[0]] {
				seen[list[0]] = true
				list = append(list, before[list[0]]...)
			}
		}
		if seen[name] {
			before[name] = append(before[name], "what never comes")
		}
	}
	for changed := true; changed; {
		changed = false
		for name, e := range in {
			out := slices.ContainsFunc(before[name], func(f string) bool { _, ok := in[f]; return !ok })
			for _, s := range e.sync {
				out = out || !complete(s) || slices.ContainsFunc(members[s], func(f string) bool { _, ok := in[f]; return !ok })
			}
			if out {
				delete(in, name)
				changed = true
			}
		}
	}
	counts := make(map[string]int)
	for e := range maps.Values(in) {
		counts[e.process]++
	}
	return counts
}

// Whatever comes in whatever order, all is admitted that can be, and nothing else.
func TestSteps(t *testing.T) {
	admitted, joint := int64(0), int64(0)
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 4))
		processes, size := 2+r.IntN(3), 2
		opts := Options{SyncSize: size}
		if seed%2 == 0 {
			opts = Options{Declared: true}
		}
		all := plan(r, processes, 4, size)
		s := New(opts)
		s.SetView(View{Everything: true})
		closed := make(map[string]bool)
		arrived := make([][]planned, processes)
		check := func(complete func(sync string) bool) {
			t.Helper()
			want := admissible(arrived, complete)
			for p := range processes {
				if got := int(s.processes[p].admitted); got != want[fmt.Sprint(p)] {
					t.Fatalf("seed %d: of process %d %d events are admitted, want %d: %v", seed, p, got, want[fmt.Sprint(p)], arrived)
				}
			}
		}
		for p := range processes {
			if err := s.Add(&Line{Kind: Declaration, Process: fmt.Append(nil, p)}); err != nil {
				t.Fatal(err)
			}
		}
		for len(closed) < processes {
			p := r.IntN(processes)
			l := Line{Kind: Closing, Process: fmt.Append(nil, p)}
			if k := len(arrived[p]); k < len(all[p]) {
				e := all[p][k]
				l = Line{Process: []byte(e.process), Send: [][]byte{[]byte(e.name)}}
				for _, x := range []struct {
					ids  []string
					into *[][]byte
				}{{e.recv, &l.Recv}, {e.after, &l.After}, {e.sync, &l.Sync}} {
					for _, id := range x.ids {
						*x.into = append(*x.into, []byte(id))
					}
				}
				arrived[p] = append(arrived[p], e)
			} else {
				closed[fmt.Sprint(p)] = true
			}
			if err := s.Add(&l); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			check(func(sync string) bool {
				joined, open := 0, processes-len(closed)
				for p, list := range arrived {
					if slices.ContainsFunc(list, func(e planned) bool { return slices.Contains(e.sync, sync) }) {
						if joined++; closed[fmt.Sprint(p)] {
							open++
						}
					}
				}
				return opts.SyncSize > 0 && joined == size || opts.Declared && joined == open
			})
		}
		_ = s.End() // some events wait for good
		check(func(string) bool { return true })
		admitted, joint = admitted+s.admitted, joint+s.admitted-s.window.step
	}
	if admitted < 1000 || joint < 100 {
		t.Errorf("%d events are admitted, %d with others", admitted, joint)
	}
}
