package syntax

import "testing"

// TestEvents reads what speaks of events, and prints it.
func TestEvents(t *testing.T) {
	for _, text := range []string{
		`forall r in values(req): AG(once(op == "recv" && req == r) -> AF once(op == "done" && req == r))`,
		`forall r in values(req): AG(events(op == "charge" && req == r) <= 1)`,
		`forall e in events(op == "recv"): exists d in events(op == "done" && req == e.req): e before d && d.time - e.time <= 5s`,
		`forall w in events(op == "write"): forall r in events(op == "read" && key == w.key): w before r -> r.version >= w.version`,
		`forall k in values(lease): AG forall i != j: !(between(op == "take" && lease == k, op == "drop" && lease == k)@i && between(op == "take" && lease == k, op == "drop")@j)`,
		`forall (l, c) in values(lock, client): AG once(lock == l && client == c && !has(owner) && has(@time))@P1`,
		`exists r in values("http-status" where http.code >= 500 || @process == "web" && @label != "x"): EF once(req == r)`,
		`(count (l, c) in values(lock, client): x@P == 1) >= 2`,
		`(count r in values(req where op == "recv"): once(req == r)) <= 10`,
		`(sum e in events(op == "add"): e.amount) >= 150ms`,
		`forall e != d in events(op == "recv"): e before d || d before e`,
		`forall i: forall e in events(@process == i): AG(e -> x@i == 2)`,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.String(); got != text {
			t.Errorf("%s\nis printed %s", text, got)
		}
		g, err := Parse(f.String())
		if err != nil || !f.Equal(g) {
			t.Errorf("%s is read back as another formula: %v", text, err)
		}
	}
}

// TestDefinitions compares formulas that use definitions with the formulas that they stand for.
func TestDefinitions(t *testing.T) {
	properties, err := ParseProperties(`
define recv(r) = once(op == "recv" && req == r)
define is(o, r) = op == o && req == r   # a condition
define done(r) = once(is("done", r))
define low = x@P
define both(p, q) = p && q && low
define answer(e, d) = d.req == e.req && e before d
define holds(i, k) = between(op == "take" && lease == k, op == "drop" && lease == k)@i
answered: forall r in values(req): AG(recv(r) -> AF done(r))
both: both(E[x@P U low == 1],
	forall i: x@i)
events: forall e in events(op == "recv"): exists d in events(done.op == "x"): answer(e, d)
holder: forall k in values(lease): AG forall i != j: !(holds(i, k) && holds(j, k))
literal: holds("node-1", "k")
`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`forall r in values(req): AG(once(op == "recv" && req == r) -> AF once(op == "done" && req == r))`,
		`E[x@P U x@P == 1] && (forall i: x@i) && x@P`,
		`forall e in events(op == "recv"): exists d in events(done.op == "x"): d.req == e.req && e before d`,
		`forall k in values(lease): AG forall i != j: !(between(op == "take" && lease == k, op == "drop" && lease == k)@i && between(op == "take" && lease == k, op == "drop" && lease == k)@j)`,
		`between(op == "take" && lease == "k", op == "drop" && lease == "k")@"node-1"`,
	} {
		if got := properties[i].Formula.String(); got != want {
			t.Errorf("%s is\n%s, want\n%s", properties[i].Name, got, want)
		}
	}

	for _, bad := range []struct{ text, want string }{
		{"define f(x) = x &&\na: f(true)", "2:4: there is nothing after && in the definition of f at 1:8 (a property continues on the next line only while a bracket is open)"},
		{"define f = g\ndefine g = f\na: f", "3:4: g is not defined yet at 2:8 in the definition of f at 1:8 (a definition may use those that stand before it)"},
		{"define f(x) = x\na: f", "2:4: f takes one argument, found none (write f(x))"},
		{"define f(x) = x\na: f(1, 2)", "2:7: f takes one argument (write f(x))"},
		{"define f(x, y) = x\na: f(1)", "2:7: f takes 2 arguments (write f(x, y))"},
		{"define f = 1\ndefine f = 2\na: true", "2:8: f is already defined at 1:8 (choose another name)"},
		{"define f(x) = forall i: x\na: forall i: f(x@i)", "2:14: i is bound already where the definition is used in the definition of f at 1:8 (choose another name)"},
		{"define f(x, x) = 1\na: true", ""},
		{"define 1 = 1\na: true", ""},
		{"define f(x =\na: true", ""},
		{"define f =\na: true", ""},
	} {
		_, err := ParseProperties(bad.text)
		if err == nil || bad.want != "" && err.Error() != bad.want {
			t.Errorf("%q: got  %v\nwant %s", bad.text, err, bad.want)
		} else if bad.want == "" {
			t.Logf("%q: %v", bad.text, err)
		}
	}
}
