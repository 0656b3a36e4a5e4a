package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mistakesTrace has three processes that enter a section, and one whose names need
// quotes.
const mistakesTrace = `{"process":"n1","init":{"cs":false,"role":"follower","term":0,"x":0}}
{"process":"n2","init":{"cs":false,"role":"follower","term":0,"x":0}}
{"process":"n3","init":{"cs":false,"role":"follower","term":0,"x":0}}
{"process":"stock-a","init":{"held":0,"state[1]":"free"}}
{"process":"n1","set":{"cs":true,"role":"leader","term":1,"x":3},"send":"m"}
{"process":"n2","recv":"m","set":{"cs":true,"x":2}}
{"process":"stock-a","set":{"held":2,"state[1]":"taken"}}
{"process":"n1","set":{"cs":false}}
{"process":"n2","set":{"cs":false}}
`

// A mistake is a formula as people write it who come from elsewhere, and its remedy: the
// text that takes the place of another, at or around the place that the error shows.
// The error says the remedy, or the pattern that it follows.
type mistake struct{ wrong, from, to, says string }

var mistakes = []mistake{
	// Linear temporal logic, and its tools.
	{"[](x@n1 < 9)", "[]", "AG", "always is written AG"},
	{"<>(cs@n1)", "<>", "EF", "eventually is written EF"},
	{"G(x@n1 < 9)", "G", "AG", "AG"},
	{"F(cs@n1)", "F", "AF", "AF"},
	{"X(cs@n2)", "X", "EX", "EX"},
	{"GF !cs@n1", "GF !cs@n1", "AG(AF(!cs@n1))", "AG(AF(p))"},
	{"FG(!cs@n1)", "FG(!cs@n1)", "AF(AG(!cs@n1))", "AF(AG(p))"},
	{"!cs@n2 U cs@n1", "!cs@n2 U cs@n1", "A[!cs@n2 U cs@n1]", "A[p U q]"},
	{"A(!cs@n2 U cs@n1)", "(!cs@n2 U cs@n1)", "[!cs@n2 U cs@n1]", "A[p U q]"},
	{"AU(!cs@n2, cs@n1)", "AU(!cs@n2, cs@n1)", "A[!cs@n2 U cs@n1]", "A[p U q]"},
	{"A !cs@n2 U cs@n1", "A !cs@n2 U cs@n1", "A[!cs@n2 U cs@n1]", "A[p U q]"},
	{"A G (x@n1 < 9)", "A G", "AG", "AG"},
	{"E<> cs@n1", "E<>", "EF", "EF"},
	{"A[] x@n1 < 9", "A[] x@n1 < 9", "AG (x@n1 < 9)", "A[] is written AG"},
	{"cs@n1 --> !cs@n1", "cs@n1 --> !cs@n1", "AG(cs@n1 -> AF(!cs@n1))", "AG(p -> AF(q))"},
	{"never x@n1 == 9", "never x@n1 == 9", "AG(!(x@n1 == 9))", "AG(!p)"},
	{"always (x@n1 < 9)", "always", "AG", "AG"},
	{"AG[x@n1 < 9]", "[x@n1 < 9]", "(x@n1 < 9)", "AG(p)"},
	{"AG{x@n1 < 9}", "{x@n1 < 9}", "(x@n1 < 9)", "parentheses"},
	// TLA+ and logic in general.
	{"EF(cs@n1 /\\ cs@n2)", "/\\", "&&", "&&"},
	{"EF(cs@n1 \\/ cs@n2)", "\\/", "||", "||"},
	{"EF(~cs@n1)", "~", "!", "!"},
	{"AG(cs@n1 => x@n1 > 0)", "=>", "->", "->"},
	{"AG(x@n1 # 9)", "#", "!=", "!="},
	{"EF(\\A i in {n1, n2}: cs@i)", "\\A", "forall", "forall"},
	{"EF(\\E i in {n1, n2}: cs@i)", "\\E", "exists", "exists"},
	{"EF(∀ i in {n1, n2}: cs@i)", "∀", "forall", "forall"},
	{"AG(x@n1 =< 9)", "=<", "<=", "<="},
	{"EF(cs@n1 xor cs@n2)", "cs@n1 xor cs@n2", "!(cs@n1 <-> cs@n2)", "!(p <-> q)"},
	{"EF(cs@n1 <=> cs@n2)", "<=>", "<->", "<->"},
	{"AG(if cs@n1 then x@n1 > 0)", "if cs@n1 then x@n1 > 0", "cs@n1 -> x@n1 > 0", "p -> q"},
	// Go, Python, C, SQL.
	{"EF(cs@n1 & cs@n2)", "&", "&&", "&&"},
	{"EF(cs@n1 | cs@n2)", "|", "||", "||"},
	{"EF(cs@n1 AND cs@n2)", "AND", "&&", "&&"},
	{"EF(NOT cs@n1)", "NOT ", "!", "!"},
	{"EF(x@n1 === 3)", "===", "==", "=="},
	{"EF(x@n1 := 3)", ":=", "==", "=="},
	{"EF(x@n1 <> 3)", "<>", "!=", "!="},
	{"EF(x@n1 is 3)", "is", "==", "=="},
	{"EF(cs@n1 == True)", "True", "true", "true"},
	{"EF(cs@n1 == 1)", "cs@n1 == 1", "cs@n1", "write cs@n1"},
	{"EF(x@n1 in {2, 3})", "x@n1 in {2, 3}", "x@n1 == 2 || x@n1 == 3", "x == 1 || x == 2"},
	{"EF(1 < x@n1 && < 4)", "1 < x@n1 && < 4", "1 < x@n1 < 4", "1 < x < 3"},
	{"EF(x@n1 ** 2 == 9)", "x@n1 ** 2", "x@n1 * x@n1", "x * x"},
	{"EF(x@n1 / 2 == 1)", "x@n1 / 2 == 1", "x@n1 == 2 * 1", "multiply the other side"},
	{"EF(cs@n1 ? x@n1 == 3 : x@n1 == 0)", "cs@n1 ? x@n1 == 3 : x@n1 == 0", "(cs@n1 -> x@n1 == 3) && (!cs@n1 -> x@n1 == 0)", "(p -> q) && (!p -> r)"},
	{"EF(x@n1 == 0x3)", "0x3", "3", "write 3"},
	{"EF(x@n1 > .5)", ".5", "0.5", "0.5"},
	{"EF(cs@n1) // ever", "//", "#", "#"},
	{"EF(cs@n1 == = true)", "== =", "==", "=="},
	{"EF(cs@n1 = = true)", "= =", "==", "=="},
	// Strings and quotes.
	{"EF(role@n1 == 'leader')", "'leader'", `"leader"`, "double quotes"},
	{"EF(role@n1 == “leader”)", "“leader”", `"leader"`, "straight double quotes"},
	{"EF(role@n1 == leader)", "leader", `"leader"`, `strings are written in double quotes: "leader"`},
	{`EF(term@n1 == "1")`, `"1"`, "1", "without quotes"},
	{"EF(role@n1 == 3)", "3", `"3"`, "double quotes"},
	{`EF("cs@n1")`, `"cs@n1"`, "cs@n1", "cs@n1"},
	{"EF(held@stock-a == 2)", "stock-a", `"stock-a"`, `is written as a string: "stock-a"`},
	{`EF(state[1]@"stock-a" == "taken")`, "state[1]", `"state[1]"`, `is written as a string, with its process: "state[1]"@`},
	// Variables and processes.
	{"EF(n1@cs)", "n1@cs", "cs@n1", "write cs@n1"},
	{"EF(n1.cs)", "n1.cs", "cs@n1", "did you mean cs@n1?"},
	{"EF(cs.n1)", "cs.n1", "cs@n1", "did you mean cs@n1?"},
	{"EF(cs_n1)", "cs_n1", "cs@n1", "did you mean cs@n1?"},
	{"EF(cs[n1])", "cs[n1]", "cs@n1", "is written cs@n1"},
	{"EF(cs(n1))", "cs(n1)", "cs@n1", "is written cs@n1"},
	{"EF(cs n1)", "cs n1", "cs@n1", "cs@n1"},
	{"EF(cs)", "cs", "cs@n1", "write cs@n1"},
	{"EF(CS@n1)", "CS", "cs", "did you mean cs?"},
	{"EF(cs@N1)", "N1", "n1", "did you mean n1?"},
	{"EF(rol@n1 == \"leader\")", "rol", "role", "did you mean role?"},
	{"EFcs@n1", "EFcs@n1", "EF cs@n1", "did you mean EF cs@n1?"},
	// Quantifiers and sums.
	{"AG(forall i: x@i < 9)", "x@i < 9", "!once(x >= 9)@i", "once(x == …)@i"},
	{"EF(cs@i)", "cs@i", "exists i having cs: cs@i", "exists i: …"},
	{"EF(cs@*)", "cs@*", "exists i having cs: cs@i", "exists i: x@i"},
	{"AG(for all i in {n1, n2}: x@i < 9)", "for all", "forall", "forall"},
	{"EF(some i in {n1, n2}: cs@i)", "some", "exists", "exists"},
	{"forall i in [n1, n2]: EF cs@i", "[n1, n2]", "{n1, n2}", "in {P1, P2}"},
	{"forall i in n*: EF x@i >= 0", "n*", `"n*"`, `"n*"`},
	{"forall i in {n1, n2}. EF cs@i", ".", ":", "colon"},
	{"forall i in {n1, n2} | EF cs@i", " |", ":", "colon"},
	{"forall i < j: EF(x@n1 > 0)", "i < j", "i != j", "i != j"},
	{"forall i, j: i != j -> AG(x@n1 < 9)", "forall i, j: i != j -> ", "forall i != j: ", "forall i != j: …"},
	{"EF(count(i: x@n1 > 2) > 0)", "count(i: x@n1 > 2)", "(count i: x@n1 > 2)", "(count i: cs@i)"},
	{"EF(max(x@n1, x@n2) == 3)", "max(x@n1, x@n2)", "(max i in {n1, n2}: x@i)", "(max i: x@i)"},
	{"EF((sum i in {n1, n2}: cs@i) == 2)", "sum", "count", "count i: cs@i"},
	{"EF(transit(n1 -> n2) == 1)", "n1 -> n2", "n1, n2", "transit(P1, P2)"},
	{"mutex: EF(cs@n1)", "mutex: ", "", "a name only in a property file"},
	// Of users who had read only what the commands say.
	{"EF(n1:cs)", "n1:cs", "cs@n1", "is written x@P1"},
	{"EF($cs@n1)", "$", "", "without $"},
	{"EF(cs@{n1, n2})", "cs@{n1, n2}", "exists i in {n1, n2}: cs@i", "in {P1, P2}: x@i"},
	{`EF(role@n1 =~ "leader")`, "=~", "==", "by =="},
	{`EF(role@n1 contains "leader")`, "contains", "==", "by =="},
	{"EF(x@n1 > 1,000)", "1,000", "1000", "1000"},
	{"EF(x@n1 == +3)", "+3", "3", "write 3"},
	{"EF(x@n1 between 1 and 4)", "x@n1 between 1 and 4", "1 < x@n1 < 4", "1 < x < 3"},
	{"AG(at most one i in {n1, n2}: cs@i)", "at most one i in {n1, n2}: cs@i", "(count i in {n1, n2}: cs@i) <= 1", "(count i: p@i) <= 2"},
	{"AG(i != j -> !(cs@i && cs@j))", "i != j ->", "forall i != j having cs:", "forall i != j: …"},
	{`EF(n1 == "leader")`, "n1 ==", "role@n1 ==", "are written x@n1"},
	{`EF(state@n1 == "leader")`, "state@", "role@", "the variables of n1 are cs, role, term and x"},
	{"EF(cs@n1 || cs@n2", "cs@n2", "cs@n2)", ") is missing"},
}

