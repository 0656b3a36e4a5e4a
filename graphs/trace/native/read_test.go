package native

import (
	"context"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

func TestFigure1(t *testing.T) {
	c, err := ReadFile(context.Background(), "../../../testdata/figure1.jsonl", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.NumEvents() != 6 || c.NumEdges() != 1 || c.NumMessages() != 1 {
		t.Errorf("%d events, %d edges, %d messages", c.NumEvents(), c.NumEdges(), c.NumMessages())
	}
	e1, _ := c.Lookup("e1")
	f1, _ := c.Lookup("f1")
	if p := c.Preds(e1); len(p) != 1 || p[0] != f1 {
		t.Errorf("before e1: %v", p)
	}
	x := c.Variable(0, "x")
	if x == nil || x.Len() != 3 || x.Value(-1).Int64() != 1 || x.Value(2).Int64() != 5 {
		t.Errorf("x is %+v", x)
	}
}
