package monitor

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/wal"
)

// kind is the kind of a record of the log.
type kind uint8

const (
	kindState     kind = iota + 1 // the state at the beginning of the log, in head.State
	kindLines                     // lines that were accepted; the body is their text
	kindSpans                     // an export; the body is that of the request
	kindSpansOver                 // an execution of spans is decided
	kindEnd                       // an execution ends; head.How says how
	kindAnswer                    // a final answer that is about to be delivered
	kindAck                       // the sequence numbers up to which answers were delivered
	kindPast                      // ids of executions of spans that are over
)

// A head is the part of a record in addition to its body. Each kind uses a few of the fields.
//
// All records have the same encoding: a head in JSON, and the body as it arrived. A record has many lines, so
// its head costs little.
type head struct {
	Time int64 `json:"time,omitempty"` // when the record arrived, in nanoseconds since 1970

	// For lines.
	Source string         `json:"source,omitempty"`
	Line   int            `json:"line,omitempty"` // how many lines of the source precede them
	New    bool           `json:"new,omitempty"`
	Last   bool           `json:"last,omitempty"`
	Sent   bool           `json:"sent,omitempty"` // whether they came over the network
	At     *tail.Position `json:"at,omitempty"`   // the position of the file after them

	// The executions that had a line refused while others went on.
	Refused []string `json:"refused,omitempty"`

	JSON      bool    `json:"json,omitempty"` // whether the export is JSON rather than protobuf
	Execution string  `json:"execution,omitempty"`
	How       string  `json:"how,omitempty"`
	GivenUp   bool    `json:"given_up,omitempty"`
	Seq       uint64  `json:"seq,omitempty"` // the sequence number of an answer
	Key       string  `json:"key,omitempty"` // the key of an answer; see keyOf
	Answer    *Answer `json:"answer,omitempty"`
	Acks      *acks   `json:"acks,omitempty"`
	State     *state  `json:"state,omitempty"`
}

// acks holds the last sequence number that each consumer has acknowledged.
type acks [consumers]uint64

// state is the first record of a log: everything known that does not follow from the records after it.
type state struct {
	Conditions []condition              `json:"conditions"`
	Status     int                      `json:"status,omitempty"`
	Seq        uint64                   `json:"seq,omitempty"` // the sequence number of the last answer
	Acks       acks                     `json:"acks"`
	Emitted    map[string]int           `json:"emitted,omitempty"` // see outbox
	Positions  map[string]tail.Position `json:"positions,omitempty"`
	Ended      []string                 `json:"ended,omitempty"` // the ended executions that are remembered
	// The executions that have not ended but have only final answers.
	Over []string `json:"over,omitempty"`
}

// encode returns the data of a record without its body.
func (h *head) encode() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic("this cannot happen, because a head is data: " + err.Error())
	}
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}

// decode reads the data of a record.
func decode(data []byte) (h *head, body []byte, err error) {
	// The checksum is correct, so an error here is due to another version of the program, not to the disk.
	length, n := binary.Uvarint(data)
	if n <= 0 || length > uint64(len(data)-n) {
		return nil, nil, errors.New("a record of the log has no head")
	}
	h = new(head)
	if err := json.Unmarshal(data[n:n+int(length)], h); err != nil {
		return nil, nil, fmt.Errorf("a record of the log cannot be read: %w", err)
	}
	return h, data[n+int(length):], nil
}

// A journal keeps records. Without --journal it is volatile and keeps nothing, so that no other code must
// check whether there is a log.
type journal interface {
	// record adds a record to the next commit, which returns the error if it cannot be added.
	record(k kind, h *head, body []byte)
	commit() error

	Pending() int // how many bytes wait for the next commit
	Next() uint64 // the number of the next record

	// compact drops records that are no longer needed, once the log has grown enough.
	compact(m *Monitor) error

	Close() error
	Remove() error
}

// volatile keeps nothing.
type volatile struct{}

func (volatile) record(kind, *head, []byte) {}
func (volatile) commit() error              { return nil }
func (volatile) Pending() int               { return 0 }
func (volatile) Next() uint64               { return 0 }
func (volatile) compact(*Monitor) error     { return nil }
func (volatile) Close() error               { return nil }
func (volatile) Remove() error              { return nil }

// durable keeps records in a write-ahead log.
type durable struct {
	*wal.Log
	due int64 // the size at which the log is compacted
}

func (d *durable) record(k kind, h *head, body []byte) { d.Append(uint8(k), h.encode(), body) }

// commit implements journal. Its error names the log, so callers return it unchanged.
func (d *durable) commit() error {
	if err := d.Commit(); err != nil {
		return fmt.Errorf("the write-ahead log cannot be written: %w", err)
	}
	return nil
}
