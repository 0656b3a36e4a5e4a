package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// DefaultMaxEvents is how many events a picture may have by default.
const DefaultMaxEvents = 2000

// A Picture is a computation and what to show on it. Only Of is needed.
type Picture struct {
	Of    *graphs.Computation
	Title string

	// Added are the edges that make a slice of the computation. Meta-events and
	// the events that every cut has, or none, are those of the slice.
	Added []graphs.Edge

	// Missing are orders that Of has and its trace lacks.
	Missing []Missing

	// Cut is a set of events to highlight, Run a sequence of events to number, and
	// Further are sequences to number beside it.
	Cut     graphs.Cut
	Run     []graphs.Event
	Further [][]graphs.Event

	// Times places the events of SVG by time. If it is nil, they are placed by causality.
	Times layout.Times

	// MaxEvents is how many events may be drawn, DefaultMaxEvents for 0, any number when it is
	// negative. If there are more, they are those around the cut, or at the beginning. A link is
	// drawn when both its ends are.
	MaxEvents int
}

// A Missing is an edge that was added to a trace because it should have been there.
type Missing struct {
	graphs.Edge
	Why string // in words, "" for what the edge says itself
}

// check returns the first error in the fields of p.
func (p Picture) check() error {
	if p.Cut != nil && len(p.Cut) != p.Of.NumProcesses() {
		return fmt.Errorf("the cut to draw has %d processes, the computation %d", len(p.Cut), p.Of.NumProcesses())
	}
	for q, k := range p.Cut {
		if k < 0 || int(k) > p.Of.Len(q) {
			return fmt.Errorf("the cut to draw has %d events of %s, which has %d", k, p.Of.Processes()[q], p.Of.Len(q))
		}
	}
	for _, e := range slices.Concat(append(p.Further[:len(p.Further):len(p.Further)], p.Run)...) {
		if e <= graphs.Bottom || e >= p.Of.Top() {
			return fmt.Errorf("the run to draw contains %d, which is not an event", e)
		}
	}
	for _, e := range p.Added {
		if min(e.From, e.To) < graphs.Bottom || max(e.From, e.To) > p.Of.Top() {
			return fmt.Errorf("the added edge from %d to %d has an end that is not an event",
				e.From, e.To)
		}
	}
	return nil
}

// A Link leads from one event to another; for general and added edges one or both
// may be ⊥ and ⊤.
type Link struct {
	Kind     Mark // MessageMark to MissingMark
	From, To graphs.Event
	Name     string // of a message, or why an order is there
	Receiver int    // process of a message that is never received, -1 when it is not known
}

// A Scene is a Picture worked out.
//
//	(1) Events and the ends of Links are in the window
//	(2) a delivery of a message, a general edge and an added edge is one link each
//	    unless it leads from an event to itself or occurs twice
//	(3) an event is in one group of Meta at most
type Scene struct {
	Picture
	Graph  *graphs.Computation // Of with the added edges
	Events []graphs.Event      // in increasing order
	Links  []Link              // by kind, then in the order of the computation
	// meta-events of several events that some cuts contain and some do not
	Meta  [][]graphs.Event
	NoCut bool // Graph has no consistent cut

	window *layout.Window            // what is drawn
	places map[graphs.Event][]string // numbers in the runs, see findPlaces
	sets   map[graphs.Event][]string // assignments as text
}

// Scene works the picture out. The error names an error in p.
//
// The time complexity of Scene is O(|V|+|edges|+assignments).
func (p Picture) Scene() (*Scene, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Scene{Picture: p, Graph: p.Of, sets: make(map[graphs.Event][]string)}
	if len(p.Added) > 0 {
		s.Graph = p.Of.With(p.Added)
	}
	s.NoCut = s.Graph.Empty() || p.Of.Empty()
	if err := s.findWindow(); err != nil {
		return nil, err
	}
	s.Events = slices.Collect(s.window.Events)
	s.findPlaces()
	s.findMeta()
	s.findLinks()
	for _, v := range s.Of.Variables() {
		for i, e := range v.Events() {
			s.sets[e] = append(s.sets[e], v.Name+" = "+v.Value(i).String())
		}
	}
	return s, nil
}

// findWindow bounds the picture to as many events as it may have.
func (s *Scene) findWindow() error {
	most := cmp.Or(s.MaxEvents, DefaultMaxEvents)
	n := s.Of.NumEvents()
	if most < 0 {
		most = n
	}
	if n > most && s.Of.Empty() {
		return fmt.Errorf("too many events to draw: %d, at most %d are drawn, and no cut says which; allow more with --max-events", n, most)
	}
	// What the reader looks for is in the middle.
	cut := s.Cut
	if cut == nil || !s.Of.Consistent(cut) {
		cut = s.Of.Initial()
	}
	s.window = layout.Around(s.Of, cut, most)
	return nil
}

// Shows reports whether e is drawn, where e is neither ⊥ nor ⊤.
func (s *Scene) Shows(e graphs.Event) bool { return s.window.Inside(e) }

// Hidden returns the number of events before and after the picture.
func (s *Scene) Hidden() (before, after int) {
	return s.window.Low.Size(), s.Of.NumEvents() - s.window.High.Size()
}

// Status tells whether the cuts agree on e: by ForcedMark or ExcludedMark if so, else by EventMark.
func (s *Scene) Status(e graphs.Event) Mark {
	switch {
	case s.NoCut, !s.Of.Has(s.Of.Final(), e), !s.Of.Has(s.Graph.Final(), e):
		return ExcludedMark
	case s.Of.Has(s.Of.Initial(), e), s.Of.Has(s.Graph.Initial(), e):
		return ForcedMark
	}
	return EventMark
}

