package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Process executes events sequentially: a goroutine, a service, a node. All methods are safe for
// concurrent use; events that goroutines record on one process happen in the order of recording. A
// nil *Process records nothing.
type Process struct {
	recorder *Recorder
	name     string
	quoted   []byte // the name as a JSON string without the closing quote
	head     []byte // the beginning of each event's line
	escaped  []byte // the escaped name and a dot, with which the ids of its messages begin

	mutex    sync.Mutex
	position int  // the position of the last event, from 1
	messages int  // how many messages were sent
	syncs    int  // how many ids of a Sync were made
	timed    bool // whether each event has a time
	line     []byte
	token    []byte
}

// Name returns the name of the process, "" for nil.
func (p *Process) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// Event records an event.
func (p *Process) Event(actions ...Action) Ref {
	return p.event("", nil, actions)
}

// Send records an event that sends a message to a process, or to "" for an unknown receiver.
func (p *Process) Send(to string, actions ...Action) Token {
	receivers := [1]string{to}
	return p.Multicast(receivers[:], actions...)
}

// Multicast records an event that sends one message to several processes. The format cannot say
// which of several receivers never receive it.
func (p *Process) Multicast(to []string, actions ...Action) Token {
	var token Token
	out := Sending{&token, to}
	p.event("", &out, actions)
	return token
}

// Receive records an event that receives the message. A process receives a message at most once.
// With the token "", of a sender that does not record, the event receives nothing.
func (p *Process) Receive(t Token, actions ...Action) Ref {
	return p.event(t, nil, actions)
}

func (p *Process) where() string { return fmt.Sprintf("process %q", p.name) }

