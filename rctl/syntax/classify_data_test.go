package syntax

import "testing"

// TestClassifyData classifies formulas about data as they are written: reasons need not speak of
// variables, of which there may be none.
func TestClassifyData(t *testing.T) {
	for _, text := range []string{
		`forall r in values(req): AG(events(op == "done" && req == r) <= 1)`,
		`AG(once(a) -> once(b))`, `EG(once(a)@P || between(a, b)@P)`, `exists e in events(a): EF(e && e.f <= events(b))`,
		`forall e, d in events(a): e before d`, `AG((count r in values(req): once(req == r)) <= 1)`, `EF((sum e in events(a): e.n) == events(b))`,
		`E[once(a) U once(b)@P]`, `AG(events(a) == events(b))`,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		class := Classify(f)
		t.Logf("%s: %s %v", text, class.Fragment, class.Leaves)
	}
}
