package graphs

import "testing"

func TestFigure1(t *testing.T) {
	var b Builder
	p, q := b.Process("P1"), b.Process("P2")
	x := b.Variable(p, "x")
	b.Init(x, Int(1))
	e1 := b.Event(p)
	b.SetID(e1, []byte("e1"))
	b.Set(x, e1, Int(2))
	b.Event(p)
	b.Event(p)
	f1 := b.Event(q)
	b.SetID(f1, []byte("f1"))
	b.Event(q)
	b.Event(q)
	b.Deliver(b.NewMessage("m1"), f1, e1, -1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if !c.Consistent(Cut{0, 1}) || c.Consistent(Cut{1, 0}) {
		t.Error("e1 without f1")
	}
	if id := c.ID(c.Event(q, 1)); id != "f1" {
		t.Error(id)
	}
	n := 0
	for i := int32(0); i <= 3; i++ {
		for j := int32(0); j <= 3; j++ {
			if c.Consistent(Cut{i, j}) {
				n++
			}
		}
	}
	if n != 13 {
		t.Errorf("%d cuts, not 13", n)
	}
	if got := c.Topological(c.Initial(), c.Final()); len(got) != 6 {
		t.Error(got)
	}
}
