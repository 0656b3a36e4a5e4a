package syntax

import (
	"context"
	"errors"
	"testing"
)

// What is refused, and the whole text of the error.

type refusal struct{ src, err string }

var parseRefusals = []refusal{
	{"", "1:1: the formula is empty"},
	{"  # nothing", "1:12: the formula is empty"},
	{"&& p", "1:1: there is nothing before &&"},
	{"p &&", "1:5: there is nothing after &&"},
	{"p && && q", "1:6: there is nothing between && and &&"},
	{"p & q", "1:3: & is not an operator (and is written &&)"},
	{"p | q", "1:3: | is not an operator (or is written ||)"},
	{"p => q", "1:3: => is not an operator (implication is written ->, at least is written >=)"},
	{"x =< 3", "1:3: =< is not an operator (at most is written <=)"},
	{"x <> 3", "1:3: <> is not an operator (the opposite of == is written !=; eventually is written EF, on some run, or AF, on all runs)"},
	{"~p", "1:1: ~ is not an operator (not is written !)"},
	{"p AND q", "1:3: unexpected AND (and is written &&)"},
	{"NOT p", "1:1: NOT is not an operator (not is written !)"},
	{"p OR q", "1:3: unexpected OR (or is written ||)"},
	{"G(p)", "1:1: G is not an operator (always is written AG, on all runs, or EG, on some run)"},
	{"G p", "1:1: G is not an operator (always is written AG, on all runs, or EG, on some run)"},
	{"F(p)", "1:1: F is not an operator (eventually is written EF, on some run, or AF, on all runs)"},
	{"[]p", "1:1: [] is not an operator (always is written AG, on all runs, or EG, on some run)"},
	{"<>p", "1:1: <> is not an operator (the opposite of == is written !=; eventually is written EF, on some run, or AF, on all runs)"},
	{"p U q", "1:3: unexpected U (until is written E[p U q] or A[p U q])"},
	{"EU(p, q)", "1:1: EU is not an operator (write E[p U q] with brackets)"},
	{"E(p U q)", "1:1: E is not an operator (write E[p U q] with brackets, or EF, EG or EX)"},
	{"AX[<= 5s] p", "1:3: AX counts events, and a step has no bound on time (of how long p takes, write AG(… -> AF[<= 5s] p))"},
	{"EG[<= 5s] p", "1:3: EG takes no bound (how long p lasts is written p lasts >= 5s)"},
	{"A[p U[<= 5s] q]", "1:6: A[ ] takes no bound (how long q takes is written AG(p -> AF[<= 5s] q), and how long p lasts, p lasts <= 5s)"},
	{"AG(p -> AF[5s] q)", "1:12: a bound begins with <=, <, >= or > (as in AF[<= 5s])"},
	{"AG(p -> AF[<= 5] q)", "1:15: a bound is a duration, such as 5s (write 5s, or another of the units ns, us, ms, s, m and h)"},
	{"AG(p -> AF[<= 0.5ns] q)", "1:15: a bound is a whole number of nanoseconds"},
	{"AG(p -> AF[>= 5s] q)", "1:12: AF takes an upper bound (as in AG(p -> AF[<= 5s] q); that nothing happens before is written (!q) lasts >= 5s)"},
	{"EF[<= 5s] q", "1:4: EF takes a lower bound: for how long (as in EF[>= 5s](p && q); what happens in time is written AG(p -> AF[<= 5s] q))"},
	{"AF[<= 5s] q", "1:1: AF with a bound stands behind an implication under AG, as in AG(p -> AF[<= 5s] q) (AG(AF[<= 5s] q) is written (!q) lasts <= 5s, and what is joined to it by && or || stands in an AG of its own)"},
	{"AG(p -> q || AF[<= 5s] r)", "1:14: AF with a bound stands behind an implication under AG, as in AG(p -> AF[<= 5s] q) (AG(AF[<= 5s] q) is written (!q) lasts <= 5s, and what is joined to it by && or || stands in an AG of its own)"},
	{"AG(EF[>= 5s] q)", "1:4: EF[>= 5s] q is about the whole trace, and stands under no temporal operator (without AG it says the same)"},
	{"(count i: EF[>= 5s] x@i) > 1", "1:11: EF[>= 5s] x@i is about the whole trace, and stands in no other expression (bring it to the front)"},
	{"AG(p -> AF[<= 5s] EF q)", "1:19: a bound is about how long a state takes, but EF is about runs (name the states: once(…), between(…)@P, a variable)"},
	{"EF[>= 0s] p", "1:1: every state lasts at least 0 s (that p is true at some time is written EF(p))"},
	{"p lasts < 0s", "1:3: nothing takes less than 0 s (at once is written <= 0s)"},
	{"p lasts == 5s", "1:9: a bound has one of <=, <, >= and > (as in p lasts <= 5s)"},
	{"E[p]", "1:4: E[ ] joins two formulas by U, R or W (EG and EF take one formula, without brackets)"},
	{"E[p U q U r]", "1:9: E[ ] joins two formulas, not three (write E[E[p U q] U r] or the like)"},
	{"E[p U q", "1:8: ] is missing to close the [ opened at 1:2, found the end"},
	{"E[p, q]", "1:4: ] is missing to close the [ opened at 1:2, found , (as in E[p U q])"},
	{"EG[p]", "1:3: unexpected [ (the formula after EG is put in parentheses: EG(p); brackets belong to E[p U q] and A[p U q])"},
	{"E F p", "1:3: unexpected F (write EF without the space)"},
	{"E p", "1:1: E is not an operator (write E[p U q], EF p, EG p or EX p; over processes, exists i: p@i)"},
	{"A(p)", "1:1: A is not an operator (write A[p U q] with brackets, or AF, AG or AX)"},
	{"E[]", "1:1: E[ ] needs two formulas"},
	{"(p", "1:3: ) is missing to close the ( opened at 1:1, found the end"},
	{"p)", "1:2: ) closes a bracket that was never opened"},
	{"(p]", "1:3: ) is missing to close the ( opened at 1:1, found ]"},
	{"E[(p U q)]", "1:6: unexpected U (until is written E[p U q] or A[p U q])"},
	{"p q", "1:3: unexpected q (an operator such as && is missing before it, or an @, as in p@q)"},
	{"p 3", "1:3: unexpected 3 (an operator such as && is missing before it)"},
	{"x + ", "1:5: there is nothing after +"},
	{"x <", "1:4: there is nothing after <"},
	{"< 3", "1:1: there is nothing before <"},
	{"x < && y", "1:5: there is nothing between < and &&"},
	{"(p && q) == 1", "1:10: == compares values, but its left side is a formula (between formulas, write <->)"},
	{"1 == (p || q)", "1:3: == compares values, but its right side is a formula (between formulas, write <->)"},
	{"(x < 1) == y", "1:9: == compares values, but its left side is a comparison (between formulas, write <->)"},
	{"x + EF p > 1", "1:5: EF makes a formula, where a value is expected after + (a formula is true or false and has no value to calculate with or to compare)"},
	{"x + !p", "1:5: ! makes a formula, where a value is expected after + (a formula is true or false and has no value to calculate with or to compare)"},
	{"(p && q) + 1 > 2", "1:10: + is for numbers, but its left side is a formula (formulas are joined by &&, ||, -> and <->)"},
	{"-(p && q) < 1", "1:1: - is for numbers, but its operand is a formula (not is written !)"},
	{"1", "1:1: 1 is a number, where a formula is expected (write true, false or a comparison)"},
	{"x + 1", "1:1: x + 1 is a number, where a formula is expected (compare it, as in x + 1 > 0)"},
	{"-x", "1:1: -x is a number, where a formula is expected (compare it, as in -x > 0)"},
	{`"a"`, `1:1: "a" is a string, where a formula is expected (a variable whose name is not plain is written with its process: "a"@P)`},
	{"transit(P, Q)", "1:1: transit(P, Q) is a number, where a formula is expected (compare it, as in transit(P, Q) > 0)"},
	{"transit(P)", "1:10: transit takes two processes, found ) (as in transit(P1, P2))"},
	{"transit(P, Q, R) > 1", "1:13: transit takes two processes (as in transit(P1, P2))"},
	{"transit(P Q) > 1", "1:11: transit takes two processes, found Q (as in transit(P1, P2))"},
	{"transit(, Q)", "1:9: the name of a process is missing, found ,"},
	{"transit(1, Q)", `1:9: the name of a process is missing, found 1 (names that are not plain are written as strings: "1")`},
	{"f(x)", "1:1: f is not an operator (the variable of a process is written f@x; the functions are transit(P, Q) and, of a channel of a program, len(q))"},
	{"x@", "1:3: the name of a process is missing, found the end"},
	{"x@1", `1:3: the name of a process is missing, found 1 (names that are not plain are written as strings: "1")`},
	{`x@""`, "1:3: the name of a process is empty"},
	{"1@P", "1:2: unexpected @ (only a variable has an owner, as in x@P1)"},
	{"(p)@P", "1:4: unexpected @ (only a variable has an owner, as in x@P1)"},
	{`""@P`, "1:1: the name of a variable is empty"},
	{"forall i p", "1:10: forall needs a colon, found p (as in forall i: p@i)"},
	{"forall: p", "1:7: forall needs a name to bind, found : (as in forall i: p@i)"},
	{"forall i, i: p", "1:11: i is already bound at 1:8 (choose another name)"},
	{"forall i != j, k: p", "1:14: names are joined either by commas or by != (commas allow the same process twice, != requires different ones)"},
	{"forall i: exists i: p", "1:18: i is already bound at 1:8 (choose another name)"},
	{"forall i in P1: p", `1:13: in needs processes in braces or a pattern, found P1 (write {P1} for one process, a pattern such as "P1*" for several)`},
	{"forall i in {}: p", "1:14: the name of a process is missing, found }"},
	{"forall i in {P1: p", "1:16: } is missing to close the { opened at 1:13, found :"},
	{`forall i in "": p`, `1:13: the pattern is empty ("*" matches every process)`},
	{"forall EF: p", "1:8: forall needs a name to bind, found EF (EF is an operator)"},
	{"forall i having: p", "1:16: having needs the name of a variable, found : (as in forall i having cs: cs@i)"},
	{"forall i having x, 3: p", "1:20: having needs the name of a variable, found 3 (as in forall i having cs: cs@i)"},
	{"forall i having x@i: p", "1:18: having takes the names of variables, without processes (as in forall i having cs: cs@i)"},
	{"forall i having x in {P}: p", "1:19: forall needs a colon, found in (in comes before having)"},
	{"forall i:", "1:10: there is nothing after :"},
	{"count i: p@i", "1:1: (count i: p@i) is a number, where a formula is expected (compare it, as in (count i: p@i) > 0)"},
	{"sum i in {P1}: x@i", "1:1: (sum i in {P1}: x@i) is a number, where a formula is expected (compare it, as in (sum i in {P1}: x@i) > 0)"},
	{"count i: cs@i && up@i >= 2", "1:1: (count i: cs@i && up@i >= 2) is a number, where a formula is expected (compare it, as in (count i: cs@i && up@i >= 2) > 0)"},
	{"count i: (x@i >= 2)", "1:1: (count i: x@i >= 2) is a number, where a formula is expected (compare it, as in (count i: x@i >= 2) > 0)"},
	{"sum i, j: transit(i, j) > 3", "1:8: sum binds one name (for pairs, write sum i: sum j: …)"},
	{"count i, j: p@i", "1:10: count binds one name (for pairs, write count i: count j: …)"},
	{"sum i x@i > 3", "1:7: sum needs a colon, found x (as in sum i: p@i)"},
	{"min i in {}: x@i > 3", "1:11: the name of a process is missing, found }"},
	{"(count i: EF cs@i) > 1", "1:11: count looks at one cut, but EF is about runs"},
	{"(count i: p@i || E[p@i U q@i]) > 1", "1:18: count looks at one cut, but E[ U ] is about runs"},
	{"(count i: x@i) + (count j: 1) > 2", "1:28: 1 is a number, where a formula is expected (write true, false or a comparison)"},
	{"(sum i: p@i && q@i) > 2", "1:2: (sum i: p@i) is a number, where a formula is expected (compare it, as in (sum i: p@i) > 0)"},
	{"(sum i: (p@i && q@i)) > 2", "1:2: sum is for numbers, but its body is a formula (count i: … counts for how many processes a formula holds)"},
	{"(max i: (x@i > 2)) > 2", "1:2: max is for numbers, but its body is a comparison (count i: … counts for how many processes a formula holds)"},
	{"(sum i: !p@i) > 2", "1:9: ! makes a formula, where a value is expected after : (a formula is true or false and has no value to calculate with or to compare)"},
	{"(sum i: sum i: x@i) > 2", "1:13: i is already bound at 1:6 (choose another name)"},
	{"forall i: (sum i: x@i) > 2", "1:16: i is already bound at 1:8 (choose another name)"},
	{"(sum i: x@i) + sum > 1 + sum i", "1:31: sum needs a colon, found the end (as in sum i: p@i)"},
	{"sum(x) > 1", "1:1: sum is not an operator (write (sum i: x@i))"},
	{"count(cs) > 1", "1:1: count is not an operator (write (count i: cs@i))"},
	{"x = 1.", "1:5: digits are missing after the point of 1."},
	{"1e999 < x", "1:1: the number 1e999 is out of range"},
	{"x < 12abc", `1:5: 12abc is neither a number nor a name (durations have the units ns, us, ms, s, m and h; a name starts with a letter or _, and other names of processes are written as strings: "12abc")`},
	{`"abc`, "1:1: the string is not closed"},
	{`"a\qb" == x`, "1:1: the string \"a\\qb\" has an invalid escape or a control character (escapes are those of JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000)"},
	{"'a' == x", "1:1: ' is not an operator (strings are written in double quotes)"},
	{"p ? q", "1:3: ? is not an operator (p ? q : r is written (p -> q) && (!p -> r))"},
	{"x / 2 > 1", "1:3: / is not an operator (there is no division; multiply the other side)"},
	{"x == 1 % 2", "1:8: % is not an operator (there is no remainder)"},
	{"\xff", "1:1: the text is not valid UTF-8 here: byte 0xff"},
	{"p && \xffq", "1:6: the text is not valid UTF-8 here: byte 0xff"},
	{"a <=> b", "1:3: <=> is not an operator (equivalence is written <->)"},
	{"p implies q", "1:3: unexpected implies (implication is written ->)"},
	{"p xor q", "1:3: unexpected xor (either or is written !(p <-> q))"},
	{"exists i: p : q", "1:13: unexpected : (a colon follows forall and exists, and the name in a property file)"},
	{"p; q", "1:2: ; is not an operator (and is written &&)"},
	{"p {q}", "1:3: unexpected { (braces list processes after in)"},
	{"p[1] > 2", `1:2: unexpected [ (a name that is not plain is written as a string, with its process: "p[1]"@P1)`},
	{"x === 1", "1:3: === is not an operator (equality is written ==)"},
	{"AG(p -> EF q", "1:13: ) is missing to close the ( opened at 1:3, found the end"},
	{"AG((p) && q]", "1:12: ) is missing to close the ( opened at 1:3, found ]"},
	{"ALWAYS p", "1:1: ALWAYS is not an operator (always is written AG, on all runs, or EG, on some run)"},
	{"p\n&& (q\n|| )", "3:4: there is nothing between || and )"},
	{"\"\x00\"", `1:1: the string "·" has an invalid escape or a control character (escapes are those of JSON: \" \\ \/ \b \f \n \r \t \u0000)`},
	{"a & (b", "1:3: & is not an operator (and is written &&)"},
	{"p && ((q) || r", "1:15: ) is missing to close the ( opened at 1:6, found the end"},
	{"größe && ü ü", "1:12: unexpected ü (an operator such as && is missing before it, or an @, as in ü@ü)"},
}

