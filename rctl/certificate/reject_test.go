package certificate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// rendezvous is a computation in which P takes a step and then one with Q, which has taken
// two before, in between with y set; z is P's, and true after the step alone. u never
// changes, v does once, d goes up and then down, w never, nor k of either.
func rendezvous(t *testing.T) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	for _, name := range []string{"P", "Q"} {
		b.Process(name)
	}
	x, y, z := b.Variable(0, "x"), b.Variable(1, "y"), b.Variable(0, "z")
	b.Init(x, graphs.Int(0))
	b.Init(y, graphs.Int(0))
	b.Init(z, graphs.Boolean(false))
	b.Set(z, b.Event(0), graphs.Boolean(true))
	u, v, d := b.Variable(0, "u"), b.Variable(1, "v"), b.Variable(1, "d")
	b.Init(u, graphs.Int(0))
	b.Init(v, graphs.Int(0))
	b.Init(d, graphs.Int(0))
	f := b.Variable(0, "f")
	b.Init(f, graphs.Float(0.5))
	w, k := b.Variable(1, "w"), b.Variable(0, "k")
	b.Init(w, graphs.Boolean(false))
	b.Init(k, graphs.Int(1))
	b.Init(b.Variable(1, "k"), graphs.Int(0))
	q := b.Event(1)
	b.Set(y, q, graphs.Int(1))
	b.Set(v, q, graphs.Int(1))
	b.Set(d, q, graphs.Int(1))
	q = b.Event(1)
	b.Set(y, q, graphs.Int(0))
	b.Set(d, q, graphs.Int(-5))
	p := b.Event(0)
	b.Set(x, p, graphs.Int(2))
	b.Set(f, p, graphs.Float(3.5))
	b.Set(z, p, graphs.Boolean(false))
	b.Sync(p, b.Event(1))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What is wrong with a proof is told, and what it is about.
