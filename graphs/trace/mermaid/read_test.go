package mermaid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/rctltest"
)

const samples = "../../../testdata/traces/mermaid/"

func read(path string, opts trace.Options) ([]trace.Execution, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return mermaid.Read(context.Background(), source, opts)
}

// dir is where tests write, thousands of times.
var dir string

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "mermaid"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// readText reads a file called x.mmd.
func readText(t testing.TB, text string, opts trace.Options) ([]trace.Execution, error) {
	t.Helper()
	return read(write(t, "x.mmd", text), opts)
}

func readAll(t testing.TB, text string) []trace.Execution {
	t.Helper()
	all, err := readText(t, text, trace.Options{Names: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// inNative returns a computation as a native trace.
func inNative(t testing.TB, c *graphs.Computation) string {
	t.Helper()
	var b bytes.Buffer
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func names(all []trace.Execution) []string {
	var names []string
	for _, x := range all {
		names = append(names, x.Name)
	}
	return names
}

// The properties that the samples demonstrate.
func TestSamples(t *testing.T) {
	for _, test := range []struct {
		file, execution, formula string
		want                     bool
	}{
		{"twophase.mmd", "P2 can commit/not the coordinator crashes before it tells", `AG(!(state@P1 == "committed" && state@P2 == "aborted"))`, true},
		{"twophase.mmd", "P2 can commit/not the coordinator crashes before it tells", `AG(state@P1 == "committed" -> decided@C == "commit")`, true},
		{"twophase.mmd", "P2 can commit/not the coordinator crashes before it tells", `EF(state@P1 == "committed" && state@P2 == "prepared")`, true},
		{"twophase.mmd", "P2 can commit/the coordinator crashes before it tells", `AF(AG(decided@C == "commit" && state@P1 == "prepared" && state@P2 == "prepared"))`, true},
		{"twophase.mmd", "P2 cannot", `EF(state@P1 == "prepared" && state@P2 == "aborted")`, true},
		{"twophase.mmd", "P2 cannot", `EF(decided@C == "commit")`, false},
		{"lock.mmd", "the lease is extended", `EF(holds@A && holds@B)`, true},
		{"lock.mmd", "not the lease is extended", `AG(holds@A && holds@B -> expired)`, true},
		{"review.md", "1/hit", `EF(filled)`, false},
		{"review.md", "1/miss", `AG(filled -> AF(AG(filled)))`, true},
		{"review.md", "2", `EF(version@C == 2 && version@D == 1)`, true},
		{"review.md", "2", `EF(version@C == 1 && version@D == 2)`, true},
	} {
		all, err := read(samples+test.file, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(names(all), test.execution)
		if i < 0 {
			t.Fatalf("%s has %q", test.file, names(all))
		}
		c := all[i].Computation
		f, err := rctltest.Resolve(c, test.formula)
		if err != nil {
			t.Fatalf("%s: %v", test.formula, err)
		}
		l := graphtest.NewLattice(c)
		if got := rctltest.Holds(l, f)[l.Initial]; got != test.want {
			t.Errorf("%s%s: %s: %v", test.file, test.execution, test.formula, got)
		}
	}
}

// describe lists events with labels, edges between processes, ties, variables and
// messages that are lost.
func describe(c *graphs.Computation) []string {
	var lines []string
	for e := graphs.Event(1); e < c.Top(); e++ {
		line := c.ID(e)
		if c.Label(e) != "" {
			line += " " + c.Label(e)
		}
		lines = append(lines, line)
	}
	for _, m := range c.Messages() {
		if m.Recv == graphs.Bottom {
			lines = append(lines, fmt.Sprintf("%s > lost for %s", c.ID(m.Send), c.Processes()[m.To]))
		} else {
			lines = append(lines, fmt.Sprintf("%s > %s", c.ID(m.Send), c.ID(m.Recv)))
		}
	}
	for _, tied := range c.Syncs() {
		ids := []string{c.ID(tied[0]), c.ID(tied[1])}
		slices.Sort(ids)
		lines = append(lines, strings.Join(ids, " = "))
	}
	for _, v := range c.Variables() {
		line := fmt.Sprintf("%s@%s %s", v.Name, c.Processes()[v.Process], v.Init)
		for i := range v.Len() {
			line += fmt.Sprintf(", %s by %s", v.Value(i), c.ID(v.Event(i)))
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStatements(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // lines, separated by semicolons
	}{
		{"a message", "A->>B: hi", "A:1 hi; B:1 hi; A:1 > B:1"},
		{"blanks and hyphens", " my-service  -->>  data base : to  be ", "my-service:1 to be; data base:1 to be; my-service:1 > data base:1"},
		{"no text", "A->>B:", "A:1; B:1; A:1 > B:1"},
		{"to itself", "A->>A: think\nA-xA: forget\nA<<->>A: talk", "A:1 think; A:2 forget; A:3 talk"},
		{"lost", "A-xB: m\nA--xB: n", "A:1 m; A:2 n; A:1 > lost for B; A:2 > lost for B"},
		{"a rendezvous", "A<<->>B: m\nB<<-->>A: n", "A:1 m; A:2 n; B:1 m; B:2 n; A:1 = B:1; A:2 = B:2"},
		{"central connections", "A->>()B: 1\nA()->>B: 2\nA () -->> () B: 3\nA->>()+B: 4",
			"A:1 1; A:2 2; A:3 3; A:4 4; B:1 1; B:2 2; B:3 3; B:4 4; A:1 > B:1; A:2 > B:2; A:3 > B:3; A:4 > B:4"},
		{"aliases", "participant A as Alice; actor B as Bob<br/>B.\nparticipant C@{ \"type\": \"queue\" }\nactor D@{\n \"type\": \"entity\", \"alias\": \"x;y\" } as Dora\nparticipant E as as\nD->>A: x",
			"A:1 x; D:1 x; D:1 > A:1"},
		{"names in quotes, and not in Latin", "participant \"A b\"\n客户端->>\"A b\": é", "\"A b\":1 é; 客户端:1 é; 客户端:1 > \"A b\":1"},
		{"keywords as names", "end->>note: x\nloop-->>end: y", "end:1 x; end:2 y; note:1 x; loop:1 y; end:1 > note:1; loop:1 > end:2"},
		{"keywords in capitals", "PARTICIPANT A\nNOTE OVER A: x = 1\nLoop 2 times\nA->>A: z\nEND", "A:1 x = 1; A:2 z; A:3 z; x@A 0, 1 by A:1"},
		{"comments and separators", "A->>B: one # not two\n%% A->>B: three ; A->>B: four\nA->>B: five; B->>A: 100%% #35;6 #amp; #nosuch; #x\n# seven\n;;",
			"A:1 one; A:2 five; A:3 100%% #6 & #nosuch;; B:1 one; B:2 five; B:3 100%% #6 & #nosuch;; A:1 > B:1; A:2 > B:2; B:3 > A:3"},
		{"directives", "%%{init: {\n'theme': 'dark' } }%%A->>A: x", "A:1 x"},
		{"breaks of lines", "A->>A: one<br>two <BR />three", "A:1 one two three"},
		{"wrap", "A->>A:wrap: x y", "A:1 x y"},
		{"passed over", "title T\ntitle: U\naccTitle: V\naccDescr: W\naccDescr {\nA->>B: x\n}\nautonumber\nautonumber 10 5\nautonumber off\nlink A: B @ https://x\nlinks A: {\"a\": \"b\"}\nproperties A: {}\ndetails A: x\nbox Aqua G\nparticipant B\nend\nrect rgb(0, 1, 2)\nA->>A: y\nend\nNote over A, B: talk: x == 1\nNote left of A: x => y\nnote right  of A: initially poor",
			"A:1 y"},
		{"called as a keyword", "details ->> A: x\nA->>details: y", "details:1 x; details:2 y; A:1 x; A:2 y; details:1 > A:1; A:2 > details:2"},
		{"notes", "Note over A: x = 1, y=true, z = \"a b, c\", w = n/a", "!"},
		{"semicolons", "A->>B: wait#59; then go;B->>A: a;;B->>A: b; rect x; A->>B: d; end",
			"A:1 wait; then go; A:2 a; A:3 b; A:4 d; B:1 wait; then go; B:2 a; B:3 b; B:4 d; A:1 > B:1; B:2 > A:2; B:3 > A:3; A:4 > B:4"},
		{"assignments", "Note over A: x = 1, y=true , z = \"a b, c #35;\"<br/>w = not-done, r.f = -1.5e3\nNote left of A: x = 2,y=false",
			"A:1 x = 1, y=true , z = \"a b, c #\" w = not-done, r.f = -1.5e3; A:2 x = 2,y=false; x@A 0, 1 by A:1, 2 by A:2; y@A false, true by A:1, false by A:2; z@A \"\", \"a b, c #\" by A:1; w@A \"\", \"not-done\" by A:1; r.f@A 0, -1500 by A:1"},
		{"a note over two", "Note over A,B: x = 1", "A:1 x = 1; B:1 x = 1; A:1 = B:1; x@A 0, 1 by A:1; x@B 0, 1 by B:1"},
		{"initially", "Note over A,B: initially x = 1, s = on\nB->>B: z\nNote over A: initially x = 2\nNote over B: x = 3",
			"B:1 z; B:2 x = 3; x@A 2; s@A \"on\"; x@B 1, 3 by B:2; s@B \"on\""},
		{"activation", "participant A; activate A\nA->>+B: m\nA->>+B: n\nB-->>-A: o\ndeactivate A\nB->>C: p\nactivate C\nactivate C\ndeactivate B",
			"A:1 m; A:2 n; A:3 o; B:1 m; B:2 n; B:3 o; B:4 p; C:1 p; A:1 > B:1; A:2 > B:2; B:3 > A:3; B:4 > C:1"},
		{"creation and destruction", "A->>A: x\ncreate participant B as Bob\nNote over A: soon\nA->>B: hi\ndestroy B\nB-xA: bye\ncreate actor C\nA->>C: hi\ndestroy C\nA-xC: !",
			"A:1 x; A:2 hi; A:3 hi; A:4 !; B:1 hi; B:2 bye; C:1 hi; A:2 > B:1; B:2 > lost for A; A:3 > C:1; A:4 > lost for C"},
		{"a loop", "loop Every minute\nA->>B: x\nend\nloop 2 times\nA->>B: y\nend\nloop 0 times\nA->>B: z\nend",
			"A:1 x; A:2 y; A:3 y; B:1 x; B:2 y; B:3 y; A:1 > B:1; A:2 > B:2; A:3 > B:3"},
		{"par", "par one\nA->>B: x\nand two\nA->>C: y\nend\npar_over\nC->>C: z\nend", "A:1 x; A:2 y; B:1 x; C:1 y; C:2 z; A:1 > B:1; A:2 > C:1"},
		{"critical without options", "critical c\nA->>A: x\nend", "A:1 x"},
	} {
		all, err := readText(t, "sequenceDiagram\n"+test.text, trace.Options{Names: true})
		if test.want == "!" {
			if err == nil {
				t.Errorf("%s: no error", test.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if len(all) != 1 || all[0].Name != "" {
			t.Errorf("%s: executions %q", test.name, names(all))
		}
		got := strings.Join(describe(all[0].Computation), "; ")
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestArrows(t *testing.T) {
	for _, arrow := range []string{"->", "-->", "->>", "-->>", "-)", "--)", `-|\`, `--|\`, "-|/", "--|/", `-\\`, `--\\`, "-//", "--//"} {
		got := strings.Join(describe(readAll(t, "sequenceDiagram\nA"+arrow+"B: m")[0].Computation), "; ")
		if want := "A:1 m; B:1 m; A:1 > B:1"; got != want {
			t.Errorf("%s: %s", arrow, got)
		}
	}
	for _, arrow := range []string{"/|-", "/|--", `\|-`, `\|--`, "//-", "//--", `\\-`, `\\--`} {
		got := strings.Join(describe(readAll(t, "sequenceDiagram\nA"+arrow+"B: m")[0].Computation), "; ")
		if want := "A:1 m; B:1 m; B:1 > A:1"; got != want {
			t.Errorf("%s: %s", arrow, got)
		}
	}
}

// The text around a diagram.
func TestDocuments(t *testing.T) {
	const body = "A->>B: x\n"
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"plain":         {"sequenceDiagram\n" + body, []string{""}},
		"one line":      {"sequenceDiagram;A->>B: x;", []string{""}},
		"no break":      {"sequenceDiagram A->>B: x", []string{""}},
		"any case":      {"SEQUENCEDIAGRAM\n" + body, []string{""}},
		"Windows":       {"\ufeffsequenceDiagram\r\nA->>B: x\r\nloop 2 times\r\nA->>B: y\r\nend\r\n", []string{""}},
		"front matter":  {"\n---\ntitle: flowchart\n---\n%% c\n%%{init: {}}%%\n  sequenceDiagram\n" + body, []string{""}},
		"Markdown":      {"# T\n\n```mermaid\nsequenceDiagram\n" + body + "```\n\n~~~~ Mermaid\n%% c\nsequenceDiagram\n" + body + "%% no end yet\n~~~~\nrest", []string{"1", "2"}},
		"one of two":    {"---\na: b\n---\n```mermaid\npie\n```\n- item\n  ```{mermaid}\n  sequenceDiagram\n  A->>B: x\n  ```\n", []string{""}},
		"options":       {"```{mermaid}\n:alt: a b\n :align: left\r\n\nsequenceDiagram\n" + body + "```\n", []string{""}},
		"colons":        {"::: tip\n```mermaid\nsequenceDiagram\n" + body + "```\n:::\n:::mermaid\nsequenceDiagram\n" + body + ":::\n::: mermaid\nsequenceDiagram\n" + body + ":::\n", []string{"1", "2", "3"}},
		"an example":    {"```mermaid-example\nsequenceDiagram\n" + body + "```\n", []string{""}},
		"block in text": {"````\n```mermaid\nsequenceDiagram\nbad\n```\n````\n```mermaid\nsequenceDiagram\n" + body, []string{""}},
		"choices": {"```mermaid\nsequenceDiagram\nopt a\n" + body + "end\n```\n```mermaid\nsequenceDiagram\n" + body + "```\n",
			[]string{"1/a", "1/not a", "2"}},
	} {
		if !mermaid.Detect([]byte(test.text)) {
			t.Errorf("%s is not detected", name)
		}
		all, err := readText(t, test.text, trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(names(all), test.want) {
			t.Errorf("%s: executions %q", name, names(all))
		}
	}
}

func TestChoices(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string // name: labels of A's events
	}{
		{"alt one\nA->>A: 1\nelse two\nA->>A: 2\nelse\nA->>A: 3\nend\nA->>A: 4", []string{"one: 1 4", "two: 2 4", "else: 3 4"}},
		{"alt\nA->>A: 1\nelse\nA->>A: 2\nend", []string{"alt: 1", "else: 2"}},
		{"alt a\nA->>A: 1\nend", []string{"a: 1", "not a:"}},
		{"opt\nA->>A: 1\nend\nopt b<br/>c\nA->>A: 2\nend", []string{"opt/b c: 1 2", "opt/not b c: 1", "no opt/b c: 2", "no opt/not b c:"}},
		{"critical c\nA->>A: 1\noption x\nA->>A: 2\noption\nA->>A: 3\nend", []string{"no option: 1", "x: 1 2", "option: 1 3"}},
		{"A->>A: 1\nbreak b\nA->>A: 2\nend\nA->>A: 3", []string{"not b: 1 3", "b: 1 2"}},
		{"loop 2 times\nA->>A: 1\nbreak\nA->>A: 2\nend\nA->>A: 3\nend\nA->>A: 4",
			[]string{"no break/no break: 1 3 1 3 4", "no break/break: 1 3 1 2 4", "break: 1 2 4"}},
		{"par\nloop 1 time\nbreak b\nA->>A: 1\nend\nend\nand\nA->>A: 2\nend", []string{"not b: 2", "b: 1 2"}},
		{"alt x\nbreak b\nA->>A: 1\nend\nelse x\nA->>A: 2\nend\nA->>A: 3", []string{"x/not b: 3", "x/b: 1", "x: 2 3"}},
		{"alt x\nA->>A: 1\nelse x\nA->>A: 2\nelse x (2)\nA->>A: 3\nelse x\nA->>A: 4\nend", []string{"x: 1", "x (2): 2", "x (2) (2): 3", "x (3): 4"}},
		{"critical c\nA->>A: 1\nbreak b\nend\noption x\nA->>A: 2\nend", []string{"not b/no option: 1", "not b/x: 1 2", "b: 1"}},
	} {
		all, err := readText(t, "sequenceDiagram\nparticipant A\n"+test.text, trace.Options{Names: true})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		var got []string
		for _, x := range all {
			line := x.Name + ":"
			for k := range x.Computation.Len(0) {
				line += " " + x.Computation.Label(x.Computation.Event(0, k+1))
			}
			got = append(got, line)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", test.text, got, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	const header = "sequenceDiagram\n"
	for _, test := range []struct{ text, want string }{
		{"", "x.mmd:1:1: no diagram: expected sequenceDiagram"},
		{"%% nothing\n", "x.mmd:2:1: no diagram: expected sequenceDiagram"},
		{"sequenceDiagramm\nA->>B: x", `x.mmd:1:1: unknown diagram "sequenceDiagramm" (did you mean "sequenceDiagram"?)`},
		{"flowchart LR\nA-->B", "x.mmd:1:1: flowchart: only sequence diagrams are traces (they start with sequenceDiagram)"},
		{"---\ntitle: x\n---\n stateDiagram-v2\n", "x.mmd:4:2: stateDiagram-v2: only sequence diagrams are traces (they start with sequenceDiagram)"},
		{"# T\n```mermaid\ngraph TD\n```\n", "x.mmd:3:1: graph: only sequence diagrams are traces (they start with sequenceDiagram)"},
		{"# T\n```mermaid\nsequenceDigram\n```\n", `x.mmd:3:1: unknown diagram "sequenceDigram" (did you mean "sequenceDiagram"?)`},
		{"hello\n", "x.mmd:1:1: expected sequenceDiagram or Markdown with a fenced block of mermaid that starts with it"},
		{header, "x.mmd:1:1: a sequence diagram without a participant"},
		{"# T\n```mermaid\n  sequenceDiagram\n  é->>B x\n```", "x.mmd:4:10: expected : and the text of the message"},
		{header + "A B", `x.mmd:2:1: expected a statement such as A->>B: text, not "A B"`},
		{header + "A => B: x", `x.mmd:2:1: expected a statement such as A->>B: text, not "A => B: x"`},
		{header + "partcipant A", `x.mmd:2:1: unknown statement "partcipant" (did you mean "participant"?)`},
		{header + "A->>B->>C: x", "x.mmd:2:6: unexpected ->>: a statement has one arrow"},
		{header + "A->>>B: x", `x.mmd:2:5: unexpected ">" in the name of a participant`},
		{header + "A<-B: x", `x.mmd:2:1: expected a statement such as A->>B: text, not "A<-B: x"`},
		{header + "->>B: x", "x.mmd:2:1: expected a participant"},
		{header + "A->>: x", "x.mmd:2:5: expected a participant"},
		{header + "A,B->>C: x", `x.mmd:2:2: unexpected "," in the name of a participant`},
		{header + "A->>++B: x", `x.mmd:2:6: unexpected "+" in the name of a participant`},
		{header + "participant", "x.mmd:2:12: expected a participant"},
		{header + "participant A@{ x", "x.mmd:2:15: { has no }"},
		{header + "A->>B: wait; then go", `x.mmd:2:14: expected a statement such as A->>B: text, not "then go" (a semicolon in a text is #59;)`},
		{header + "create B\nA->>B: x", "x.mmd:2:8: expected participant or actor after create"},
		{header + "A->>B: x\ndestroy Carl", `x.mmd:3:9: no participant "Carl" above`},
		{header + "Alice->>B: x\ndestroy alicf", `x.mmd:3:9: no participant "alicf" above (did you mean "Alice"?)`},
		{header + "activate A", `x.mmd:2:10: no participant "A" above`},
		{header + "Note A: x", "x.mmd:2:6: expected left of, right of or over"},
		{header + "Note over A x", "x.mmd:2:14: expected : and the text of the note"},
		{header + "Note left of A,B: x", "x.mmd:2:15: a note left of belongs to one participant"},
		{header + "Note over : x", "x.mmd:2:11: expected a participant"},
		{header + "Note over A: x = 1 for now", `x.mmd:2:20: expected a comma after the value of x, not "for now" (a string with blanks has quotes)`},
		{header + "Note over A: x = 1, two", `x.mmd:2:21: expected name = value, not "two"`},
		{header + "Note over A: x = 1,", `x.mmd:2:20: expected name = value, not ""`},
		{header + "Note over é: x = 'a'", `x.mmd:2:18: expected a number, true, false, a word or a string in quotes, not "'a'"`},
		{header + "Note over A: x = 1e999", `x.mmd:2:18: expected a number, true, false, a word or a string in quotes, not "1e999"`},
		{header + "Note over A: x = 007", `x.mmd:2:18: expected a number, true, false, a word or a string in quotes, not "007"`},
		{header + "Note over A: x = 1, x = 2", "x.mmd:2:21: x is assigned twice"},
		{header + "Note over A: x = 1\nNote over B, A: x = true", "x.mmd:3:17: x of A is a number, not a boolean"},
		{header + "A->>A: x\nNote over A: initially x = 1", "x.mmd:3:1: A has events above, so this is not what it has initially"},
		{header + "accDescr { x", "x.mmd:2:10: { has no }"},
		{header + "loop x\nA->>B: x", "x.mmd:2:1: loop has no end"},
		{header + "A->>B: x\nend", "x.mmd:3:1: end where no block is open"},
		{header + "opt x\nA->>B: x\nelse\nend", "x.mmd:4:1: else in opt: expected end"},
		{header + "alt x\nand y\nend", "x.mmd:3:1: and in alt: expected end"},
		{header + "par x\noption y\nend", "x.mmd:3:1: option in par: expected end"},
		{header + "opt x\nA->>B: x\nend opt", `x.mmd:4:5: unexpected text after end: "opt"`},
		{header + "box x\nA->>B: x\nend", "x.mmd:3:1: a box holds participants only"},
		{header + "par x\nalt y\nbreak z\nend\nend\nend", "x.mmd:4:1: break in a branch of par does not say how far the other branches got"},
		{header + strings.Repeat("opt\n", 201), "x.mmd:202:1: blocks are nested more than 200 deep"},
		{header + "participant A\n" + strings.Repeat("opt\nend\n", 10), "x.mmd:1:1: more than 1000 executions: each combination of choices is one"},
		{header + "participant A\nloop 100000 times\nopt\nend\nend", "x.mmd:4:1: more than 1000 executions: each combination of choices is one"},
		{header + "participant A\nloop 2000000 times\nend", "x.mmd:3:1: the executions of this file have more than 1048576 events and repetitions"},
		{header + "participant A\nloop 99999999999999999999 times\nend", "x.mmd:3:1: the executions of this file have more than 1048576 events and repetitions"},
	} {
		_, err := readText(t, test.text, trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
			continue
		}
		e.File = filepath.Base(e.File)
		if e.Error() != test.want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, e, test.want)
		}
	}
	if _, err := read(t.TempDir(), trace.Options{}); err == nil {
		t.Error("a directory is read")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	source, err := trace.Open(samples + "lock.mmd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mermaid.Read(cancelled, source, trace.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		"flowchart LR\n":           true,
		"xychart-beta\n":           true,
		"stateDiagram-v2\n":        true,
		"```mermaid\npie\n```":     true,
		"":                         false,
		"# title\n```go\nx\n```\n": false,
		"graph {\n a -- b\n}":      false,
		"pie is good\n":            false,
		"{\"process\":\"P\"}\n":    false,
		"sequenceDiagrams are\n":   false,
		"sequenceDiagram\x00":      false,
	} {
		if got := mermaid.Detect([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestVariables(t *testing.T) {
	all, err := read(samples+"lock.mmd", trace.Options{Variables: map[string]bool{"holds": true}})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Computation
	if c.Variable(1, "holds").Skipped() || !c.Variable(0, "expired").Skipped() {
		t.Error("other variables are kept than asked for")
	}
	if c.Label(c.Event(0, 1)) != "" {
		t.Error("labels are kept")
	}
	if c.LowerBound() != "" {
		t.Error("causality is a lower bound")
	}
}
