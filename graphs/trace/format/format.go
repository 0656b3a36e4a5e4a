// Package format reads traces in any known format, and recognizes the format from the content.
//
// Formats are tried in a fixed order on the beginning of the first file, after decompression; names
// of files are ignored. A format is recognized by its appearance, valid or not, so that a malformed
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
	Input     string   // the name of a format or mapping, or auto; "" stands for auto
	Map       string   // the mapping for logs: the name of a shipped one, or a file; "" for none
	SkipLines bool     // whether to skip lines that do not fit the mapping
	Regexp    string   // for shiviz: matches an event
	Delimiter string   // for shiviz: matches the separator of executions
	Assign    []string // for shiviz: match assignments in the text of events
	Digest    bool     // whether to compute the SHA-256 of the input

	// NoSharedClock says not to order events by the clocks that several processes share.
	NoSharedClock bool

	// From, if not nil, is read instead of the path, such as the body of a request.
	From io.Reader
}

// Assumed lists the options of the command pota that determine, with the bytes of a trace, the
// computation. It lists a mapping by the SHA-256 of its text.
func (o *Options) Assumed(ctx context.Context) ([]string, error) {
	// Options that are off are left out, so that equal computations have equal lists.
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
		// The sum and not the name, because a mapping, and so the computation, may change under its
		// name.
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

// An Execution is the execution of a trace, or one of several.
type Execution struct {
	Name        string // the path, or path#k or path#name for one of several
	Format      string // the format or mapping by which it was read
	Computation *graphs.Computation
	Shared      int           // how many clocks that several processes share order events
	Unit        time.Duration // the unit of times that are numbers; 0 for a second
	Clocks      clocks.Model  // the model of the clocks; nil if readings are true times
	// The sum of the whole input (trace.Source.Sum), if Options.Digest is set.
	SHA256 string
}

// A Format describes a format that Read knows.
type Format struct {
	Name, Description string
	Example           string // a formula for traces of a mapping
}

// format is a Format, with functions that recognize and read it.
type format struct {
	Format
	// detect recognizes the format by the first headSize bytes of the first file, decompressed.
	detect func(head []byte) bool
	// read closes the source, even after an error.
	read    func(ctx context.Context, source *trace.Source, opts Options) ([]trace.Execution, error)
	mapping *mapped.Mapping // the mapping, if the format is one; nil otherwise
	perhaps bool            // whether the format is only a fallback
}

// Native is the name of the native format. Auto is the name that stands for recognizing the format
// from the content.
const (
	Native = "native"
	Auto   = "auto"
)

// formats are the formats in the order in which they are tried. The native format is tried twice:
// first for a valid line, and again, after the other JSON formats and the mappings, for text that
// begins like an object, so that a malformed native trace gets the error of its format. Formats
// that search the text come last.
var formats = []format{
	// An empty file is a native trace without a process.
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

// perhapsNative accepts a file whose first line that is not blank begins like an object, and a file
// of blank lines.
var perhapsNative = func() format {
	f := known(Native, describeNative, func(head []byte) bool {
		// Editors add byte order marks and blank lines, which mean nothing in any text format.
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

// Mappings returns the shipped mappings, which Options.Map can name in addition to files.
func Mappings() []Format {
	var all []Format
	for _, m := range mapped.Shipped() {
		all = append(all, Format{m.Name, m.Description, m.Example})
	}
	return all
}

// Formats returns the formats that Read knows, except those of mappings. The native one is the
// first.
func Formats() []Format {
	var all []Format
	for _, f := range formats {
		if !f.perhaps {
			all = append(all, f.Format)
		}
	}
	return all
}

// An UnknownError reports an Options.Input that is not a format or mapping.
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
	// Every property would hold for an empty result.
	if err == nil && len(found) == 0 {
		err = trace.Errorf(source.Path, 0, "no execution in it")
	}
	if err != nil {
		return nil, mixed(ctx, source, f, f.advise(err))
	}

	sum := ""
	// The digest is complete, because the source has been closed.
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

// advise adds advice to an error in a trace that was read as native only as a fallback.
func (f *format) advise(err error) error {
	var e *trace.Error
	// The user has probably mistaken a log for a trace if a key is unknown and no known one is
	// near.
	if f == nil || !f.perhaps || !errors.As(err, &e) || !strings.Contains(e.Msg, "unknown key") || strings.Contains(e.Msg, "did you mean") {
		return err
	}
	e.Msg += "; if this is a log in a form of its own, pota map --guess writes a mapping for it"
	return err
}

// Known returns the name of the format or mapping that Read would choose for the trace at path, or
// "" if it would choose only a fallback or none.
func Known(ctx context.Context, path string) string {
	source, err := trace.Open(path)
	if err != nil {
		return ""
	}
	f, err := detect(ctx, source)
	// After an error, detect has closed the source.
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

// open finds the source at path and its format. The caller must close the source, unless the reader
// of the format does. If the format is unknown, open returns the source together with the error, so
// that its files can be examined for a better message.
func open(ctx context.Context, path string, opts Options) (*trace.Source, *format, error) {
	f, known := find(opts.Input)
	if !known {
		return nil, nil, &UnknownError{opts.Input}
	}
	// A mapping takes precedence over Input, because users name it for one log.
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

	// The digest covers the whole input, so enable it before detection reads the first byte.
	if opts.Digest {
		source.Digest()
	}
	switch {
	case f != nil:
	// Only one format uses an expression, so an expression selects it.
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

// find returns the format with that name, or nil for auto, and whether the name is known.
func find(name string) (*format, bool) {
	if name == "" || name == Auto {
		return nil, true
	}
	// A linear search, because there are about ten formats.
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

// headSize is how many bytes of the first file detection reads. A log may begin with lines of
// another kind, such as a banner; 256 KB are usually more than those.
const headSize = 256 << 10

// detect recognizes the format of a source, which it closes after an error. A read from standard
// input cannot be interrupted, so detect does not wait for it when ctx is done.
func detect(ctx context.Context, source *trace.Source) (*format, error) {
	type result struct {
		format *format
		err    error
	}

	// The channel is buffered, so the goroutine ends even if nobody receives the result.
	done := make(chan result, 1)
	go func() {
		head, err := source.Head(headSize)
		var f *format
		if err == nil {
			if f = recognise(head); f == nil {
				const msg = "the format cannot be recognized from the content: name it with --input " +
					"(pota formats lists those known), or, for a log, have a mapping written by pota map --guess"
				err = trace.Errorf(source.Path, 0, msg)
			}
		}
		// The goroutine owns the source until it sends the result, so it must close a source that
		// the caller will not get.
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

// recognise returns the format of a file with this beginning, or nil if it is unknown.
func recognise(head []byte) *format {
	// Try the mappings before the fallback, because lines of logs in JSON are objects, too.
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

// mapping returns the format of a mapping.
func mapping(m *mapped.Mapping) *format {
	f := known(m.Name+" (mapped)", "", nil, one(m.Read))
	f.mapping = m
	return &f
}

// one adapts a reader of sources with a single execution.
func one(read func(context.Context, *trace.Source, trace.Options) (*graphs.Computation, error)) reader {
	return func(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
		c, err := read(ctx, source, opts)
		return []trace.Execution{{Computation: c}}, err
	}
}

// mixed adds to an error of reading a directory the kinds of its files, if there are several. f is
// the format of the trace, nil if unknown.
func mixed(ctx context.Context, source *trace.Source, f *format, err error) error {
	var known *trace.Error
	// Only a directory can have files of several kinds, and only an error in its content can be due
	// to them.
	if !source.Directory() || !errors.As(err, &known) {
		return err
	}
	const most = 1000 // how many files are examined
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
		// Base names, because all files are in one directory.
		names[kind] = append(names[kind], filepath.Base(file))
	}

	if len(kinds) < 2 {
		return err
	}
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s (%s)", graphs.List(names[kind], 5), kind))
	}
	// A copy, because others may hold the error of the reader.
	e := *known
	e.Msg += "; the directory holds files of several kinds: " + strings.Join(parts, ", ") +
		": it must hold a log for each process of one execution and nothing else, or be read with a mapping that says which files are logs"
	e.Err = err
	return &e
}

// kindOf returns the kind of a file, for a message.
func kindOf(file string, f *format) string {
	const unknown = "not a trace"
	source, err := trace.Open(file)
	if err != nil {
		return unknown
	}
	defer source.Close()
	// 16 KB suffice to recognize a file; a directory may have many files.
	head, err := source.Head(16 << 10)
	switch {
	case err != nil || len(bytes.TrimSpace(head)) == 0:
		return unknown
	// Only the mapping decides which files are its logs.
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
