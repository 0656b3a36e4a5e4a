package syntax

import (
	"cmp"
	"slices"
	"testing"
)

func TestMirrored(t *testing.T) {
	for op := Less; op <= Greater; op++ {
		for x := range 3 {
			for y := range 3 {
				if op.Relates(cmp.Compare(x, y)) != op.Mirrored().Relates(cmp.Compare(y, x)) {
					t.Errorf("operator %d, mirrored %d, of %d and %d", op, op.Mirrored(), x, y)
				}
			}
		}
	}
}

func TestOperands(t *testing.T) {
	f, err := Parse("a && (b && !(c && d)) && (e || (f || g))")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range Conjuncts(f) {
		for _, alternative := range Alternatives(part) {
			got = append(got, alternative.String())
		}
	}
	want := []string{"a", "b", "!(c && d)", "e", "f", "g"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHasNext(t *testing.T) {
	for text, want := range map[string]bool{"EF (a && AG !EX b)": true, "AX a": true, "E[a U b] && EG a": false} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if HasNext(f) != want {
			t.Errorf("HasNext(%s) is %v", text, !want)
		}
	}
}
