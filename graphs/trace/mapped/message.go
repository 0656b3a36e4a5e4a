package mapped

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// end is an end of a message: a send, a receive or a loss.
type end struct {
	key, event   int32
	line, column int32
	to           int32 // the name of the receiver at a send; -1 if there is none
	pattern      bool  // whether the receiver's name is a pattern
	kind         endKind
}

// endKind is the kind of an end.
type endKind uint8

const (
	sent endKind = iota
	received
	mayBeUnsent // a receive that is an event like others if nobody sent the message
	lost
)

// traffic holds the ends of messages.
type traffic struct {
	keys         symbols.Table // the keys of messages
	sends, recvs []end         // in the order of events; losses are among recvs
}

// messages adds the ends of messages of an event.
func (a *adding) messages(e int32, r *messages) {
	if !r.when.holds(a.row, a.text) {
		return
	}
	var does [3]bool
	for i, s := range r.sides {
		does[i] = s != nil && s.when.holds(a.row, a.text)
	}
	// Most lines neither send nor receive.
	if does == [3]bool{} {
		return
	}
	if r.loop < 0 {
		a.ends(e, r, does, a.s.line, a.row)
		return
	}
	l := &a.s.loops[r.loop]
	for rows := a.rows(l); len(rows) > 0; rows = rows[l.frame.size:] {
		a.ends(e, r, does, l.frame, rows[:l.frame.size])
	}
}

// ends adds the ends of messages in one row.
func (a *adding) ends(e int32, r *messages, does [3]bool, f *frame, row []value) {
	for i, s := range r.sides {
		if !does[i] || !s.where.holds(row, a.text) {
			continue
		}
		x := a.end(e, r.kind, s, f, row)
		if s.kind == sent {
			a.sends = append(a.sends, x)
		} else {
			a.recvs = append(a.recvs, x)
		}
	}
}

// end returns one end of a message.
func (a *adding) end(e, kind int32, s *side, f *frame, row []value) end {
	// The number of the kind is part of the key; kinds share one table.
	key := append(a.scratch[:0], byte(kind), byte(kind>>8))
	at := a.line.from
	x := end{event: e, line: a.line.number, to: -1, kind: s.kind}
	for i, slot := range s.key {
		v := row[slot]
		if v.kind == absentKind {
			a.wrong(v, "the key of a message is missing: there is no %s", f.pointers[slot])
			return x // a Scanner passes on only the events before a mistake
		}
		if i == 0 {
			at = v.start()
		}
		// With several sources, numbers are compared as text, because some formats have no numbers.
		asText := v.kind == numberKind && len(a.m.sources) > 1
		if asText {
			key = append(key, '"')
		}
		key = v.canonical(key, a.text)
		if asText {
			key = append(key, '"')
		}
		// Values end with a zero byte, which no canonical form has, so keys of several fields are
		// unambiguous.
		key = append(key, 0)
	}
	a.scratch = key
	a.finds(s.part)
	x.column = a.column(at)
	x.key = a.keys.Intern(key)
	if s.to != nil && a.optional("the receiver", s.to, f, row) {
		x.to, x.pattern = a.name(a.scratch), s.to.isPattern()
	}
	return x
}

// inOrder returns the ends of messages sorted by key, and for each key in the order of matching:
// the ends of a process are in its order, and among the next ends of several processes, the first
// in the log comes first. before has the index of the first end of each key.
func (o *ordered) inOrder(ends []end) (list, before []int32) {
	before = make([]int32, o.keys.Len()+1)
	// A counting sort by key keeps the ends of a key in the order of lines.
	for _, x := range ends {
		before[x.key+1]++
	}
	for k := range o.keys.Len() {
		before[k+1] += before[k]
	}
	list = make([]int32, len(ends))
	next := slices.Clone(before)
	for i, x := range ends {
		list[next[x.key]] = int32(i)
		next[x.key]++
	}
	// Without clocks, the order of lines is the order of events.
	if !o.m.clocks {
		return list, before
	}
	// An end waits for the earlier ends of its process, so its turn is the largest position in
	// the log of these and of its own.
	turn := make([]int32, len(ends))
	for k := range o.keys.Len() {
		part := list[before[k]:before[k+1]]
		if len(part) < 2 {
			continue
		}
		slices.SortStableFunc(part, func(i, j int32) int {
			return cmp.Compare(o.handles[ends[i].event], o.handles[ends[j].event])
		})
		for n, i := range part {
			turn[i] = ends[i].event
			if n > 0 && o.events[ends[part[n-1]].event].process == o.events[ends[i].event].process {
				turn[i] = max(turn[i], turn[part[n-1]])
			}
		}
		slices.SortStableFunc(part, func(i, j int32) int { return cmp.Compare(turn[i], turn[j]) })
	}
	return list, before
}

// match matches each receive with the first unmatched message that has its key and, if there
// are clocks, was sent before by the receive's clock. It returns the receive or loss of each
// send; -1 if there is none.
//
// The time complexity of match is O(n·log(n) + receives · processes that send with
// the same key).
func (o *ordered) match() (recv []int32, err error) {
	sends, firstSend := o.inOrder(o.sends)
	recvs, firstRecv := o.inOrder(o.recvs)
	recv = slices.Repeat([]int32{-1}, len(o.sends))
	// The first receive without a send in the log is reported.
	worst := int32(-1)
	for k := range o.keys.Len() {
		s, r := sends[firstSend[k]:firstSend[k+1]], recvs[firstRecv[k]:firstRecv[k+1]]
		if len(r) == 0 {
			continue
		}
		queues := o.queues(s)
		for _, i := range r {
			send := o.take(queues, o.recvs[i].event)
			switch {
			case send >= 0:
				recv[send] = i
			case o.recvs[i].kind == mayBeUnsent: // an event like others
			case worst < 0 || i < worst:
				worst = i
			}
		}
	}
	if worst >= 0 {
		return nil, o.unsent(recv, worst)
	}
	return recv, nil
}