func TestRejections(t *testing.T) {
	c := rendezvous(t)
	for _, test := range []struct{ formula, proof, want string }{
		{"EF(x == 2)", `{"rule":"run","events":[2]}`, ""},
		{"EF(z && y == 1)", `{"rule":"run","events":[3],"run":[[0,1]]}`, ""},
		{"EF(x == 2)", `{"rule":"run","events":[6]}`, `rule "run" does not show that EF(x == 2): there is no event 6`},
		{"EF(x == 2)", `{"rule":"run","events":[-1]}`, "there is no event -1"},
		{"EF(x == 1)", `{"rule":"run","events":[1]}`, `rule "forced" does not show that x == 1: its negation may hold at a cut from [1 0] on`},
		{"EF(x == 2 && EF(y == 1))", `{"rule":"run","events":[2],"of":[{"rule":"operands","of":[null,{"rule":"run","events":[3]}]}]}`, "its negation may hold at a cut from [2 3] on"},
		{"E[y == 0 U x == 2]", `{"rule":"run","events":[2]}`, "its negation may hold at a cut from [0 1] on"},
		{"E[v <= 1 U x == 2]", `{"rule":"run","events":[2]}`, ""},
		{"EG(v <= 1)", `{"rule":"run","events":[3],"run":[[1,1],[0,2]]}`, ""},
		{"EG(y == 0)", `{"rule":"run","events":[2]}`, "its negation may hold at a cut from [0 1] on"},
		{"EG(z || y == 0)", `{"rule":"run","events":[1],"run":[[1,2],[0,1]]}`, ""},
		{"A[z U y == 1]", `{"rule":"run","run":[[1,1]]}`, "no run shows it"},
		{"AF(y == 1)", `{"rule":"run","events":[3]}`, "no run shows it"},
		{"E[y == 0 U y == 1]", `{"rule":"run","run":[[1,1]]}`, ""},
		{"E[y == 0 U x == 2]", `{"rule":"run","run":[[0,2]]}`, "process 0 cannot take the next step"},
		{"E[y == 0 U x == 2]", `{"rule":"run","run":[[1,2],[0,2]]}`, "y == 0 || x == 2: its negation may hold at a cut from [0 1] on"},
		{"EF(x == 2)", `{"rule":"run","run":[[0,9]]}`, "process 0 cannot take the next step"},
		{"EF(x == 2)", `{"rule":"run","run":[[0,-1]]}`, "its negation may hold"},
		{"EF(x == 2)", `{"rule":"run","run":[[7,1]]}`, "process 7 cannot take the next step"},
		{"EG(x == 0)", `{"rule":"run","run":[[0,1]]}`, "its negation may hold at a cut from [1 0] on"},
		{"EX(x == 2)", `{"rule":"run","run":[[0,1],[1,2],[0,1]]}`, "no run shows it"},
		{"EX z", `{"rule":"operands"}`, ""},
		{"EX(u == 0)", `{"rule":"forced"}`, ""},
		{"EX z", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [0 1] on"},
		{"EX z", `{"rule":"operands","which":2}`, "its negation has no such operand"},
		{"EX z", `{"rule":"operands","which":-1}`, "its negation has no such operand"},
		{"EX(z && EX(x == 2))", `{"rule":"operands","of":[{"rule":"operands","of":[null,{"rule":"operands"}]}]}`, "its negation has no such operand"},
		{"AX(z || y == 1)", `{"rule":"operands"}`, ""},
		{"AX(y == 0)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [0 1] on"},
		{"AX(!z)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [1 0] on"},
		{"AX(z || y == 1)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(AX(d <= 1))", `{"rule":"operands","of":[{"rule":"operands","which":1}]}`, ""},
		{"AG(AX(d >= 0))", `{"rule":"operands","of":[{"rule":"operands","which":1}]}`, "its negation may hold at a cut from [0 2] on"},
		{"AG(AX(y == 0))", `{"rule":"operands","of":[{"rule":"operands","which":1}]}`, "its negation may hold at a cut from [0 1] on"},
		{"AX z", `{"rule":"operands"}`, "its negation may hold at a cut from [0 1] on"},
		{"AX(y == 1)", `{"rule":"operands"}`, "its negation may hold at a cut from [1 0] on"},
		{"AX(EF z && (z || EX z))", `{"rule":"operands","of":[{"rule":"operands","of":[{"rule":"run"},null]},{"rule":"operands","of":[{"rule":"run","events":[1]},{"rule":"operands","which":1,"of":[{"rule":"operands"}]}]}]}`, ""},
		{"AF(EX z)", `{"rule":"pass","events":[1],"of":[{"rule":"operands"}]}`, ""},
		{"AF(EX z)", `{"rule":"pass","events":[1,2],"of":[{"rule":"operands","which":1}]}`, "its negation has no such operand"},
		{"AF(EX z)", `{"rule":"pass","events":[3],"of":[{"rule":"operands"}]}`, "its negation has no such operand"},
		{"AF(EX z)", `{"rule":"pass","events":[1],"of":[{"rule":"operands","which":-1}]}`, "its negation has no such operand"},
		{"AF(EX(z && y == 0))", `{"rule":"pass","events":[1],"of":[{"rule":"operands"}]}`, "its negation may hold at a cut from [1 1] on"},
		{"AF(EX(x == 2))", `{"rule":"pass","which":2,"events":[1,4,5],"of":[{"rule":"operands","which":1}]}`, ""},
		{"AF(EX(x == 2))", `{"rule":"pass","which":1,"events":[1,2],"of":[{"rule":"operands"}]}`, "its negation has no such operand"},
		{"AG(AX(z || y == 1))", `{"rule":"operands","of":[{"rule":"operands"}]}`, "its negation has no such operand"},
		{"AG(EX z)", `{"rule":"operands","of":[{"rule":"operands"}]}`, "its negation has no such operand"},
		{"EX(z && E[A[z R y == 0] U x == 2])", `{"rule":"operands","of":[{"rule":"operands","of":[null,{"rule":"run","run":[[1,2],[0,1]],"of":[null,{"rule":"operands","of":[{"rule":"look"}]}]}]}]}`, "there is no such rule for cuts from [1 0] to [1 2]"},
		{"E[AF(y == 1 && !z) U y == 1 && z]", `{"rule":"run","run":[[1,1],[0,1]],"of":[null,{"rule":"operands","of":[{"rule":"last","of":[{"rule":"look"}]}]}]}`, "there is no such rule for cuts from [0 0] to [0 1]"},
		{"EX(EF(y == 1) && E[EF(y == 1) U x == 2])", `{"rule":"operands","of":[{"rule":"look"}]}`, "it fails at [1 0]"},
		{"AF z", `{"rule":"forced","ties":{"9":[[1,2]]}}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(u + v <= 0)", `{"rule":"forced"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(x - v <= 0)", `{"rule":"forced"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(d + u >= 0)", `{"rule":"forced"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(u <= 0 && d >= 0)", `{"rule":"forced"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(!(z && EF(x == 2)))", `{"rule":"operands","of":[{"rule":"split","events":[2]}]}`, "its negation may hold at a cut from [1 0] on"},
		{"AG(!(EX z && !z))", `{"rule":"operands","of":[{"rule":"split","events":[1]}]}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(!(AX z && !z && x != 2))", `{"rule":"operands"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(!(!z && x != 2 && AG(v != 7)))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[2,1]") + `}]}`, "event 2 needs 1"},
		{"AG(v - x <= 1)", `{"rule":"forced"}`, ""},
		{"AG(x == 0)", `{"rule":"forced"}`, "its negation may hold at a cut from [0 0] on"},
		{"AF(y == 1)", `{"rule":"look"}`, ""},
		{"AG(y == 0)", `{"rule":"look"}`, "it fails at [0 0]"},
		{"EG(u == 0)", `{"rule":"look"}`, ""},
		{"AF(d == 7)", `{"rule":"look"}`, "it fails at [0 0]"},
		{"E[u == 0 U d == 7]", `{"rule":"look"}`, "it fails at [0 0]"},
		{"EF(y == 1)", `{"rule":"pass","which":1,"events":[3,4]}`, ""},
		{"E[E[d == 0 U d == -5] U x == 2]", `{"rule":"run","run":[[1,2],[0,2]],"of":[null,{"rule":"operands","of":[{"rule":"last","of":[{"rule":"run"}]}]}]}`, "its negation may hold at a cut from [0 1] on"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[1,3,5]]}]}`, "a flow is not along an edge"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[4,3,5]]}]}`, "a flow is not along an edge"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[4,2,9]]}]}`, "a flow is not along an edge"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "the sum may be more by 1"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[4,5,1]]}]}`, "a flow is not along an edge"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[5,2,1]]}]}`, ""},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[4,5,9223372036854775807]]}]}`, "a flow has two events and an amount"},
		{"AG(y + u <= 0)", `{"rule":"operands","of":[{"rule":"flow","flow":[[3,4,-1]]}]}`, "a flow has two events and an amount"},
		{"AG(x * y <= 2)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "it is no bound on a sum of whole numbers of several chains"},
		{"AG(x * y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[2]}]}`, `its negation may hold at a cut from`},
		{"AG(x * y <= 1)", `{"rule":"operands","of":[{"rule":"split","events":[2],"of":[null,{"rule":"split","events":[5]}]}]}`, "its negation may hold at a cut from"},
		{"AF(z && y == 0)", `{"rule":"pass","which":1,"events":[1,9]}`, "there is no event 9"},
		{"AF(z && y == 1)", `{"rule":"pass","which":2,"events":[1,3,4]}`, "event 4 can come before the first ones"},
		{"AG(AF(y == 1))", `{"rule":"operands","of":[{"rule":"look"}]}`, "there is no such rule for cuts from [0 0] to [2 3]"},
		{"AG(AF(y == 1))", `{"rule":"operands","of":[{"rule":"pass","which":1,"events":[3,4]}]}`, "there is no such rule for cuts"},
		{"AG(EF(y == 1))", `{"rule":"operands","of":[{"rule":"run","events":[3]}]}`, "there is no such rule for cuts"},
		{"AG(x * y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[99]}]}`, "there is no event 99"},
		{"AG(x * y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[0]}]}`, "there is no event 0"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[99,100,1]]}]}`, "there is no event 99"},
		{"AG(f + v <= 3)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "it is no bound on a sum of whole numbers of several chains"},
		{"AG(f - v <= 1)", `{"rule":"forced"}`, "its negation may hold"},
		{"AG(f - v <= 4)", `{"rule":"forced"}`, ""},
		{"E[y == 0 U x == 2]", `{"rule":"run","run":[[0,1],[1,2],[0,1],[0,-2]]}`, "its negation may hold at a cut from [1 1] on"},
		{"E[v == 1 || AF(x == 2) U x == 2]", `{"rule":"run","run":[[0,1]],"which":1,"of":[{"rule":"run","run":[[1,2],[0,1]],"of":[null,{"rule":"operands","of":[{"rule":"operands"}]}]},{"rule":"operands","of":[{"rule":"operands","which":1}]}]}`, "v == 1: its negation may hold at a cut from [1 0] on"},
		{"E[v == 1 || AF(x == 2) U x == 2]", `{"rule":"run","run":[[0,1],[1,1]],"which":1,"of":[{"rule":"run","run":[[1,1],[0,1]],"of":[null,{"rule":"operands","of":[{"rule":"operands"}]}]},{"rule":"operands","of":[{"rule":"operands","which":1}]}]}`, ""},
		{"E[v == 1 || AF(x == 2) U x == 2]", `{"rule":"run","run":[[0,1],[1,1]],"which":1,"of":[{"rule":"run","run":[[1,1]],"of":[null,{"rule":"operands","of":[{"rule":"operands"}]}]},{"rule":"operands","of":[{"rule":"operands","which":1}]}]}`, "x == 2: its negation may hold"},
		{"E[d >= 0 U x == 2]", `{"rule":"run","run":[[0,1],[1,2],[0,1]]}`, "its negation may hold at a cut from [1 2] on"},
		{"E[EG(z || y == 0) U d == -5 && !z && x == 0]", `{"rule":"run","run":[[1,2]],"of":[null,{"rule":"operands","of":[{"rule":"run","run":[[0,1],[1,2],[0,1]]}]}]}`, "there is no such rule for cuts from [0 0] to [0 1]"},
		{"A[z U y == 1]", `{"rule":"pass","which":1,"events":[3,4]}`, "it is not AF"},
		{"AF(y == 1)", `{"rule":"pass","which":1,"events":[3,4]}`, ""},
		{"AF(y == 1)", `{"rule":"pass","which":1,"events":[3,5]}`, "its negation may hold at a cut from [0 2] on"},
		{"EF(z && AF(y == 1))", `{"rule":"run","events":[1,4],"of":[{"rule":"operands","of":[null,{"rule":"pass","events":[3],"of":[{"rule":"split","events":[2]}]}]}]}`, "event 3 can come before the first ones"},
		{"AG(!((y == 1 || x == 2) && d >= 0))", `{"rule":"operands"}`, "its negation may hold"},
		{"AF(z && d != -5)", `{"rule":"forced","ties":` + everywhere("[1,4]") + `}`, "event 4 can happen without 1"},
		{"E[v != 0 U z && d != -5]", `{"rule":"forced","ties":` + everywhere("[1,4]") + `}`, "event 4 can happen without 1"},
		{"AG(!EG((z || x == 2) <-> v == 1))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[1,3]") + `}]}`, "its negation may hold at a cut from [1 1] on"},
		{"AG(!(!z && x == 0 && EG((z || x == 2) <-> v == 1)))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[1,3]") + `}]}`, ""},
		{"AG(!((x == 2 || y == 1) && z))", `{"rule":"operands"}`, "its negation may hold"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[2],"of":[{"rule":"split","events":[2]}]}]}`, "its negation may hold at a cut from [2 3] on"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split"}]}`, "it is about up to 64 events"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[2,1]}]}`, "it is about up to 64 events"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[1,2]}]}`, "its negation may hold at a cut from [2 3] on"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[2,2]}]}`, "its negation may hold at a cut from [2 3] on"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[2,4]}]}`, "event 4 is of another process"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[1` + strings.Repeat(",1", 64) + `]}]}`, "it is about up to 64 events"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[4294967301,2,1]]}]}`, "a flow has two events and an amount"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[5,4294967298,1]]}]}`, "a flow has two events and an amount"},
		{"EF((count i: k@i >= 0) + u <= 1)", `{"rule":"run"}`, "its negation may hold"},
		{"EF(z <-> !w)", `{"rule":"run"}`, "its negation may hold"},
		{"AG(z || !z)", `{"rule":"lemma"}`, "there is no such rule"},
		{"AG(!(z && y == 1))", `{"rule":"operands","of":[{"rule":"operands","which":2}]}`, "its negation has no such operand"},
		{"AG(!(z && y == 1))", `{"rule":"operands","of":[{"rule":"operands","which":-1}]}`, "its negation has no such operand"},
		{"AG(!(z && y == 1))", `{"rule":"operands","of":[{"rule":"contradiction"}]}`, "there is no such rule"},
		{"AG(z || EX z)", `{"rule":"operands","of":[{"rule":"operands"}]}`, "its negation may hold"},
		{"AG(EX z || !EX(y == 1))", `{"rule":"operands","of":[{"rule":"operands"}]}`, "its negation may hold"},
		{"AG(EX z || !EX z)", `{"rule":"operands","of":[{"rule":"operands"}]}`, ""},
		{"AG(EX z || !EX z)", `{"rule":"operands","of":[{"rule":"operands","which":1}]}`, ""},
		{"AG(EX z && !EX z)", `{"rule":"operands","of":[{"rule":"operands"}]}`, "its negation may hold"},
		{"AF(y == 0)", `{"rule":"operands","which":1}`, ""},
		{"AF(y == 1)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(AF(y == 0))", `{"rule":"operands","of":[{"rule":"operands","which":1}]}`, "its negation may hold at a cut from [0 1] on"},
		{"AF(EF(y == 1))", `{"rule":"operands","which":1,"of":[{"rule":"run","events":[3]}]}`, ""},
		{"EF(z && y == 1)", `{"rule":"operands"}`, "its negation has no such operand"},
		{"EG(x == 0)", `{"rule":"run","run":[[0,1],[1,2],[0,1]]}`, "its negation may hold at a cut from [2 3] on"},
		{"E[EF(x == 2) && EF(y == 1) U x == 2]", `{"rule":"run","run":[[0,1],[1,2],[0,1]],"of":[null,{"rule":"operands","of":[{"rule":"operands","of":[{"rule":"last","of":[{"rule":"run","events":[2]}]},{"rule":"last","of":[{"rule":"run","events":[3]}]}]}]}]}`, "its negation may hold at a cut from [1 2] on"},
		{"E[v == 1 || AF(x == 2) U x == 2]", `{"rule":"run","run":[[0,1],[1,2],[0,1]],"of":[null,{"rule":"operands","which":2}]}`, "its negation has no such operand"},
		{"E[v == 1 || AF(x == 2) U x == 2]", `{"rule":"run","run":[[0,1],[1,2],[0,1]],"of":[null,{"rule":"operands","which":-1}]}`, "its negation has no such operand"},
		{"AG(0 <= x <= 1)", `{"rule":"forced"}`, "its negation may hold"},
		{"AG(0 <= u <= 0 <= d)", `{"rule":"forced"}`, "its negation may hold"},
		{"AG(0 <= u <= 0 < 1 <= k@P <= 1)", `{"rule":"forced"}`, ""},
		{"EF(z == w)", `{"rule":"run"}`, ""},
		{"EF(z != w)", `{"rule":"run"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG(v + -x >= 0)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "the sum may be more by"},
		{"EF((min i: k@i) + u == 1)", `{"rule":"run"}`, "its negation may hold at a cut from [0 0] on"},
		{"EF((max i: k@i) + u == 0)", `{"rule":"run"}`, "its negation may hold at a cut from [0 0] on"},
		{"AG((min i: k@i) + u <= 1)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "it is no bound on a sum"},
		{"AG((max i: k@i) + u <= 1)", `{"rule":"operands","of":[{"rule":"flow"}]}`, "it is no bound on a sum"},
		{strings.Repeat("(z <-> ", 41) + "z" + strings.Repeat(")", 41), `{"rule":"forced"}`, ""},
		{"AG(k@P + y <= 2)", `{"rule":"forced"}`, ""},
		{"AG(x + y <= 1)", `{"rule":"operands","of":[{"rule":"flow","flow":[[5,2,2]]}]}`, "the sum may be more by 1"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[2],"of":[{"rule":"flow"},{"rule":"flow"}]}]}`, ""},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[1,2],"of":[{"rule":"flow"},{"rule":"flow"},{"rule":"flow"}]}]}`, ""},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[3,4],"of":[{"rule":"flow"},{"rule":"flow"},{"rule":"flow"}]}]}`, ""},
		{"AG(x + d <= 0)", `{"rule":"operands","of":[{"rule":"split","events":[3,4],"of":[{"rule":"flow"},{"rule":"flow"},{"rule":"flow"}]}]}`, "the sum may be more by 1"},
		{"AG(x + y <= 1)", `{"rule":"operands","of":[{"rule":"split","events":[3,4],"of":[{"rule":"flow"},{"rule":"flow"},{"rule":"flow"}]}]}`, "the sum may be more by 1"},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[5],"of":[{"rule":"flow"},{"rule":"flow"}]}]}`, ""},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"split","events":[1],"of":[{"rule":"flow"},{"rule":"flow"}]}]}`, "the sum may be more by 1"},
		{"AG(-x - d <= 4)", `{"rule":"operands","of":[{"rule":"split","events":[2],"of":[{"rule":"flow"},{"rule":"flow"}]}]}`, "the sum may be more by 1"},
		{"AG(x + y <= 2) && AG(x + v <= 3)", `{"rule":"operands","of":[{"rule":"operands","of":[{"rule":"split","events":[2],"of":[{"rule":"flow"},{"rule":"flow","flow":[[5,2,9]]}]}]},{"rule":"operands","of":[{"rule":"flow"}]}]}`, ""},
		{"AG(x + y <= 2)", `{"rule":"operands","of":[{"rule":"flow","flow":[[5,2,4503599627370496],[5,2,1]]}]}`, "a flow has two events and an amount"},
		{"AF(y == 1)", `{"rule":"pass","which":3,"events":[3,4]}`, "it is not AF"},
		{"AF(y == 1)", `{"rule":"pass","which":-1,"events":[3,4]}`, "it is not AF"},
		{"!A[y == 0 U u == 1]", `{"rule":"forced"}`, ""},
		{"AF(x == 2)", `{"rule":"forced"}`, ""},
		{"AG(!(!z && x != 2 && AG(v == 0 || z || x == 2)))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[3,1]") + `}]}`, ""},
		{"AG(!(!z && x != 2 && AG(v == 0 || z || x == 2)))", `{"rule":"operands","of":[{"rule":"forced"}]}`, "its negation may hold"},
		{"AG(!(!z && x != 2 && AG(v == 0 || z || x == 2)))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[1,3]") + `}]}`, "event 1 can happen without 3"},
		{"AG(!(v == 0 && AG(v == 0 || z || x == 2)))", `{"rule":"operands","of":[{"rule":"forced","ties":` + everywhere("[3,1]") + `}]}`, "its negation may hold"},
	} {
		check(t, c, test.formula, test.proof, test.want)
	}
}

// check checks a proof that a formula holds; want is part of what is wrong with it, "" for
// nothing.
func check(t *testing.T, c *graphs.Computation, formula, proof, want string) {
	t.Helper()
	f, err := syntax.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	k, err := certificate.New(context.Background(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	var p *certificate.Proof
	if err := json.Unmarshal([]byte(proof), &p); err != nil {
		t.Fatalf("%s: %v", proof, err)
	}
	switch err := k.Check(certificate.Version, "holds", p); {
	case want == "" && err != nil:
		t.Errorf("%s by %s: %v", formula, proof, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s by %s: %v, want %s", formula, proof, err, want)
	}
}

// everywhere ties two events for each formula there may be.
func everywhere(tie string) string {
	var all []string
	for id := range 40 {
		all = append(all, fmt.Sprintf(`"%d":[%s]`, id, tie))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// An amount flows along an edge, and only to where it does not lead back from before.
func TestFlows(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	x, w := b.Variable(0, "x"), b.Variable(1, "w")
	b.Init(x, graphs.Int(0))
	b.Init(w, graphs.Int(0))
	send, receive := b.Event(0), b.Event(1)
	b.Set(x, send, graphs.Int(2))
	b.Set(w, receive, graphs.Int(-1))
	b.Deliver(b.NewMessage(""), send, receive, -1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ formula, proof, want string }{
		{"AG(x + w <= 1)", `{"rule":"operands","of":[{"rule":"flow","flow":[[2,1,1]]}]}`, "a flow is not along an edge"},
		{"AG(x + w >= 2)", `{"rule":"operands","of":[{"rule":"split","events":[1],"of":[{"rule":"flow","flow":[[1,2,1]]}]}]}`, "the sum may be more by 1"},
		{"AG(x + w <= 2)", `{"rule":"operands","of":[{"rule":"flow"}]}`, ""},
		{"AG(!(x == 2 && transit(P, Q) <= 0))", `{"rule":"operands"}`, "its negation may hold at a cut from [1 1] on"},
	} {
		check(t, c, test.formula, test.proof, test.want)
	}
}

// A run does not come between two events of one step.
func TestSteps(t *testing.T) {
	var b graphs.Builder
	for _, name := range []string{"P", "Q", "R"} {
		b.Process(name)
	}
	x, y, w := b.Variable(0, "x"), b.Variable(1, "y"), b.Variable(2, "w")
	b.Init(x, graphs.Int(0))
	b.Init(y, graphs.Int(0))
	b.Init(w, graphs.Int(0))
	p, q := b.Event(0), b.Event(1)
	b.Set(x, p, graphs.Int(1))
	b.Set(y, q, graphs.Int(1))
	b.Sync(p, q)
	b.Set(w, b.Event(2), graphs.Int(1))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, "AF(x == 1 && w == 0)", `{"rule":"pass","which":1,"events":[1,2],"of":[{"rule":"split","events":[2]}]}`, "event 2 can come before the first ones")
	check(t, c, "EG(y == 0)", `{"rule":"run","run":[[0,1],[2,1]]}`, "its negation may hold at a cut from [1 1 0] on")
	check(t, c, "EG(y == 0)", `{"rule":"run","run":[[1,1],[2,1]]}`, "its negation may hold at a cut from [1 1 0] on")
	check(t, c, "AX(y == 0)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [1 1 0] on")
}

// Of one process, several events may be of one step.
func TestLongSteps(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	x := b.Variable(0, "x")
	b.Init(x, graphs.Int(0))
	b.Event(0)
	b.Set(x, b.Event(0), graphs.Int(1))
	b.Event(1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	c = c.With([]graphs.Edge{{From: 2, To: 3}, {From: 3, To: 1}})
	check(t, c, "AX(x == 0)", `{"rule":"operands","which":1}`, "its negation may hold at a cut from [2 1] on")
	check(t, c, "AX(x == 1)", `{"rule":"operands"}`, "")
}

// What atoms read is of the process that it is said to be of, at the events in their order, and
// has been read.
func TestSources(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	x, y := b.Variable(0, "x"), b.Variable(0, "y")
	b.Init(x, graphs.Int(0))
	b.Init(y, graphs.Int(0))
	send, receive := b.Event(0), b.Event(1)
	b.Set(x, send, graphs.Int(1))
	again := b.Event(0)
	b.Set(y, again, graphs.Int(1))
	b.Deliver(b.NewMessage(""), send, receive, -1)
	b.Deliver(b.NewMessage(""), again, b.Event(1), -1)
	skipped := b.Variable(1, "skipped")
	b.Skip(skipped, graphs.Number)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ formula, proof, want string }{
		{"AG(x - y != 1)", `{"rule":"operands"}`, "its negation may hold at a cut from [1 0] on"},
		{"AG(x == 0 || y == 1 || transit(P, Q) >= 1)", `{"rule":"operands"}`, "its negation may hold at a cut from [1 1] on"},
		{"AG(transit(P, Q) + x >= 1 || x == 0)", `{"rule":"operands"}`, ""},
	} {
		check(t, c, test.formula, test.proof, test.want)
	}
	f, err := syntax.Parse("AG(skipped == 0)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := certificate.New(context.Background(), c, f); err == nil || !strings.Contains(err.Error(), "the values of skipped") {
		t.Errorf("%v", err)
	}
}

// Sums that are rounded may be less where an operand is more: 2^55 + 5.5 is 2^55 + 8, and
// 2^55 + 6 is exact.
func TestRounding(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	f := b.Variable(0, "f")
	b.Init(f, graphs.Float(0.5))
	b.Set(f, b.Event(0), graphs.Int(1))
	b.Init(b.Variable(1, "u"), graphs.Int(1<<50))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("u + ", 32)
	check(t, c, "AG("+large+"5 + f >= "+large+"8)", `{"rule":"forced"}`, "its negation may hold")
	check(t, c, "AG(u + f >= u)", `{"rule":"forced"}`, "")
	check(t, c, "AG(u + u + f >= u + u)", `{"rule":"forced"}`, "its negation may hold")
}

// Events that assign different shared variables are in no order.
func TestShared(t *testing.T) {
	var b graphs.Builder
	for p, name := range []string{"P", "Q"} {
		b.Process(name)
		v := b.Variable(graphs.Shared, "of"+name)
		own := b.Variable(p, "own"+name)
		b.Init(v, graphs.Int(0))
		b.Init(own, graphs.Int(0))
		e := b.Event(p)
		b.Set(v, e, graphs.Int(1))
		b.Set(own, e, graphs.Int(1))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, "AG(ofQ == 0 || ofP == 1)", `{"rule":"forced"}`, "its negation may hold")
	check(t, c, "AG(ofP == 0 || ofQ == 1)", `{"rule":"forced"}`, "its negation may hold")
	check(t, c, "AG(ofQ <= ofP)", `{"rule":"forced"}`, "its negation may hold")
	// Those of one shared variable are.
	check(t, c, "AG(ofP == 0 || ownP == 1)", `{"rule":"forced"}`, "")
}

// What is claimed is a verdict by rules of this version.
func TestClaims(t *testing.T) {
	k, err := certificate.New(context.Background(), rendezvous(t), &syntax.Formula{Op: syntax.OpTrue})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		version int
		verdict string
		ok      bool
	}{
		{certificate.Version, "holds", true},
		{certificate.Version, "fails", false},
		{certificate.Version, "unknown", false},
		{certificate.Version - 1, "holds", false},
	} {
		if err := k.Check(test.version, test.verdict, nil); (err == nil) != test.ok {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// Nothing is said of events beyond the final cut, nor of computations without a cut.
func TestBeyond(t *testing.T) {
	c := rendezvous(t)
	early := c.With([]graphs.Edge{{From: c.Top(), To: c.Event(0, 2)}, {From: c.Top(), To: c.Event(1, 2)}})
	for _, test := range []struct{ formula, proof, want string }{
		{"AF(x == 2)", `{"rule":"pass","which":1,"events":[2]}`, "there is no event 2"},
		{"AG(x == 0)", `{"rule":"operands","of":[{"rule":"split","events":[2]}]}`, "there is no event 2"},
		{"AG(x == 0)", `{"rule":"forced"}`, ""},
		{"EF(x == 2)", `{"rule":"run","events":[2]}`, "there is no event 2"},
		{"EG(x == 0)", `{"rule":"run","run":[[0,1],[1,2]]}`, "process 1 cannot take the next step"},
		{"EG(x == 0)", `{"rule":"run","run":[[0,1],[1,1]]}`, ""},
		{"AF(z && y == 0)", `{"rule":"forced","ties":` + everywhere("[2,4]") + `}`, "there is no event 2"},
	} {
		check(t, early, test.formula, test.proof, test.want)
	}
	check(t, c.With([]graphs.Edge{{From: c.Top(), To: graphs.Bottom}}), "AG(x == 0)", `{"rule":"forced"}`, "computations with a cut")
	nobody, err := new(graphs.Builder).Build()
	if err != nil {
		t.Fatal(err)
	}
	check(t, nobody, "EX true", `{"rule":"forced"}`, "its negation may hold at a cut from [] on")
}

// The checker looks neither at cuts without end nor as deep as a long trace is.
func TestLook(t *testing.T) {
	var b graphs.Builder
	b.Init(b.Variable(b.Process("P"), "x"), graphs.Int(0))
	for range 1 << 19 {
		b.Event(0)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, "AG(x == 0)", `{"rule":"look"}`, "there is more to look at than the checker does")
}

// A checker stops when its context is done, and is of use again afterwards.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f, err := syntax.Parse("EF(x == 2)")
	if err != nil {
		t.Fatal(err)
	}
	k, err := certificate.New(ctx, rendezvous(t), f)
	if err != nil {
		t.Fatal(err)
	}
	p := &certificate.Proof{Rule: "run", Events: []graphs.Event{2}}
	for range 5000 {
		if err := k.Prove(k.Root, graphs.Cut{0, 0}, p); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for range 5000 {
		if err = k.Prove(k.Root, graphs.Cut{0, 0}, p); err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	f, err = syntax.Parse(strings.Repeat("AG ", 40) + "(u == 0)") // 2^40 steps
	if err != nil {
		t.Fatal(err)
	}
	if k, err = certificate.New(ctx, rendezvous(t), f); err != nil {
		t.Fatal(err)
	}
	if err := k.Check(certificate.Version, "fails", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
