// Package settings turns the flags of watch into the options of a monitor. It refuses flags that
// do not fit together, and reads the files that they name.
package settings

import (
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/monitor"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/syntax"
)

// Flags are the flags and arguments of watch, as the user gave them.
type Flags struct {
	Formulas load.Formulas
	Paths    []string // of logs and directories

	Input     string // format of the lines
	Map       string // mapping of logs, "" for none
	SkipLines bool
	Regexp    string
	Assign    []string
	Declared  bool
	SyncSize  int

	ExecutionKey string
	Idle         time.Duration
	Grace        time.Duration
	UntilFinal   bool
	ToEnd        bool
	Deadline     time.Duration
	Window       int    // events
	Journal      string // directory of the write-ahead log

	Listen    []string // addresses
	TLSCert   string
	TLSKey    string
	TokenFile string

	JSON  bool
	Quiet bool
	Exec  string

	Given []string // names of the flags that were set
}

// given reports whether a flag was set.
func (f Flags) given(flag string) bool { return slices.Contains(f.Given, flag) }

// Options checks that the flags fit together, and reads the files that they name. Mistakes are
// *exit.UsageError.
func (f Flags) Options(r *job.Run) (*monitor.Options, error) {
	if !f.Formulas.Named() {
		return nil, exit.Usagef("properties are missing: write -f FILE, or --property PATTERN (pota help watching)")
	}
	properties, err := load.Properties(r, f.Formulas)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return nil, err
	}
	variables := load.VariablesOf(properties)
	lines, mapping, err := f.format(r.Context, properties, variables)
	if err != nil {
		return nil, err
	}
	o := &monitor.Options{
		Properties:   properties,
		Variables:    variables,
		Format:       lines,
		ExecutionKey: f.ExecutionKey,
		Paths:        f.Paths,
		Stdin:        r.Console.In,
		ToEnd:        f.ToEnd,
		Declared:     f.Declared,
		SyncSize:     f.SyncSize,
		Window:       f.Window,
		Deadline:     f.Deadline,
		Idle:         f.Idle,
		Grace:        f.Grace,
		UntilFinal:   f.UntilFinal,
		JSON:         f.JSON,
		Quiet:        f.Quiet,
		Exec:         f.Exec,
		Log:          f.Journal,
		Conditions:   f.conditions(properties, mapping),
		Memory:       r.Budget.Bytes(),
		EngineMemory: r.Budget.Memory(1),
	}
	if o.Listen, o.Received, err = f.listen(r.Context); err != nil {
		return nil, err
	}
	if len(o.Paths)+len(o.Listen) == 0 {
		o.Paths = []string{"-"}
	}
	return o, nil
}

// check refuses flags that do not fit together: a flag without effect would be a wrong expectation.
func (f Flags) check() error {
	for _, x := range []struct {
		flag string
		n    int
	}{{"sync-size", f.SyncSize}, {"window", f.Window}} {
		if x.n < 0 || f.given(x.flag) && x.n < 1 {
			return exit.Usagef("--%s must be at least 1, not %d", x.flag, x.n)
		}
	}
	for _, x := range []struct {
		flag string
		d    time.Duration
	}{{"deadline", f.Deadline}, {"idle", f.Idle}, {"grace", f.Grace}} {
		if f.given(x.flag) && x.d <= 0 {
			return exit.Usagef("--%s must be positive, not %s", x.flag, x.d)
		}
	}
	ofSpans := f.given("listen") || split.Documents(f.Input)
	keyed := f.given("execution-key")
	switch {
	case f.given("grace") && !ofSpans:
		return exit.Usagef("--grace is of spans: write --listen ADDRESS or --input otlp, too")
	case !keyed && f.given("idle") && !ofSpans:
		return exit.Usagef("--idle is of many executions: write --execution-key FIELD, or for spans --listen ADDRESS or --input otlp, too")
	case keyed && f.UntilFinal:
		return exit.Usagef("--until-final is of one execution, and --execution-key of any number")
	}
	return f.checkLines()
}