// Over threeProcesses.
var resolveRefusals = []refusal{
	{"foo", `1:1: there is no variable foo (the variables are cs, "odd name", only, open, ready and 5 more)`},
	{"xs > 1", "1:1: there is no variable xs (did you mean cs or x?)"},
	{"x@P4", "1:3: there is no process P4 (the processes are P1, P2 and P3)"},
	{"cs@p1", "1:4: there is no process p1 (did you mean P1?)"},
	{"x@P2 > 1", "1:1: P2 has no variable x; P1 and P3 have it"},
	{"x > 1", "1:1: x is a variable of P1 and P3 (write x@P1 or x@P3)"},
	{"cs", "1:1: cs is a variable of P1, P2 and P3 (write cs@P1 for one of them, or forall i: … cs@i …)"},
	{"turn@P1 == 1", "1:1: turn is shared, not a variable of P1 (write turn alone)"},
	{"only@P2 > 1", "1:1: P2 has no variable only; P1 has it"},
	{"reddy", "1:1: there is no variable reddy (did you mean ready?)"},
	{"z@i > 1", "1:3: there is no process i (a name for any process is bound by forall i: … or exists i: …; the processes are P1, P2 and P3)"},
	{"exists i: i", "1:11: there is no variable i (i stands for a process; its variables are written x@i)"},
	{"P1", "1:1: there is no variable P1 (P1 is a process; its variables are written x@P1)"},
	{"EFready", "1:1: there is no variable EFready (did you mean EF ready?)"},
	{"only", "1:1: only is a number, where a formula is expected (write only != 0 or another comparison)"},
	{"state@P1", `1:1: state@P1 is a string, where a formula is expected (compare it, as in state@P1 == "on")`},
	{"state@P1 + 1 > 2", "1:1: state@P1 is a string, and + is for numbers"},
	{"state@P1 < 3", "1:10: state@P1 is a string and 3 is a number: they cannot be compared (strings are written in double quotes)"},
	{"state@P1 == 3", "1:10: state@P1 is a string and 3 is a number: they cannot be compared (strings are written in double quotes)"},
	{`only == "3"`, `1:6: only is a number and "3" is a string: they cannot be compared (numbers are written without quotes)`},
	{`state@P1 < "b"`, "1:10: < orders numbers, but state@P1 is a string (use == or !=)"},
	{"ready == 1", "1:7: ready is a Boolean and 1 is a number: they cannot be compared (write ready or !ready)"},
	{"1 < ready < 3", "1:3: 1 is a number and ready is a Boolean: they cannot be compared (write ready or !ready)"},
	{"1 < only < ready", "1:12: only is a number and ready is a Boolean: they cannot be compared (write ready or !ready)"},
	{"-ready > 1", "1:2: ready is a Boolean, and - is for numbers ((count i: p@i) is the number of processes for which p holds)"},
	{"only * (x@P1 - ready) > 1", "1:16: ready is a Boolean, and - is for numbers ((count i: p@i) is the number of processes for which p holds)"},
	{"forall i: x@i > 0", `1:11: i ranges over P2, which has no variable x (processes without it need a value at the start, by "init" or in mappings "initial"; of events, write once(x == …)@i)`},
	{"forall i: foo@i", `1:11: there is no variable foo (the variables of P1 are cs, "odd name", only, state and x)`},
	{"forall i in {P1, Q}: cs@i", "1:18: there is no process Q (a name for any process is bound by forall Q: … or exists Q: …; the processes are P1, P2 and P3)"},
	{"transit(P1, P9) > 1", "1:13: there is no process P9 (the processes are P1, P2 and P3)"},
	{"exists i in {P1,P2}: z@i > 1", `1:22: i ranges over P1, which has no variable z (processes without it need a value at the start, by "init" or in mappings "initial"; of events, write once(z == …)@i)`},
	{"transit(P1,P2) == open", "1:16: transit(P1, P2) is a number and open is a Boolean: they cannot be compared (write open or !open)"},
	{"(sum i: cs@i) > 1", "1:9: cs@i is a Boolean, and sum is for numbers (count i: cs@i counts for how many processes it holds)"},
	{"(max i in {P1, P2}: state@i) > 1", "1:21: state@i is a string, and max is for numbers"},
	{"(sum i: x@i) > 1", `1:9: i ranges over P2, which has no variable x (processes without it need a value at the start, by "init" or in mappings "initial"; of events, write once(x == …)@i)`},
	{"count i in {P1, P3}: x@i >= 1", "1:22: x@i is a number, where a formula is expected (write x@i != 0 or another comparison)"},
	{"(count i: cs@i) == true", "1:17: count i: cs@i is a number and true is a Boolean: they cannot be compared"},
	{"(count i: turn@i > 1) > 1", "1:11: turn is shared, not a variable of P1 (write turn alone)"},
	{"(count i: cs@k) > 1", "1:14: there is no process k (a name for any process is bound by forall k: … or exists k: …; the processes are P1, P2 and P3)"},
	{"forall i having foo: cs@i", `1:17: there is no variable foo (the variables are cs, "odd name", only, open, ready and 5 more)`},
	{"forall i having turn: cs@i", "1:17: turn is shared, and no process has it (having asks for variables of processes)"},
	{"forall i != j having cs: x@i > 0", `1:26: i ranges over P2, which has no variable x (processes without it need a value at the start, by "init" or in mappings "initial"; of events, write once(x == …)@i)`},
	{"odd@P1", `1:1: there is no variable odd (the variables of P1 are cs, "odd name", only, state and x)`},
	{"forall i: turn@i > 1", "1:11: turn is shared, not a variable of P1 (write turn alone)"},
}

