package promela_test

import (
	"fmt"

	"github.com/pota-project/pota/graphs/program/promela"
)

func Example() {
	model, err := promela.Parse("lock.pml", `
byte inside
bool taken
active [2] proctype user() {
	do
	:: atomic { !taken -> taken = true }; inside++
cs:	   inside--; taken = false
	od
}`, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range model.Procs {
		fmt.Println(p.Name, p.Active, p.Body[0].Options[0][0].Options[0][1])
	}
	p, err := promela.Compile(model)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := p.Initial(nil)
	for range 4 {
		list := p.Enabled(s, 1, p.Enabled(s, 0, nil))
		fmt.Println(len(list), p.Layout().Actions[list[0].Action].Label)
		s, _ = p.Apply(s, list[0], nil)
	}
	_, err = promela.Parse("lock.pml", "byte inside; active proctype user() { insde++ }", nil)
	fmt.Println(err)
	// Output:
	// user 2 taken = 1
	// 2 !taken
	// 1 taken = 1
	// 1 inside = inside + 1
	// 1 inside = inside - 1
	// lock.pml:1:39: insde is not declared (did you mean "inside"?)
}
