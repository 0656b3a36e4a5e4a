package record

import "time"

// An Option changes how a recorder works.
type Option func(*options)

type options struct {
	clocks     bool
	times      bool
	flushLines bool
	flushSends bool
	flushEvery time.Duration
}

// WithClocks records a vector clock with each event. Messages, After and the
// types of this package carry them; a Sync of the program's own does not. Tokens
// grow by an entry for each process that the sender knows of, and each event costs
// time and memory in proportion. Happened-before is the same without.
func WithClocks() Option { return func(o *options) { o.clocks = true } }

// WithTime records the wall-clock time of each event that has no Time of its own.
func WithTime() Option { return func(o *options) { o.times = true } }

// WithFlushEvery writes what is buffered each time d has passed, until Close.
func WithFlushEvery(d time.Duration) Option { return func(o *options) { o.flushEvery = d } }

// WithFlushLines writes each line at once: a system call for each event.
func WithFlushLines() Option { return func(o *options) { o.flushLines = true } }

// WithFlushSends writes what is buffered before Send or Multicast returns, or an
// event with Sends. Where each process of a distributed program has a recorder of
// its own, no log then lacks the send of a message that another log receives,
// whichever of them is killed.
func WithFlushSends() Option { return func(o *options) { o.flushSends = true } }
