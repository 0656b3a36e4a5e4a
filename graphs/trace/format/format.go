// Package format reads traces in any known format, and recognizes the format by the content.
//
// Formats are tried in a fixed order on the beginning of the first file, after decompression;
// names of files say nothing. A format is recognized by its looks, valid or not: a malformed
// trace gets the error of its format.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/gotrace"
	"github.com/pota-project/pota/graphs/trace/jaeger"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/mermaid"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/otlp"
	"github.com/pota-project/pota/graphs/trace/shiviz"
	"github.com/pota-project/pota/graphs/trace/spin"
	"github.com/pota-project/pota/graphs/trace/stdouttrace"
	"github.com/pota-project/pota/graphs/trace/zipkin"
)

// Options say how to read a trace.
type Options struct {
	trace.Options
	Input     string   // name of a format or mapping, or auto; "" is auto
	Map       string   // the mapping for logs: the name of a shipped one, or a file; "" for none
	SkipLines bool     // leaves lines out that do not fit the mapping, instead of refusing them
	Regexp    string   // for shiviz: finds the events
	Delimiter string   // for shiviz: separates executions
	Assign    []string // for shiviz: find assignments in the text of events
	Digest    bool     // find the SHA-256 of the input

	// NoSharedClock says that clocks which several processes read order nothing.
	NoSharedClock bool

	// From is read instead of the path, such as the body of a request; nil for the path.
	From io.Reader
}

// Assumed lists the options of the command pota that determine the computation read from the
// bytes of a trace. A mapping is given by the SHA-256 of its text.
func (o *Options) Assumed(ctx context.Context) ([]string, error) {
	// Options that are off are left out, so that an equal list means an equal computation.
	var all []string
	says := func(flag, value string) {
		if value != "" {
			all = append(all, "--"+flag+" "+value)
		}
	}

	if o.Map != "" {
		m, err := mapped.Lookup(ctx, o.Map)
		if err != nil {
			return nil, err
		}
		// The sum and not the name: a mapping may change under its name, and then the computation
		// may.
		says("map", m.Sum())
	}

	if o.SkipLines {
		says("skip-lines", "true")
	}
	if o.NoSharedClock {
		says("no-shared-clock", "true")
	}
	says("regexp", o.Regexp)
	says("delimiter", o.Delimiter)
	for _, assign := range o.Assign {
		says("assign", assign)
	}
	if o.AllowTruncated {
		says("allow-truncated", "true")
	}
	return all, nil
}

// An Execution is a trace, or one of several in a file.
type Execution struct {
	Name        string // the path, or path#k or path#name for one of several
	Format      string // how it was read
	Computation *graphs.Computation
	Shared      int           // clocks of several processes each, which order events
	Unit        time.Duration // the unit of times that are numbers; 0 for a second
	Clocks      clocks.Model  // the model of the clocks; nil if they are believed
	// of the whole input, where Options.Digest asks for it (trace.Source.Sum)
	SHA256 string
}

// A Format is one that Read knows.
type Format struct {
	Name, Description string
	Example           string // a formula, for a mapping
}

// format is a Format, with functions that recognize and read it.
type format struct {
	Format
	// head is the beginning of the first file, decompressed, at most headSize bytes.
	detect func(head []byte) bool
	// read closes the source, also after an error.
	read    func(ctx context.Context, source *trace.Source, opts Options) ([]trace.Execution, error)
	mapping *mapped.Mapping // the mapping of logs that have one, else nil
	perhaps bool            // the format is chosen for want of a better one
}

// Native is the name of the native format, Auto the one that stands for recognizing
// the format by its content.
const (
	Native = "native"
	Auto   = "auto"
)

