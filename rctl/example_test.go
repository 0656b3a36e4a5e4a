package rctl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// account returns a computation of a client that asks and a bank that pays: only the
// answer waits for the request.
func account() *graphs.Computation {
	var b graphs.Builder
	client, bank := b.Process("client"), b.Process("bank")
	asked, paid := b.Variable(client, "asked"), b.Variable(bank, "paid")
	b.Init(asked, graphs.Boolean(false))
	b.Init(paid, graphs.Boolean(false))
	ask, pay, answer := b.Event(client), b.Event(bank), b.Event(bank)
	b.Set(asked, ask, graphs.Boolean(true))
	b.Set(paid, pay, graphs.Boolean(true))
	b.Deliver(b.NewMessage("please"), ask, answer, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because the bank never sends: " + err.Error())
	}
	return c
}

// formula parses a formula and relates it to a computation.
func formula(c *graphs.Computation, text string) *syntax.Formula {
	f, err := syntax.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	g, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
	if err != nil {
		log.Fatal(err)
	}
	return g
}

func ExampleCheck() {
	c := account()
	res, err := rctl.Check(context.Background(), c, formula(c, "A[!paid W asked]"), rctl.Options{Evidence: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Verdict, "by", res.Engine)
	fmt.Println(res.Evidence.Formula, "at", res.Evidence.Cut, "after")
	for _, e := range res.Evidence.Run {
		fmt.Println(c.ID(e))
	}
	// Output:
	// fails by slice
	// E[!asked U paid && !asked] at [0 1] after
	// bank:1
}

// A session decides several formulas on one computation.
func ExampleSession() {
	c := account()
	session := rctl.NewSession(c)
	for _, text := range []string{"AF(paid && asked)", "EG(!asked || !paid)", "EF(asked && !paid)"} {
		res, err := session.Check(context.Background(), formula(c, text), rctl.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text, res.Verdict)
	}
	// Output:
	// AF(paid && asked) holds
	// EG(!asked || !paid) fails
	// EF(asked && !paid) holds
}

// The slice of a regular formula has exactly the cuts that satisfy it.
func ExampleSliceOf() {
	c := account()
	s, err := rctl.SliceOf(context.Background(), c, formula(c, "paid && asked"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("lean:", s.Lean())
	fmt.Println("least cut:", s.Computation().Initial(), "greatest:", s.Computation().Final())
	// Output:
	// lean: true
	// least cut: [1 1] greatest: [1 2]
}
