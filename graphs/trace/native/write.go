package native

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
)

// Write writes c in the native format: the header, a declaration of each process in order, the
// shared variables, the events in an order in which they could have happened, the general edges of
// c, and after them the edges of added. Read returns from it a computation with the same processes,
// events, ids, values, labels, messages and consistent cuts. Causality without a message is written
// as "after", and an event that ends a timer is written with the event that started it.
//
// Write fails if values were not kept when c was read, and if the format cannot express c: an event
// that sends messages that are never received to two processes, or a message that only some of its
// receivers receive.
//
// The time complexity of Write is O(|V|+|edges|+length of the output).
func Write(w io.Writer, c *graphs.Computation, added []graphs.Edge) error {
	out := newWriter(w, c)
	for _, v := range c.Variables() {
		if v.Skipped() {
			return fmt.Errorf("the values of variable %q were not read", v.Name)
		}
	}
	out.declare()
	for _, e := range c.Order() {
		if err := out.event(e); err != nil {
			return err
		}
	}
	for _, edges := range [][]graphs.Edge{c.Edges(), added} {
		for _, e := range edges {
			out.line = appendString(append(out.line, `{"edge":[`...), c.ID(e.From))
			out.line = append(appendString(append(out.line, ','), c.ID(e.To)), ']')
			out.flush()
		}
	}
	return out.w.Flush()
}

// A writer writes one computation. A Computation keeps assignments, messages and syncs in separate
// lists, but a line has all of one event, so each table below has a row for each event.
type writer struct {
	c    *graphs.Computation
	w    *bufio.Writer
	line []byte // the line being written

	sets     dense.Rows[assignment]
	sends    dense.Rows[int32]        // the index of the first delivery of each message
	recvs    dense.Rows[int32]        // numbers of deliveries
	groups   dense.Rows[int32]        // the indices of syncs
	timers   dense.Rows[graphs.Event] // the ends of timers, by the events that started them
	lines    []int64                  // how many lines of events each process has so far
	syncName []int                    // the number of each sync, from 1; 0 before it appears
	named    int
}

// An assignment is the i-th assignment of a variable.
type assignment struct {
	variable *graphs.Variable
	i        int
}

func newWriter(w io.Writer, c *graphs.Computation) *writer {
	out := &writer{c: c, w: bufio.NewWriterSize(w, 64<<10)}
	events := int(c.Top()) + 1
	out.sets = dense.Group(events, func(add func(int, assignment)) {
		for _, v := range c.Variables() {
			for i, e := range v.Events() {
				add(int(e), assignment{v, i})
			}
		}
	})

	// A message with several receivers has adjacent deliveries, one for each; it is sent once.
	messages := c.Messages()
	out.sends = dense.Group(events, func(add func(int, int32)) {
		for i, m := range messages {
			if i == 0 || messages[i-1].Index != m.Index {
				add(int(m.Send), int32(i))
			}
		}
	})
	out.recvs = dense.Group(events, func(add func(int, int32)) {
		for i, m := range messages {
			if m.Recv != graphs.Bottom {
				add(int(m.Recv), int32(i))
			}
		}
	})

	// Write receives in the order of their sends, so that reading and writing again gives the same
	// bytes.
	for e := graphs.Event(1); e < c.Top(); e++ {
		slices.SortFunc(out.recvs.Row(int(e)), func(i, j int32) int {
			return cmp.Or(cmp.Compare(messages[i].Send, messages[j].Send), cmp.Compare(i, j))
		})
	}
	out.timers = dense.Group(events, func(add func(int, graphs.Event)) {
		for e := graphs.Event(1); e < c.Top() && c.NumTimers() > 0; e++ {
			if t, ok := c.Timer(e); ok {
				add(int(t.Start), e)
			}
		}
	})
	out.lines = make([]int64, c.NumProcesses())
	out.syncName = make([]int, len(c.Syncs()))
	out.groups = dense.Group(events, func(add func(int, int32)) {
		for i, group := range c.Syncs() {
			for _, e := range group {
				add(int(e), int32(i))
			}
		}
	})
	return out
}

