package outofcore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// Decided in the order of the file and in a causal order on disk, formulas have the same
// verdicts; a trace is put in order only if too much would be held.
func TestOrders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintf(&lines, "{\"process\":\"P\",\"set\":{\"x\":%d},\"send\":\"m%d\"}\n", i, i)
	}
	for i := range 50 {
		fmt.Fprintf(&lines, "{\"process\":\"Q\",\"set\":{\"y\":%d},\"recv\":\"m%d\"}\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var properties []syntax.Property
	for _, text := range []string{"AG(x@P >= y@Q)", "EF(y@Q == 3 && x@P == 40)", "AG(y@Q < 49)"} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		properties = append(properties, syntax.Property{Source: text, Formula: f})
	}
	for limit, ordered := range map[int]bool{0: false, 10: true} {
		var notes []string
		d, err := Decide(path, properties, Options{
			MaxHeld: limit,
			Step:    func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note:    func(text string) { notes = append(notes, text) },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[int]rctl.Verdict)
		for _, a := range d.Answers {
			got[a.Property] = a.Verdict
		}
		want := map[int]rctl.Verdict{0: rctl.Holds, 1: rctl.Holds, 2: rctl.Fails}
		if fmt.Sprint(got) != fmt.Sprint(want) || d.Sizes.Events != 100 || d.Sizes.Messages != 50 || d.Sizes.Processes != 2 {
			t.Errorf("limit %d: %v, %+v", limit, got, d.Sizes)
		}
		if (len(notes) > 0) != ordered {
			t.Errorf("limit %d: notes %q", limit, notes)
		}
	}
}

// Rules that need the whole trace are broken at the line of the file.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"process":"P"}` + "\n" + `{"process":"P","init":{"x":1}}`:    `:2: the initial values of process "P" must come before its events`,
		`{"process":"P","init":{"x":1}}` + "\n" + `{"shared":{"x":1}}`: `:2: variable "x" is shared and has an initial value of a process`,
		`{"process":"P","id":"Q:1"}` + "\n" + `{"process":"Q"}`:        `:1: the id "Q:1" is the default id of another event, event 1 of process "Q"`,
		`{"process":"P"}` + "\n\n" + `{"process":"P","recv":"m"}`:      `:3: message "m" is received but never sent`,
		`{"shared":{"x":1}}`: `: a trace without a process`,
	} {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := syntax.Parse("AG(true)")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decide(path, []syntax.Property{{Source: "AG(true)", Formula: f}}, Options{
			Step: func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note: func(string) {},
		})
		if err == nil || err.Error() != path+want {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}
