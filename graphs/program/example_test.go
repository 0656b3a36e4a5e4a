package program_test

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
)

// A counter is two processes that each take turns: process p, at "ready", waits until
// turn is p and goes to "done", handing the turn over, or, at "done", goes back.
type counter struct{ layout program.Layout }

// A state is a byte for turn, and one for the location of each process.
const (
	ready = iota
	done
)

func newCounter() *counter {
	c := &counter{program.Layout{Size: 3, Objects: 1,
		Variables: []program.Variable{{Name: "turn", Process: graphs.Shared, Kind: graphs.Number, Objects: []int{0}}}}}
	for p := range 2 {
		c.layout.Processes = append(c.layout.Processes, program.Process{
			Name:      fmt.Sprintf("P%d", p),
			Locations: []program.Location{ready: {Labels: []string{"ready"}}, done: {Labels: []string{"done"}}},
		})
		c.layout.Actions = append(c.layout.Actions,
			program.Action{Process: p, From: ready, To: []int{done}, Reads: []int{0}, Writes: []int{0}, Label: "hand over"},
			program.Action{Process: p, From: done, To: []int{ready}, Label: "again"})
	}
	return c
}

func (c *counter) Layout() *program.Layout            { return &c.layout }
func (c *counter) Initial(dst []byte) []byte          { return append(dst, 0, ready, ready) }
func (c *counter) Location(s []byte, p int) int       { return int(s[1+p]) }
func (c *counter) Holder([]byte) int                  { return -1 }
func (c *counter) Value(s []byte, _ int) graphs.Value { return graphs.Int(int64(s[0])) }

func (c *counter) Enabled(s []byte, p int, dst []program.Transition) []program.Transition {
	if s[1+p] == ready && int(s[0]) != p {
		return dst
	}
	return append(dst, program.Transition{Action: int32(2*p) + int32(s[1+p]), Partner: program.NoPartner})
}

func (c *counter) Apply(s []byte, t program.Transition, dst []byte) ([]byte, error) {
	n := len(dst)
	dst = append(dst, s...)
	next, p := dst[n:], t.Action/2
	if t.Action%2 == 0 {
		next[0] = 1 - next[0]
	}
	next[1+p] = 1 - next[1+p]
	return dst, nil
}

func ExampleProgram() {
	c := newCounter()
	fmt.Println(c.Layout().Valid())
	s := c.Initial(nil)
	for range 3 {
		t := c.Enabled(s, 1, c.Enabled(s, 0, nil))
		fmt.Println(s, len(t), c.Layout().Actions[t[0].Action].Label)
		s, _ = c.Apply(s, t[0], nil)
	}
	// Output:
	// <nil>
	// [0 0 0] 1 hand over
	// [1 1 0] 2 again
	// [1 0 0] 1 hand over
}
