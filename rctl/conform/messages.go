package conform

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
)

// A message is one of the trace that the diagram may speak of, or an action.
type message struct {
	// Of an action and of a call or a return, the two are the same; recv is Bottom where nobody
	// receives it.
	send, recv graphs.Event
	caller     graphs.Event // of a call or a return: the start of the span that calls
	number     int32        // among the messages of the trace
	class      int32
}

// isCall reports whether a message is the call or the return of a span.
func (m message) isCall() bool { return m.caller != graphs.Bottom }

// A survey is the part of a trace between the lifelines of a diagram. Messages are of one class if the
// same arrows can stand for them. So the search compares numbers, and no texts.
type survey struct {
	*Spec
	c       *graphs.Computation
	lanes   []uint64 // of each process
	strict  bool
	classes []scenario.Class
	numbers map[string]int32 // of classes

	messages []message
	matched  []bool          // by arrow: something in the trace has its label
	others   map[string]bool // texts of messages between lifelines that no arrow has, some of them
}

// maxOthers bounds the texts that are kept for hints.
const maxOthers = 1000

// look finds the messages and actions.
func (s *survey) look() {
	s.numbers = make(map[string]int32)
	s.others = make(map[string]bool)
	s.matched = make([]bool, len(s.labels))
	if s.c.HasCalls() {
		s.calls()
		return
	}
	// A message has three texts: its name, and the labels of its ends. Programs log one of them.
	busy := make([]bool, s.c.Top()+1) // it sends or receives
	for _, m := range s.c.Messages() {
		busy[m.Send], busy[m.Recv] = true, true
		to := ^uint64(0) // any, where it is not known
		if m.To >= 0 {
			to = s.lanes[m.To]
		}
		texts := []string{s.c.Label(m.Send)}
		if s.c.HasMessageNames() {
			texts = append(texts, s.c.MessageName(m.Index))
		}
		if m.Recv != graphs.Bottom {
			texts = append(texts, s.c.Label(m.Recv))
		}
		s.add(message{send: m.Send, recv: m.Recv, number: m.Index}, s.lanes[s.c.Process(m.Send)], to, texts, func(a scenario.Arrow) bool {
			return a.Kind == scenario.Message || a.Kind == scenario.Lost && m.Recv == graphs.Bottom
		})
	}
	for e := graphs.Event(1); e < s.c.Top(); e++ {
		if text := s.c.Label(e); text != "" && !busy[e] {
			s.act(e, text)
		}
	}
}

// calls finds the calls of spans, and their returns.
//
// Example: span 1 of service A has the child span 2 of service B, called Charge. That is a call
// A->>B: Charge at the start of span 2, and a return B-->>A: Charge at its end. A child of the same
// service is an action. A trace does not say when a caller sends and
// receives, so both ends of a call are the start of the span that is called, and those of its return
// are its end.
func (s *survey) calls() {
	for p := range s.c.Processes() {
		if s.lanes[p] == 0 {
			continue
		}
		first, last := s.c.Event(p, 1), s.c.Event(p, s.c.Len(p))
		q := s.c.Parent(p)
		if q < 0 || s.lanes[p]&s.lanes[q] != 0 {
			s.act(first, s.operation(p))
			continue
		}
		texts := []string{s.operation(p), s.operation(q)}
		caller := s.c.Event(q, 1)
		s.add(message{send: first, recv: first, caller: caller}, s.lanes[q], s.lanes[p], texts, func(a scenario.Arrow) bool {
			return a.Kind == scenario.Message && a.Answers == nil
		})
		s.add(message{send: last, recv: last, caller: caller}, s.lanes[p], s.lanes[q], texts, func(a scenario.Arrow) bool {
			return a.Kind == scenario.Message && a.Answers != nil
		})
	}
}

// operation is the name of a span.
func (s *survey) operation(p int) string {
	if v := s.c.Variable(p, "operation"); v != nil && v.Len() > 0 {
		return v.Value(0).Text()
	}
	return ""
}

// act adds an action, if an arrow stands for it.
func (s *survey) act(e graphs.Event, text string) {
	of := s.lanes[s.c.Process(e)]
	arrows := s.arrows(of, of, []string{text}, func(a scenario.Arrow) bool { return a.Kind == scenario.Action })
	if arrows != nil {
		s.messages = append(s.messages, message{send: e, recv: e, class: s.class(arrows, 0)})
	}
}

// add adds a message between lifelines, if some arrows stand for it. With strict, it is added also where
// none does.
func (s *survey) add(m message, from, to uint64, texts []string, stands func(scenario.Arrow) bool) {
	arrows := s.arrows(from, to, texts, stands)
	switch {
	case arrows != nil:
		m.class = s.class(arrows, 0)
		s.messages = append(s.messages, m)
		return
	case s.strict && from|to != 0:
		if to == ^uint64(0) {
			to = 0
		}
		m.class = s.class(nil, from|to)
		s.messages = append(s.messages, m)
	}
	for _, text := range texts {
		if len(s.others) < maxOthers && from != 0 && to != 0 && text != "" {
			s.others[text] = true
		}
	}
}