// queues returns the sends of one key, divided by process if there are clocks: a clock that
// knows a send of a process knows its earlier ones, too.
func (o *ordered) queues(sends []int32) [][]int32 {
	if !o.m.clocks {
		return [][]int32{sends}
	}
	var queues [][]int32
	var processes []int32
	for _, i := range sends {
		p := o.events[o.sends[i].event].process
		n := slices.Index(processes, p)
		// The search is linear in the processes that send with one key, which is mostly one.
		if n < 0 {
			n = len(queues)
			processes = append(processes, p)
			queues = append(queues, nil)
		}
		queues[n] = append(queues[n], i)
	}
	return queues
}

// take removes and returns the first send that an event may receive; -1 if there is none.
func (o *ordered) take(queues [][]int32, e int32) int32 {
	best := -1
	for n, q := range queues {
		// An event receives only messages that its clock knows to be sent. If it does not know the
		// head of a queue, it knows none of the queue.
		if len(q) == 0 || o.m.clocks && !o.knows(e, o.sends[q[0]].event) {
			continue
		}
		if best < 0 || o.sends[q[0]].event < o.sends[queues[best][0]].event {
			best = n
		}
	}
	if best < 0 {
		return -1
	}
	send := queues[best][0]
	queues[best] = queues[best][1:]
	return send
}

// unsent returns the error for a receive without a send.
func (o *ordered) unsent(recv []int32, i int32) *trace.Error {
	r := o.recvs[i]
	what := "receives"
	if r.kind == lost {
		what = "loses"
	}
	why := "nobody sent" + o.alone()
	for send, s := range o.sends {
		if s.key == r.key && recv[send] < 0 {
			why = fmt.Sprintf("its clock does not know to be sent (%s:%d)", o.fileOf(s.event), s.line)
			break
		}
	}
	process := o.process(o.events[r.event].process)
	const msg = "an event of %q %s a message that %s"
	return o.fail(o.fileOf(r.event), r.line, r.column, msg, process, what, why)
}

// alone returns a hint for a log of a single process in a single file; "" for others.
func (o *ordered) alone() string {
	if len(o.procNames) > 1 || len(o.files) > 1 {
		return ""
	}
	return fmt.Sprintf(": this is the log of %q alone; give the directory that holds the logs of all processes", o.process(0))
}

// addMessages adds the matched messages to a builder in the order of their sends.
func (o *ordered) addMessages(b *graphs.Builder, recv []int32) {
	// Results show the numbers of messages, so they are delivered in the order of their sends.
	list := make([]int32, len(o.sends))
	for i := range list {
		list[i] = int32(i)
	}
	if o.m.clocks {
		slices.SortStableFunc(list, func(i, j int32) int {
			return int(o.handles[o.sends[i].event]) - int(o.handles[o.sends[j].event])
		})
	}
	type meant struct {
		name    int32
		pattern bool
	}
	receivers := make(map[meant]int)
	if o.opts.Names {
		of := make([]int32, len(list))
		for n, i := range list {
			of[n] = o.sends[i].key
		}
		keys := o.keys // a copy, so that the closure does not keep the rest of the log
		b.NameMessages(func() []string { return messageNames(&keys, of) })
	}
	for _, i := range list {
		s := o.sends[i]
		index := b.NewMessage("")
		send := o.handles[s.event]
		if r := recv[i]; r >= 0 && o.recvs[r].kind != lost {
			b.Deliver(index, send, o.handles[o.recvs[r].event], -1)
			continue
		}
		to := -1
		if s.to >= 0 {
			var known bool
			if to, known = receivers[meant{s.to, s.pattern}]; !known {
				to = o.receiver(s.to, s.pattern)
				receivers[meant{s.to, s.pattern}] = to
			}
		}
		b.Deliver(index, send, graphs.NoHandle, to)
	}
}

// messageNames names messages by their keys. Several messages, perhaps of different kinds, may have
// the same key: later ones get a number.
//
// Example: three messages with the key "r1" are r1, r1#2 and r1#3.
func messageNames(keys *symbols.Table, of []int32) []string {
	names := make([]string, len(of))
	named := make(map[string]int) // how many messages have each name or were numbered after it
	for n, key := range of {
		values := strings.Split(strings.TrimSuffix(string(keys.At(key)[2:]), "\x00"), "\x00")
		for i, value := range values {
			var text string
			if json.Unmarshal([]byte(value), &text) == nil && text != "" {
				values[i] = text
			}
		}
		name := strings.Join(values, ",")
		names[n] = name
		for named[names[n]] > 0 {
			named[name]++
			names[n] = fmt.Sprintf("%s#%d", name, named[name])
		}
		named[names[n]]++
	}
	return names
}

// receiver returns the process of a name, or the only process that a pattern matches; -1
// if there is none.
func (o *ordered) receiver(n int32, pattern bool) int {
	if !pattern {
		return int(o.procs[n])
	}
	found := -1
	for p := range o.procNames {
		// With two matches the receiver would be a guess.
		if trace.Match(o.names.At(n), o.process(int32(p)), false) {
			if found >= 0 {
				return -1
			}
			found = p
		}
	}
	return found
}
