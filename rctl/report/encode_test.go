package report

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A form is the JSON form of a Witness, as encoding/json writes it.
type form struct {
	Kind     string                     `json:"kind"`
	Formula  string                     `json:"formula"`
	Cut      json.RawMessage            `json:"cut"`
	Steps    []string                   `json:"steps"`
	Shortest *bool                      `json:"shortest,omitempty"`
	Cycle    int                        `json:"cycle,omitempty"`
	Children []*form                    `json:"children,omitempty"`
	Explains string                     `json:"explains"`
	Bindings map[string]string          `json:"bindings,omitempty"`
	Values   map[string]json.RawMessage `json:"values,omitempty"`
	Changes  []changeForm               `json:"changes,omitempty"`

	Observed  *bool  `json:"observed,omitempty"`
	From      *Event `json:"from,omitempty"`
	Until     *Event `json:"until,omitempty"`
	Unordered *struct {
		Before Event `json:"before"`
		After  Event `json:"after"`
	} `json:"unordered,omitempty"`
	Cause []string `json:"cause,omitempty"`
	Shown []Event  `json:"shown,omitempty"`

	Remarks []string `json:"remarks,omitempty"`
}

type changeForm struct {
	Step    int                        `json:"step"`
	ID      string                     `json:"id"`
	Process string                     `json:"process"`
	Label   string                     `json:"label,omitempty"`
	Set     map[string]json.RawMessage `json:"set"`
}

// What is written piece by piece is what encoding/json writes, and has the run with the
// changes that are told of it.
func TestWriteAgainstEncodingJSON(t *testing.T) {
	tally := make(map[string]int)
	cases := max(graphtest.Rounds(t, 500), 125) // fewer have no changes of several variables
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 51))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 14, Kinds: graphtest.AllKinds})
		op := []syntax.Op{syntax.OpEF, syntax.OpEG}[r.IntN(2)]
		if i == 0 { // longer than what is written at a time
			c = enginetest.Exclusive(10, 20_000, false)
		}
		if c.Empty() {
			continue
		}
		f := &syntax.Formula{Op: op, Sub: []*syntax.Formula{rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 2})}}
		if i == 0 {
			var err error
			if f, err = rctltest.Resolve(c, "EG(exists i: cs@i || !cs@i)"); err != nil {
				t.Fatal(err)
			}
		}
		res, err := rctl.Check(context.Background(), c, f, rctl.Options{Evidence: true})
		if err != nil {
			t.Fatal(err)
		}
		explainer := &explain.Explainer{Of: c, Property: f}
		l := New(Subject{Trace: `<"a" & b>`, Name: "é", Formula: f.String()}, res, res.Engine.String(), time.Second, nil)
		l.Stats = SizesOf(c)
		if res.Evidence != nil {
			l.Witness = NewWitness(c, KindOf(res.Verdict), explainer.Explain(res.Evidence))
		}
		var got, want, again bytes.Buffer
		if err := l.Write(&got); err != nil {
			t.Fatal(err)
		}
		encode := func(to *bytes.Buffer, v any) {
			enc := json.NewEncoder(to)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v); err != nil {
				t.Fatal(err)
			}
		}
		encode(&want, l)
		if got.String() != want.String() {
			t.Fatalf("case %d: %s is written, not %s", i, got.String(), want.String())
		}
		if l.Witness == nil {
			continue
		}
		var w struct{ Witness *form }
		if err := json.Unmarshal(got.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		encode(&again, w.Witness)
		if text := bytes.TrimSpace(again.Bytes()); !bytes.Contains(got.Bytes(), text) {
			t.Fatalf("case %d: %s is written, not %s", i, got.String(), text)
		}
		explainer.Full = true
		tell(t, w.Witness, explainer.Explain(res.Evidence), explainer, tally)
	}
	t.Log(tally)
	if tally["steps"] < 20_000+cases || tally["changes"] < 1000 || tally["children"] < cases/20 || tally["several"] < cases/50 {
		t.Error(tally)
	}
}

// tell compares the steps of w with those of a level.
func tell(t *testing.T, w *form, l *explain.Level, explainer *explain.Explainer, tally map[string]int) {
	c := explainer.Of
	var ids []string
	for _, e := range l.Evidence.Run {
		ids = append(ids, c.ID(e))
	}
	if !slices.Equal(w.Steps, ids) {
		t.Fatalf("steps %v, not %v", w.Steps, ids)
	}
	tally["steps"] += len(ids)
	changes := w.Changes
	for _, s := range l.Steps {
		if len(s.Changes) == 0 {
			continue
		}
		if len(changes) == 0 || changes[0].Step != s.Number || changes[0].ID != c.ID(s.Event) || changes[0].Process != c.Processes()[c.Process(s.Event)] || changes[0].Label != c.Label(s.Event) {
			t.Fatalf("changes %v at step %v", changes, s)
		}
		last := make(map[string]string)
		for _, x := range s.Changes {
			last[x.Variable.Name] = x.To.String()
		}
		for name, value := range last {
			if string(changes[0].Set[name]) != value || len(changes[0].Set) != len(last) {
				t.Fatalf("%v at step %v", changes[0], s)
			}
		}
		if len(last) > 1 {
			tally["several"]++
		}
		changes = changes[1:]
		tally["changes"]++
	}
	if len(changes) > 0 || len(w.Children) != len(l.Children) {
		t.Fatalf("%d changes and %d children more", len(changes), len(w.Children)-len(l.Children))
	}
	for i, child := range w.Children {
		tally["children"]++
		tell(t, child, l.Children[i], explainer, tally)
	}
}
