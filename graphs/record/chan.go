package record

// A Chan is a channel that records its sends and receives as events. Without a buffer, a send and
// its receive are one step of two processes. With one, the send sends a message that the receive
// receives, and a send into a buffer of n elements happens after the receive that made room for it,
// n elements before.
type Chan[T any] struct {
	items  chan item[T]
	room   chan Ref // of the receive that made each free place; nil without a buffer
	closed Ref
}

type item[T any] struct {
	value T
	token Token    // with a buffer
	from  member   // without
	done  chan Ref // gets the event of the sender, without
}

// NewChan returns a channel with a buffer of that many elements, none for 0.
func NewChan[T any](buffer int) *Chan[T] {
	c := &Chan[T]{items: make(chan item[T], buffer)}
	if buffer > 0 {
		c.room = make(chan Ref, buffer)
		for range buffer {
			c.room <- Ref{}
		}
	}
	return c
}

// Send sends a value and records an event of p.
func (c *Chan[T]) Send(p *Process, value T, actions ...Action) {
	if c.room == nil {
		done := make(chan Ref, 1)
		c.items <- item[T]{value: value, from: member{p, actions}, done: done}
		<-done
		return
	}
	made := <-c.room
	token := p.Send("", append([]Action{After(made)}, actions...)...)
	c.items <- item[T]{value: value, token: token}
}

// Receive receives a value and records an event of p. It returns false, after an
// event, when the channel is closed and empty.
func (c *Chan[T]) Receive(p *Process, actions ...Action) (T, bool) {
	return c.ReceiveFunc(p, func(T, bool) []Action { return actions })
}

// ReceiveFunc is Receive for an event with actions that depend on the received value.
func (c *Chan[T]) ReceiveFunc(p *Process, actions func(value T, ok bool) []Action) (T, bool) {
	it, ok := <-c.items
	does := actions(it.value, ok)
	switch {
	case !ok:
		p.Event(append([]Action{After(c.closed)}, does...)...)
	case c.room == nil:
		it.done <- together(it.from, member{p, does})[0]
	default:
		c.room <- p.Receive(it.token, does...)
	}
	return it.value, ok
}

// Close records an event of p and closes the channel. Receives that find it closed
// happen after it.
func (c *Chan[T]) Close(p *Process, actions ...Action) Ref {
	c.closed = p.Event(actions...)
	close(c.items)
	return c.closed
}
