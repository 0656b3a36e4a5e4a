package explain_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// queue returns a computation in which a producer sends two jobs, and a consumer takes
// one.
func queue() *graphs.Computation {
	var b graphs.Builder
	producer, consumer := b.Process("producer"), b.Process("consumer")
	made, used := b.Variable(producer, "made"), b.Variable(consumer, "used")
	b.Init(made, graphs.Int(0))
	b.Init(used, graphs.Int(0))
	first, second, take := b.Event(producer), b.Event(producer), b.Event(consumer)
	b.Set(made, first, graphs.Int(1))
	b.Set(made, second, graphs.Int(2))
	b.Set(used, take, graphs.Int(1))
	b.SetLabel(take, "job 1")
	b.Deliver(b.NewMessage("job 1"), first, take, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because the consumer never sends: " + err.Error())
	}
	return c
}

func ExampleExplainer_Write() {
	c := queue()
	f, err := syntax.Parse("AG(made - used <= 1 || EF(used == 2))")
	if err != nil {
		log.Fatal(err)
	}
	resolved, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
	if err != nil {
		log.Fatal(err)
	}
	res, err := rctl.Check(context.Background(), c, resolved, rctl.Options{Evidence: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Verdict)
	t := explain.Explainer{Of: c, Property: f}
	if err := t.Write(os.Stdout, res.Evidence); err != nil {
		log.Fatal(err)
	}
	for _, step := range t.Explain(res.Evidence).Steps {
		fmt.Println(step.Number, c.ID(step.Event), step.Text())
	}
	// Output:
	// fails
	// made is 2 at producer and used is 0 at consumer after 2 events, and from there on, no run reaches used == 2
	// nothing orders consumer:1 (job 1) before producer:2 (made: 1 → 2)
	// AG(made - used <= 1 || EF(used == 2)) fails: a run of 2 events to this cut
	//     1  producer:1    made: 0 → 1
	//     2  producer:2    made: 1 → 2
	//     –  consumer:1    not yet: used: 0 → 1  "job 1"
	// cut producer:2 consumer:0
	//     made@producer = 2   used@consumer = 0
	//   EF(used == 2) fails: from here on, no run reaches used == 2
	// 1 producer:1 made: 0 → 1
	// 2 producer:2 made: 1 → 2
}
