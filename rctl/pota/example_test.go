package pota_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pota-project/pota/rctl/pota"
)

// A call that decides a formula on a trace; README.md shows it.
func Example() {
	ctx := context.Background()
	results, err := pota.Check(ctx, "../../testdata/lock.jsonl", "AG(!(holds@A && holds@B))")
	if err != nil {
		log.Fatal(pota.Describe(err))
	}
	fmt.Println(results[0]) // the verdict, and the run that shows it
	// Output:
	// fails: AG(!(holds@A && holds@B))
	//   holds is true at A and B after 7 events
	//   predicted: not in the recorded order, but in another one that causality allows
	//   nothing orders a3 (lets go) before l2 (lease is over)
	//   AG(!(holds@A && holds@B)) fails: a run of 7 events to this cut
	//       1  a1  A      0.000   lock.jsonl:4   sends "a asks" to locks
	//       2  l1  locks  0.002   lock.jsonl:5   receives "a asks" from A, sends "a may" to A
	//       3  l2  locks  10.002  lock.jsonl:8   "lease is over"
	//       4  a2  A      0.005   lock.jsonl:6   holds: false → true, receives "a may" from locks
	//       5  b1  B      10.100  lock.jsonl:9   sends "b asks" to locks
	//       6  l3  locks  10.103  lock.jsonl:10  receives "b asks" from B, sends "b may" to B
	//       7  b2  B      10.106  lock.jsonl:11  holds: false → true, receives "b may" from locks
	//       –  a3  A      9.990   lock.jsonl:7   not yet: holds: true → false  "lets go"
	//   cut A:2 locks:3 B:2
	//       holds@A = true   holds@B = true
}

// Two clients hold the lock at once, in an order of events that the log does not show.
func ExampleCheck() {
	results, err := pota.Check(context.Background(), "../../testdata/lock.jsonl",
		"mutex: AG(forall i != j having holds: !(holds@i && holds@j))",
		"EF(holds@B)")
	if err != nil {
		log.Fatal(pota.Describe(err))
	}
	for _, r := range results {
		fmt.Println(r.Property.Name, r.Verdict)
	}
	w := results[0].Witness
	fmt.Println("with", w.Bindings, "at", w.Cut, w.Values)
	for _, s := range w.Steps {
		fmt.Println(s.ID, s.Process, s.Label, s.Changes, s.Messages)
	}
	// Output:
	// mutex fails
	//  holds
	// with map[i:A j:B] at map[A:2 B:2 locks:3] map[holds@A:true holds@B:true]
	// a1 A  [] [sends "a asks" to locks]
	// l1 locks  [] [receives "a asks" from A sends "a may" to A]
	// l2 locks lease is over [] []
	// a2 A  [{holds false true}] [receives "a may" from locks]
	// b1 B  [] [sends "b asks" to locks]
	// l3 locks  [] [receives "b asks" from B sends "b may" to B]
	// b2 B  [{holds false true}] [receives "b may" from locks]
}

// A result as text is what pota detect --witness prints.
func ExampleResult() {
	results, err := pota.Check(context.Background(), "../../testdata/figure1.jsonl", "AG(x == 2 -> AF(y == 1))")
	if err != nil {
		log.Fatal(pota.Describe(err))
	}
	fmt.Println(results[0])
	// Output:
	// fails: AG(x == 2 -> AF(y == 1))
	//   x is 2 at P1 after 3 events, and then a run of 3 events never reaches y == 1
	//   AG(x == 2 -> AF(y == 1)) fails: a run of 3 events to this cut
	//       1  f1  P2  figure1.jsonl:6  y: 0 → 1, sends "m1" to P1
	//       2  f2  P2  figure1.jsonl:7  y: 1 → 2
	//       3  e1  P1  figure1.jsonl:3  x: 1 → 2, receives "m1" from P2
	//   cut P1:1 P2:2
	//       x@P1 = 2   y@P2 = 2
	//     AF(y == 1) fails: a run of 3 events to the end
	//         …  2 events that change nothing in it
	//         3  f3  P2  figure1.jsonl:8  y: 2 → 4
	//     cut P1:3 P2:3
	//         y@P2 = 4
}

// An error shows its place and what may have been meant.
func ExampleDescribe() {
	_, err := pota.Check(context.Background(), "../../testdata/lock.jsonl", "AG(holds@A => lease == A)")
	fmt.Println(pota.Describe(err))
	_, err = pota.Check(context.Background(), "../../testdata/lock.jsonl", "granted: AG(holds@A -> lease == A)")
	fmt.Println(pota.Describe(err))
	// Output:
	// 1:12: => is not an operator (implication is written ->, at least is written >=)
	// AG(holds@A => lease == A)
	//            ^
	// granted: 1:33: there is no variable A (strings are written in double quotes: "A")
	// granted: AG(holds@A -> lease == A)
	//                                 ^
}
