package syntax

import (
	"context"
	"strings"
	"testing"
)

// TestRoundTrip: Parse(Print(f)) is f, and printing it again changes nothing.
func TestRoundTrip(t *testing.T) {
	for seed := range rounds(4000) {
		g := newGenerator(uint64(seed))
		f := g.formula(g.IntN(25))
		text := f.String()
		h, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		if !h.Equal(f) {
			t.Fatalf("seed %d: %s is read as another formula, %s", seed, text, h)
		}
		if again := h.String(); again != text {
			t.Fatalf("seed %d: %s is printed as %s", seed, text, again)
		}
	}
}

// TestMinimalParentheses: without any one pair of parentheses the text is
// another formula or none, but for those around comparisons below a unary
// operator, those around aggregates, and those of transit.
func TestMinimalParentheses(t *testing.T) {
	for seed := range rounds(1000) {
		g := newGenerator(uint64(seed))
		f := g.formula(g.IntN(12))
		text := f.String()
		if strings.ContainsAny(text, `"`) {
			continue
		}
		for start := range len(text) {
			if text[start] != '(' || strings.HasSuffix(text[:start], "transit") {
				continue
			}
			aggregate := false
			for word := range aggregates {
				aggregate = aggregate || strings.HasPrefix(text[start+1:], word+" ")
			}
			if aggregate {
				continue
			}
			end, open := start, 0
			for {
				if text[end] == '(' {
					open++
				} else if text[end] == ')' {
					open--
				}
				if open == 0 {
					break
				}
				end++
			}
			inside, err := Parse(text[start+1 : end])
			if err == nil && inside.Op == OpAtom && inside.Expr.Op == ExprCompare {
				continue
			}
			less := text[:start] + " " + text[start+1:end] + text[end+1:]
			if h, err := Parse(less); err == nil && h.Equal(f) {
				t.Fatalf("seed %d: %s means the same as %s", seed, text, less)
			}
		}
	}
}

// TestPositions: the position of each formula is where its operator is.
func TestPositions(t *testing.T) {
	const src = `AG(p -> !(q && E[x + 1 < 2 U forall i: r@i <-> s]))`
	want := map[Op]string{
		OpAG: "AG(", OpImplies: "->", OpNot: "!(", OpAnd: "&&", OpEU: "E[", OpForall: "forall", OpIff: "<->",
	}
	Walk(mustParse(t, src), func(f *Formula) bool {
		if f.Op != OpAtom && !strings.HasPrefix(src[f.Pos:], want[f.Op]) {
			t.Errorf("%s is at %s", f.Op, src[f.Pos:])
		}
		if f.Op == OpAtom && f.Expr.Op == ExprCompare {
			if !strings.HasPrefix(src[f.Pos:], "x +") || !strings.HasPrefix(src[f.Expr.Pos:], "< 2") || !strings.HasPrefix(src[f.Expr.Args[0].Pos:], "+ 1") {
				t.Errorf("%s is at %s", f, src[f.Pos:])
			}
		} else if f.Op == OpAtom && !strings.HasPrefix(src[f.Pos:], f.String()) {
			t.Errorf("%s is at %s", f, src[f.Pos:])
		}
		return true
	})
}

