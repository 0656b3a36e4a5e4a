package syntax

import (
	"context"
	"strings"
	"testing"
)

func TestParseProperties(t *testing.T) {
	const src = "# mutual exclusion\n" +
		"mutex: AG forall i != j: !(cs@i && cs@j)\n" +
		"\n" +
		"\"two words\" : AG(p ->   # comment\n" +
		"   EF q)\t # another\n" +
		"v1.2-x: x@\"#\" > 1 && s == \"(\"\r\n" +
		"forall: E[p U\nq]"
	want := []Property{
		{Name: "mutex", Source: "AG forall i != j: !(cs@i && cs@j)", Line: 2},
		{Name: "two words", Source: "AG(p ->   # comment\n   EF q)", Line: 4},
		{Name: "v1.2-x", Source: "x@\"#\" > 1 && s == \"(\"", Line: 6},
		{Name: "forall", Source: "E[p U\nq]", Line: 7},
	}
	got, err := ParseProperties("\ufeff" + src)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d properties: %v", len(got), got)
	}
	for i := range want {
		if got[i].Name != want[i].Name || got[i].Source != want[i].Source || got[i].Line != want[i].Line || !got[i].Formula.Equal(mustParse(t, want[i].Source)) {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

// TestPropertyPositions: an error of Resolve is placed in the file, while the
// positions of the formula relate to its own text.
func TestPropertyPositions(t *testing.T) {
	properties, err := ParseProperties("a: cs@P1\nb:  cs@P1 && cs@P9\n")
	if err != nil {
		t.Fatal(err)
	}
	f := properties[1].Formula
	if f.Pos != len("cs@P1 ") {
		t.Errorf("position %d", f.Pos)
	}
	_, err = Resolve(context.Background(), f, threeProcesses())
	if want := "2:17: there is no process P9 (the processes are P1, P2 and P3)"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestPropertyErrors: all properties of a file are read, whatever is wrong with others.
func TestPropertyErrors(t *testing.T) {
	const src = "a: p & q\nb: (p ->\n q)\nc: (p\nd: q &&\n# e: r\nb: p\nf\n"
	want := []string{
		"1:6: & is not an operator (and is written &&)",
		"5:1: ) is missing to close the ( opened at 4:4, found d",
		"5:8: there is nothing after && (a property continues on the next line only while a bracket is open)",
		"7:1: the name b is taken by the property on line 2",
		"8:1: a property starts with its name and a colon (as in mutex: AG !(cs@P1 && cs@P2))",
	}
	_, err := ParseProperties(src)
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}