// formats are the formats in the order of trial, twice with native lines: what starts like an
// object may be one that is spoilt, so that it gets the error of its format, but other formats of
// JSON, and the mappings, are tried before. Those that search their text come last.
var formats = []format{
	// An empty file is a native trace, though without a process.
	known(Native, describeNative, func(head []byte) bool {
		return len(head) == 0 || native.Detect(head)
	}, one(native.Read)),
	known("otlp", "OpenTelemetry spans, as OTLP JSON or JSON lines", otlp.Detect, otlp.Read),
	known("stdouttrace", "OpenTelemetry spans, as the exporter stdouttrace of the Go SDK prints them",
		stdouttrace.Detect, stdouttrace.Read),
	known("jaeger", "Jaeger spans, as its query service returns them in JSON", jaeger.Detect, jaeger.Read),
	known("zipkin", "Zipkin spans, version 2, in JSON", zipkin.Detect, zipkin.Read),
	known("gotrace", "execution traces of Go programs (runtime/trace, go test -trace)",
		gotrace.Detect, gotrace.Read),
	perhapsNative,
	known("spin", "what SPIN prints when it simulates a model with -p -g -l -r -s", spin.Detect, one(spin.Read)),
	known("mermaid", "sequence diagrams of Mermaid, in Markdown too: a scenario as a trace",
		mermaid.Detect, mermaid.Read),
	{
		Format: Format{
			Name:        "shiviz",
			Description: "ShiViz and GoVector logs with vector clocks, and what TLC prints for ShiViz",
		},
		detect: shiviz.Detect,
		read: func(ctx context.Context, in *trace.Source, opts Options) ([]trace.Execution, error) {
			return shiviz.Read(ctx, in, shiviz.Options{
				Options:   opts.Options,
				Regexp:    opts.Regexp,
				Delimiter: opts.Delimiter,
				Assign:    opts.Assign,
			})
		},
	},
}

const describeNative = "one JSON object a line (pota help traces)"

// perhapsNative takes a file whose first line that is not blank starts like an object, or that has
// no such line.
var perhapsNative = func() format {
	f := known(Native, describeNative, func(head []byte) bool {
		// Editors add byte order marks and blank lines, which say nothing in any text format.
		head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(trace.ByteOrderMark)), " \t\r\n")
		return len(head) == 0 || head[0] == '{'
	}, one(native.Read))
	f.perhaps = true
	return f
}()

// A reader reads a source that may hold several executions, and closes it.
type reader func(context.Context, *trace.Source, trace.Options) ([]trace.Execution, error)

// known returns a format without options of its own.
func known(name, description string, detect func(head []byte) bool, read reader) format {
	return format{
		Format: Format{Name: name, Description: description},
		detect: detect,
		read: func(ctx context.Context, in *trace.Source, o Options) ([]trace.Execution, error) {
			return read(ctx, in, o.Options)
		},
	}
}

// Mappings returns what Options.Map can name beside files.
func Mappings() []Format {
	var all []Format
	for _, m := range mapped.Shipped() {
		all = append(all, Format{m.Name, m.Description, m.Example})
	}
	return all
}

// Formats returns the formats that Read knows, beside those of mappings; the native
// one is the first.
func Formats() []Format {
	var all []Format
	for _, f := range formats {
		if !f.perhaps {
			all = append(all, f.Format)
		}
	}
	return all
}

// UnknownError is the error of an Input that is not a format.
type UnknownError struct{ Input string }

// Error returns one line.
func (e *UnknownError) Error() string {
	names := []string{Auto}
	for _, f := range append(Formats(), Mappings()...) {
		names = append(names, f.Name)
	}
	return fmt.Sprintf("unknown input format %q%s", e.Input, nearmiss.HintOrList(e.Input, names))
}

