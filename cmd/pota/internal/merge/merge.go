// Package merge merges the results of several runs: the lines of JSON written by detect, check and
// pota-fleet. It passes the verdicts that count to a present.Reporter. Of several verdicts on the
// same property and trace, one counts: a decided one takes precedence over an unknown one, and
// otherwise the first. It refuses verdicts that contradict each other.
//
// The lines that count keep their bytes and their order, so that merging the shards of a set in
// order gives the lines of the whole set.
package merge

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// Results are the results in several files. They are read twice, so that they need not be kept in
// memory: first to find the line that counts for each property and trace, and then to print those
// lines. The memory is O(lines), about 60 bytes for each.
type Results struct {
	run   *job.Run
	files []string

	properties []syntax.Property
	numbers    map[report.Subject]int // the numbers of the properties; the subjects have no trace
	counts     map[[16]byte]position  // the line that counts, by the key of its subject
	shards     shards
}

// A position is a verdict with its place.
type position struct {
	file, line int32
	verdict    rctl.Verdict
}

// An entry is a record with its place.
type entry struct {
	*report.Record
	file, line int
	place      string
}

// Read reads results for the first time, from files and file patterns.
func Read(r *job.Run, paths []string) (*Results, error) {
	files, err := load.Glob(paths)
	if err != nil {
		return nil, err
	}
	// A pipe would be empty at the second pass.
	if slices.Contains(files, "-") {
		return nil, exit.Usagef("results are read twice, so they cannot come from standard input")
	}
	m := &Results{
		run:     r,
		files:   files,
		numbers: make(map[report.Subject]int),
		counts:  make(map[[16]byte]position),
	}
	for i := range files {
		if err := m.each(i, m.survey); err != nil {
			return nil, err
		}
	}
	// A shard without traces has no verdicts, but has a last line.
	if len(m.counts) == 0 && m.shards.first == nil {
		return nil, fmt.Errorf("there is no result in %s", strings.Join(files, ", "))
	}
	return m, nil
}

// Properties returns the properties of the results, in the order of their first lines.
func (m *Results) Properties() []syntax.Property { return m.properties }

// Report passes the lines that count to a reporter, in order.
func (m *Results) Report(to present.Reporter) error {
	for i := range m.files {
		err := m.each(i, func(e entry) error {
			if at := m.counts[e.key()]; e.Shard == nil && int(at.file) == e.file && int(at.line) == e.line {
				m.pass(to, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Complete reports missing shards.
func (m *Results) Complete() { m.shards.report(m.run) }

// each calls do for the lines of a file.
func (m *Results) each(file int, do func(entry) error) error {
	const form = "a result must be one line of JSON as pota detect --json writes it"
	return load.EachLine(m.run, m.files[file], 0, form, report.Parse, func(l load.Line[*report.Record]) error {
		return do(entry{Record: l.Value, file: file, line: l.Number, place: l.Place})
	})
}

// survey determines whether a line counts.
func (m *Results) survey(e entry) error {
	if e.Shard != nil {
		return m.shards.add(e.place, e.Shard)
	}
	// An error about a trace has no property.
	// Parse once for each property, not for each line, to keep merging fast.
	of := e.property()
	if _, known := m.numbers[of]; !known && of.Formula != "" {
		f, err := syntax.Parse(of.Formula)
		if err != nil {
			return fmt.Errorf("%s: the formula %s cannot be read: %w", e.place, graphs.Printable(of.Formula), err)
		}
		m.numbers[of] = len(m.properties)
		m.properties = append(m.properties, syntax.Property{Name: of.Name, Formula: f, Source: of.Formula})
	}
	// An error counts like an unknown verdict, since another shard may have read the trace.
	now := position{file: int32(e.file), line: int32(e.line), verdict: rctl.Unknown}
	if e.Verdict != "" {
		now.verdict = e.Outcome()
	}
	key := e.key()
	before, known := m.counts[key]
	switch {
	// A longer time limit elsewhere may have allowed a decision.
	case !known, before.verdict == rctl.Unknown && now.verdict != rctl.Unknown:
		m.counts[key] = now
	case before.verdict != now.verdict && now.verdict != rctl.Unknown:
		return fmt.Errorf("%s: %s %s on %s, but at %s:%d it %s: one of the results comes from another trace of that name",
			e.place, graphs.Printable(e.Formula), now.verdict, graphs.Printable(e.Trace), m.files[before.file], before.line, before.verdict)
	}
	return nil
}

// key returns the subject of a line as 16 bytes, half of a SHA-256. There may be millions of lines
// with long names.
func (e entry) key() (key [16]byte) {
	sum := sha256.Sum256([]byte(strings.Join([]string{e.Trace, e.Name, e.Formula, e.Error}, "\x00")))
	copy(key[:], sum[:])
	return key
}

// property returns the subject of a line without its trace.
func (e entry) property() report.Subject { return report.Subject{Name: e.Name, Formula: e.Formula} }

// pass passes a line to a reporter, as if its verdict had just been found.
func (m *Results) pass(to present.Reporter, e entry) {
	// An error is passed on as text. Its type is lost, and its status is that of bad input.
	var err error
	if e.Error != "" {
		err = errors.New(e.Error)
	}
	if e.Formula == "" {
		to.Verdict(present.Unread(e.Trace, err))
		return
	}

	i := m.numbers[e.property()]
	to.Verdict(&present.Record{
		Record:   *e.Record,
		Path:     e.Trace,
		Property: m.properties[i],
		Index:    i,
		// The text format sums up results, even if there is only one.
		Several: true,
		Err:     err,
		Origin:  e.place,
	})
}

// shards are the shards of the traces that the results are about.
type shards struct {
	first *report.Shard // the first shard; nil if the results are not from shards
	place string        // the file and line of the first shard
	part  report.Part
	found map[int]bool
}

// add adds the last line of a shard. All shards must come from the same division.
func (s *shards) add(place string, l *report.Shard) error {
	p, err := report.ParsePart(l.Shard)
	if err != nil {
		return err
	}
	// The first shard determines how the traces were divided.
	if s.first == nil {
		*s = shards{first: l, place: place, part: p, found: make(map[int]bool)}
	}
	switch {
	case p.Of != s.part.Of:
		return fmt.Errorf("%s: shard %s cannot be joined with shard %s of %s: the traces were divided in another way", place, p, s.part, s.place)
	// With verdicts on other properties, the result would only look complete.
	case !slices.Equal(l.Properties, s.first.Properties):
		return fmt.Errorf("%s: shard %s decided other properties than shard %s of %s", place, p, s.part, s.place)
	}
	s.found[p.Index] = true
	return nil
}

// maxListed bounds how many missing shards are named.
const maxListed = 10

// report reports missing shards. If any is missing, the whole is undecided, regardless of the
// others: a lost shard must not look like success.
func (s *shards) report(r *job.Run) {
	// Without shards, s.part.Of is 0.
	var missing []string
	for i := range s.part.Of {
		if !s.found[i] {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if missing == nil {
		return
	}
	verb := "are"
	if len(missing) == 1 {
		verb = "is"
	}
	list := graphs.List(missing, maxListed)
	fmt.Fprintf(r.Console.Err, "pota: %d of %d shards %s missing: %s\n", len(missing), s.part.Of, verb, list)
	r.Worsen(exit.Undecided)
}
