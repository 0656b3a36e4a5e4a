package syntax

import "testing"

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"p", "p"},
		{"((p))", "p"},
		{"p and q or not r", "p && q || !r"},
		{"p && (q && r)", "p && (q && r)"},
		{"(p && q) && r", "(p && q) && r"},
		{"p && q && r", "p && q && r"},
		{"p -> q -> r", "p -> q -> r"},
		{"(p -> q) -> r", "(p -> q) -> r"},
		{"p <-> q <-> r", "p <-> q <-> r"},
		{"p <-> (q <-> r)", "p <-> (q <-> r)"},
		{"EF p && q", "EF p && q"},
		{"EF(p && q)", "EF(p && q)"},
		{"EF(p)", "EF p"},
		{"EFx", "EFx"},
		{"AG(EF reset)", "AG EF reset"},
		{"!x == 1", "!(x == 1)"},
		{"AG x@P1 = 1", "AG(x@P1 == 1)"},
		{"AG(!(cs@P1 && cs@P2))", "AG !(cs@P1 && cs@P2)"},
		{"(x + 1) <= 2", "x + 1 <= 2"},
		{"((x)) && y", "x && y"},
		{"2 <= x <= 4", "2 <= x <= 4"},
		{"a - (b - c) * -d > 0", "a - (b - c) * -d > 0"},
		{"a - b - c > 0", "a - b - c > 0"},
		{"(a * b) * (c * d) > 0", "a * b * (c * d) > 0"},
		{"E[U U U]", "E[U U U]"},
		{"AG(p -> AF[<= 5s] q)", "AG(p -> AF[<= 5s] q)"},
		{"AG(p && r -> AF[< 150ms](q || r))", "AG(p && r -> AF[< 150ms](q || r))"},
		{"AG((p -> AF[<= 5s] q) && r)", "AG(p -> AF[<= 5s] q) && AG r"},
		{"AG(forall i: p@i -> AF[<= 5s](x@i > 1))", "forall i: AG(p@i -> AF[<= 5s](x@i > 1))"},
		{"!EF[>= 5s](p && q)", "!EF[>= 5s](p && q)"},
		{"EF[> 5s] p || q", "EF[> 5s] p || q"},
		{"!p lasts <= 5s", "!(p lasts <= 5s)"},
		{"(!p) lasts >= 5s && q", "(!p) lasts >= 5s && q"},
		{"x == 1 lasts < 1m", "(x == 1) lasts < 1m"},
		{"lasts && lasts@P > 1", "lasts && lasts@P > 1"},
		{"E [ E W A ]", "E[E W A]"},
		{"E && A", "E && A"},
		{"A[E[p R q] U r && s]", "A[E[p R q] U r && s]"},
		{"E[forall i: p@i U q]", "E[forall i: p@i U q]"},
		{"forall i: p@i && q", "forall i: p@i && q"},
		{"(forall i: p@i) && q", "(forall i: p@i) && q"},
		{"q && forall i: p@i", "q && forall i: p@i"},
		{"!(forall i: p@i) -> q", "!(forall i: p@i) -> q"},
		{"EF exists i != j in \"node*\": cs@i && cs@j", "EF exists i != j in \"node*\": cs@i && cs@j"},
		{"forall i, j in {P1,\"P 2\", not}: transit(i, j) <= 3", "forall i, j in {P1, \"P 2\", \"not\"}: transit(i, j) <= 3"},
		{`x@"P1" && "odd name"@"node-1" && "x"@P`, `x@P1 && "odd name"@"node-1" && x@P`},
		{`s == "a\"\\\u0041\n"`, `s == "a\"\\A\n"`},
		{"true && false", "true && false"},
		{"(true) == x", "true == x"},
		{"¬p ∧ q ∨ r → s ↔ x ≤ 1", "!p && q || r -> s <-> x <= 1"},
		{"-9223372036854775808 < x", "-9223372036854775808 < x"},
		{"9223372036854775808 < x", "9.223372036854776e+18 < x"},
		{"1.0 < x < 1e3 # comment\n", "1.0 < x < 1000.0"},
		{"sum + count * min - max > sum", "sum + count * min - max > sum"},
		{"transit && x", "transit && x"},
		{"E[sum U in]", "E[sum U in]"},
		{"x.y@a.b.", ""},
		{"sum i: x@i > 3", "(sum i: x@i) > 3"},
		{"(sum i: x@i) > 3", "(sum i: x@i) > 3"},
		{"sum i: x@i + 1 > 3", "(sum i: x@i + 1) > 3"},
		{"1 + sum i: x@i * 2 > 3", "1 + (sum i: x@i * 2) > 3"},
		{"-sum i: x@i > 3", "-(sum i: x@i) > 3"},
		{"(sum i: x@i) + sum i: sum j: transit(i, j) == 7", "(sum i: x@i) + (sum i: sum j: transit(i, j)) == 7"},
		{"2 <= max i in {P1, \"a b\"}: x@i <= 3", "2 <= (max i in {P1, \"a b\"}: x@i) <= 3"},
		{"(min i in \"node*\": -x@i) != -1", "(min i in \"node*\": -x@i) != -1"},
		{"(count i: cs@i) >= 2", "(count i: cs@i) >= 2"},
		{"count i: cs@i >= 2", "(count i: cs@i) >= 2"},
		{"AG(count i: cs@i <= 1)", "AG((count i: cs@i) <= 1)"},
		{"AG count i: cs@i <= 1", "AG((count i: cs@i) <= 1)"},
		{"EF count i: (cs@i && up@i) >= 2", "EF((count i: cs@i && up@i) >= 2)"},
		{"(count i: x@i > 3) >= 2", "(count i: x@i > 3) >= 2"},
		{"2 <= count i: x@i > 3", "2 <= (count i: x@i > 3)"},
		{"(count i: exists j: transit(i, j) > 0) == count", "(count i: exists j: transit(i, j) > 0) == count"},
		{"(count i: (count j: x@j < x@i) > 1) == 0", "(count i: (count j: x@j < x@i) > 1) == 0"},
		{"(sum i: count j: x@j < x@i) == 0", "(sum i: count j: x@j < x@i) == 0"},
		{"sum > 1 && count && min in == max", ""},
		{"E[sum U in && max]", "E[sum U in && max]"},
		{"(count i: true) > 1", "(count i: true) > 1"},
		{"größe@Prozeß > 1", "größe@Prozeß > 1"},
	} {
		f, err := Parse(test.src)
		if err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", test.src, err)
			}
			continue
		}
		if got := f.String(); got != test.want {
			t.Errorf("%s: printed as %s, want %s", test.src, got, test.want)
		}
		again, err := Parse(f.String())
		if err != nil || !again.Equal(f) {
			t.Errorf("%s: printed as %s, which reads as %v, %v", test.src, f, again, err)
		}
	}
}
