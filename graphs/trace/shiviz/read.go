package shiviz

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// Options say how to read a log.
type Options struct {
	trace.Options
	// finds the events; "" for the expression of the upload file, or a known layout
	Regexp    string
	Delimiter string   // separates executions; "" for the expression of the upload file, or none
	Assign    []string // expressions over the text of an event; nil for key=value
}

// A file is one file of the log; its events are in text[start:].
type file struct {
	name   string
	text   string
	start  int
	lineOf func(at int) int
}

// Read reads a log and closes the source. Its errors are *trace.Error and ctx.Err().
func Read(ctx context.Context, source *trace.Source, opts Options) ([]trace.Execution, error) {
	var files []*file
	err := source.Each(ctx, func(in *trace.Input) error {
		text, err := in.Text(ctx, longest, &opts.Options)
		// Normalize line ends, so that layouts need only one form.
		text = normalise(text)
		files = append(files, &file{name: in.Name, text: text, lineOf: trace.LineOf(text)})
		return err
	})
	if err != nil {
		return nil, err
	}
	x, err := expressionsFor(files, opts)
	if err != nil {
		return nil, trace.Wrap(source.Path, 0, err)
	}
	runs := divide(files, x, source.Directory())
	// A result without executions would look like a trace where everything holds.
	if len(runs) == 0 {
		return nil, trace.Errorf(source.Path, 0, "no event: the layout %s finds none", x.layout.name)
	}
	var executions []trace.Execution
	for _, run := range runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run.assign = x.assign
		c, err := run.build(opts)
		if err != nil {
			return nil, x.advise(err, files, source.Directory())
		}
		found := trace.Execution{Name: run.name, Layout: x.layout.name, Computation: c}
		executions = append(executions, found)
	}

	// A single execution is named after its file.
	if len(executions) == 1 {
		executions[0].Name = ""
	}
	return executions, nil
}

// longest is the maximum length of a log in bytes; all of it is searched at once. Offsets in
// package regexp are ints, and every platform can address 2 GiB.
const longest = math.MaxInt32

// expressions find events, separate executions, and assign variables. The delimiter is nil if
// nothing separates executions.
type expressions struct {
	layout    layout
	delimiter *regexp.Regexp
	assign    []*regexp.Regexp
}

func expressionsFor(files []*file, opts Options) (x expressions, err error) {
	if x.assign, err = assignExpressions(opts.Assign); err != nil {
		return x, err
	}
	// Options take precedence over the header of an upload file, because the user may correct it.
	pattern, separator := opts.Regexp, opts.Delimiter
	name := "given expression"
	var texts []string
	for _, f := range files {
		if p, d, rest, ok := uploadHeader(f.text); ok {
			f.start = rest
			if pattern == "" {
				pattern, name = p, "upload file"
			}
			if separator == "" {
				separator = d
			}
		}
		texts = append(texts, f.text[f.start:])
	}

	if separator != "" {
		if x.delimiter, err = compile(separator, " between executions"); err != nil {
			return x, err
		}
	}

	if pattern != "" {
		r, err := userExpression(pattern)
		if err != nil {
			return x, err
		}
		x.layout = layout{name: name, find: regexpFinder(r)}
		return x, nil
	}

	best, n := choose(texts)
	if n == 0 {
		return x, errNoLayout
	}
	x.layout = best
	return x, nil
}

// assignExpressions compiles the expressions that assign variables.
func assignExpressions(patterns []string) (all []*regexp.Regexp, err error) {
	for _, pattern := range patterns {
		r, err := compile(pattern, " for assignments")
		if err != nil {
			return nil, err
		}
		// An expression without named groups would silently assign nothing.
		if strings.Join(r.SubexpNames(), "") == "" {
			const msg = "the regular expression %q for assignments has no named group (?<name>…)"
			return nil, fmt.Errorf(msg, pattern)
		}
		all = append(all, r)
	}
	return all, nil
}

// errNoLayout says that a log has none of the layouts.
var errNoLayout = func() error {
	var names []string
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return fmt.Errorf("no event with a vector clock in any layout known (%s); a regular expression with groups host, clock and event can be given", strings.Join(names, ", "))
}()

// A run is one execution in the log. order fills in its hosts, in order of appearance, and the
// events of each, in the order of their own entries.
type run struct {
	name    string
	events  []event
	initial []field
	assign  []*regexp.Regexp

	hosts []string
	of    map[string][]event
}

func (e *event) fail(format string, args ...any) *trace.Error {
	return trace.ErrorAt(e.file.name, e.file.text, e.at, format, args...)
}

