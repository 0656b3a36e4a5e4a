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

// DefaultMaxEvents is the default limit on the events in a picture.
const DefaultMaxEvents = 2000

// A Picture is a computation with instructions on what to show. Only Of is required.
type Picture struct {
	Of    *graphs.Computation
	Title string

	// Added are the edges that a slice adds to the computation. The slice then determines the
	// meta-events, and the events in every cut or in none.
	Added []graphs.Edge

	// Missing are orders that Of has but its trace lacks.
	Missing []Missing

	// Cut is a set of events to highlight. Run is a sequence of events to number, and Further
	// are more such sequences.
	Cut     graphs.Cut
	Run     []graphs.Event
	Further [][]graphs.Event

	// Times places the events by time in SVG. If it is nil, they are placed by causality.
	Times layout.Times

	// MaxEvents bounds how many events are drawn; 0 stands for DefaultMaxEvents, and a negative
	// number for no bound. If there are more events, those around the cut are drawn, or without a
	// cut those at the beginning. A link is drawn if both of its ends are.
	MaxEvents int
}

// A Missing is an edge that was added to a trace because it should have been there.
type Missing struct {
	graphs.Edge
	Why string // the reason in words; "" if the edge needs none
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

// A Link leads from one event to another. The ends of general and added edges may also be ⊥ and ⊤.
type Link struct {
	Kind     Mark // MessageMark to MissingMark
	From, To graphs.Event
	Name     string // the name of a message, or the reason for a missing order
	Receiver int    // the process that a message was sent to; -1 if it is not known
}

// A Scene has everything that is drawn for a Picture.
//
//	(1) Events and the ends of Links are in the window
//	(2) each message to a receiver, general edge and added edge is one link,
//	    unless it leads from an event to itself or occurs twice
//	(3) an event is in at most one group of Meta
type Scene struct {
	Picture
	Graph  *graphs.Computation // Of with the added edges
	Events []graphs.Event      // the events in the window, in increasing order
	Links  []Link              // by kind, then in the order of the computation
	// meta-events of several events that some cuts contain and others do not
	Meta  [][]graphs.Event
	NoCut bool // Graph has no consistent cut

	window *layout.Window            // the part that is drawn
	places map[graphs.Event][]string // the numbers of events in the runs, see findPlaces
	sets   map[graphs.Event][]string // the assignments of events as text
}

// Scene returns the scene of p. It returns an error if a field of p is wrong.
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

// findWindow finds the part of the computation to draw, of at most MaxEvents events.
func (s *Scene) findWindow() error {
	most := cmp.Or(s.MaxEvents, DefaultMaxEvents)
	n := s.Of.NumEvents()
	if most < 0 {
		most = n
	}
	if n > most && s.Of.Empty() {
		return fmt.Errorf("too many events to draw: %d, at most %d are drawn, and no cut says which; allow more with --max-events", n, most)
	}
	// Readers care most about the events near the cut.
	cut := s.Cut
	if cut == nil || !s.Of.Consistent(cut) {
		cut = s.Of.Initial()
	}
	s.window = layout.Around(s.Of, cut, most)
	return nil
}

// Shows reports whether e, neither ⊥ nor ⊤, is drawn.
func (s *Scene) Shows(e graphs.Event) bool { return s.window.Inside(e) }

// Hidden returns the number of events before and after the picture.
func (s *Scene) Hidden() (before, after int) {
	return s.window.Low.Size(), s.Of.NumEvents() - s.window.High.Size()
}

// Status returns ForcedMark if every cut contains e, ExcludedMark if none does, and otherwise
// EventMark.
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
		// An event that occurs twice in a run, as in a lasso, keeps its first number.
		seen := make(map[graphs.Event]bool, len(run))
		for i, e := range run {
			text := strconv.Itoa(i + 1)
			// Letters name the runs from b to z; later runs have numbers.
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

// Place returns the numbers of e in the runs that contain it, or "" if no run does.
func (s *Scene) Place(e graphs.Event) string { return strings.Join(s.places[e], " ") }

// Uses reports whether a link ends at e, which is ⊥ or ⊤.
func (s *Scene) Uses(e graphs.Event) bool {
	return slices.ContainsFunc(s.Links, func(l Link) bool {
		return l.Kind >= GeneralMark && (l.From == e || l.To == e)
	})
}

// findMeta lists the meta-events that get a rectangle: those of several events that some cuts
// contain and others do not. A sync gets none, since lines between its events show it.
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
		// A step contains whole syncs, so a sync of the same size is the step.
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

// findLinks lists the links. An edge has one link, for the first reason that applies: a message, a
// sync, a general edge, a missing order, other causality, or an added edge.
func (s *Scene) findLinks() {
	explained := make(map[graphs.Edge]bool) // the edges that a link already explains
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
	// A sync is drawn as a chain of lines from lane to lane, not as a line for each pair of events.
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
	// General edges come before other causality, since the trace gives them explicitly.
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
	// Sort by kind, so that the drawing order does not depend on the trace.
	slices.SortStableFunc(s.Links, func(a, b Link) int { return cmp.Compare(a.Kind, b.Kind) })
}

// linkEdges adds the links of edges, each edge once.
func (s *Scene) linkEdges(kind Mark, edges []graphs.Edge, explained map[graphs.Edge]bool) {
	seen := make(map[graphs.Edge]bool)
	for _, e := range edges {
		if e.From != e.To && !seen[e] {
			s.link(Link{Kind: kind, From: e.From, To: e.To})
		}
		seen[e], explained[e] = true, true
	}
}

// link adds a link if both of its ends are shown. ⊥ and ⊤ always are.
func (s *Scene) link(l Link) {
	shows := func(e graphs.Event) bool { return s.Of.Process(e) < 0 || s.Shows(e) }
	if shows(l.From) && shows(l.To) {
		s.Links = append(s.Links, l)
	}
}

// Assignments returns the assignments of e, such as "x = 2".
func (s *Scene) Assignments(e graphs.Event) []string { return s.sets[e] }

// Initial returns the values of the variables of a process before the first event that is drawn,
// such as "x = 1". For graphs.Shared it returns the values of shared variables.
func (s *Scene) Initial(process int) []string {
	var text []string
	for _, v := range s.Of.Variables() {
		if v.Process == process && v.Kind != graphs.NoKind && !v.Skipped() {
			text = append(text, v.Name+" = "+v.At(s.Of, s.window.Low).String())
		}
	}
	return text
}
