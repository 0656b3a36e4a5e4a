package jsonstream

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// plain returns what a tree is as encoding/json has it, and the places of values other
// than null members.
func plain(t *Tree, places *[]Place) any {
	*places = append(*places, t.Place)
	switch t.Kind {
	case '{':
		m := make(map[string]any)
		for _, e := range t.Members {
			if m[e.Name] = nil; e.Value.Kind != 'n' {
				m[e.Name] = plain(e.Value, places)
			}
		}
		return m
	case '[':
		a := []any{}
		for _, e := range t.Items {
			a = append(a, plain(e, places))
		}
		return a
	case '"':
		return t.Text
	case 't', 'f':
		return t.Text == "true"
	}
	return json.Number(t.Text)
}

// TestTree compares trees with encoding/json, and places with the positions at which they were
// written.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	var trees TreeReader
	for range graphtest.Rounds(t, 400) {
		m := &maker{r: r, line: 7, column: 1}
		m.value(5)
		dec := json.NewDecoder(strings.NewReader(m.b.String()))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err, m.b.String())
		}
		got, err := trees.Read("f", 7, []byte(m.b.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, m.b.String())
		}
		var places []Place
		a, b := fmt.Sprintf("%#v", plain(got, &places)), fmt.Sprintf("%#v", want)
		if a != b || !slices.Equal(places, m.places) {
			t.Fatalf("got\n%s %v\nwant\n%s %v\n%s", a, places, b, m.places, m.b.String())
		}
	}
}

func TestTreeErrors(t *testing.T) {
	var trees TreeReader
	for text, want := range map[string]string{
		"":                         "f:3:1: the JSON text ends too soon",
		"{\"a\":1,\n\"é\": }":      `f:4:6: invalid character '}' at start of value (at /é)`,
		"{\"a\":1,\n \"a\":{}}":    `f:4:2: the key "a" is given twice`,
		"[1]\n x":                  `f:4:2: text after the JSON value: nothing may follow it`,
		"{1:2}":                    `f:3:2: object member name must be a string`,
		strings.Repeat("[", 20000): "f:3:10001: exceeded max depth (at " + strings.Repeat("/0", 100) + "…)",
	} {
		if _, err := trees.Read("f", 3, []byte(text)); fmt.Sprint(err) != want {
			t.Errorf("%.40s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}
