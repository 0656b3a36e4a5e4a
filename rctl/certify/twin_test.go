package certify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// rules counts the rules of a proof.
func rules(p *certificate.Proof, tally map[string]int) {
	if p == nil {
		return
	}
	tally[p.Rule]++
	if p.Rule == "run" && p.Which == 1 {
		tally["turns"]++
	}
	for _, sub := range p.Of {
		rules(sub, tally)
	}
}

func uses(p *certificate.Proof, rule string) bool {
	tally := make(map[string]int)
	rules(p, tally)
	return tally[rule] > 0
}

func parsed(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pair draws a computation with its cuts, and formulas of any kind, every third of a kind
// that a rule is for.
func pair(r *rand.Rand, formulas int, visit func(c *graphs.Computation, l *graphtest.Lattice, text string)) {
	config := graphtest.DefaultConfig
	config.Kinds |= graphtest.SharedSteps
	c := graphtest.Random(r, config)
	switch r.IntN(8) {
	case 0, 1:
		c = enginetest.Exclusive(2+r.IntN(2), 4+r.IntN(9), r.IntN(3) == 0)
	case 2:
		c = barrier(r)
	}
	if c.Empty() {
		return
	}
	l := graphtest.NewLattice(c)
	if r.IntN(4) == 0 {
		c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
	}
	for range formulas {
		text := ""
		if r.IntN(3) == 0 {
			text = special(r, c)
		}
		if text == "" {
			text = rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(3))})
		}
		visit(c, l, text)
	}
}

// barrier makes a computation in which processes set a flag, send to others that they
// have, receive from some, and take it back: AF of the conjunction may hold for no other
// reason than that no flag can be taken back before all are set.
func barrier(r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	n := 2 + r.IntN(2)
	flags, sent := make([]*graphs.Variable, n), make([]graphs.Handle, n)
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		flags[p] = b.Variable(p, "up")
		b.Init(flags[p], graphs.Boolean(false))
	}
	for p := range n {
		if r.IntN(2) == 0 {
			b.Event(p)
		}
		sent[p] = b.Event(p)
		b.Set(flags[p], sent[p], graphs.Boolean(true))
	}
	for p := range n {
		e := b.Event(p)
		for q := range n {
			if q != p && r.IntN(8) > 0 {
				b.Deliver(b.NewMessage(""), sent[q], e, -1)
			}
		}
		if r.IntN(4) > 0 {
			e = b.Event(p)
		}
		b.Set(flags[p], e, graphs.Boolean(false))
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// special is of a kind that random formulas hardly ever are of; "" where the computation
// does not have the variables.
func special(r *rand.Rand, c *graphs.Computation) string {
	var locals, numbers []string
	flags := make(map[string]int)
	for p := range c.NumProcesses() {
		if text := enginetest.LocalPredicate(r, c, p); text != "" {
			locals = append(locals, text)
		}
		for _, v := range c.VariablesOf(p) {
			switch v.Kind {
			case graphs.Number:
				numbers = append(numbers, fmt.Sprintf("%s@%q", v.Name, c.Processes()[p]))
			case graphs.Bool:
				flags[v.Name]++
			}
		}
	}
	flag := ""
	for name, n := range flags {
		if n == c.NumProcesses() && name > flag {
			flag = name
		}
	}
	some := func(of []string, join string) string {
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		return strings.Join(of[:2+r.IntN(len(of)-1)], join)
	}
	rel := []string{"<", "<=", ">", ">=", "==", "!="}[r.IntN(6)]
	switch k := r.IntN(14); {
	case k == 8:
		p := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(3))})
		return fmt.Sprintf([]string{"AG((%s) || !(%[1]s))", "EF((%s) && !(%[1]s))"}[r.IntN(2)], p)
	case k > 8 && len(locals) > 1:
		r.Shuffle(len(locals), func(i, j int) { locals[i], locals[j] = locals[j], locals[i] })
		return fmt.Sprintf([]string{"EG(EF(%s) || AG(%s))", "EG(%s -> AG(%s))", "E[%[2]s R EF(%[1]s) || AF(%[2]s)]", "AF(EX(%s || %s))", "EG(AX(%s && %s))", "AG(%s -> EG(%[1]s || %[2]s))", "AG(!(%s) -> EG(%s))"}[r.IntN(7)], locals[0], locals[1])
	case k < 2 && flag != "":
		return fmt.Sprintf("AG(forall i != j: !(%s@i && %[1]s@j))", flag)
	case k < 4 && flag != "":
		return fmt.Sprintf("AG((count i: %s@i) %s %d)", flag, rel, r.IntN(4))
	case k < 5 && flag == "up" && r.IntN(2) == 0:
		return "AF(forall i: up@i)"
	case k < 5 && len(locals) > 1:
		return "AF(" + some(locals, " && ") + ")"
	case k < 6 && len(locals) > 1:
		return "EG(" + some(locals, " || ") + ")"
	case len(numbers) > 1:
		return fmt.Sprintf("AG(%s %s %d)", some(numbers, []string{" + ", " - "}[r.IntN(2)]), rel, r.IntN(8)-2)
	}
	return ""
}