// checkLines refuses flags about lines that do not fit together. What a format cannot express must
// not be asked of its lines.
func (f Flags) checkLines() error {
	input := f.Input
	mapping := f.Map != ""
	switch {
	case mapping && f.given("input"):
		return exit.Usagef("--map and --input exclude each other: a mapping says what lines are")
	case !mapping && f.SkipLines:
		return exit.Usagef("--skip-lines is of logs that a mapping describes: write --map MAPPING, too")
	}
	for _, flag := range []string{"regexp", "assign"} {
		if f.given(flag) && input != "shiviz" {
			return exit.Usagef("--%s is of ShiViz logs: write --input shiviz, too", flag)
		}
	}
	if input == format.Native && !mapping {
		return nil
	}
	how := "--input " + input
	if mapping {
		how = "--map"
	}
	for _, flag := range []string{"execution-key", "declared", "sync-size"} {
		if f.given(flag) {
			return exit.Usagef("%s and --%s exclude each other: native lines alone have keys of executions, declarations and syncs", how, flag)
		}
	}
	return nil
}

// format returns the format of the lines, and the mapping that describes them, nil for none.
func (f Flags) format(ctx context.Context, properties []syntax.Property, variables map[string]bool) (*ingest.Format, *mapped.Mapping, error) {
	o := ingest.Options{
		Input:        f.Input,
		Regexp:       f.Regexp,
		Assign:       f.Assign,
		ExecutionKey: f.ExecutionKey,
		Properties:   properties,
		Variables:    variables,
	}
	if name := f.Map; name != "" {
		m, err := mapped.Lookup(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if f.SkipLines {
			m = m.Skipping()
		}
		o.Mapping = m
	}
	lines, err := ingest.New(o)
	return lines, o.Mapping, err
}

// conditions are what has to be as before where a write-ahead log is gone on with.
func (f Flags) conditions(properties []syntax.Property, mapping *mapped.Mapping) (all []monitor.Condition) {
	for _, p := range properties {
		all = append(all, monitor.Condition{Name: "properties", Value: p.Name + ": " + p.Source})
	}
	add := func(flag string, value any) {
		all = append(all, monitor.Condition{Name: "--" + flag, Value: fmt.Sprint(value)})
	}
	add("declared", f.Declared)
	add("sync-size", f.SyncSize)
	add("execution-key", f.ExecutionKey)
	add("input", f.Input)
	add("regexp", f.Regexp)
	add("assign", f.Assign)
	add("map", f.Map)
	add("skip-lines", f.SkipLines)
	if mapping != nil {
		all = append(all, monitor.Condition{Name: "text in the mapping " + mapping.Name, Value: mapping.Sum()})
	}
	return all
}

// maxTokenFile is how many bytes the file of a token may have.
const maxTokenFile = 1 << 10

// listen returns the addresses to listen at, and the certificate and token.
func (f Flags) listen(ctx context.Context) (all []receive.Address, o receive.Options, err error) {
	for _, text := range f.Listen {
		a, err := receive.ParseAddress(text)
		if err != nil {
			return nil, o, exit.Usagef("--listen %s: %v", text, err)
		}
		all = append(all, a)
	}
	certificate := f.TLSCert
	key := f.TLSKey
	token := f.TokenFile
	switch {
	case len(all) == 0 && certificate+key+token != "":
		return nil, o, exit.Usagef("--tls-cert, --tls-key and --token-file are of listeners: write --listen ADDRESS, too")
	case (certificate == "") != (key == ""):
		return nil, o, exit.Usagef("--tls-cert and --tls-key must both be given")
	}
	for _, a := range all {
		if !a.Loopback() && (certificate == "" || token == "") {
			return nil, o, exit.Usagef("--listen: %s is not a loopback address: TLS and a token are required (--tls-cert, --tls-key, --token-file)", a)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, o, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", certificate, key, err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if token != "" {
		text, err := trace.ReadFile(ctx, token, maxTokenFile)
		if err != nil {
			return nil, o, err
		}
		if o.Token, err = receive.ParseToken(string(text)); err != nil {
			return nil, o, fmt.Errorf("%s: %w", token, err)
		}
	}
	return all, o, nil
}