// event records an event. It receives a message if recv is not "", and sends one if out is not nil.
// It inspects actions by their types only, so that they need not be allocated.
func (p *Process) event(recv Token, out *Sending, actions []Action) Ref {
	if p == nil {
		return Ref{}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.position++
	ref := Ref{process: p, position: p.position}
	line := append(p.line[:0], p.head...)
	for i := range actions {
		if id, ok := actions[i].(ID); ok && id != "" {
			ref.id = strings.Clone(string(id))
		}
	}
	if ref.id != "" {
		line = appendString(append(line, `,"id":`...), ref.id)
	}
	set, n, err := appendAssignments(append(line, `,"set":`...), actions)
	if err != nil { // p.where allocates
		p.recorder.misused(p.where(), err)
	}
	if n > 0 {
		line = set
	}
	line, sends := p.sends(line, out, actions)
	line = p.causes(line, recv, actions)
	line = p.timers(p.notes(line, actions), actions)
	for i := range actions {
		if m, ok := actions[i].(Marking); ok && m.ref != nil {
			*m.ref = ref
		}
	}
	p.line = append(line, "}\n"...)
	p.recorder.write(p.line, sends && p.recorder.options.flushSends)
	return ref
}

// sends appends the messages that the event sends, and reports whether there are any. The format
// has one receiver for all messages of an event that are never received; if the receivers differ,
// sends names none.
func (p *Process) sends(line []byte, out *Sending, actions []Action) ([]byte, bool) {
	ids := list{key: "send"}
	to, known := "", true
	if out != nil {
		line = p.send(line, &ids, *out)
		to, known = receiver(out.to)
	}
	for i := range actions {
		s, ok := actions[i].(Sending)
		if !ok {
			continue
		}
		first := ids.first == 0
		line = p.send(line, &ids, s)
		name, one := receiver(s.to)
		known = known && one && (first || name == to)
		to = name
	}
	line = ids.end(line)
	if ids.first > 0 && known {
		line = appendString(append(line, `,"to":`...), to)
	}
	return line, ids.first > 0
}

// receiver returns the receiver if there is exactly one.
func receiver(to []string) (string, bool) {
	if len(to) != 1 || to[0] == "" {
		return "", false
	}
	return to[0], true
}

// send appends the id of a new message and sets its token.
func (p *Process) send(line []byte, ids *list, s Sending) []byte {
	p.messages++
	p.token = strconv.AppendInt(append(p.token[:0], p.escaped...), int64(p.messages), 10)
	line = append(append(append(ids.next(line), '"'), p.token...), '"')
	if s.token != nil {
		*s.token = Token(p.token)
	}
	return line
}

// causes appends the messages that the event receives, and the events that it happens after or
// together with.
func (p *Process) causes(line []byte, recv Token, actions []Action) []byte {
	ids := list{key: "recv"}
	if recv != "" {
		line = appendString(ids.next(line), string(recv))
	}
	for i := range actions {
		if t, ok := actions[i].(Receives); ok && t != "" {
			line = appendString(ids.next(line), string(t))
		}
	}
	line = ids.end(line)
	ids = list{key: "after"}
	for i := range actions {
		refs, ok := actions[i].(Causes)
		if !ok {
			continue
		}
		for _, ref := range refs {
			switch {
			case ref.IsZero(), ref.of(p):
			case ref.id != "":
				line = appendString(ids.next(line), ref.id)
			default:
				line = append(append(ids.next(line), ref.process.quoted...), ':')
				line = append(strconv.AppendInt(line, int64(ref.position), 10), '"')
			}
		}
	}
	line = ids.end(line)
	ids = list{key: "sync"}
	for i := range actions {
		if id, ok := actions[i].(Sync); ok {
			line = appendString(ids.next(line), string(id))
		}
	}
	return ids.end(line)
}

// notes appends the label and the time.
func (p *Process) notes(line []byte, actions []Action) []byte {
	var label Label
	var at At
	var when time.Time
	p.timed = p.timed || p.recorder.options.times || some(actions, func(Timing) bool { return true })
	timed, numbered := p.timed, false
	for i := range actions {
		switch a := actions[i].(type) {
		case Label:
			label = a
		case Time:
			when = time.Time(a)
			timed, numbered = true, false
		case At:
			at, numbered = a, true
		}
	}
	if label != "" {
		line = appendString(append(line, `,"label":`...), string(label))
	}
	switch {
	case numbered:
		if math.IsNaN(float64(at)) || math.IsInf(float64(at), 0) {
			p.recorder.misused(p.where(), fmt.Errorf("the time %v is not a JSON number", at))
			return line
		}
		line = strconv.AppendFloat(append(line, `,"time":`...), float64(at), 'g', -1, 64)
	case timed:
		if when.IsZero() {
			when = time.Now()
		}
		if y := when.UTC().Year(); y < 0 || y > 9999 {
			p.recorder.misused(p.where(), fmt.Errorf("the year %d is beyond RFC 3339", y))
			return line
		}
		line = when.UTC().AppendFormat(append(line, `,"time":"`...), time.RFC3339Nano)
		line = append(line, '"')
	}
	return line
}

// timers appends the timers that an event starts or cancels. Of two with one name, the later one
// counts.
func (p *Process) timers(line []byte, actions []Action) []byte {
	sep := `,"timer":{`
	for i := range actions {
		t, ok := actions[i].(Timing)
		if !ok || some(actions[i+1:], func(u Timing) bool { return u.name == t.name }) {
			continue
		}
		if t.after < 0 {
			err := fmt.Errorf("timer %q cannot last %s", strings.Clone(t.name), t.after)
			p.recorder.misused(p.where(), err)
			continue
		}
		line = append(appendString(append(line, sep...), t.name), ':')
		sep = ","
		if t.cancel {
			line = append(line, "null"...)
			continue
		}
		line = appendString(append(line, `{"in":`...), t.after.String())
		set, n, err := appendObject(append(line, `,"set":`...), t.set)
		p.recorder.misused(p.where(), err)
		if n > 0 {
			line = set
		}
		line = append(line, '}')
	}
	if sep == "," {
		line = append(line, '}')
	}
	return line
}

// some reports whether an action of type A satisfies is. It passes no pointer on, so that actions
// need not be allocated.
func some[A Action](actions []Action, is func(a A) bool) bool {
	for i := range actions {
		if a, ok := actions[i].(A); ok && is(a) {
			return true
		}
	}
	return false
}

// appendEscaped appends the name with all bytes escaped except letters, digits and -._: an escaped
// byte is ~ and two hexadecimal digits.
func appendEscaped(b []byte, name string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' ||
			c == '.' || c == '_':
			b = append(b, c)
		default:
			b = append(b, '~', hex[c>>4], hex[c&15])
		}
	}
	return b
}
