package report

import (
	"bytes"
	"encoding/json"
)

// Bindings are what a formula about data says of values and events: how many bindings of its
// outermost names there are, and which of them decide the verdict.
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
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	member := func(key string, value any) error {
		text.WriteByte(map[bool]byte{true: '{', false: ','}[text.Len() == 0])
		if err := e.Encode(key); err != nil {
			return err
		}
		text.WriteByte(':')
		return e.Encode(value) // the line ends go when this is put into a line
	}
	for i, name := range b.Names {
		if err := member(name, b.Values[i]); err != nil {
			return nil, err
		}
	}
	if b.Witness != nil {
		if err := member("witness", b.Witness); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// UnmarshalJSON implements json.Unmarshaler. The witness is only written.
func (b *Binding) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if name, ok := key.(string); ok && name != "witness" {
			b.Names = append(b.Names, name)
			b.Values = append(b.Values, value)
		}
	}
	return nil
}
