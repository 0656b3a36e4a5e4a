package promela

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// What is printed is read as the same model.
func TestRoundTrip(t *testing.T) {
	for _, path := range models(t) {
		m, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		text := m.String()
		again, err := Parse(path, text, nil)
		if err != nil {
			t.Errorf("%s is printed as what is not read: %v\n%s", path, err, text)
			continue
		}
		if got := again.String(); got != text {
			t.Errorf("%s is printed as\n%sand then as\n%s", path, text, got)
		}
		if strings.HasPrefix(path, "testdata") {
			p, err := Compile(again)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := count(t, p), stored[path]; got != want {
				t.Errorf("%s has %d states once it was printed, and not %d", path, got, want)
			}
		}
	}
}

// What is refused, and where.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"byte x\nactive proctype P() { x = 1; yes = 2 }", `m.pml:2:30: yes is not declared`},
		{"byte count;\nactive proctype P() { coumt = 1 }", `m.pml:2:23: coumt is not declared (did you mean "count"?)`},
		{"active proctype P() { goto there }", `m.pml:1:28: there is no label there in P`},
		{"active proctype P() { L: skip; L: skip }", `m.pml:1:32: label L stands twice in P`},
		{"active proctype P() { byte x; byte x }", `m.pml:1:36: x is declared twice, first at m.pml:1:28`},
		{"byte a[3]; active proctype P() { a[3] = 1 }", `m.pml:1:36: array a has the elements 0 to 2, not 3`},
		{"byte a[3]; active proctype P() { a = 1 }", `m.pml:1:34: a is an array: assign its elements one by one`},
		{"byte x; active proctype P() { x[1] = 1 }", `m.pml:1:31: x is not an array`},
		{"byte n = 3; byte a[n]", `m.pml:1:20: a constant is expected: the value of this expression is not known before the program runs`},
		{"byte a[0]", `m.pml:1:8: array a has 0 elements: there can be 1 to 65536`},
		{"chan c = [1] of {byte, bool}; active proctype P() { c!1,0,3 }", `m.pml:1:54: a message of channel c has 2 fields, not 3`},
		{"chan c = [1] of {unsigned}; active proctype P() { c!1 }", `m.pml:1:18: messages have no unsigned fields: take byte, short or int`},
		{"byte c; active proctype P() { c!1 }", `m.pml:1:31: c is not a channel`},
		{"chan c = [1] of {byte}; active proctype P() { c + 1 > 2 }", `m.pml:1:47: c is a channel: channels can be compared by == and !=, and sent, but not calculated with`},
		{"typedef T { byte x }; T t; active proctype P() { t.yes = 1 }", `m.pml:1:52: structure T has no field yes`},
		{"typedef T { byte x }; T t; active proctype P() { t = 1 }", `m.pml:1:50: t is a structure: assign its fields one by one`},
		{"active proctype P() { run Q(1) } proctype Q() { skip }", `m.pml:1:27: proctype Q takes 0 arguments, not 1`},
		{"active proctype P() { run R() } proctype Q() { skip }", `m.pml:1:27: there is no proctype R (did you mean "P"?)`},
		{"active proctype P() { break }", `m.pml:1:23: break stands outside do and for`},
		{"active proctype P() { do :: skip fi }", `m.pml:1:34: ";" is expected before "fi"`},
		{"active proctype P() { if fi }", `m.pml:1:26: an option, which starts with ::, is expected, not "fi"`},
		{"active proctype P() { }", `m.pml:1:23: a statement is expected before "}": write skip for none`},
		{"active proctype P() { skip", `m.pml:1:23: "}" is missing at the end of this sequence`},
		{"active proctype P() { skip skip }", `m.pml:1:28: ";" is expected before "skip"`},
		{"active proctype P() { { skip } unless { skip } }", `m.pml:1:32: unless is not supported: put the escape as an option into each selection`},
		{"active proctype P() provided (true) { skip }", `m.pml:1:21: provided is not supported: put its condition into the guards of the statements`},
		{"active proctype P() { c_code { x } }", `m.pml:1:23: c_code is not supported: C code is unknown to everything but a C compiler; write it in Promela`},
		{"active proctype P() { enabled(1) }", `m.pml:1:23: enabled is not supported: it tells of the search, not of the program; use a variable that the processes assign`},
		{"active proctype P() { d_step { goto L }; L: skip }", `m.pml:1:32: a jump into or out of a d_step is not possible: use atomic`},
		{"active proctype P() { L: goto L }", `m.pml:1:26: this goto leads to itself, without a statement between`},
		{"chan c = [0] of {bit}; active proctype P() { d_step { c!1 } }", `m.pml:1:55: a rendezvous in a d_step would block it: only a receive as its first statement can stand there; use atomic`},
		{"byte pid = 1", `m.pml:1:6: the name of a variable is expected: "pid" is a keyword of Promela`},
		{"#define A(x) x+1\nbyte y = A(1, 2)", `m.pml:2:10: macro A takes 1 arguments, not 2`},
		{"#ifdef A\nbyte x", `m.pml:1:2: #if without #endif`},
		{"#define N 3\n#if N > 2\nbyte x\n#endif", `m.pml:2:2: only #ifdef, #ifndef, and #if with a number are known: let the preprocessor of C read the model first: cpp MODEL >FILE`},
		{"#define A(x) A(x)\nbyte y = A(1)", `m.pml:2:10: the macros expand to more than 2000000 tokens`},
		{"chan q = [256] of { byte }", `m.pml:1:11: channel q has 256 messages: there can be 0 to 255`},
		{"#include \"a.h\"", `m.pml:1:2: #include is not possible here: put the text of "a.h" in its place`},
		{"#define X 1 +\n# 7 \"other.pml\"\nbyte x = X;", `other.pml:7:11: an expression is expected, not ";"`},
		{"byte x = 99999999999", `m.pml:1:10: 99999999999 is too large: an int has 32 bits`},
		{"byte x = 1 $ 2", `m.pml:1:12: '$' is not a character of Promela`},
		{"byte x /* no end", `m.pml:1:8: a comment is not closed: */ is missing`},
		{"byte x = 1 / 0; active proctype P() { skip }", `m.pml:1:12: division by zero`},
		{"inline f(a) { f(a) } active proctype P() { f(1) }", `m.pml:1:15: inline f calls itself: use a proctype, or a loop`},
		{"mtype = { a, b, a }", `m.pml:1:17: a is declared twice`},
		{"proctyp P() { skip }", `m.pml:1:1: a proctype, init, a declaration, typedef or inline is expected, not "proctyp" (did you mean "proctype"?)`},
		{"byte x = _pid; active proctype P() { skip }", `m.pml:1:10: _pid is the number of a process: it stands only in processes`},
		{"typedef T { byte a[6000] }; T t[60]; active proctype P() { skip }", `m.pml:1:31: t is too large: a state has at most 65536 bytes`},
		{"byte x", `m.pml:1:1: no process runs: mark a proctype active, or write an init`},
	} {
		m, err := Parse("m.pml", test.text, nil)
		if err == nil {
			_, err = Compile(m)
		}
		var typed *Error
		if err == nil || err.Error() != test.want || !errors.As(err, &typed) {
			t.Errorf("%s\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

// What is undefined while a model runs.
func TestUndefined(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"byte a[2], i = 2; active proctype P() { a[i] = 1 }", `m.pml:1:43: array a has the elements 0 to 1, not 2`},
		{"byte a[2], i = 2; active proctype P() { a[i] == 1 }", `m.pml:1:43: array a has the elements 0 to 1, not 2`},
		{"byte i; active proctype P() { i = 1 / i }", `m.pml:1:37: division by zero`},
		{"byte i; active proctype P() { d_step { skip; i == 1 } }", `m.pml:1:31: this d_step blocks: no statement can be executed after it has begun; use atomic`},
		{"byte i; active proctype P() { d_step { do :: i = i + 1 od } }", `m.pml:1:31: this d_step does not end after 1000000 statements`},
		{"chan c; active proctype P() { c!1 }", `m.pml:1:31: this is no channel: its variable was not assigned one`},
	} {
		m, err := Parse("m.pml", test.text, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := Compile(m)
		if err != nil {
			t.Error(err)
			continue
		}
		s := p.Initial(nil)
		list := p.Enabled(s, 0, nil)
		if len(list) != 1 {
			t.Errorf("%s: %d transitions are enabled", test.text, len(list))
			continue
		}
		if _, err := p.Apply(s, list[0], nil); err == nil || err.Error() != test.want {
			t.Errorf("%s\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

// What is skipped is noted.
func TestNotes(t *testing.T) {
	m, err := Parse("m.pml", "ltl safe { [] (x < 2) }\nnever { do :: skip od }\nbyte x; active proctype P() { x = 1 }", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Notes) != 2 || m.Notes[0].Line != 1 || m.Notes[1].Line != 2 {
		t.Errorf("the notes are %v", m.Notes)
	}
}

func FuzzParse(f *testing.F) {
	for _, path := range models(f) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("m.pml", text, nil)
		if err != nil {
			return
		}
		printed := m.String()
		again, err := Parse("m.pml", printed, nil)
		if err != nil || again.String() != printed {
			t.Fatalf("%v\n%s\nis printed as\n%s\nand then as\n%s", err, text, printed, again)
		}
		if p, err := Compile(m); err == nil && p.Layout().Valid() != nil {
			t.Fatalf("%v\n%s", p.Layout().Valid(), text)
		}
	})
}
