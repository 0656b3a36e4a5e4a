package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) mergeCommand() *cli.Command {
	return s.command(1, -1, cli.Command{
		Name:      "merge",
		Usage:     "join the results of shards",
		ArgsUsage: "RESULT...",
		Description: "Reads what detect --json has written and prints it as detect prints the whole. A result\n" +
			"that is there twice counts once, one that was decided counts more than an unknown one,\n" +
			"and results that contradict each other are refused. Exit status: as detect; 3 if a shard\n" +
			"is missing.\n\n" +
			"   pota detect --shard 0/2 --json -o 0.jsonl -f properties.txt 'runs/*.jsonl'\n" +
			"   pota detect --shard 1/2 --json -o 1.jsonl -f properties.txt 'runs/*.jsonl'\n" +
			"   pota merge [01].jsonl\n\n" +
			"Guide: pota help fleets.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print `FORMAT`: text, json (an object a line), junit, sarif, or github (annotations)"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each formula and trace, as --format json does"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing: the exit status is the answer"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "name engine and fragment, and list all verdicts, not only those that do not hold"},
			outputFlag(),
		}, limitFlags(0)...),
		Action: s.merge,
	})
}

// A resultLine is a line of results: a verdict or an error about a trace, or the last line
// of a shard.
type resultLine struct {
	report.Subject
	Verdict   string  `json:"verdict"`
	Reason    string  `json:"reason"`
	Engine    string  `json:"engine"`
	ElapsedMS float64 `json:"elapsed_ms"`
	Notes     []note  `json:"notes"`
	Witness   *steps  `json:"witness"`
	Error     string  `json:"error"`
	shardLine
	unread

	text  []byte // as it was written
	place string // file:line
}