// Inside reports whether e is in the highlighted cut.
func (s *Scene) Inside(e graphs.Event) bool { return s.Cut != nil && s.Of.Has(s.Cut, e) }

// findPlaces numbers the runs: 1, 2, … for Run, 1b, 2b, … for the first of Further.
func (s *Scene) findPlaces() {
	s.places = make(map[graphs.Event][]string)
	for k, run := range append([][]graphs.Event{s.Run}, s.Further...) {
		// An event that a run has twice, as it may in a lasso, keeps its first number.
		seen := make(map[graphs.Event]bool, len(run))
		for i, e := range run {
			text := strconv.Itoa(i + 1)
			// The alphabet names the runs from b to z; later ones have their number.
			switch {
			case k > 25:
				text += "-" + strconv.Itoa(k+1)
			case k > 0:
				text += string(rune('a' + k))
			}
			if !seen[e] {
				s.places[e] = append(s.places[e], text)
			}
			seen[e] = true
		}
	}
}

// Place returns the number of e in the runs that have it, "" if none has.
func (s *Scene) Place(e graphs.Event) string { return strings.Join(s.places[e], " ") }

// Uses reports whether a link has an end at e, one of ⊥ and ⊤.
func (s *Scene) Uses(e graphs.Event) bool {
	return slices.ContainsFunc(s.Links, func(l Link) bool {
		return l.Kind >= GeneralMark && (l.From == e || l.To == e)
	})
}

// findMeta lists the meta-events to draw a rectangle around: open ones of several events. Lines
// between its events show a sync, so it gets none.
func (s *Scene) findMeta() {
	synced := make(map[graphs.Event]int) // the size of the largest sync of each event
	for _, sync := range s.Of.Syncs() {
		for _, e := range sync {
			if s.Shows(e) {
				synced[e] = max(synced[e], len(sync))
			}
		}
	}
	for _, e := range s.Events {
		step := s.Graph.Step(e)
		// A step has all of a sync, so one of the same size is that sync.
		if len(step) == 1 || s.Status(e) != EventMark || synced[e] == len(step) {
			continue
		}
		shown := slices.DeleteFunc(slices.Clone(step),
			func(f graphs.Event) bool { return !s.Shows(f) })
		if shown[0] == e {
			s.Meta = append(s.Meta, shown)
		}
	}
}

// findLinks lists the links, each edge by the first reason for it: a message, a sync, a general
// edge, a missing order, other causality, an added edge.
func (s *Scene) findLinks() {
	explained := make(map[graphs.Edge]bool) // why there is an edge between two events
	for _, m := range s.Of.Messages() {
		l := Link{Kind: MessageMark, From: m.Send, To: m.Recv, Name: s.Of.MessageName(m.Index),
			Receiver: int(m.To)}
		// A message that is never received explains no edge.
		if m.Recv == graphs.Bottom {
			l.Kind = TransitMark
		} else {
			explained[graphs.Edge{From: m.Send, To: m.Recv}] = true
		}
		s.link(l)
	}
	// A sync is a chain of lines from lane to lane, not one line for each two of its events.
	for _, sync := range s.Of.Syncs() {
		lanes := slices.Sorted(slices.Values(sync)) // events are numbered process by process
		for i := 1; i < len(lanes); i++ {
			s.link(Link{Kind: SyncMark, From: lanes[i-1], To: lanes[i]})
		}
		for _, e := range sync {
			for _, f := range sync {
				explained[graphs.Edge{From: e, To: f}] = true
			}
		}
	}
	// General edges come before other causality: a trace gives them for their own sake.
	s.linkEdges(GeneralMark, s.Of.Edges(), explained)
	for _, m := range s.Missing {
		if !explained[m.Edge] {
			s.link(Link{Kind: MissingMark, From: m.From, To: m.To, Name: m.Why})
		}
		explained[m.Edge] = true
	}
	for e := graphs.Event(1); e < s.Of.Top(); e++ {
		for _, f := range s.Of.Succs(e) {
			if !explained[graphs.Edge{From: e, To: f}] {
				s.link(Link{Kind: CausalMark, From: e, To: f})
			}
		}
	}
	s.linkEdges(AddedMark, s.Added, explained)
	// By kind, so that the order of drawing does not depend on the trace.
	slices.SortStableFunc(s.Links, func(a, b Link) int { return cmp.Compare(a.Kind, b.Kind) })
}

// linkEdges adds the links of general edges, each once.
func (s *Scene) linkEdges(kind Mark, edges []graphs.Edge, explained map[graphs.Edge]bool) {
	seen := make(map[graphs.Edge]bool)
	for _, e := range edges {
		if e.From != e.To && !seen[e] {
			s.link(Link{Kind: kind, From: e.From, To: e.To})
		}
		seen[e], explained[e] = true, true
	}
}

// link adds a link if both its ends are shown; ⊥ and ⊤ always are.
func (s *Scene) link(l Link) {
	shows := func(e graphs.Event) bool { return s.Of.Process(e) < 0 || s.Shows(e) }
	if shows(l.From) && shows(l.To) {
		s.Links = append(s.Links, l)
	}
}

// Assignments returns the assignments of e, such as "x = 2".
func (s *Scene) Assignments(e graphs.Event) []string { return s.sets[e] }

// Initial returns the values of the variables of a process before the first event
// that is drawn, such as "x = 1"; those of the shared variables for graphs.Shared.
func (s *Scene) Initial(process int) []string {
	var text []string
	for _, v := range s.Of.Variables() {
		if v.Process == process && v.Kind != graphs.NoKind && !v.Skipped() {
			text = append(text, v.Name+" = "+v.At(s.Of, s.window.Low).String())
		}
	}
	return text
}
