package report

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Bindings count the values and events that the outermost names of a formula about data may stand
// for, and list the first ones that decide the verdict.
type Bindings struct {
	Total      int       `json:"total"`
	Failing    *int      `json:"failing,omitempty"`    // of forall
	Satisfying *int      `json:"satisfying,omitempty"` // of exists
	First      []Binding `json:"first"`                // of those, in the order of the trace
}

// A Binding is what names stand for, and the run that shows the verdict under it.
type Binding struct {
	Names   []string
	Values  []json.RawMessage // constants, and the ids of events
	Witness *Witness          // nil for none
}

// MarshalJSON implements json.Marshaler: {"r":"r17","witness":{…}}.
func (b Binding) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := &encoder{Encoder: jsontext.NewEncoder(&text, options)}
	e.token(jsontext.BeginObject)
	for i, name := range b.Names {
		e.member(name, b.Values[i])
	}
	if b.Witness != nil {
		e.member("witness", b.Witness)
	}
	e.token(jsontext.EndObject)
	return text.Bytes(), e.err
}

// UnmarshalJSON implements json.Unmarshaler. The witness is only written.
func (b *Binding) UnmarshalJSON(text []byte) error {
	return members(text, func(name string, value json.RawMessage) error {
		if name != "witness" {
			b.Names = append(b.Names, name)
			b.Values = append(b.Values, value)
		}
		return nil
	})
}
