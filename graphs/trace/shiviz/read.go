package shiviz

import (
	"context"
	"fmt"
	"io"
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
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// Options say how to read a log.
type Options struct {
	trace.Options
	// finds the events; "" for that of the upload file, or a known layout
	Regexp    string
	Delimiter string   // separates executions; "" for that of the upload file, or none
	Assign    []string // expressions over the text of an event; nil for key=value
}

// file is one file of the log; the events of text[start:] are looked at.
type file struct {
	name  string
	text  string
	start int
	// Finding line ends is a pass over the text, needed for errors and places only, and done
	// once.
	line func(at int) int // nil at first
}

// lineOf returns what tells the line of a byte.
func (f *file) lineOf() func(at int) int {
	if f.line == nil {
		f.line = trace.LineOf(f.text)
	}
	return f.line
}

// Read reads a log and closes the source. Errors are *trace.Error and ctx.Err().
func Read(ctx context.Context, source *trace.Source, opts Options) ([]trace.Execution, error) {
	defer source.Close()
	files, err := load(ctx, source, &opts.Options)
	if err != nil {
		return nil, err
	}
	x, err := expressionsFor(files, opts)
	if err != nil {
		return nil, &trace.Error{File: source.Path, Msg: err.Error(), Err: err}
	}
	runs := divide(files, x, source.Directory())
	// No execution would pass for a trace where everything holds.
	if len(runs) == 0 {
		return nil, &trace.Error{File: source.Path, Msg: "no event: the layout " + x.layout.name + " finds none"}
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
		executions = append(executions, trace.Execution{Name: run.name, Layout: x.layout.name, Computation: c})
	}

	// The name of a single execution is that of its file.
	if len(executions) == 1 {
		executions[0].Name = ""
	}
	return executions, nil
}

// longest is how much of a log is read; events are found in all of it at once.
// Offsets of the regexp package are ints; 2 GB is what any platform can address.
const longest = math.MaxInt32

func load(ctx context.Context, source *trace.Source, opts *trace.Options) ([]*file, error) {
	var files []*file
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, err := source.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := in.Text(ctx, longest, opts)
		if err != nil {
			return nil, err
		}
		// One form of line ends, so that layouts need not know of two.
		files = append(files, &file{name: in.Name, text: normalise(text)})
	}
}

// expressions say how to find events, what separates executions (nil for nothing), and
// what assigns variables.
type expressions struct {
	layout    layout
	delimiter *regexp.Regexp
	assign    []*regexp.Regexp
}