// verdict returns that of brute force.
func verdict(t *testing.T, c *graphs.Computation, l *graphtest.Lattice, text string) rctl.Verdict {
	t.Helper()
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if rctltest.Holds(l, f)[l.Index(c.Initial())] {
		return rctl.Holds
	}
	return rctl.Fails
}

// Each verdict has a proof that the checker accepts, those of RCTL and CETL by argument,
// and none is found of the opposite.
func TestAgainstBruteForce(t *testing.T) {
	const each = 4
	n := graphtest.RoundsUpTo(t, 5000, 200_000)
	tally := make(map[string]int)
	for i := range n / each {
		r := rand.New(rand.NewPCG(71, uint64(i)))
		pair(r, each, func(c *graphs.Computation, l *graphtest.Lattice, text string) {
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict(t, c, l, text)
			session := rctl.NewSession(c)
			res, err := session.Check(context.Background(), f, rctl.Options{Evidence: r.IntN(4) > 0})
			if err != nil || res.Verdict != v {
				t.Fatalf("pair %d: %s is %s and not %s (%v)", i, text, v, res.Verdict, err)
			}
			p, err := certify.Proof(context.Background(), session, c, parsed(t, text), res)
			if err != nil || p == nil {
				t.Fatalf("pair %d: %s %s: no proof (%v)", i, text, v, err)
			}
			k, err := certificate.New(context.Background(), c, parsed(t, text))
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Prove(root(k, v == rctl.Holds), c.Initial(), p); err != nil {
				t.Fatalf("pair %d: %s %s: %v", i, text, v, err)
			}
			wrong := &rctl.Result{Verdict: rctl.Holds, Evidence: res.Evidence}
			if v == rctl.Holds {
				wrong.Verdict = rctl.Fails
			}
			if wrong, err := certify.Proof(context.Background(), session, c, parsed(t, text), wrong); wrong != nil || err != nil {
				text, _ := json.Marshal(wrong)
				t.Fatalf("pair %d: %s has a proof that it is not %s: %s (%v)", i, f, v, text, err)
			}
			class := rctl.Classify(c, f).Fragment
			rules(p, tally)
			tally[class.String()]++
			if uses(p, "look") {
				tally["with look"]++
				if class <= syntax.RCTLCETL {
					tally[class.String()+" with look"]++
					t.Logf("pair %d: %s %s by look", i, text, v)
				}
			}
		})
	}
	t.Log(tally)
	for _, rule := range []string{"operands", "run", "last", "forced", "look", "split", "flow", "pass", "turns"} {
		if tally[rule] < n/5000 {
			t.Errorf("%s: only %d of %d", rule, tally[rule], n)
		}
	}
}

// A variable that is nowhere assigned, nor declared with a value, has no type: it is 0 where a
// number is asked for, and false.
func TestUntyped(t *testing.T) {
	var b graphs.Builder
	b.Variable(b.Process("P"), "n")
	b.Variable(b.Process("Q"), "m")
	b.Event(0)
	b.Event(1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	l := graphtest.NewLattice(c)
	for _, text := range []string{"n == 0", "0 == n", "n != 0", "0 != n", "n == m", "n != m", "n < 1", "1 > n", "0.5 <= n", "n + m == 0", "n", "!n", "AG(n == 0)", "EF(0 != n)"} {
		v := verdict(t, c, l, text)
		if got, proved := certified(t, c, text); got != v || !proved {
			t.Errorf("%s is %s, by brute force %s; certified is %t", text, got, v, proved)
		}
		k, err := certificate.New(context.Background(), c, parsed(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if k.Prove(root(k, v != rctl.Holds), c.Initial(), nil) == nil {
			t.Errorf("%s: the opposite is accepted", text)
		}
	}
}

// root returns what holds if the formula of a checker does, or does not.
func root(k *certificate.Checker, holds bool) *certificate.Node {
	if holds {
		return k.Root
	}
	return k.Root.Not
}
