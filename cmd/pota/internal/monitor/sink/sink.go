// Package sink delivers answers, in order, to a consumer that may be slow.
//
// An item has an increasing sequence number, or 0 if it needs no acknowledgement. Deliver puts an
// item into a queue of bounded size and waits while the queue is full, so a slow consumer slows down
// the producer. A goroutine takes items from the front and gives them to the consumer. Acked returns
// the last acknowledged sequence number.
package sink

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// An Item is something that is delivered.
type Item struct {
	Seq  uint64
	Text []byte
}

// Options say how items are delivered.
type Options struct {
	// Give passes the concatenated texts of consecutive items to the consumer. An error ends the sink, and
	// closing the sink ends ctx.
	Give func(ctx context.Context, texts []byte) error

	Capacity int // how many bytes may wait, at least 1; a single item may exceed it
	// once a batch has this many bytes, no more items join it; 0 means one item at a time
	Batch int
}

// ErrClosed says that an item was not delivered because the sink has ended.
var ErrClosed = errors.New("it is closed")

// A Sink delivers items. All methods are safe for concurrent use.
//
//	(1) room is used by the items that have not been given to the consumer, at most maxItems of them
type Sink struct {
	options Options
	room    *semaphore.Weighted
	queue   chan Item // its capacity is maxItems
	waiting atomic.Int64
	acked   atomic.Uint64
	failed  chan error
	ended   chan struct{}
	ctx     context.Context // done when the sink has ended
	cancel  context.CancelFunc
}

// maxItems is how many items may wait, however short they are.
const maxItems = 1 << 12

// New returns a sink. Close it after use.
func New(options Options) *Sink {
	s := &Sink{
		options: options,
		room:    semaphore.NewWeighted(int64(options.Capacity)),
		queue:   make(chan Item, maxItems),
		failed:  make(chan error, 1),
		ended:   make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// size returns how much room an item takes.
func (s *Sink) size(item Item) int64 {
	most := s.options.Capacity
	return int64(min(max(len(item.Text), most/maxItems, 1), most))
}

// Deliver puts an item into the queue. It waits for room until ctx is done. The error is ErrClosed
// or comes from ctx.
func (s *Sink) Deliver(ctx context.Context, item Item) error {
	if err := s.acquire(ctx, s.size(item)); err != nil {
		return err
	}
	s.waiting.Add(1)
	s.queue <- item // by (1) this does not block
	return nil
}

// acquire reserves room, and waits for it until ctx is done or the sink has ended.
func (s *Sink) acquire(ctx context.Context, size int64) error {
	if s.ctx.Err() == nil && s.room.TryAcquire(size) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	err := s.room.Acquire(ctx, size)
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// run gives items to the consumer until the sink is closed.
func (s *Sink) run() {
	defer close(s.ended)
	for s.ctx.Err() == nil {
		select {
		case <-s.ctx.Done():
		case item := <-s.queue:
			if s.ctx.Err() != nil {
				return // both were ready
			}
			if err := s.give(item); err != nil {
				s.failed <- err
				s.cancel()
			}
		}
	}
}

// give gives the consumer an item together with those behind it that fit in the batch.
func (s *Sink) give(item Item) error {
	batch := []Item{item}
	texts := slices.Clip(item.Text)
	for len(texts) < s.options.Batch && len(s.queue) > 0 { // no other goroutine receives from it
		item = <-s.queue
		batch = append(batch, item)
		texts = append(texts, item.Text...)
	}
	if err := s.options.Give(s.ctx, texts); err != nil {
		return err
	}
	for _, item := range batch {
		s.acked.Store(max(s.acked.Load(), item.Seq))
		s.waiting.Add(-1)
		s.room.Release(s.size(item))
	}
	return nil
}

// Failed receives the error of Give, once.
func (s *Sink) Failed() <-chan error { return s.failed }

// Acked returns the sequence number of the last item that the consumer has received.
func (s *Sink) Acked() uint64 { return s.acked.Load() }

// Waiting returns how many items the consumer has not received.
func (s *Sink) Waiting() int { return int(s.waiting.Load()) }

// Flush waits until the consumer has received all items, and reports whether it has. It gives up when
// ctx is done or the sink has ended.
func (s *Sink) Flush(ctx context.Context) bool {
	all := int64(s.options.Capacity)
	if s.acquire(ctx, all) != nil {
		return false
	}
	s.room.Release(all)
	return true
}

// Close ends the sink: nothing more is delivered, and waiting items are dropped. It does not wait for a
// running call of Give; for that, receive from Done.
func (s *Sink) Close() { s.cancel() }

// Done returns a channel that is closed once Give will not be called any more.
func (s *Sink) Done() <-chan struct{} { return s.ended }