var propertyRefusals = []refusal{
	{"p", "1:1: a property starts with its name and a colon (as in mutex: AG !(cs@P1 && cs@P2))"},
	{"forall i: p", "1:1: a property starts with its name and a colon (the colon of forall does not count, write name: forall …)"},
	{"a: p\na: q", "2:1: the name a is taken by the property on line 1"},
	{"a: p &&\nq", "1:8: there is nothing after && (a property continues on the next line only while a bracket is open)"},
	{"a: p\nb: (p", "2:6: ) is missing to close the ( opened at 2:4, found the end"},
	{"a b: p", "1:1: a property starts with its name and a colon (names with characters other than letters, digits, _, - and . are written as strings; as in mutex: AG !(cs@P1 && cs@P2))"},
	{`"": p`, "1:1: the name of a property is empty"},
	{"a:", "1:2: the property a has no formula"},
	{"a: # x", "1:2: the property a has no formula"},
	{"a: p\nb: p &\n", "2:6: & is not an operator (and is written &&)"},
	{"(p): q", "1:1: a property starts with its name and a colon (as in mutex: AG !(cs@P1 && cs@P2))"},
	{`"a`, "1:1: the string is not closed"},
	{"a : p) \nb: q", "1:6: ) closes a bracket that was never opened"},
	{"exists j: p@j\n", "1:1: a property starts with its name and a colon (the colon of exists does not count, write name: exists …)"},
	{"a: (p\nb: q", "2:1: ) is missing to close the ( opened at 1:4, found b"},
	{"# only\n\na: p\n b: p && 1\n", "4:10: 1 is a number, where a formula is expected (write true, false or a comparison)"},
}

