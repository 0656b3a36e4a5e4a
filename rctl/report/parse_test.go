package report

import (
	"bytes"
	"strings"
	"testing"
)

// A verdict that is read back is written as it was, but for a witness of a whole run.
func TestParse(t *testing.T) {
	states := 7
	lines := []*Record{
		{Subject: Subject{Trace: "t", Formula: "EF x"}, Verdict: "holds", Fragment: "RCTL", Engine: "slice", Stats: Unread},
		{
			Subject: Subject{Trace: "t", Name: "n", Formula: "AG(x < 5)"},
			Verdict: "unknown",
			Reason:  "too large",
			Stats:   Sizes{Processes: 2, Events: -1, Messages: 0, Edges: -1},
			States:  &states,
			Witness: &Witness{
				Kind:    "witness",
				Cut:     &Cut[int64]{Processes: []string{"b", "<a>"}, Counts: []int64{2, 1}},
				Steps:   []string{"e1"},
				Remarks: []string{"a part"},
			},
			Engines:          []Opinion{{Engine: "sat", Verdict: "unknown", States: 3}},
			PossiblySpurious: true,
			LowerBound:       "why",
			Notes:            []Note{{Kind: Spurious, Text: "why"}},
		},
	}
	for _, l := range lines {
		var text, again bytes.Buffer
		if err := l.Write(&text); err != nil {
			t.Fatal(err)
		}
		r, err := Parse(text.Bytes())
		if err != nil || r.Verdict == "" {
			t.Fatalf("%s: %v", &text, err)
		}
		if err := r.Write(&again); err != nil || again.String() != text.String() {
			t.Errorf("%s is written as %s, %v", &text, &again, err)
		}
	}

	r, err := Parse([]byte(` {"trace":"t","formula":"f","error":"no"} `))
	if err != nil || r.Error != "no" || r.Verdict != "" || r.Subject != (Subject{Trace: "t", Formula: "f"}) || !bytes.HasPrefix(r.Text, []byte("{")) {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Parse([]byte(`{"shard":"1/2","traces":3,"properties":["p: f"]}`))
	if err != nil || r.Shard == nil || r.Shard.Traces != 3 || r.Subject != (Subject{}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"trace":"t","formula":"f","verdict":"maybe"}`:             "the verdict must be holds, fails or unknown",
		`{"trace":"t","verdict":"holds"}`:                           `no key "formula"`,
		`{"formula":"f","verdict":"holds"}`:                         `no key "trace"`,
		`{"trace":"t","formula":"f","verdict":"holds","extra":1}`:   `there must be no key "extra"`,
		`{"trace":"t","Formula":"f","verdict":"holds"}`:             "keys are in lower case",
		`{"trace":"t","trace":"u","formula":"f","verdict":"holds"}`: "only once",
		`{"trace":1}`:                      `the value of "trace" cannot be of type number`,
		`[]`:                               "it must be an object, but its type is array",
		`{"trace":"t"`:                     "cut off",
		`{"trace":"t","error":"no"} {}`:    "more follows",
		`{"shard":"2/2"}`:                  "i must be from 0 to n-1",
		`{"shard":"01/2"}`:                 "written i/n",
		`{"shard":"0/0","properties":[]}`:  "i must be from 0 to n-1",
		`{"shard":"0/9999999"}`:            "up to 1048576",
		`{"shard":"half"}`:                 "written i/n",
		`{"trace":"t","witness":[],"x":1}`: "cannot be",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