// TestDepth: nesting of any kind is bounded, and what is let through is safe to
// walk and is read again.
func TestDepth(t *testing.T) {
	for _, test := range []struct{ before, middle, after string }{
		{"!", "p", ""},
		{"(", "p", ")"},
		{"EF ", "p", ""},
		{"EF(q && ", "p", ")"},
		{"!(q && ", "p", ")"},
		{"p -> ", "p", ""},
		{"", "p", " <-> p"},
		{"E[p U ", "p", "]"},
		{"E[", "p", " U p]"},
		{"x + 1 < 2 && (q || ", "p", ")"},
		{"1 - (", "0 > 1", ")"},
		{"-", "x", ""},
		{"-(1 + ", "x", ")"},
		{"1 + ", "x > 1", ""},
		{"p && (forall i: ", "p", ")"},
		{"0 < 1 + (sum i: ", "x", ")"},
		{"0 < (count i: 1 < ", "x", ")"},
	} {
		for _, n := range []int{100, maxDepth/2 - 2, maxDepth - 2, 2 * maxDepth} {
			if testing.Short() && n == maxDepth/2-2 {
				continue
			}
			src := strings.Repeat(test.before, n) + test.middle + strings.Repeat(test.after, n)
			if strings.HasPrefix(src, "-") {
				src = "1 < " + src
			}
			f, err := Parse(src)
			if err != nil {
				if n == 100 && !strings.Contains(err.Error(), "already bound") && !strings.Contains(err.Error(), "its right side is a comparison") {
					t.Errorf("%d times %q: %v", n, test.before, err)
				}
				continue
			}
			if n > maxDepth {
				t.Errorf("%d times %q is accepted", n, test.before)
			}
			if g, err := Parse(f.String()); err != nil || !g.Equal(f) {
				t.Errorf("%d times %q is not read again: %v", n, test.before, err)
			}
			NNF(f)
			Classify(f)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range parseRefusals {
		f.Add(test.src)
	}
	for seed := range 50 {
		f.Add(newGenerator(uint64(seed)).formula(seed % 12).String())
	}
	f.Fuzz(func(t *testing.T, src string) {
		g, err := Parse(src)
		if err != nil {
			checkError(t, src, err)
			return
		}
		text := g.String()
		h, err := Parse(text)
		if err != nil || !h.Equal(g) || h.String() != text {
			t.Fatalf("%q is printed as %q, which is read as %v, %v", src, text, h, err)
		}
		Walk(g, func(f *Formula) bool {
			if f.Pos < 0 || f.Pos >= len(src) {
				t.Fatalf("%s is at %d of %q", f, f.Pos, src)
			}
			return true
		})
		if len(src) < 500 {
			Classify(g)
			if r, err := Resolve(context.Background(), g, threeProcesses()); err != nil {
				checkError(t, src, err)
			} else if len(r.String()) < 1e6 {
				checkNormal(t, NNF(r))
			}
		}
	})
}

func FuzzParseProperties(f *testing.F) {
	for _, test := range propertyRefusals {
		f.Add(test.src)
	}
	f.Add("a: p\n# comment\n\"b c\": forall i: (p@i &&\n  q) # more\nc: E[p U q]")
	f.Fuzz(func(t *testing.T, src string) {
		all, err := ParseProperties(src)
		if err != nil {
			for _, err := range err.(Errors) {
				checkError(t, src, err)
			}
			return
		}
		var text strings.Builder
		for _, p := range all {
			if g, err := Parse(p.Source); err != nil || !g.Equal(p.Formula) {
				t.Fatalf("%q: the source %q is read as %v, %v", src, p.Source, g, err)
			}
			if lines := strings.Split(src, "\n"); p.Line > len(lines) {
				t.Fatalf("%q: line %d", src, p.Line)
			}
			text.WriteString(p.String() + "\n")
		}
		again, err := ParseProperties(text.String())
		if err != nil || len(again) != len(all) {
			t.Fatalf("%q is printed as %q, which is read as %v, %v", src, text.String(), again, err)
		}
		for i := range all {
			if again[i].Name != all[i].Name || !again[i].Formula.Equal(all[i].Formula) {
				t.Fatalf("%v is read as %v", all[i], again[i])
			}
		}
	})
}

// checkError checks what every error owes its reader.
func checkError(t *testing.T, src string, err error) {
	t.Helper()
	e, ok := err.(*Error)
	switch {
	case !ok:
		t.Fatalf("%q: %T", src, err)
	case e.Src != src || e.Pos < 0 || e.Pos > len(src):
		t.Fatalf("%q: position %d of %q", src, e.Pos, e.Src)
	case strings.ContainsAny(err.Error(), "\n\r\x00\x1b"):
		t.Fatalf("%q: the error is %q", src, err)
	case src != "" && strings.Count(e.Snippet(), "\n") != 1:
		t.Fatalf("%q: the snippet is %q", src, e.Snippet())
	}
}

// The length of a channel is a variable, also of a process, and is read as it is printed.
func TestLengthOfChannel(t *testing.T) {
	for _, text := range []string{"EF(len(q) >= 2)", "AG(len(out.0)@P1 == 0)", "len < 2"} {
		f, err := Parse(text)
		if err != nil || f.String() != text {
			t.Errorf("%s is read as %v: %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		"len() > 0":  "1:5: len takes the name of a channel, found ) (as in len(q))",
		"len(3) > 0": "1:5: len takes the name of a channel, found 3 (as in len(q))",
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