// Every mistake gets an error that shows its place and says the remedy; and what is
// written then is decided.
func TestMistakes(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(trace, []byte(mistakesTrace), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes {
		status, out, stderr := pota("", "detect", m.wrong, trace)
		message, _, _ := strings.Cut(stderr, "\n")
		if status != 2 || out != "" || !strings.Contains(message, m.says) || !strings.Contains(stderr, "^") {
			t.Errorf("%s: status %d, %s%s", m.wrong, status, out, stderr)
		}
		if strings.Count(m.wrong, m.from) == 0 {
			t.Errorf("%s has no %s", m.wrong, m.from)
		}
		right := strings.Replace(m.wrong, m.from, m.to, 1)
		if status, out, stderr := pota("", "detect", right, trace); status > 1 || stderr != "" || out == "" {
			t.Errorf("%s: status %d, %s%s", right, status, out, stderr)
		}
	}
	t.Logf("%d mistakes", len(mistakes))
}

// So do the mistakes in arguments.
func TestMistakenArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("run.jsonl", mistakesTrace)
	write("runs/r1.jsonl", mistakesTrace)
	write("runs/r2.jsonl", mistakesTrace)
	write("nested/r1/all.jsonl", mistakesTrace)
	write("nested/r2/all.jsonl", mistakesTrace)
	write("model.pml", "byte x; active proctype P() { x = 1 }\n")
	write("props.txt", "few: AG(x@n1 < 9)\n")
	const formula = "AG(x@n1 < 9)"
	for _, m := range []struct {
		wrong []string
		says  string
		right []string
	}{
		{[]string{"detect", "run.jsonl", formula}, "write '" + formula + "' run.jsonl", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", "run.jsonl"}, "no formula before it", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", formula}, "no trace after it", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", "props.txt", "run.jsonl"}, "write -f props.txt", []string{"detect", "-f", "props.txt", "run.jsonl"}},
		{[]string{"detect", "-f", formula, "run.jsonl"}, "without -f", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", formula, "runs"}, "write runs/*", []string{"detect", formula, "runs/r1.jsonl", "runs/r2.jsonl"}},
		{[]string{"detect", formula, "nested"}, "write nested/*", []string{"detect", formula, "nested/r1", "nested/r2"}},
		{[]string{"draw", formula, "run.jsonl"}, "write run.jsonl '" + formula + "'", []string{"draw", "run.jsonl", formula}},
		{[]string{"lint", formula, "run.jsonl"}, "write run.jsonl '" + formula + "'", []string{"lint", "run.jsonl", formula}},
		{[]string{"slice", "run.jsonl", formula}, "write '" + formula + "' run.jsonl", []string{"slice", formula, "run.jsonl"}},
		{[]string{"classify", "run.jsonl", formula}, "write '" + formula + "' run.jsonl", []string{"classify", formula, "run.jsonl"}},
		{[]string{"check", "AG(x < 9)", "model.pml"}, "write model.pml 'AG(x < 9)'", []string{"check", "model.pml", "AG(x < 9)"}},
		{[]string{"run.jsonl"}, "write pota detect FORMULA run.jsonl", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", "--timeout", "5", formula, "run.jsonl"}, "a duration with its unit, such as 5ms", []string{"detect", "--timeout", "5s", formula, "run.jsonl"}},
		{[]string{"detect", "--jobs", "all", formula, "run.jsonl"}, "a whole number", []string{"detect", "--jobs", "2", formula, "run.jsonl"}},
		{[]string{"detect", "mutex:cs", "run.jsonl"}, "write --property mutex:cs", []string{"detect", "--property", "mutex:cs", "run.jsonl"}},
		{[]string{"detekt", formula, "run.jsonl"}, "did you mean detect?", []string{"detect", formula, "run.jsonl"}},
		{[]string{"detect", "--max-mem", "1GiB", formula, "run.jsonl"}, "did you mean --max-memory", []string{"detect", "--max-memory", "1GiB", formula, "run.jsonl"}},
		{[]string{"detect", "--bindings", "-1", formula, "run.jsonl"}, "--bindings must be at least 0, not -1", []string{"detect", "--bindings", "0", formula, "run.jsonl"}},
		{[]string{"detect", "--witnes", formula, "run.jsonl"}, "did you mean --witness", []string{"detect", "--witness", formula, "run.jsonl"}},
	} {
		status, out, stderr := pota("", m.wrong...)
		if message, _, _ := strings.Cut(stderr, "\n"); status != 2 || out != "" || !strings.Contains(message, m.says) {
			t.Errorf("%q: status %d, %s%s", m.wrong, status, out, stderr)
		}
		if status, out, stderr := pota("", m.right...); status > 1 || stderr != "" || out == "" {
			t.Errorf("%q: status %d, %s%s", m.right, status, out, stderr)
		}
	}
}
