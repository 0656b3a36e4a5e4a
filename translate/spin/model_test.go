package spin

import (
	"errors"
	"os"
	"testing"

	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
)

// lock is a lock that a process may fail to get for ever.
const lock = `byte taken, busy[2];
active [2] proctype user() {
	byte times;
idle:	atomic { taken == 0 -> taken = 1 }
CS:	busy[_pid] = 1; times = 1 - times;
	busy[_pid] = 0; taken = 0;
	goto idle
}
`

func resolve(t *testing.T, text string) (*promela.Program, *syntax.Formula) {
	t.Helper()
	return resolveIn(t, lock, text)
}

func resolveIn(t *testing.T, model, text string) (*promela.Program, *syntax.Formula) {
	t.Helper()
	m, err := promela.Parse("lock.pml", model, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := promela.Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	scope, err := crucial.Scope(p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := syntax.Resolve(t.Context(), f, scope)
	if err != nil {
		t.Fatal(err)
	}
	return p, g
}

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		formula, claim string
		negated        bool
	}{
		{`AG(!(busy.0 == 1 && busy.1 == 1))`, `([] ((!(busy[0] == 1)) || (!(busy[1] == 1))))`, false},
		{`AG(at@"user:0" == "idle" -> AF at@"user:0" == "CS")`, `([] ((!(user[0]@idle)) || (<> (user[0]@CS))))`, false},
		{`EF(times@"user:1" + 1 >= 2)`, `([] (!((user[1]:times + 1) >= 2)))`, true},
		{`A[taken == 0 U at@"user:0" != "idle"]`, `((taken == 0) U (!(user[0]@idle)))`, false},
		{`EF(taken == 1 && EG(busy.0 == 0))`, `([] ((!(taken == 1)) || (<> (!(busy[0] == 0)))))`, true},
		{`AG(EF taken == 0)`, ``, false},
		{`AF(AG taken == 0)`, ``, false},
		{`AG(AF taken == 0) || AG(AF taken == 1)`, ``, false},
	} {
		p, f := resolve(t, c.formula)
		text, negated, err := (&writer{layout: p.Layout()}).claim(f)
		if _, not := errors.AsType[*InexpressibleError](err); text != c.claim || negated != c.negated || not != (c.claim == "") {
			t.Errorf("%s: %s, negated %t, %v", c.formula, text, negated, err)
		}
	}
}

func TestModelsBySPIN(t *testing.T) {
	if err := programs("spin", "gcc"); err != nil {
		t.Skip(err)
	}
	for i, text := range []string{`AG(!(busy.0 == 1 && busy.1 == 1))`, `EF(at@"user:0" == "idle" && EG(at@"user:0" == "idle"))`} {
		p, f := resolve(t, text)
		r, err := CheckModel(t.Context(), []byte(lock), p.Layout(), f, ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != rctl.Holds || r.States == 0 || (i == 1) != (r.Steps > 0) {
			t.Errorf("%s: %+v", text, r)
		}
		if ours, err := crucial.Check(t.Context(), p, f, crucial.Options{}); err != nil || ours.Verdict != r.Verdict {
			t.Errorf("%s: SPIN says %v, pota %+v, %v", text, r.Verdict, ours, err)
		}
	}
	if _, err := os.Stat("model.pml"); err == nil {
		t.Error("a model was left")
	}
}

// What a model calls by a word of SPIN's formulas has another name in claims.
func TestWords(t *testing.T) {
	if err := programs("spin", "gcc"); err != nil {
		t.Skip(err)
	}
	const words = `typedef node { byte next, X };
byte next[2]; node r;
active proctype U() {
	byte until;
always:	next[1] = 2; until = 1;
	r.next = 1; r.X = 1;
end:	skip
}
`
	texts := []string{
		`AG(at@U == "always" -> next.1 == 0)`, `AF(until@U == 1)`, `A[next.1 == 0 U next.1 == 2]`, `AG(r.X <= r.next)`,
	}
	if testing.Short() {
		texts = texts[:2]
	}
	for _, text := range texts {
		p, f := resolveIn(t, words, text)
		got, err := CheckModel(t.Context(), []byte(words), p.Layout(), f, ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if ours, err := crucial.Check(t.Context(), p, f, crucial.Options{}); err != nil || ours.Verdict != got.Verdict {
			t.Errorf("%s: SPIN says %v, pota %+v, %v", f, got.Verdict, ours, err)
		}
	}
}

// A search that goes deeper than is usual is made again with room for it.
func TestDepths(t *testing.T) {
	if err := programs("spin", "gcc"); err != nil {
		t.Skip(err)
	}
	defer func(before [2]int) { depths = before }(depths)
	const counts = "byte n; active proctype P() { do :: n < 100 -> n++ od }\n"
	p, f := resolveIn(t, counts, `AG(n <= 100)`)
	depths = [2]int{10, 1000}
	got, err := CheckModel(t.Context(), []byte(counts), p.Layout(), f, ModelOptions{})
	if err != nil || got.Verdict != rctl.Holds {
		t.Errorf("%+v, %v", got, err)
	}
}

// A label of the model that begins with accept is one like others.
func TestAcceptance(t *testing.T) {
	if err := programs("spin", "gcc"); err != nil {
		t.Skip(err)
	}
	const accepting = "byte x; active proctype P() { do :: x = 1; accept: x = 2; accept_1: skip od }\n"
	p, f := resolveIn(t, accepting, `AG(at@P == "accept" -> x == 1)`)
	got, err := CheckModel(t.Context(), []byte(accepting), p.Layout(), f, ModelOptions{})
	if err != nil || got.Verdict != rctl.Holds {
		t.Errorf("%+v, %v", got, err)
	}
}

// A formula about a variable of a process is decided without reduction: with it, SPIN misses
// that the other process may run alone for ever.
func TestLocalVariables(t *testing.T) {
	if err := programs("spin", "gcc"); err != nil {
		t.Skip(err)
	}
	const alone = `byte x;
active proctype P() { byte i; do :: i = 1; x = 1 :: i = 0 od }
active proctype Q() { byte j; j = 1 }
`
	p, f := resolveIn(t, alone, `AF(j@Q == 1)`)
	got, err := CheckModel(t.Context(), []byte(alone), p.Layout(), f, ModelOptions{})
	if err != nil || got.Verdict != rctl.Fails {
		t.Errorf("got %+v, %v", got, err)
	}
}
