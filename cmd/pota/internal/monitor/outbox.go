package monitor

import (
	"context"
	"errors"
	"sort"
	"strconv"

	"github.com/pota-project/pota/cmd/pota/internal/monitor/sink"
)

// The consumers of answers.
const (
	reader    = iota // the reader of the results
	command          // the command of --exec
	consumers        // the number of consumers
)

// An item is a final answer on its way to the consumers.
type item struct {
	seq    uint64
	key    string
	answer *Answer
}

// An outbox has the final answers that were found and not yet delivered to all consumers.
//
// A new answer gets a sequence number, goes into the log in one commit with the input it follows
// from, and is delivered after that commit. A consumer acknowledges it; the next commit records
// this in the log. After a crash the answers that were not acknowledged are delivered again, marked
// as repeated.
//
// A replay finds the answers in the log again. They are recognized by their keys: for each key, as many are dropped as
// the log has. So the order of answers does not matter.
type outbox struct {
	seq     uint64  // the sequence number of the last answer
	held    []*item // answers that are not committed yet
	unacked []*item // answers that, according to the log, not all consumers have acknowledged
	noted   acks    // the acknowledgements in the log
	sinks   [consumers]*sink.Sink

	// Answers are counted by key, because executions with the same name can follow each other.
	known   map[string]int // answers that the log has and a replay has not found yet
	emitted map[string]int // answers that were found on open executions
}

// newOutbox returns an outbox without answers or consumers.
func newOutbox() *outbox {
	return &outbox{known: make(map[string]int), emitted: make(map[string]int)}
}

// keyOf returns the key of answers to a property of an execution. The conditions of the log ensure that the numbers of
// properties are the same in each process.
func keyOf(property int, execution string) string {
	return strconv.Itoa(property) + "\x00" + execution
}

// add adds a final answer, if the log does not have it, and reports whether it has added it.
func (o *outbox) add(key string, a *Answer) bool {
	// It is counted even if the log has it, because a compacted log must say how many a replay will find.
	o.emitted[key]++
	if o.drop(key) {
		return false
	}
	o.seq++
	o.held = append(o.held, &item{seq: o.seq, key: key, answer: a})
	return true
}

// has reports whether the log has an answer to each property of an execution. If so, it drops one of each.
func (o *outbox) has(execution string, properties int) bool {
	// It is all or none: a property without an answer needs the whole execution.
	for i := range properties {
		if o.known[keyOf(i, execution)] == 0 {
			return false
		}
	}
	for i := range properties {
		o.drop(keyOf(i, execution))
	}
	return true
}

// drop discounts an answer with a key that the log has, and reports whether there was one.
func (o *outbox) drop(key string) bool {
	n := o.known[key]
	if n == 0 {
		return false
	}
	o.known[key]--
	if n == 1 {
		delete(o.known, key)
	}
	return true
}

// forget forgets the answers on an execution that has ended.
func (o *outbox) forget(execution string, properties int) {
	for i := range properties {
		delete(o.emitted, keyOf(i, execution))
	}
}

// acks returns the last sequence number that each consumer has acknowledged. A consumer that does not exist counts as
// having acknowledged all committed answers.
func (o *outbox) acks() (all acks) {
	for i, s := range o.sinks {
		all[i] = o.noted[i]
		if s == nil {
			all[i] = max(all[i], o.seq-uint64(len(o.held)))
		} else {
			all[i] = max(all[i], s.Acked())
		}
	}
	return all
}

// note notes the acknowledgements that the log has, and forgets the answers that all consumers have.
func (o *outbox) note(a acks) {
	o.noted = a
	least := min(a[reader], a[command])
	n := sort.Search(len(o.unacked), func(i int) bool { return o.unacked[i].seq > least })
	clear(o.unacked[:n])
	o.unacked = o.unacked[n:]
}

// errUnread says that consumers have not received all answers.
var errUnread = errors.New("nobody reads the results")

// deliver delivers an answer to the consumers that have not acknowledged it, and waits for them until ctx is done.
func (o *outbox) deliver(ctx context.Context, x *item, json bool) error {
	for i, s := range o.sinks {
		// After a crash, only consumers that may have missed the answer get it again.
		if s == nil || x.seq > 0 && x.seq <= o.noted[i] || i == command && !x.answer.Final {
			continue
		}
		text := x.answer.json()
		if i == reader && !json {
			text = x.answer.text()
		}
		if err := s.Deliver(ctx, sink.Item{Seq: x.seq, Text: text}); err != nil {
			return errUnread
		}
	}
	return nil
}
