package online

import (
	"strings"
	"testing"
)

// When verdicts can become final is said before there is an event.
func TestExpect(t *testing.T) {
	for text, want := range map[string]string{
		"AG(forall i != j having x: !(x@i == 1 && x@j == 1))": "fails at an event, holds at the end, as processes may join",
		"EF(exists i: x@i == 1)":                              "holds at an event, fails at the end, as processes may join",
		`EF(once(op == "done")@P7)`:                           "holds at an event, fails once its processes have closed",
		"EF(forall i: x@i == 1)":                              "fails once its processes have closed, holds at the end, as processes may join",
		"AG((count i: x@i == 1) == 1)":                        "fails at an event, holds at the end, as processes may join",
		"AG((count i in {A, B}: x@i == 1) == 1)":              "fails at an event, holds once its processes have closed",
		`EF(exists i in "web*": x@i == 1)`:                    "holds at an event, fails at the end, as processes may join",
		"AG(x@A == 1 -> AF(x@B == 1))":                        "holds or fails once its processes have closed",
		"AF(x@A == 1 && x@B == 1)":                            "holds at an event, fails once its processes have closed",
		"EG(x == 1 && transit(A, B) < 2)":                     "holds or fails once nothing to come can change it",
		"A[x == 1 R y@A == 1]":                                "fails at an event, holds once nothing to come can change it",
		"EX(x == 1)":                                          "holds at an event, fails at the end",
		"AX(EF(x == 1))":                                      "holds or fails at the end",
		"x == 1":                                              "holds or fails at once",
		"AG EF(forall i: x@i == 1)":                           "fails once its processes have closed, holds at the end, as processes may join",
		"EF(exists i: x@i == 1) && AG(forall i: x@i == 1)":    "fails at an event, holds at the end, as processes may join",
		"forall i: AG(x@i == 1 -> AF[<= 5s] x@i == 2)":        "fails once a deadline has passed, holds at the end",
		"exists i: EF[>= 5s] x@i == 1":                        "holds once a deadline has passed, fails at the end",
		"forall i: EF[>= 5s] x@i == 1":                        "holds or fails at the end",
		"EF[>= 5s](x@A == 1 && x@B == 1)":                     "holds or fails at the end, as its bound on time is not about events or one process",
		`AG(x@A == 1 -> knows B: once(op == "a"))`:            "holds or fails at the end, as what a process knows depends on all events",
		`forall c in events(op == "charge"): exists r in events(op == "reserve" && order == c.order): r before c`:        "fails at an event, holds at the end",
		`forall e in events(op == "recv"): exists d in events(op == "done" && req == e.req): e before d`:                 "holds or fails at the end, as each event to come may change it",
		`exists e in events(op == "recv"): exists d in events(op == "done" && req == e.req): e before d`:                 "holds at an event, fails at the end",
		`forall w in events(op == "write"): forall r in events(key == w.key): w before r -> r.version >= w.version`:      "fails at an event, holds at the end",
		`forall r in values(req): forall e != d in events(req == r): !(e before d) -> d before e`:                        "fails at an event, holds at the end",
		`forall r in values(req): !(exists e in events(op == "done" && req == r): e.n > 3)`:                              "fails at an event, holds at the end",
		`forall e in events(op == "recv"): AF once(op == "done" && req == e.req)`:                                        "holds or fails at the end",
		`forall e in events(op == "done"): AG(once(op == "done" && req == e.req) -> once(op == "recv" && req == e.req))`: "fails at an event, holds at the end",
		`forall e in events(op == "done"): AG(e.n > 3 -> once(op == "recv" && req == e.req))`:                            "holds or fails at the end, as its bindings are not distinguished by what their events assign",
		`forall r in values(req): AG(x@A == 1 -> once(req == r))`:                                                        "holds or fails at the end, as variables of processes or messages matter to all bindings",
	} {
		if got, err := Expect(parsed(t, text), false, 0); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
		if got, err := Expect(parsed(t, text), true, 0); err != nil || strings.Contains(got.String(), "join") {
			t.Errorf("%s, declared: %v, %v", text, got, err)
		}
	}
}