// arrows returns the arrows from some lifelines to others that have one of the texts, and notes that
// something stands for them. A dotted arrow may also have the text of its call.
func (s *survey) arrows(from, to uint64, texts []string, stands func(scenario.Arrow) bool) (all []int32) {
	for i, a := range s.Scenario.Arrows {
		labelled := func(arrow int) bool { return s.labels[arrow].matches(texts...) }
		drawn := from>>a.From&1 == 1 && to>>a.To&1 == 1 && stands(a)
		if drawn && (labelled(i) || slices.ContainsFunc(a.Answers, labelled)) {
			all = append(all, int32(i))
			s.matched[i] = true
		}
	}
	return all
}

// class numbers a set of arrows. A message without arrows is told by its lifelines instead.
func (s *survey) class(arrows []int32, lanes uint64) int32 {
	var key []byte
	for _, a := range arrows {
		key = binary.AppendUvarint(key, uint64(a))
	}
	if arrows == nil {
		key = binary.AppendUvarint([]byte{0xff}, lanes)
	}
	n, ok := s.numbers[string(key)]
	if !ok {
		n = int32(len(s.classes))
		s.numbers[string(key)] = n
		s.classes = append(s.classes, scenario.Class{Arrows: arrows, Lanes: lanes})
	}
	return n
}

// A view is what one value sees of a trace, or all of the trace.
type view struct {
	value    int // its number
	messages []int32
	poset    scenario.Poset
	events   []graphs.Event // by occurrence
	process  []int32        // those that take part, in order
}

// occurrences lists the sends, receives and actions of a view in an order that happened-before allows:
// by the ranks of steps, and within a step by phases.
func (s *survey) occurrences(v *view, ranks []int32) {
	type placed struct {
		scenario.Occurrence
		event graphs.Event
	}
	var all []placed
	add := func(e graphs.Event, phase scenario.Phase, number int, class int32) {
		all = append(all, placed{event: e, Occurrence: scenario.Occurrence{
			Position: int32(s.c.Position(e)),
			Step:     int32(s.c.Step(e)[0]),
			Phase:    phase,
			Message:  int32(number),
			Class:    class,
		}})
		v.process = append(v.process, int32(s.c.Process(e)))
	}
	for number, i := range v.messages {
		m := s.messages[i]
		send := scenario.Send
		if m.isCall() {
			send = scenario.Call
		} else if m.send == m.recv {
			add(m.send, scenario.Act, -1, m.class)
			continue
		}
		// A message that is not drawn concerns the ends that are.
		arrows := s.classes[m.class].Arrows != nil
		if arrows || s.lanes[s.c.Process(m.send)] != 0 {
			add(m.send, send, number, m.class)
		}
		if m.recv != graphs.Bottom && (arrows || s.lanes[s.c.Process(m.recv)] != 0) {
			add(m.recv, scenario.Receive, number, m.class)
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(
			cmp.Compare(ranks[a.Step], ranks[b.Step]),
			cmp.Compare(a.Step, b.Step),
			cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.event, b.event))
	})
	slices.Sort(v.process)
	v.process = slices.Compact(v.process)

	// Processes are numbered within the view, so that views of one shape have equal numbers.
	// One array for all clocks: they are as many numbers as the view has occurrences, times k.
	k := len(v.process)
	clocks := make([]int32, k*len(all))
	for i, p := range all {
		p.Process, _ = v.local(s.c.Process(p.event))
		p.Clock = clocks[i*k : (i+1)*k]
		v.poset.Occurrences = append(v.poset.Occurrences, p.Occurrence)
		v.events = append(v.events, p.event)
	}
	v.poset.Processes = k
	v.poset.Classes = s.classes
}

// local returns the number of a process among those of the view.
func (v *view) local(p int) (int32, bool) {
	i, ok := slices.BinarySearch(v.process, int32(p))
	return int32(i), ok
}

// order finds the clocks of views: for each occurrence and process, the last position that happened
// before. It takes a pass over the computation for each process, in time O(n·(|V|+|edges|)).
func (s *survey) order(done func() error, views []*view) error {
	// Most views touch few of the processes, so each pass goes to its own views.
	touched := make(map[int32][]*view)
	var all []int32
	for _, v := range views {
		for _, p := range v.process {
			if touched[p] == nil {
				all = append(all, p)
			}
			touched[p] = append(touched[p], v)
		}
	}
	slices.Sort(all)
	var before []int32
	for _, p := range all {
		if err := done(); err != nil {
			return err
		}
		before = s.c.LastBeforeInto(int(p), before)
		for _, v := range touched[p] {
			at, _ := v.local(int(p))
			for i, e := range v.events {
				// Events of one step happen together, none before another.
				last := before[e]
				for last > 0 && s.c.SameStep(s.c.Event(int(p), int(last)), e) {
					last--
				}
				v.poset.Occurrences[i].Clock[at] = last
			}
		}
	}
	return nil
}