// flush ends the object of a line. Errors of writing stay in the bufio.Writer until Write
// returns them.
func (w *writer) flush() {
	w.line = append(w.line, '}', '\n')
	w.w.Write(w.line)
	w.line = w.line[:0]
}

// declare writes the header and all declarations.
func (w *writer) declare() {
	w.line = append(w.line, `{"pota":1`...)
	w.text("lower_bound", w.c.LowerBound())
	w.flush()
	for p, name := range w.c.Processes() {
		w.line = appendString(append(w.line, `{"process":`...), name)
		w.line = append(w.line, `,"init":{`...)
		w.inits(p)
		w.text("clock_id", w.c.Clock(p))
		w.flush()
	}

	// Omit the line if there are no shared variables.
	w.line = append(w.line, `{"shared":{`...)
	if w.inits(graphs.Shared) {
		w.flush()
	} else {
		w.line = w.line[:0]
	}
}

// inits writes the initial values of the variables of p, closes their object, and reports whether
// there are any.
func (w *writer) inits(p int) bool {
	some := false
	for _, v := range w.c.VariablesOf(p) {
		if v.Kind == graphs.NoKind {
			continue
		}
		if some {
			w.line = append(w.line, ',')
		}
		some = true
		w.assign(v.Name, v.Init)
	}
	w.line = append(w.line, '}')
	return some
}

// event writes the line of an event.
func (w *writer) event(e graphs.Event) error {
	c := w.c
	if w.isEnd(e) {
		return nil // written with the event that started the timer
	}
	p := c.Process(e)
	name := c.Processes()[p]
	w.line = appendString(append(w.line, `{"process":`...), name)
	w.lines[p]++
	if c.HasID(e) && !(c.NumTimers() > 0 && admission.IsDefault([]byte(c.ID(e)), name, w.lines[p])) {
		w.text("id", c.ID(e))
	}
	w.set(e)
	if err := w.messages(e); err != nil {
		return err
	}
	w.strings("after", w.causes(e))
	w.strings("sync", w.syncs(e))
	w.text("label", c.Label(e))
	if time := c.Time(e); time != "" {
		w.line = append(append(w.line, `,"time":`...), time...)
	}
	w.startTimers(e)
	w.flush()
	return nil
}

// set writes the assignments of e.
func (w *writer) set(e graphs.Event) {
	sets := w.sets.Row(int(e))
	if len(sets) == 0 {
		return
	}
	w.line = append(w.line, `,"set":{`...)
	for i, x := range sets {
		if i > 0 {
			w.line = append(w.line, ',')
		}
		w.assign(x.variable.Name, x.variable.Value(x.i))
	}
	w.line = append(w.line, '}')
}

// isEnd reports whether e ends a timer, and has no property that the "timer" of another event could
// not express.
func (w *writer) isEnd(e graphs.Event) bool {
	t, ok := w.c.Timer(e)
	return ok && w.c.Time(e) != "" && w.c.ID(e) == w.c.ID(t.Start)+"."+t.Name &&
		len(w.causes(e)) == 0 && len(w.sends.Row(int(e))) == 0 && len(w.recvs.Row(int(e))) == 0 && len(w.groups.Row(int(e))) == 0
}

// startTimers writes those timers that e starts and that end by an event.
func (w *writer) startTimers(e graphs.Event) {
	sep := `,"timer":{`
	for _, end := range w.timers.Row(int(e)) {
		if !w.isEnd(end) {
			continue
		}
		t, _ := w.c.Timer(end)
		w.line = appendString(append(w.line, sep...), t.Name)
		w.line = append(append(w.line, `:{"at":`...), w.c.Time(end)...)
		w.set(end)
		w.line = append(w.line, '}')
		sep = ","
	}
	if sep == "," {
		w.line = append(w.line, '}')
	}
}

