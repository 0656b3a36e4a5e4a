package crucial

import (
	"runtime"
	"sync"

	"github.com/pota-project/pota/graphs/program"
)

// sideBySide is the length of the queue from which states are explored in parallel, and the greatest
// number of states for each processor. It is a variable only for tests.
var sideBySide = 1 << 12

// A worker explores some states of the queue, in parallel with others. Meanwhile the store and the
// answers do not change.
type worker struct {
	checker *checker // has its own nodes and looks
	node    *node

	begin, end int // the places in the queue of the states that it explores: begin <= place < end

	// the encoded states that it reached and that may lead to the goal, one after another
	states []byte
	hashes []uint64 // the hash of each of these states
	from   []uint32 // for each of these states, the place in the queue of its predecessor
	// the place of the first state that was not explored by all its transitions, or end
	reduced int
}

// reachSideBySide explores up to sideBySide states for each processor, beginning with the first
// unexplored state of the queue, and returns the place of the last one. States enter the queue in
// the order in which a single worker would find them.
func (s *breadth) reachSideBySide(first int) (last int) {
	if s.workers == nil {
		for range runtime.GOMAXPROCS(0) {
			k := &checker{ctx: s.ctx, program: s.program, layout: s.layout, declared: s.declared, opts: s.opts,
				states: s.states, futures: s.futures, holds: s.holds}
			n, err := k.compile(s.node.source)
			if err != nil {
				s.err = err
				return first
			}
			s.workers = append(s.workers, &worker{checker: k, node: n})
		}
	}

	var group sync.WaitGroup
	per := min(sideBySide, (s.queue.Len()-first+len(s.workers)-1)/len(s.workers))
	end := first
	for _, w := range s.workers {
		w.begin, w.end = end, min(end+per, s.queue.Len())
		end = w.end
		group.Go(func() { w.explore(s) })
	}

	group.Wait()
	for _, w := range s.workers {
		for i, from := range w.from {
			state := w.states[i*s.layout.Size : (i+1)*s.layout.Size]
			if s.visit(s.states.addHashed(state, w.hashes[i]), from); s.found >= 0 {
				s.reduced = s.reduced || w.reduced <= int(from)
				return end - 1
			}
		}
		s.reduced = s.reduced || w.reduced < w.end
		if s.err = w.checker.err; s.err != nil {
			return end - 1
		}
	}
	s.limit()
	return end - 1
}

// explore finds the states that follow those of the worker.
func (w *worker) explore(s *breadth) {
	w.states = w.states[:0]
	w.hashes = w.hashes[:0]
	w.from = w.from[:0]
	w.reduced = w.end
	var list []program.Transition
	for i := w.begin; i < w.end; i++ {
		id := *s.queue.At(i)
		list = w.checker.ample(w.node, id, list[:0])
		if w.checker.reduced {
			w.checker.reduced, w.reduced = false, min(w.reduced, i)
		}
		for _, t := range list {
			n := len(w.states)
			if w.states, w.checker.err = s.program.Apply(s.states.at(id), t, w.states); w.checker.err != nil {
				return
			}
			hash := s.states.hash(w.states[n:])
			a := open
			if slot, ok := s.states.find(w.states[n:], hash); ok {
				a = s.node.known(s.states.ids[slot])
			}
			// As in visit, only states known to fail the formula are dropped.
			if a == no || a == visited {
				w.states = w.states[:n]
			} else {
				w.from, w.hashes = append(w.from, uint32(i)), append(w.hashes, hash)
			}
		}
	}
}