// Read reads all executions at path: a file, a directory (one execution, a log for each
// process), or standard input for "-". Errors are *trace.Error, *UnknownError, those of
// mapped.Lookup, and ctx.Err().
func Read(ctx context.Context, path string, opts Options) ([]Execution, error) {
	source, f, err := open(ctx, path, opts)
	if source == nil {
		return nil, err
	}
	var found []trace.Execution
	if err == nil {
		found, err = f.read(ctx, source, opts)
	}
	// An empty result would pass for a trace in which every property holds.
	if err == nil && len(found) == 0 {
		err = trace.Errorf(source.Path, 0, "no execution in it")
	}
	if err != nil {
		return nil, mixed(ctx, source, f, f.advise(err))
	}

	sum := ""
	// The digest is complete only when the source has been read to its end.
	if opts.Digest {
		sum = source.Sum()
	}
	all := make([]Execution, len(found))
	for i, e := range found {
		all[i] = Execution{
			Name:        source.Path,
			Format:      f.Name,
			Computation: e.Computation,
			SHA256:      sum,
		}
		if e.Name != "" {
			// The names of executions are unique in a file, so path and name identify one in
			// reports.
			all[i].Name += "#" + e.Name
		}
		if !opts.NoSharedClock {
			if err := all[i].shareClocks(ctx, source.Path, opts); err != nil {
				return nil, err
			}
		}
		if e.Layout != "" {
			all[i].Format += " (" + e.Layout + ")"
		}
	}
	return all, nil
}

// shareClocks orders events by the clocks that processes share.
func (e *Execution) shareClocks(ctx context.Context, path string, opts Options) error {
	c, sharing, err := clocks.Shared(ctx, e.Computation)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	e.Computation = c
	e.Shared = sharing.Clocks
	if n := len(sharing.Contradicted); n > 0 {
		const msg = "%s contradict what happened before what, and order nothing: %s"
		some := graphs.List(sharing.Contradicted, 3)
		opts.Noted(trace.Errorf(path, 0, msg, graphs.Plural(n, "clock"), some))
	}
	return nil
}

// advise adds to an error of lines that begin like those of the native format what may be
// done if they are of another.
func (f *format) advise(err error) error {
	var e *trace.Error
	// The advice is added only where the user has probably mistaken a log for a trace: a key is
	// unknown, and no known one is near.
	if f == nil || !f.perhaps || !errors.As(err, &e) || !strings.Contains(e.Msg, "unknown key") || strings.Contains(e.Msg, "did you mean") {
		return err
	}
	e.Msg += "; if this is a log in a form of its own, pota map --guess writes a mapping for it"
	return err
}

// Known returns the name of the format or mapping that Read would choose for the trace at
// path, "" if it would choose one only for want of a better.
func Known(ctx context.Context, path string) string {
	source, err := trace.Open(path)
	if err != nil {
		return ""
	}
	f, err := detect(ctx, source)
	// Known closes the source itself, as nothing reads it after the look at its head.
	if err != nil {
		return ""
	}
	source.Close()
	switch {
	case f.perhaps:
		return ""
	case f.mapping != nil:
		return f.mapping.Name
	}
	return f.Name
}

// open finds the source at path and its format. The caller closes the source, unless reading does.
// If the format is unknown, the source comes with the error: its files are then examined, for a
// better message.
func open(ctx context.Context, path string, opts Options) (*trace.Source, *format, error) {
	f, known := find(opts.Input)
	if !known {
		return nil, nil, &UnknownError{opts.Input}
	}
	// A mapping takes precedence over Input, as a user names it for one log.
	if opts.Map != "" {
		m, err := mapped.Lookup(ctx, opts.Map)
		if err != nil {
			return nil, nil, err
		}
		f = mapping(m)
	}

	var err error
	source := trace.From(path, opts.From)
	if opts.From == nil {
		source, err = trace.Open(path)
	}
	if err != nil {
		return nil, nil, err
	}

	// Before the first byte is read, even for detection: the digest covers the whole input.
	if opts.Digest {
		source.Digest()
	}
	switch {
	case f != nil:
	// An expression makes sense for one format only, and selects that one.
	case opts.Regexp != "":
		f, _ = find("shiviz")
	default:
		f, err = detect(ctx, source)
	}
	if f != nil && f.mapping != nil && opts.SkipLines {
		f = mapping(f.mapping.Skipping())
	}
	return source, f, err
}

// find returns the format with that name, nil for auto, and whether there is one.
func find(name string) (*format, bool) {
	if name == "" || name == Auto {
		return nil, true
	}
	// Linear, as there are about ten formats.
	for i := range formats {
		if formats[i].Name == name {
			return &formats[i], true
		}
	}

	for _, m := range mapped.Shipped() {
		if m.Name == name {
			return mapping(m), true
		}
	}

	return nil, false
}

