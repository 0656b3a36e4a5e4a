package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pota-project/pota/rctl"
)

// A Shard is the last line of the results on one part of a set of traces.
type Shard struct {
	Shard      string   `json:"shard"` // the part, in the form of Part.String
	Traces     int      `json:"traces"`
	Properties []string `json:"properties"`
}

// Parse reads a line that a command has written. Its error names the first key or value that no
// command writes.
func Parse(text []byte) (*Record, error) {
	text = bytes.TrimSpace(text)
	// The struct has the keys of all kinds of lines. Which keys a line has determines its kind.
	var all struct {
		Record
		Shard
	}
	if err := Unmarshal(text, &all); err != nil {
		return nil, err
	}

	r := &all.Record
	// The caller may reuse the memory of the line.
	r.Text = bytes.Clone(text)
	switch {
	case all.Shard.Shard != "":
		// A malformed shard is an error of this line, not of the merge.
		_, err := ParsePart(all.Shard.Shard)
		return &Record{Shard: &all.Shard, Text: r.Text}, err
	case r.Trace == "":
		return nil, errors.New(`there is no key "trace"`)
	// An error may be about a trace rather than a formula.
	case r.Error != "":
		return &Record{Subject: r.Subject, Error: r.Error, Text: r.Text}, nil
	case r.Conformance != nil && r.Spec != "":
		c := r.Conformance
		if c.Verdict = r.Verdict; c.Verdict == "luck" {
			c.Verdict = by + c.Verdict
		}
		r.Formula, r.Spec = r.Spec, ""
		r.Verdict, c.Outcome = c.Outcome, ""
	case r.Formula == "":
		return nil, errors.New(`there is no key "formula"`)
	}
	_, err := ParseVerdict(r.Verdict)
	return r, err
}

// Outcome returns the verdict of a record. It panics if Verdict is not the text of an rctl.Verdict.
func (r *Record) Outcome() rctl.Verdict {
	v, err := ParseVerdict(r.Verdict)
	if err != nil {
		panic("this cannot happen, because records are made from verdicts, and Parse checks them: " + err.Error())
	}
	return v
}

// ParseVerdict is the inverse of rctl.Verdict.String.
func ParseVerdict(text string) (rctl.Verdict, error) {
	// Only package rctl defines the names, so they cannot drift apart.
	for _, v := range []rctl.Verdict{rctl.Holds, rctl.Fails, rctl.Unknown} {
		if v.String() == text {
			return v, nil
		}
	}
	return 0, fmt.Errorf("the verdict must be holds, fails or unknown, not %q", text)
}

// UnmarshalJSON implements json.Unmarshaler. It reads only the members of a run that was kept in
// part. It ignores the others.
func (w *Witness) UnmarshalJSON(text []byte) error {
	var read struct {
		Kind    string      `json:"kind"`
		Cut     *Cut[int64] `json:"cut"`
		Steps   []string    `json:"steps"`
		Remarks []string    `json:"remarks"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*w = Witness{Kind: read.Kind, Cut: read.Cut, Steps: read.Steps, Remarks: read.Remarks}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. It keeps the order of the processes, which a map would
// lose.
func (n *Cut[N]) UnmarshalJSON(text []byte) error {
	counts := make(map[string]N)
	if err := json.Unmarshal(text, &counts); err != nil {
		return err
	}
	return members(text, func(name string, _ json.RawMessage) error {
		n.Processes = append(n.Processes, name)
		n.Counts = append(n.Counts, counts[name])
		return nil
	})
}

// A Part is one of several parts of a set of traces that different machines decide.
type Part struct{ Index, Of int }

// maxParts bounds the number of parts.
const maxParts = 1 << 20

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Of) }

// ParsePart reads i/n.
func ParsePart(text string) (Part, error) {
	var p Part
	// Sscanf accepts signs, leading zeros and trailing text. Accept only the form of String.
	if _, err := fmt.Sscanf(text, "%d/%d", &p.Index, &p.Of); err != nil || p.String() != text {
		return p, fmt.Errorf("a shard must be written i/n, such as 0/8, not %q", text)
	}
	// The bound lets merge list missing shards.
	if p.Of < 1 || p.Of > maxParts || p.Index < 0 || p.Index >= p.Of {
		return p, fmt.Errorf("of n shards, which may be up to %d, i must be from 0 to n-1, but it is %s", maxParts, text)
	}
	return p, nil
}

// Unmarshal reads one object that has only keys of v, each at most once. encoding/json alone
// ignores the case of keys and uses the last of several equal ones, so it would misread results
// that were edited or joined by hand without an error.
func Unmarshal(text []byte, v any) error {
	text = bytes.TrimSpace(text)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// drop the names of embedded structs
		key := bad.Field[strings.LastIndexByte(bad.Field, '.')+1:]
		if key == "" {
			return fmt.Errorf("it must be an object, but its type is %s", bad.Value)
		}
		return fmt.Errorf("the value of %q cannot be of type %s", key, bad.Value)
	}
	if err == io.ErrUnexpectedEOF {
		return errors.New("the object is cut off")
	}
	if err != nil {
		return errors.New(strings.Replace(err.Error(), "json: unknown field", "there must be no key", 1))
	}
	// Two objects on a line come from files that were joined without a line end.
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the object")
	}
	// encoding/json ignores the case of keys, and accepts the same key twice.
	seen := make(map[string]bool)
	return members(text, func(name string, _ json.RawMessage) error {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return fmt.Errorf("there must be no key %q: keys are in lower case", name)
		}
		if seen[name] {
			return fmt.Errorf("the key %q must be there only once", name)
		}
		seen[name] = true
		return nil
	})
}

// members visits the members of an object in their order, including repeated ones; a map would
// lose both. It returns the first error.
func members(text []byte, visit func(name string, value json.RawMessage) error) error {
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
		name, _ := key.(string) // keys of objects are strings
		if err := visit(name, value); err != nil {
			return err
		}
	}
	return nil
}