func expressionsFor(files []*file, opts Options) (x expressions, err error) {
	if x.assign, err = assignExpressions(opts.Assign); err != nil {
		return x, err
	}
	// Options come before the header of an upload file, as the user may correct it.
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
		// An expression without names would assign nothing, silently.
		if strings.Join(r.SubexpNames(), "") == "" {
			return nil, fmt.Errorf("the regular expression %q for assignments has no named group (?<name>…)", pattern)
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

// run is one execution in the log.
type run struct {
	name    string
	events  []located
	initial []field
	assign  []*regexp.Regexp
}

type located struct {
	event
	file *file
}

func (e *located) fail(format string, args ...any) *trace.Error {
	return trace.ErrorAt(e.file.name, e.file.text, e.at, format, args...)
}

// divide finds the events and gives them to executions. The files of a directory
// are one.
func divide(files []*file, x expressions, directory bool) []*run {
	// Vector clocks order the events, so the files of a directory need no order among them.
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
	// Delimiters first, then the states numbered 1 that TLC begins executions with.
	for _, part := range parts(f, x.delimiter) {
		found := x.layout.find(f.text[part.from:part.to])
		for i, piece := range pieces(found) {
			if len(piece) == 0 {
				continue
			}
			r := &run{name: part.name, initial: found.initials[i-1]}
			r.add(f, piece, part.from)
			runs = append(runs, r)
		}
	}

	// Names identify executions in reports: a missing or repeated one becomes the number.
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
		// Offsets in a part become offsets in the file.
		e.at += offset
		r.events = append(r.events, located{e, f})
	}
}

// part is a stretch of a text between delimiters.
type part struct {
	name     string
	from, to int
}

func parts(f *file, delimiter *regexp.Regexp) []part {
	// The parts cover the text without the delimiters; the last one is cut at each match.
	all := []part{{from: f.start, to: len(f.text)}}
	if delimiter == nil {
		return all
	}
	group := delimiter.SubexpIndex("trace")
	for _, m := range delimiter.FindAllStringSubmatchIndex(f.text[f.start:], -1) {
		name := ""
		// An empty name counts as none; so does a group that did not match.
		if group > 0 && m[2*group] >= 0 && m[2*group] < m[2*group+1] {
			name = strings.TrimSpace(f.text[f.start+m[2*group] : f.start+m[2*group+1]])
		}
		all[len(all)-1].to = f.start + m[0]
		all = append(all, part{name: name, from: f.start + m[1], to: len(f.text)})
	}

	return all
}

// pieces divides events at the places where executions start; the first piece is
// what comes before the first start.
func pieces(f found) [][]event {
	all := make([][]event, len(f.starts)+1)
	for _, e := range f.events {
		// The number of starts up to the event, itself included: piece 0 is before the first
		// start.
		i := sort.SearchInts(f.starts, e.at+1)
		all[i] = append(all[i], e)
	}
	return all
}

// occurrence is an event with its place in its process.
type occurrence struct {
	located
	counts map[string]int64
	own    int64
}

// build makes a computation of the execution.
func (r *run) build(opts Options) (*graphs.Computation, error) {
	// First all events of all hosts, as a clock refers to events by host and number, in whatever
	// file and line they are.
	hosts, events, err := r.order()
	if err != nil {
		return nil, err
	}
	var b graphs.Builder
	number := make(map[string]int)
	// Handles are given in this order, so the c-th event of host q is first[q] + c - 1.
	first := make([]int, len(hosts)+1) // handle of the first event of each host
	for p, host := range hosts {
		number[host] = b.Process(host)
		first[p+1] = first[p] + len(events[host])
	}

	var at []located // by handle
	var clocks clock.Clocks
	for p, host := range hosts {
		for _, e := range events[host] {
			h := b.Event(p)
			at = append(at, e.located)
			if opts.Names {
				b.SetLabel(h, e.text)
			}
			if opts.Places {
				b.SetPlace(h, graphs.Place{File: e.file.name, Line: e.file.lineOf()(e.at)})
			}
			if err := addClock(&clocks, h, p, e, hosts, number, events); err != nil {
				return nil, err
			}
		}
	}

	// Entries that others imply are dropped: n events of k hosts have n·k entries and far fewer
	// edges.
	clocks.Edges(func(h graphs.Handle, q, count int32) {
		b.Order(graphs.Handle(first[q]+int(count)-1), h)
	})
	r.assignAll(&b, opts, at)
	return trace.Build(&b, func(h graphs.Handle) *trace.Error { return at[h].fail("") })
}

// order returns the hosts in order of appearance and the events of each in order of their own
// entries 1, 2, 3, ….
func (r *run) order() ([]string, map[string][]occurrence, error) {
	var hosts []string
	events := make(map[string][]occurrence)
	for _, e := range r.events {
		// Clocks are decoded once and kept with the event.
		counts, own, err := e.counts()
		if err != nil {
			return nil, nil, e.fail("%s", err)
		}
		if events[e.host] == nil {
			hosts = append(hosts, e.host)
		}
		events[e.host] = append(events[e.host], occurrence{e, counts, own})
	}

	for _, host := range hosts {
		list := events[host]
		// Sort requires exactly 1, 2, 3, …: a gap means that an event was overlooked or a file is
		// missing.
		if at, wrong := clock.Sort(list, func(e occurrence) int64 { return e.own }, host); wrong != "" {
			return nil, nil, list[at].fail("%s", wrong)
		}
	}

	return hosts, events, nil
}

// counts returns the clock of an event, and the entry of its own host.
func (e *event) counts() (counts map[string]int64, own int64, err error) {
	if counts, err = parseClock(e.clock); err != nil {
		return nil, 0, fmt.Errorf("%s is not a vector clock (a JSON object of hosts and counts)", trace.Quote(e.clock))
	}
	// An event has happened itself, so its own entry is at least 1.
	if own = counts[e.host]; own < 1 {
		return nil, 0, fmt.Errorf("the clock of an event of %q has no entry of its own", e.host)
	}
	return counts, own, nil
}

// addClock adds the entries of a clock for other hosts.
func addClock(clocks *clock.Clocks, h graphs.Handle, p int, e occurrence, hosts []string, number map[string]int, events map[string][]occurrence) error {
	// Sorted, so that the first error of several is the same in each run.
	for _, name := range slices.Sorted(maps.Keys(e.counts)) {
		count := e.counts[name]
		q, known := number[name]
		switch {
		case q == p && known:
			continue
		// 0 for an unknown host says nothing; logs list all hosts of a cluster this way.
		case count == 0 && !known:
			continue
		case count < 0:
			return e.fail("the clock has %d for %q", count, name)
		case !known:
			// The most frequent cause: one host's file instead of the directory.
			alone := ""
			if len(hosts) == 1 {
				alone = fmt.Sprintf(": this is the log of %q alone; give the directory that holds the logs of all hosts", hosts[0])
			}
			return e.fail("%s", admission.UnknownProcess.Broken(name, alone))
		}
		if err := admission.Ahead(name, len(events[name]), count, ""); err != nil {
			return e.fail("%s", err)
		}
		// Along a process clocks only grow; Add returns the entry before.
		previous := clocks.Add(h, int32(p), int32(e.own), int32(q), int32(count))
		if count < int64(previous) {
			return e.fail("%s", admission.Backwards.Broken(hosts[p], name, previous, count))
		}
	}

	return nil
}

// assignment is a value that an event gives a variable.
type assignment struct {
	event graphs.Handle
	name  string
	text  string
}

// assignAll adds the variables, with one type for each name.
func (r *run) assignAll(b *graphs.Builder, opts Options, at []located) {
	var all []assignment
	for h, e := range at {
		all = append(all, r.assigned(b, opts, graphs.Handle(h), e)...)
	}
	kinds := make(map[string]graphs.Kind)
	// Kinds are unified over the whole execution before any value is set, as a variable has one
	// type on all processes.
	note := func(name string, v graphs.Value) { kinds[name] = trace.Unify(kinds[name], v.Kind) }
	for _, a := range all {
		note(a.name, parseValue(a.text))
	}
	// The names of the processes by number. Processes exist already, so Process only looks up.
	processes := make([]string, 0)
	for _, e := range at {
		for p := b.Process(e.host); p >= len(processes); {
			processes = append(processes, e.host)
		}
	}

	// A state of TLC has fields of the specification that no event sets; they are no variables.
	for _, f := range r.initial {
		if _, ok := kinds[f.name]; ok {
			for _, host := range processes {
				note(f.name, parseValue(ownEntry(f.value, host)))
			}
		}
	}

	// Under a string kind, the text itself is the value, so 1 and "1" from two events are equal.
	value := func(name, text string) graphs.Value {
		v := parseValue(text)
		if kinds[name] == graphs.String && v.Kind != graphs.String {
			return graphs.Str(text)
		}
		return v
	}

	for _, f := range r.initial {
		if _, ok := kinds[f.name]; !ok {
			continue // a field that no event has
		}
		for p, host := range processes {
			b.Init(b.Variable(p, f.name), value(f.name, ownEntry(f.value, host)))
		}
	}

	for _, a := range all {
		v := b.Variable(b.ProcessOf(a.event), a.name)
		opts.Set(b, v, a.event, value(a.name, a.text))
	}
}

// assigned returns the assignments of an event, one for each variable.
func (r *run) assigned(b *graphs.Builder, opts Options, h graphs.Handle, e located) (all []assignment) {
	for _, f := range e.fields {
		if isTime(f) && opts.KeepTimes() {
			b.SetTime(h, timeText(f.value))
		}
	}
	for _, f := range e.values(r.assign) {
		all = append(all, assignment{h, f.name, f.value})
	}
	return all
}

// values returns the variables that an event assigns, each once, and the texts of their values.
func (e *event) values(assign []*regexp.Regexp) (all []field) {
	// The fields of the expression first, then assignments in the text: a later value replaces an
	// earlier one.
	for _, f := range append(slices.DeleteFunc(slices.Clone(e.fields), isTime), assignments(e.text, assign)...) {
		// An empty value would be an empty string and so make the variable a string.
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

// timeText returns a time as JSON, "" for other text.
func timeText(text string) string {
	if _, ok := trace.ParseNumber(text); ok {
		return text
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return graphs.Str(text).String()
	}
	return ""
}