// divide finds the events and assigns them to executions. The files of a directory are one
// execution.
func divide(files []*file, x expressions, directory bool) []*run {
	// Vector clocks order the events, so the order of the files does not matter.
	if directory {
		whole := &run{}
		for _, f := range files {
			whole.add(f, x.layout.find(f.text[f.start:]).events, f.start)
		}
		if len(whole.events) == 0 {
			return nil
		}
		return []*run{whole}
	}

	var runs []*run
	f := files[0]
	// Split at delimiters first, then at the states numbered 1 with which TLC begins executions.
	for _, part := range parts(f, x.delimiter) {
		found := x.layout.find(f.text[part.from:part.to])
		// The first piece is the text before the first start.
		pieces := make([][]event, len(found.starts)+1)
		for _, e := range found.events {
			// The number of starts up to and including the event.
			i := sort.SearchInts(found.starts, e.at+1)
			pieces[i] = append(pieces[i], e)
		}
		for i, piece := range pieces {
			if len(piece) == 0 {
				continue
			}
			r := &run{name: part.name, initial: found.initials[i-1]}
			r.add(f, piece, part.from)
			runs = append(runs, r)
		}
	}

	// Names identify executions in reports: the number replaces a missing or repeated name.
	used := make(map[string]bool)
	for k, r := range runs {
		if r.name == "" || used[r.name] {
			r.name = strconv.Itoa(k + 1)
		}
		used[r.name] = true
	}

	return runs
}

func (r *run) add(f *file, events []event, offset int) {
	for _, e := range events {
		// Convert the offset in a part to an offset in the file.
		e.at += offset
		e.file = f
		r.events = append(r.events, e)
	}
}

// A part is a stretch of text between delimiters.
type part struct {
	name     string
	from, to int
}

func parts(f *file, delimiter *regexp.Regexp) []part {
	// The parts cover the text without the delimiters; each match splits the last part.
	all := []part{{from: f.start, to: len(f.text)}}
	if delimiter == nil {
		return all
	}
	group := delimiter.SubexpIndex("trace")
	for _, m := range delimiter.FindAllStringSubmatchIndex(f.text[f.start:], -1) {
		name := ""
		// An empty name counts as missing, and so does a group that did not match.
		if group > 0 && m[2*group] >= 0 && m[2*group] < m[2*group+1] {
			name = strings.TrimSpace(f.text[f.start+m[2*group] : f.start+m[2*group+1]])
		}
		all[len(all)-1].to = f.start + m[0]
		all = append(all, part{name: name, from: f.start + m[1], to: len(f.text)})
	}

	return all
}

// build builds the computation of an execution.
func (r *run) build(opts Options) (*graphs.Computation, error) {
	// Sort all events first: a clock refers to them by host and number, and they may be in any file
	// and line.
	if err := r.order(); err != nil {
		return nil, err
	}
	var b graphs.Builder
	// Handles are assigned in this order, so the c-th event of host q is first[q] + c - 1.
	first := make([]int, len(r.hosts)+1) // the handle of the first event of each host
	for p, host := range r.hosts {
		b.Process(host)
		first[p+1] = first[p] + len(r.of[host])
	}

	var at []event // the events by handle
	var clocks clock.Clocks
	for p, host := range r.hosts {
		for _, e := range r.of[host] {
			h := b.Event(p)
			at = append(at, e)
			if opts.Names {
				b.SetLabel(h, e.text)
			}
			if opts.Places {
				b.SetPlace(h, graphs.Place{File: e.file.name, Line: e.file.lineOf(e.at)})
			}
			if err := r.addClock(&b, &clocks, h, &e); err != nil {
				return nil, err
			}
		}
	}

	// Edges drops the entries that others imply: n events of k hosts have n·k entries but far fewer
	// edges.
	clocks.Edges(func(h graphs.Handle, q, count int32) {
		b.Order(graphs.Handle(first[q]+int(count)-1), h)
	})
	r.assignAll(&b, opts, at)
	return trace.Build(&b, func(h graphs.Handle) *trace.Error { return at[h].fail("") })
}

// order finds the hosts and the events of each, whose own entries must be 1, 2, 3, ….
func (r *run) order() error {
	r.hosts, r.of = nil, make(map[string][]event)
	for _, e := range r.events {
		// Decode each clock once and keep it in the event.
		if err := e.decode(); err != nil {
			return e.fail("%s", err)
		}
		if r.of[e.host] == nil {
			r.hosts = append(r.hosts, e.host)
		}
		r.of[e.host] = append(r.of[e.host], e)
	}
	own := func(e event) int64 { return e.counts[e.host] }
	for _, host := range r.hosts {
		// Sort requires exactly 1, 2, 3, …: a gap means that an event was overlooked or that a file
		// is missing.
		list := r.of[host]
		if at, wrong := clock.Sort(list, own, host); wrong != "" {
			return list[at].fail("%s", wrong)
		}
	}
	return nil
}

// decode sets the counts of an event.
func (e *event) decode() error {
	var ok bool
	if e.counts, ok = parseClock(e.clock); !ok {
		const msg = "%s is not a vector clock (a JSON object of hosts and counts)"
		return fmt.Errorf(msg, trace.Quote(e.clock))
	}
	// An event counts itself, so its own entry is at least 1.
	if e.counts[e.host] < 1 {
		return fmt.Errorf("the clock of an event of %q has no entry of its own", e.host)
	}
	return nil
}

