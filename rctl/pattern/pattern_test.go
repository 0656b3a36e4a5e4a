package pattern

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

func read(t *testing.T, text string) *graphs.Computation {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), file, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func verdict(t *testing.T, c *graphs.Computation, text string) rctl.Verdict {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c, g, err := rctl.Resolve(context.Background(), c, f)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	res, err := rctl.Check(context.Background(), c, g, rctl.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return res.Verdict
}

// example returns the formula of a pattern about the arguments of its example.
func example(t *testing.T, p Pattern) string {
	t.Helper()
	text, err := p.Apply(p.Example...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// mistake returns a pattern with the mistake in place of the formula.
func mistake(p Pattern) Pattern {
	p.Formula, p.More = p.Mistake, false
	p.Example = p.Example[:len(p.Params)]
	return p
}

// Each pattern fails on its trace, where the mistake holds, and holds before any event
// unless it asks for something to happen.
func TestPatterns(t *testing.T) {
	for _, p := range All() {
		c := read(t, p.Trace)
		if v := verdict(t, c, example(t, p)); v != rctl.Fails {
			t.Errorf("%s: %s %s", p.Name, example(t, p), v)
		}
		if v := verdict(t, c, example(t, mistake(p))); v != rctl.Holds {
			t.Errorf("%s: the mistake %s %s", p.Name, example(t, mistake(p)), v)
		}
		var initial []string
		for line := range strings.Lines(p.Trace) {
			if strings.Contains(line, `"init"`) {
				initial = append(initial, line)
			}
		}
		needsEvents := p.Name == "reaches" || p.Name == "until" || p.Name == "channel"
		if needsEvents || initial == nil {
			continue
		}
		if v := verdict(t, read(t, strings.Join(initial, "")), example(t, p)); v != rctl.Holds {
			t.Errorf("%s: %s %s without events", p.Name, example(t, p), v)
		}
	}
	if len(All()) < 15 {
		t.Errorf("%d patterns", len(All()))
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"mutex:cs", "AG forall i != j having cs: !(cs@i && cs@j)"},
		{`responds: (x == 1) , "a,b"@P == "c\",d" `, `AG(x == 1 -> AF("a,b"@P == "c\",d"))`},
		{`mutex:state=="LEADING"`, `AG forall i != j having state: !(state@i == "LEADING" && state@j == "LEADING")`},
		{`atmost:2, "a b" >= 3`, `AG((count i having "a b": "a b"@i >= 3) <= 2)`},
		{"quorum:x>1,y<2,3", "AG(x > 1 -> (count i having y: y@i < 2) >= 3)"},
		{"monotone:term@n1,1,2,5", "AG(term@n1 >= 1 -> AG(term@n1 >= 1)) && AG(term@n1 >= 2 -> AG(term@n1 >= 2)) && AG(term@n1 >= 5 -> AG(term@n1 >= 5))"},
		{"never:exists i in {a, b}: x@i", "AG !exists i in {a, b}: x@i"},
		{"mutx:cs", `there is no pattern "mutx"; did you mean mutex?`},
		{"foo", `there is no pattern "foo"; there are never, exclusive, `},
		{"mutex", "the pattern mutex is written mutex:VARIABLE, such as mutex:cs"},
		{"mutex:a,b", "the pattern mutex is written mutex:VARIABLE, such as mutex:cs"},
		{"monotone:x", "the pattern monotone is written monotone:X,VALUE,…, such as monotone:term@n1,1,2"},
		{"responds:,q", "the argument P of the pattern responds is empty; it is written responds:P,Q"},
	} {
		p, err := Parse(test.text)
		got := p.Source
		var bad *Error
		if errors.As(err, &bad) {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for text, want := range map[string]string{
		"responds:a@P,b@P,within 5s":                          "AG(a@P -> AF[<= 5s] b@P)",
		`response:req,op == "recv",op == "done",within 150ms`: `forall r in values(req): AG(once(op == "recv" && req == r) -> AF[<= 150ms] once(op == "done" && req == r))`,
		"never:a@P,within 5s":                                 "",
		"responds:a@P,within 5s":                              "",
		"responds:a@P,b@P,within 5":                           "",
	} {
		p, err := Parse(text)
		if p.Source != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v, want %s", text, p.Source, err, want)
		}
	}
}