// headSize is how much of the first file is looked at.
// A log may begin with lines of another kind, such as a banner; 256 KB reach past most.
const headSize = 256 << 10

// detect tells the format of a source; after an error, the source is closed. A
// read from standard input cannot be interrupted, so it is not waited for when ctx
// is done.
func detect(ctx context.Context, source *trace.Source) (*format, error) {
	type result struct {
		format *format
		err    error
	}

	// The channel has room for the result, so the goroutine ends even if nobody waits for it.
	done := make(chan result, 1)
	go func() {
		head, err := source.Head(headSize)
		var f *format
		if err == nil {
			if f = recognise(head); f == nil {
				const msg = "the format cannot be told from the content: name it with --input " +
					"(pota formats lists those known), or, for a log, have a mapping written by pota map --guess"
				err = trace.Errorf(source.Path, 0, msg)
			}
		}
		// The goroutine owns the source until it has answered, so it closes a source that nobody
		// will.
		if err != nil || ctx.Err() != nil {
			source.Close()
		}
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.format, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// recognise tells a format from the beginning of a file, nil for none.
func recognise(head []byte) *format {
	// The mappings come before what may be native, as lines of logs in JSON are objects, too.
	for i := range formats {
		if formats[i].perhaps {
			for _, m := range mapped.Shipped() {
				if m.Detect(head) {
					return mapping(m)
				}
			}
		}
		if formats[i].detect(head) {
			return &formats[i]
		}
	}

	return nil
}

// mapping makes a format of a mapping.
func mapping(m *mapped.Mapping) *format {
	f := known(m.Name+" (mapped)", "", nil, one(m.Read))
	f.mapping = m
	return &f
}

// one adapts a reader of sources that hold one execution.
func one(read func(context.Context, *trace.Source, trace.Options) (*graphs.Computation, error)) reader {
	return func(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
		c, err := read(ctx, source, opts)
		return []trace.Execution{{Computation: c}}, err
	}
}

// mixed adds to an error of reading a directory what its files look like, where they are of
// several kinds. f is the format of the trace, nil if unknown.
func mixed(ctx context.Context, source *trace.Source, f *format, err error) error {
	var known *trace.Error
	// Only a directory mixes kinds, and only an error of its content is explained that way.
	if !source.Directory() || !errors.As(err, &known) {
		return err
	}
	const most = 1000 // files that are looked at
	files := source.Files()
	names := make(map[string][]string)
	var kinds []string
	for _, file := range files[:min(len(files), most)] {
		if ctx.Err() != nil {
			return err
		}
		kind := kindOf(file, f)
		if names[kind] == nil {
			kinds = append(kinds, kind)
		}
		// Base names, as all files are of one directory.
		names[kind] = append(names[kind], filepath.Base(file))
	}

	if len(kinds) < 2 {
		return err
	}
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s (%s)", graphs.List(names[kind], 5), kind))
	}
	// A copy: the error of the reader may be kept by others.
	e := *known
	e.Msg += "; the directory holds files of several kinds: " + strings.Join(parts, ", ") +
		": it must hold a log for each process of one execution and nothing else, or be read with a mapping that says which files are logs"
	e.Err = err
	return &e
}

// kindOf returns what a file looks like.
func kindOf(file string, f *format) string {
	const unknown = "not a trace"
	source, err := trace.Open(file)
	if err != nil {
		return unknown
	}
	defer source.Close()
	// 16 KB show the kind of one file; the files of a directory may be many.
	head, err := source.Head(16 << 10)
	switch {
	case err != nil || len(bytes.TrimSpace(head)) == 0:
		return unknown
	// A mapping decides alone which files are logs of its kind.
	case f != nil && f.mapping != nil:
		if f.mapping.Detect(head) {
			return "as the mapping says"
		}
		return unknown
	}

	f = recognise(head)
	switch {
	case f == nil:
		return unknown
	case f.mapping != nil:
		return f.mapping.Name
	case f.perhaps:
		return "JSON"
	}
	return f.Name
}