// syncs returns the names of the syncs of e, which are numbered as they appear.
func (w *writer) syncs(e graphs.Event) []string {
	var numbers []int
	for _, t := range w.groups.Row(int(e)) {
		if w.syncName[t] == 0 {
			w.named++
			w.syncName[t] = w.named
		}
		numbers = append(numbers, w.syncName[t])
	}
	slices.Sort(numbers)
	var names []string
	for _, n := range numbers {
		names = append(names, "s"+strconv.Itoa(n))
	}
	return names
}

// messages writes the messages that e sends and receives.
func (w *writer) messages(e graphs.Event) error {
	all := w.c.Messages()
	name := func(numbers []int32) []string {
		var names []string
		for _, i := range numbers {
			names = append(names, w.c.MessageName(all[i].Index))
		}
		return names
	}
	w.strings("send", name(w.sends.Row(int(e))))
	to, err := w.receiver(e)
	if err != nil {
		return err
	}
	if to >= 0 {
		// The name may be empty.
		w.line = appendString(append(w.line, `,"to":`...), w.c.Processes()[to])
	}
	w.strings("recv", name(w.recvs.Row(int(e))))
	return nil
}

const unsaid = ", which the native format cannot say"

// receiver returns the receiver of those messages of e that are never received, or -1 if there are
// none or it is unknown.
func (w *writer) receiver(e graphs.Event) (int32, error) {
	all := w.c.Messages()
	to, lost := int32(-1), false
	for _, first := range w.sends.Row(int(e)) {
		for i := first; int(i) < len(all) && all[i].Index == all[first].Index; i++ {
			m := all[i]
			if (m.Recv == graphs.Bottom) != (all[first].Recv == graphs.Bottom) {
				const msg = "message %q is received by one process and never by another" + unsaid
				return 0, fmt.Errorf(msg, w.c.MessageName(m.Index))
			}
			if m.Recv != graphs.Bottom {
				continue
			}
			if lost && m.To != to {
				const msg = "event %s sends to two processes messages that are never received" + unsaid
				return 0, fmt.Errorf(msg, w.c.ID(e))
			}
			to, lost = m.To, true
		}
	}
	return to, nil
}

// causes returns the ids of the events of Computation.Causes(e), except the senders of messages
// that e receives.
func (w *writer) causes(e graphs.Event) []string {
	var ids []string
	all := w.c.Messages()
	for _, f := range w.c.Causes(e) {
		if !slices.ContainsFunc(w.recvs.Row(int(e)), func(i int32) bool { return all[i].Send == f }) {
			ids = append(ids, w.c.ID(f))
		}
	}
	return ids
}

// strings writes a key with a string, or an array of strings.
func (w *writer) strings(key string, values []string) {
	switch len(values) {
	case 0:
		return
	case 1:
		w.text(key, values[0])
		return
	}
	w.line = append(append(append(w.line, `,"`...), key...), `":`...)
	for i, v := range values {
		w.line = append(w.line, "[,"[min(i, 1)])
		w.line = appendString(w.line, v)
	}
	w.line = append(w.line, ']')
}

// text writes a key with a string, unless the string is empty.
func (w *writer) text(key, value string) {
	if value != "" {
		w.line = appendString(append(append(append(w.line, `,"`...), key...), `":`...), value)
	}
}

// assign writes a variable and its value. Floats have the form of Value.String, the shortest that
// reads back as the same float64.
func (w *writer) assign(variable string, v graphs.Value) {
	w.line = append(appendString(w.line, variable), ':')
	switch {
	case v.Kind == graphs.String:
		w.line = appendString(w.line, v.Text())
	case v.Kind == graphs.Number && !v.Float:
		w.line = strconv.AppendInt(w.line, v.Int64(), 10)
	default:
		w.line = append(w.line, v.String()...)
	}
}

// appendString appends s as JSON; bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the only error is about such bytes
	return b
}
