package graphtest

import "github.com/pota-project/pota/graphs"

// Figure1 returns the computation of Sen and Garg, Figure 1(a): two processes of three
// events, and a message from the first event of the second to that of the first. In the
// paper the processes are P1 and P2, and the send is f1, without a label.
func Figure1(first, second, send, label string) *graphs.Computation {
	var b graphs.Builder
	p, q := b.Process(first), b.Process(second)
	x, y := b.Variable(p, "x"), b.Variable(q, "y")
	b.Init(x, graphs.Int(1))
	b.Init(y, graphs.Int(0))
	event := func(p int, id string, v *graphs.Variable, value int64) graphs.Handle {
		h := b.Event(p)
		b.SetID(h, []byte(id))
		b.Set(v, h, graphs.Int(value))
		return h
	}
	// Values are those of the figure.
	e1 := event(p, "e1", x, 2)
	event(p, "e2", x, 4)
	event(p, "e3", x, 5)
	f1 := event(q, send, y, 1)
	b.SetLabel(f1, label)
	event(q, "f2", y, 2)
	event(q, "f3", y, 4)
	b.Deliver(b.NewMessage("m1"), f1, e1, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no message is received before it is sent: " +
			err.Error())
	}
	return c
}