// addClock adds the entries of the clock of event h for other hosts.
func (r *run) addClock(b *graphs.Builder, to *clock.Clocks, h graphs.Handle, e *event) error {
	p := b.ProcessOf(h)
	// Sort, so that the first of several errors is the same in each run.
	for _, name := range slices.Sorted(maps.Keys(e.counts)) {
		count := e.counts[name]
		switch events, known := r.of[name]; {
		case name == e.host:
			continue
		// 0 for an unknown host says nothing; some logs list all hosts of a cluster.
		case count == 0 && !known:
			continue
		case count < 0:
			return e.fail("the clock has %d for %q", count, name)
		case !known:
			// The most frequent cause is one host's file instead of the directory.
			alone := ""
			if len(r.hosts) == 1 {
				const why = ": this is the log of %q alone; give the directory that holds the logs of all hosts"
				alone = fmt.Sprintf(why, r.hosts[0])
			}
			return e.fail("%s", admission.UnknownProcess.Broken(name, alone))
		default:
			if err := admission.Ahead(name, len(events), count, ""); err != nil {
				return e.fail("%s", err)
			}
		}
		// Entries never decrease along a process; Add returns the previous entry.
		previous := to.Add(h, int32(p), int32(e.counts[e.host]), int32(b.Process(name)), int32(count))
		if count < int64(previous) {
			return e.fail("%s", admission.Backwards.Broken(e.host, name, previous, count))
		}
	}
	return nil
}

// assignAll adds the times, and the variables with one type per name.
func (r *run) assignAll(b *graphs.Builder, opts Options, at []event) {
	all := make([][]field, len(at)) // the assignments of each event
	kinds := make(map[string]graphs.Kind)
	// Unify kinds over the whole execution before setting any value, because a variable has one
	// type on all processes.
	note := func(name string, v graphs.Value) { kinds[name] = trace.Unify(kinds[name], v.Kind) }
	for h, e := range at {
		for _, f := range e.fields {
			if isTime(f) && opts.KeepTimes() {
				b.SetTime(graphs.Handle(h), timeText(f.value))
			}
		}
		all[h] = e.values(r.assign)
		for _, f := range all[h] {
			note(f.name, parseValue(f.value))
		}
	}
	// A state of TLC has fields of the specification that no event sets; they are not variables.
	r.initial = slices.DeleteFunc(r.initial, func(f field) bool { return kinds[f.name] == graphs.NoKind })
	for _, f := range r.initial {
		for _, host := range r.hosts {
			note(f.name, parseValue(ownEntry(f.value, host)))
		}
	}

	// If the kind is string, the text itself is the value, so 1 and "1" of two events are equal.
	value := func(name, text string) graphs.Value {
		v := parseValue(text)
		if kinds[name] == graphs.String && v.Kind != graphs.String {
			return graphs.Str(text)
		}
		return v
	}
	for _, f := range r.initial {
		for p, host := range r.hosts {
			b.Init(b.Variable(p, f.name), value(f.name, ownEntry(f.value, host)))
		}
	}
	for h, fields := range all {
		for _, f := range fields {
			h := graphs.Handle(h)
			opts.Set(b, b.Variable(b.ProcessOf(h), f.name), h, value(f.name, f.value))
		}
	}
}

// keyValue finds key=value in the text of an event.
var keyValue = lazy.Regexp(`(?:^|[\s,;({\[])([A-Za-z_]\w*)=("[^"]*"|[^\s,;(){}\[\]"=]+)`)

// values returns the variables that an event assigns, each once, and the texts of their values.
func (e *event) values(assign []*regexp.Regexp) (all []field) {
	// The fields of the expression come first, then assignments in the text: a later value replaces
	// an earlier one.
	fields := slices.DeleteFunc(slices.Clone(e.fields), isTime)
	if len(assign) == 0 {
		for _, m := range keyValue().FindAllStringSubmatch(e.text, -1) {
			fields = append(fields, field{m[1], m[2]})
		}
	}
	for _, r := range assign {
		for _, m := range r.FindAllStringSubmatchIndex(e.text, -1) {
			fields = append(fields, groups(r, e.text, m)...)
		}
	}
	for _, f := range fields {
		// An empty value would be an empty string and make the variable a string.
		if f.value == "" {
			continue
		}
		f.value = ownEntry(f.value, e.host)
		i := slices.IndexFunc(all, func(x field) bool { return x.name == f.name })
		if i < 0 {
			all = append(all, f)
		} else {
			all[i] = f
		}
	}

	return all
}

func isTime(f field) bool {
	switch f.name {
	case "timestamp", "time", "date":
		return timeText(f.value) != ""
	}
	return false
}

// timeText returns a time as JSON, or "" if the text is not a time.
func timeText(text string) string {
	if _, ok := trace.ParseNumber(text); ok {
		return text
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return graphs.Str(text).String()
	}
	return ""
}
