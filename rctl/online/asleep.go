package online

import (
	"time"

	"github.com/pota-project/pota/graphs/stream"
)

// Of many executions that are open most are quiet. Those that have been for the longest are
// asleep: what Save writes of a small one takes some hundred bytes, and its monitor kilobytes.

// asleep is what is kept of an execution that has no monitor and is not over.
type asleep struct {
	state       []byte         // as Save writes it
	held        int            // events
	obligations [][]Obligation // by property, nil where there are none
}

// mostAwake is how many executions have a monitor, where Options does not say it.
const mostAwake = 4096

// Over reports whether all answers are final, though e has not ended, and nothing is left to
// be decided. It is not said where there is only one execution.
func (e *Execution) Over() bool { return e.Monitor == nil && e.asleep == nil }

// Wake gives e its monitor back, unless it is over. Rest must be called some time after it.
//
// The time complexity of Wake is O(1), or that of reading what is kept where e is asleep.
func (x *Executions) Wake(e *Execution) {
	switch {
	case e.Monitor != nil:
		x.awake.MoveToBack(e.up)
	case e.asleep != nil:
		state := e.asleep.state
		x.rise(e)
		if err := x.read(e, state); err != nil {
			panic("this cannot happen, because it is what was saved: " + err.Error())
		}
	}
}

// rise gives e a monitor that knows nothing.
func (x *Executions) rise(e *Execution) {
	e.Monitor, e.asleep = newMonitor(x.says, x.opts), nil
	e.up = x.awake.PushBack(e)
}

// lie takes the monitor of e away, which is over if nothing is kept of it.
func (x *Executions) lie(e *Execution) {
	if e.Monitor != nil {
		x.awake.Remove(e.up)
		e.Monitor, e.up = nil, nil
	}
}

// Rest puts executions to sleep where too many are awake, first those that were asked for
// the longest time ago. It calls decide for those of them that have lines which are not decided.
func (x *Executions) Rest(decide func(*Execution) error) error {
	for x.awake.Len() > x.opts.Awake {
		e := x.awake.Front().Value.(*Execution)
		if e.open {
			if err := decide(e); err != nil {
				return err
			}
		}
		if e.Monitor == nil { // it is over
			continue
		}
		s := &asleep{state: e.Save(), held: e.stream.Held()}
		for i := range e.props {
			if open := e.Monitor.Obligations(i); len(open) > 0 {
				if s.obligations == nil {
					s.obligations = make([][]Obligation, len(e.props))
				}
				s.obligations[i] = open
			}
		}
		x.lie(e)
		e.asleep = s
	}
	return nil
}

// Kept returns how much counts towards the limit of the window, as [stream.Stream.Held] does.
func (e *Execution) Kept() int {
	switch {
	case e.Monitor != nil:
		return e.stream.Held()
	case e.asleep != nil:
		return e.asleep.held
	}
	return 0
}

// Obligations lists what is open of a property, as [Monitor.Obligations] does, also where e is asleep or over.
func (e *Execution) Obligations(property int) []Obligation {
	switch {
	case e.Monitor != nil:
		return e.Monitor.Obligations(property)
	case e.asleep != nil && e.asleep.obligations != nil:
		return e.asleep.obligations[property]
	}
	return nil
}

// epoch is when the program began, by which times are saved, so that clocks that are set
// do not change how long ago something was.
var epoch = time.Now()

// since codes a moment of the past.
func since(c *stream.Codec, x *time.Time) {
	at := epoch.UnixNano() + int64(x.Sub(epoch))
	c.Int64(&at)
	*x = epoch.Add(time.Duration(at - epoch.UnixNano()))
}
