package crucial_test

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
)

// A tank is filled by one process and emptied by another. A state is its level.
type tank struct{ layout program.Layout }

const full = 3

func newTank() *tank {
	process := func(name string) program.Process {
		return program.Process{Name: name, Locations: []program.Location{{}}}
	}
	return &tank{program.Layout{
		Size:      1,
		Processes: []program.Process{process("pump"), process("drain")},
		Variables: []program.Variable{{Name: "level", Process: graphs.Shared, Kind: graphs.Number, Objects: []int{0}}},
		Objects:   1,
		Actions: []program.Action{
			{Process: 0, To: []int{0}, Reads: []int{0}, Writes: []int{0}, Label: "fill"},
			{Process: 1, To: []int{0}, Reads: []int{0}, Writes: []int{0}, Label: "empty"},
		},
	}}
}

func (t *tank) Layout() *program.Layout   { return &t.layout }
func (t *tank) Initial(dst []byte) []byte { return append(dst, 0) }
func (t *tank) Location([]byte, int) int  { return 0 }
func (t *tank) Holder([]byte) int         { return -1 }
func (t *tank) Value(s []byte, _ int) graphs.Value {
	return graphs.Int(int64(s[0]))
}

func (t *tank) Enabled(s []byte, p int, dst []program.Transition) []program.Transition {
	if p == 0 && s[0] < full || p == 1 && s[0] == full {
		dst = append(dst, program.Transition{Action: int32(p), Partner: program.NoPartner})
	}
	return dst
}

func (t *tank) Apply(s []byte, step program.Transition, dst []byte) ([]byte, error) {
	if step.Action == 0 {
		return append(dst, s[0]+1), nil
	}
	return append(dst, 0), nil
}

// A program in Go is checked through the interface program.Program.
func ExampleCheck() {
	t := newTank()
	scope, err := crucial.Scope(t)
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"AG(level <= 3)", "AG(AF level == 0)", "AF(level == 4)"} {
		f, err := syntax.Parse(text)
		if err != nil {
			panic(err)
		}
		if f, err = syntax.Resolve(context.Background(), f, scope); err != nil {
			panic(err)
		}
		res, err := crucial.Check(context.Background(), t, f, crucial.Options{Trail: true})
		if err != nil {
			panic(err)
		}
		fmt.Println(res.Verdict, text)
		for _, trail := range res.Trails {
			for i, step := range trail.Steps {
				if i == trail.Cycle {
					fmt.Print(" for ever:")
				}
				fmt.Print(" ", t.layout.Actions[step.Action].Label)
			}
			fmt.Println()
		}
	}
	// Output:
	// holds AG(level <= 3)
	// holds AG(AF level == 0)
	// fails AF(level == 4)
	//  for ever: fill fill fill empty
}