// TestNoProcessToCompare: the least of nothing is no number, its sum is 0.
func TestNoProcessToCompare(t *testing.T) {
	for _, test := range []refusal{
		{"(min i: 3) > 1", "1:2: there is no process to take the min over"},
		{"1 < max i: 3", "1:5: there is no process to take the max over"},
	} {
		f, err := Resolve(context.Background(), mustParse(t, test.src), testScope{})
		checkRefusal(t, test, f, err)
	}
	for src, want := range map[string]string{"(sum i: 3) > 1": "0 > 1", "(sum i: 3) + (count j: true) < 2": "0 + 0 < 2"} {
		if f := mustResolve(t, src, testScope{}); f.String() != want {
			t.Errorf("%s: resolved to %s, want %s", src, f, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range parseRefusals {
		f, err := Parse(test.src)
		checkRefusal(t, test, f, err)
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, test := range resolveRefusals {
		f, err := Resolve(context.Background(), mustParse(t, test.src), threeProcesses())
		checkRefusal(t, test, f, err)
	}
}

func TestParsePropertiesRefuses(t *testing.T) {
	for _, test := range propertyRefusals {
		properties, err := ParseProperties(test.src)
		if properties != nil {
			t.Errorf("%q: %v with an error", test.src, properties)
		}
		checkRefusal(t, test, nil, err)
	}
}

func checkRefusal(t *testing.T, test refusal, f *Formula, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%q: no error", test.src)
		return
	}
	var e *Error
	if !errors.As(err, &e) || e.Src != test.src || f != nil {
		t.Errorf("%q: formula %v, error %#v", test.src, f, err)
	}
	if err.Error() != test.err {
		t.Errorf("%q: error\n\t%s, want\n\t%s", test.src, err, test.err)
	}
}

func TestSnippet(t *testing.T) {
	long := "a"
	for range 40 {
		long += " && variable"
	}
	for _, test := range []struct{ src, want string }{
		{"p && && q", "p && && q\n     ^"},
		{"p\n\t&& q r\n&& s", "\t&& q r\n\t     ^"},
		{"ü && ü ü", "ü && ü ü\n       ^"},
		{"p && \x1b[31m", "p && ·[31m\n     ^"},
		{"p &&", "p &&\n    ^"},
		{long + " & " + long, "…&& variable && variable && variable && variable & a && variable && variable && variable && varia…\n                                                 ^"},
	} {
		_, err := Parse(test.src)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%q: %v", test.src, err)
		}
		if got := e.Snippet(); got != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.src, got, test.want)
		}
	}
	if got := (&Error{Pos: 3, Msg: "m"}).Snippet(); got != "" {
		t.Errorf("snippet of nothing: %q", got)
	}
}