// steps are those of a witness, whatever else it has.
type steps struct {
	Steps []string `json:"steps"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *steps) UnmarshalJSON(text []byte) error {
	type plain steps
	return json.Unmarshal(text, (*plain)(s))
}

// unread are the keys of results that are printed as they are.
type unread struct {
	Fragment         json.RawMessage `json:"fragment"`
	Stats            json.RawMessage `json:"stats"`
	Engines          json.RawMessage `json:"engines"`
	PossiblySpurious json.RawMessage `json:"possibly_spurious"`
	LowerBound       json.RawMessage `json:"lower_bound"`
}

// A shardLine says which part of the traces the lines before it are about.
type shardLine struct {
	Shard      string   `json:"shard"`
	Traces     int      `json:"traces"`
	Properties []string `json:"properties"`
}

// key is what the line is about, in 16 bytes: two lines differ in it unless SHA-256, cut
// to half, has a collision.
func (l *resultLine) key() (key [16]byte) {
	sum := sha256.Sum256([]byte(strings.Join([]string{l.Trace, l.Name, l.Formula, l.Error}, "\x00")))
	copy(key[:], sum[:])
	return key
}

// property is that of the line.
func (l *resultLine) property() (syntax.Property, error) {
	f, err := syntax.Parse(l.Formula)
	return syntax.Property{Name: l.Name, Formula: f, Source: l.Formula}, err
}

// A merger joins results. It reads them twice, so that it need not keep them: first to
// find the line that counts for each property and trace, and then to print these. The
// memory that it takes is O(results), some 60 bytes each.
type merger struct {
	*detection
	files      []string
	counts     map[[16]byte]counting // by what a line is about
	lines      []map[int]bool        // of each file, those that do not count
	numbers    map[[2]string]int     // of the properties, by name and formula
	parts      map[int]bool          // shards that are here
	first      *resultLine           // the last line of a shard
	firstShard *shard
}

// A counting line is where a result is and what it is.
type counting struct {
	file, line int32
	verdict    rctl.Verdict
}

func (s *session) merge(c *cli.Context) error {
	d := &detection{session: s, cli: c, errors: new(errorReport), several: true}
	m := &merger{detection: d, counts: make(map[[16]byte]counting), numbers: make(map[[2]string]int), parts: make(map[int]bool)}
	var err error
	if d.show, err = presentationOf(c); err != nil {
		return err
	}
	if m.files, err = matching(c.Args().Slice()); err != nil {
		return err
	}
	if slices.Contains(m.files, "-") {
		return usagef("results are read twice, so they cannot come from standard input")
	}
	m.lines = make([]map[int]bool, len(m.files))
	for i, path := range m.files {
		if err := m.each(path, func(number int, l *resultLine) error { return m.look(i, number, l) }); err != nil {
			return err
		}
	}
	if len(m.counts) == 0 && m.first == nil {
		return fmt.Errorf("there is no result in %s", strings.Join(m.files, ", "))
	}
	m.counts = nil
	return s.into(c, func() error {
		for i, path := range m.files {
			if err := m.each(path, func(number int, l *resultLine) error { return m.tell(i, number, l) }); err != nil {
				return err
			}
		}
		d.show.end(d)
		d.errors.end(d)
		d.flush()
		m.missing()
		return nil
	})
}

// each calls do for the lines of a file of results.
func (m *merger) each(path string, do func(number int, l *resultLine) error) error {
	return try(m.session, "reading "+path, func(ctx context.Context) error {
		source, err := trace.Open(path)
		if err != nil {
			return err
		}
		type work struct {
			lines []*resultLine
			err   error // after them
			count int   // of lines in the piece
		}
		before := 0 // lines before the piece
		return trace.ReadLines(ctx, source, trace.LinesOptions[*work]{
			Options: new(trace.Options),
			New:     func() *work { return new(work) },
			Do: func(p *trace.Piece, w *work) {
				w.lines, w.err, w.count = w.lines[:0], nil, bytes.Count(p.Text, []byte("\n"))
				for text := range bytes.Lines(p.Text) {
					l := new(resultLine)
					if len(bytes.TrimSpace(text)) > 0 {
						if w.err = l.parse(text); w.err != nil {
							w.lines = append(w.lines, l)
							return
						}
					}
					w.lines = append(w.lines, l)
				}
			},
			Take: func(b *trace.Batch[*work]) error {
				for i, l := range b.Work.lines {
					number := before + i + 1
					l.place = fmt.Sprintf("%s:%d", b.Name, number)
					if b.Work.err != nil && i == len(b.Work.lines)-1 {
						return fmt.Errorf("%s: a result must be one line of JSON as pota detect --json writes it: %w", l.place, b.Work.err)
					}
					if l.text == nil {
						continue
					}
					if err := do(number, l); err != nil {
						return err
					}
				}
				before += b.Work.count
				return b.Failure
			},
		})
	})
}

// exactly reads text, one object that has only keys of v, as they are spelled, each at most once.
func exactly(text []byte, v any) error {
	text = bytes.TrimSpace(text)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("the value of %q cannot be a %s", bad.Field, bad.Value)
	}
	if err == io.ErrUnexpectedEOF {
		return errors.New("the object is cut off")
	}
	if err != nil {
		return errors.New(strings.Replace(err.Error(), "json: unknown field", "there must be no key", 1))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the object")
	}
	d = json.NewDecoder(bytes.NewReader(text))
	d.Token() //nolint:errcheck // it has been read
	for seen := make(map[json.Token]bool); d.More(); {
		key, _ := d.Token()
		if name, _ := key.(string); strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return fmt.Errorf("there must be no key %q: keys are in lower case", name)
		}
		if seen[key] {
			return fmt.Errorf("the key %q must be there only once", key)
		}
		seen[key] = true
		if err := d.Decode(new(json.RawMessage)); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a line.
func (l *resultLine) parse(text []byte) error {
	if err := exactly(text, l); err != nil {
		return err
	}
	l.text = bytes.Clone(bytes.TrimSpace(text))
	switch {
	case l.Shard != "":
		_, err := parseShard(l.Shard)
		return err
	case l.Trace == "":
		return errors.New(`there is no key "trace"`)
	case l.Error != "":
		return nil
	case l.Formula == "":
		return errors.New(`there is no key "formula"`)
	}
	_, err := verdictOf(l.Verdict)
	return err
}

func verdictOf(text string) (rctl.Verdict, error) {
	for _, v := range []rctl.Verdict{rctl.Holds, rctl.Fails, rctl.Unknown} {
		if v.String() == text {
			return v, nil
		}
	}
	return 0, fmt.Errorf("the verdict must be holds, fails or unknown, not %q", text)
}

// look notes whether a line counts.
func (m *merger) look(file, number int, l *resultLine) error {
	if l.Shard != "" {
		return m.part(l)
	}
	if l.Formula != "" {
		if err := m.number(l); err != nil {
			return err
		}
	}
	now := counting{int32(file), int32(number), rctl.Unknown}
	if l.Error == "" {
		now.verdict, _ = verdictOf(l.Verdict)
	}
	key := l.key()
	before, known := m.counts[key]
	switch {
	case !known:
		m.counts[key] = now
	case before.verdict == rctl.Unknown && now.verdict != rctl.Unknown:
		m.leave(before)
		m.counts[key] = now
	case before.verdict != now.verdict && now.verdict != rctl.Unknown:
		return fmt.Errorf("%s: %s %s on %s, but at %s:%d it %s: one of the results is of another trace of that name",
			l.place, graphs.Printable(l.Formula), l.Verdict, graphs.Printable(l.Trace), m.files[before.file], before.line, before.verdict)
	default:
		m.leave(now)
	}
	return nil
}

// leave notes that a line does not count.
func (m *merger) leave(c counting) {
	if m.lines[c.file] == nil {
		m.lines[c.file] = make(map[int]bool)
	}
	m.lines[c.file][int(c.line)] = true
}

// number notes the property of a line.
func (m *merger) number(l *resultLine) error {
	at := [2]string{l.Name, l.Formula}
	if _, known := m.numbers[at]; known {
		return nil
	}
	p, err := l.property()
	if err != nil {
		return fmt.Errorf("%s: the formula %s cannot be read: %w", l.place, graphs.Printable(l.Formula), err)
	}
	m.numbers[at] = len(m.properties)
	m.properties = append(m.properties, p)
	return nil
}

// part notes that a shard is here.
func (m *merger) part(l *resultLine) error {
	p, err := parseShard(l.Shard)
	if err != nil {
		return err
	}
	if m.first == nil {
		m.first, m.firstShard = l, p
	}
	switch {
	case p.of != m.firstShard.of:
		return fmt.Errorf("%s: shard %s cannot be joined with shard %s of %s: the traces were divided in another way", l.place, p, m.firstShard, m.first.place)
	case !slices.Equal(l.Properties, m.first.Properties):
		return fmt.Errorf("%s: shard %s decided other properties than shard %s of %s", l.place, p, m.firstShard, m.first.place)
	}
	m.parts[p.index] = true
	return nil
}

// tell prints a line that counts.
func (m *merger) tell(file, number int, l *resultLine) error {
	if l.Shard != "" || m.lines[file][number] {
		return nil
	}
	v := &decision{detection: m.detection, trace: l.Trace, execution: &format.Execution{Name: l.Trace}, told: l, notes: l.Notes}
	if l.Error != "" {
		v.err = errors.New(l.Error)
	}
	if l.Formula == "" {
		m.wrong(l.Trace, v.err)
		m.show.refusal(m.detection, l.Trace, v.err)
		return nil
	}
	v.index = m.numbers[[2]string{l.Name, l.Formula}]
	v.property = m.properties[v.index]
	if l.Error == "" {
		verdict, err := verdictOf(l.Verdict)
		if err != nil {
			return err
		}
		v.elapsed = time.Duration(l.ElapsedMS * float64(time.Millisecond))
		v.result = &rctl.Result{Verdict: verdict, Reason: l.Reason, Class: syntax.Classify(v.property.Formula)}
	}
	m.detection.tell(v)
	return nil
}

// missing reports the shards that are not here.
func (m *merger) missing() {
	if m.first == nil || len(m.parts) == m.firstShard.of {
		return
	}
	var some []string
	for i := range m.firstShard.of {
		if m.parts[i] {
			continue
		}
		if len(some) == mostListed {
			some = append(some, "…")
			break
		}
		some = append(some, fmt.Sprint(i))
	}
	of, verb := m.firstShard.of, "are"
	if of-len(m.parts) == 1 {
		verb = "is"
	}
	fmt.Fprintf(m.err, "pota: %d of %d shards %s missing: %s\n", of-len(m.parts), of, verb, strings.Join(some, ", "))
	m.status = worst(m.status, undecided)
}
