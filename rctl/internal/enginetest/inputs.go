package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/graphs"
)

var operators = [...]string{
	"EX(%s)", "AX(%s)", "EF(%s)", "AF(%s)", "EG(%s)", "AG(%s)",
	"E[%s U %s]", "A[%s U %s]", "E[%s W %s]", "A[%s W %s]", "E[%s R %s]", "A[%s R %s]",
}

// Nested writes a formula of depth nested operators over predicates that two processes
// decide.
func Nested(r *rand.Rand, c *graphs.Computation, depth int) string {
	if depth == 0 {
		local := func() string { return LocalPredicate(r, c, r.IntN(c.NumProcesses())) }
		a, b := local(), local()
		switch {
		// Constants are rare, as they decide the operators above them.
		case a == "" || b == "" || r.IntN(20) == 0:
			return []string{"true", "false"}[r.IntN(2)]
		case r.IntN(2) == 0:
			return "(" + a + " && " + b + ")" // for one process, AF is EF
		}
		return "(" + a + " || " + b + ")"
	}
	of := func(below int) any { return Nested(r, c, below) }
	// Deep formulas are joined by && and || now and then, so that not all of them are
	// chains of operators.
	switch op := operators[r.IntN(len(operators))]; {
	case depth > 2 && r.IntN(4) == 0:
		return fmt.Sprintf("(%s && %s)", of(depth-1), of(r.IntN(depth)))
	case depth > 2 && r.IntN(4) == 0:
		return fmt.Sprintf("(%s || %s)", of(depth-1), of(r.IntN(depth)))
	// Operators with brackets have two operands.
	case op[1] != '[':
		return fmt.Sprintf(op, of(depth-1))
	case r.IntN(2) == 0:
		return fmt.Sprintf(op, of(r.IntN(depth)), of(depth-1))
	default:
		return fmt.Sprintf(op, of(depth-1), of(r.IntN(depth)))
	}
}

// Exclusive makes a computation of n processes and a token, passed on by messages, that admits one
// of them at a time to a critical section (cs). A counter x counts the admissions, and processes
// also send each other unrelated messages. If broken is set, one of the last entries does not wait
// for the token.
func Exclusive(n, events int, broken bool) *graphs.Computation {
	// The seed follows from the sizes, so equal arguments make equal computations.
	r := rand.New(rand.NewPCG(uint64(n), uint64(events)))
	var b graphs.Builder
	b.Grow(events)
	cs, x := make([]*graphs.Variable, n), make([]*graphs.Variable, n)
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		cs[p], x[p] = b.Variable(p, "cs"), b.Variable(p, "x")
		b.Init(cs[p], graphs.Boolean(false))
		b.Init(x[p], graphs.Int(0))
	}
	holder, stage := 0, 0
	// NoHandle as long as nobody has passed the token on.
	token := graphs.NoHandle
	type letter struct {
		send graphs.Handle
		to   int
	}
	var letters []letter
	count := make([]int64, n)
	for b.NumEvents() < events {
		// The fault: another process enters without the token.
		// It comes late in the run, so that an engine has to read nearly all of it.
		if broken && b.NumEvents() == events*9/10 {
			other := (holder + 1) % n
			b.Set(cs[other], b.Event(other), graphs.Boolean(true))
			b.Set(cs[other], b.Event(other), graphs.Boolean(false))
		}
		// A tenth of the events move the token on, by stages; most others send or
		// receive letters.
		switch k := r.IntN(10); {
		case k == 0 && stage == 0: // receive the token and enter
			e := b.Event(holder)
			if token != graphs.NoHandle {
				b.Deliver(b.NewMessage(""), token, e, -1)
			}
			b.Set(cs[holder], e, graphs.Boolean(true))
			stage = 1
		case k == 0 && stage == 1: // leave
			e := b.Event(holder)
			b.Set(cs[holder], e, graphs.Boolean(false))
			count[holder]++
			b.Set(x[holder], e, graphs.Int(count[holder]))
			stage = 2
		case k == 0:
			// The process that leaves passes the token on to any other one.
			token = b.Event(holder)
			holder = (holder + 1 + r.IntN(n-1)) % n
			stage = 0
		case k < 5:
			letters = append(letters, letter{b.Event(r.IntN(n)), r.IntN(n)})
		case k < 9 && len(letters) > 0:
			i := r.IntN(len(letters))
			l := letters[i]
			// Removed in O(1); the order of letters is random anyway.
			letters[i] = letters[len(letters)-1]
			letters = letters[:len(letters)-1]
			if b.ProcessOf(l.send) != l.to {
				b.Deliver(b.NewMessage(""), l.send, b.Event(l.to), -1)
			}
		default:
			b.Event(r.IntN(n))
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// Clauses makes a random formula f with three literals a clause, and a computation with a process of
// one event for each variable. Some cut satisfies f if and only if the clauses can be satisfied.
func Clauses(r *rand.Rand, variables, clauses int) (c *graphs.Computation, f string) {
	var b graphs.Builder
	// A process for each variable: its one event makes the variable true.
	for i := range variables {
		p := b.Process(fmt.Sprintf("P%d", i))
		x := b.Variable(p, "x")
		b.Init(x, graphs.Boolean(false))
		b.Set(x, b.Event(p), graphs.Boolean(true))
	}
	var all []string
	for range clauses {
		// The three literals may repeat a variable: a clause is then shorter, or true.
		var some []string
		for range 3 {
			some = append(some,
				fmt.Sprintf("%sx@P%d", []string{"", "!"}[r.IntN(2)], r.IntN(variables)))
		}
		all = append(all, "("+strings.Join(some, " || ")+")")
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no event needs another: " + err.Error())
	}
	return c, strings.Join(all, " && ")
}
