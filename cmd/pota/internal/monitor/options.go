package monitor

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options configure a monitor. Zero values stand for flags that are not given. Run checks that the
// options fit together, because an option without effect would be misleading.
type Options struct {
	ingest.Options // the format of lines, and the properties

	// See package tail. Without paths and listeners, standard input is read.
	Paths  []string
	Stdin  io.Reader
	ToEnd  bool
	Listen []string // addresses, see receive.ParseAddress

	// Names of files; "" if there is none.
	TLSCert   string
	TLSKey    string
	TokenFile string

	Declared bool // whether processes are declared before the first event
	SyncSize int
	Window   int // how many events are kept at most
	Deadline time.Duration
	Idle     time.Duration // 0 means no limit for lines, and defaultIdle for spans
	Grace    time.Duration // for spans; 0 means DefaultGrace
	Skew     time.Duration // the bound on the skew of clocks, for bounds on time

	Bindings int // how many bindings of a formula about data are named

	NoSharedClock bool // whether spans of one host are not ordered by its clock

	UntilFinal bool
	JSON       bool
	Quiet      bool
	View       string // the file for a page about the first violation; "" for none
	Exec       string // the command that receives final answers; "" for none
	Log        string // the directory of the write-ahead log; "" for none

	Memory       int64 // how many bytes the run may use
	EngineMemory int64 // how many bytes the decision of an execution of spans may use
}

// DefaultGrace is how long an execution of spans may be silent after its root has ended.
const DefaultGrace = 5 * time.Second

// A Host is the process around a monitor.
type Host struct {
	// Write writes results.
	Write func(text []byte) error

	// Status overwrites the status line. It is nil if the output is not interactive.
	Status func(text string)

	// Note reports an event, and Error a mistake in an input.
	Note, Error func(text string)

	// Fail reports an error, and returns the exit status for it.
	Fail func(err error) exit.Status

	// Misfit returns the error for a property whose formula does not fit.
	Misfit func(p syntax.Property, err error) error

	// View writes a page about a question to a file.
	View func(path string, q *load.Question) error

	// Step runs work within the limits of the process, and reports whether it has returned: work
	// that ignores its context is left running.
	Step func(work func(ctx context.Context) error) (returned bool, err error)
}

// shows reports whether the runs of answers are shown.
func (o *Options) shows() bool { return !o.JSON && !o.Quiet || o.View != "" }

// check refuses options that do not fit together. The error is an *exit.UsageError.
func (o *Options) check() error {
	switch {
	case len(o.Properties) == 0:
		return exit.Usagef("properties are missing: write -f FILE, or --property PATTERN (pota help watching)")
	case o.Window < 1:
		return exit.Usagef("--window must be at least 1, not %d", o.Window)
	case o.Bindings < 1:
		return exit.Usagef("--bindings must be at least 1, not %d", o.Bindings)
	case o.SyncSize < 0:
		return exit.Usagef("--sync-size must be at least 1, not %d", o.SyncSize)
	}
	for _, x := range []struct {
		flag string
		d    time.Duration
	}{{"deadline", o.Deadline}, {"idle", o.Idle}, {"grace", o.Grace}, {"skew", o.Skew}} {
		if x.d < 0 {
			return exit.Usagef("--%s must be positive, not %s", x.flag, x.d)
		}
	}

	ofSpans := len(o.Listen) > 0 || split.Documents(o.Input)
	keyed := o.ExecutionKey != ""
	timed := slices.ContainsFunc(o.Properties, func(p syntax.Property) bool { return syntax.ComparisonsOf(p.Formula).Any })
	switch {
	case o.Skew > 0 && !timed:
		return exit.Usagef("--skew is only for bounds on time here, as in AF[<= 5s] or d.time - e.time <= 5s, and orders nothing: " +
			"pota detect --skew does, of a recorded trace")
	case o.NoSharedClock && !ofSpans:
		return exit.Usagef("--no-shared-clock is only for spans: write --listen ADDRESS or --input otlp, too")
	case o.Grace != DefaultGrace && !ofSpans:
		return exit.Usagef("--grace is only for spans: write --listen ADDRESS or --input otlp, too")
	case !keyed && o.Idle > 0 && !ofSpans:
		return exit.Usagef("--idle is only for many executions: write --execution-key FIELD, or for spans --listen ADDRESS or --input otlp, too")
	case keyed && o.UntilFinal:
		return exit.Usagef("--until-final is for one execution, and --execution-key for any number")
	}
	return o.checkNative()
}

// checkNative refuses options that only native lines support if another format is given.
func (o *Options) checkNative() error {
	how := "--input " + o.Input
	if o.Map != "" {
		how = "--map"
	}
	flag := ""
	switch {
	case o.Map == "" && o.Input == format.Native:
		return nil
	case o.ExecutionKey != "":
		flag = "execution-key"
	case o.Declared:
		flag = "declared"
	case o.SyncSize > 0:
		flag = "sync-size"
	default:
		return nil
	}
	return exit.Usagef("%s and --%s exclude each other: only native lines have keys of executions, declarations and syncs", how, flag)
}

// A condition is an option that must not change during the life of a log.
type condition struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// logConditions returns the conditions of a log. The mapping describes the lines; it is nil if there is none.
func (o *Options) logConditions(mapping *mapped.Mapping) (all []condition) {
	for _, p := range o.Properties {
		all = append(all, condition{"properties", p.Name + ": " + p.Source})
	}
	add := func(flag string, value any) {
		all = append(all, condition{"--" + flag, fmt.Sprint(value)})
	}
	add("declared", o.Declared)
	add("sync-size", o.SyncSize)
	add("skew", o.Skew)
	add("execution-key", o.ExecutionKey)
	add("input", o.Input)
	add("regexp", o.Regexp)
	add("assign", o.Assign)
	add("map", o.Map)
	add("skip-lines", o.SkipLines)
	if mapping != nil {
		all = append(all, condition{"text in the mapping " + mapping.Name, mapping.Sum()})
	}
	add("bindings", o.Bindings)
	add("time-unit", o.Unit)
	return all
}

// maxTokenFile is how many bytes the file with the token may have.
const maxTokenFile = 1 << 10

// listeners returns the addresses to listen on, and the secrets of listeners.
func (o *Options) listeners(ctx context.Context) (all []receive.Address, r receive.Options, err error) {
	for _, text := range o.Listen {
		a, err := receive.ParseAddress(text)
		if err != nil {
			return nil, r, exit.Usagef("--listen %s: %v", text, err)
		}
		all = append(all, a)
	}
	switch {
	case len(all) == 0 && o.TLSCert+o.TLSKey+o.TokenFile != "":
		return nil, r, exit.Usagef("--tls-cert, --tls-key and --token-file are only for listeners: write --listen ADDRESS, too")
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return nil, r, exit.Usagef("--tls-cert and --tls-key must both be given")
	}
	if r, err = o.credentials(ctx); err != nil {
		return nil, r, err
	}
	// An address is refused here, before anything is read, and not only when the listener starts.
	for _, a := range all {
		if err := a.Permits(r); err != nil {
			return nil, r, exit.Usagef("--listen: %v (--tls-cert, --tls-key, --token-file)", err)
		}
	}
	return all, r, nil
}

// credentials reads the certificate and the token of listeners.
func (o *Options) credentials(ctx context.Context) (r receive.Options, err error) {
	if o.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return r, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", o.TLSCert, o.TLSKey, err)
		}
		r.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if o.TokenFile == "" {
		return r, nil
	}
	text, err := trace.ReadFile(ctx, o.TokenFile, maxTokenFile)
	if err != nil {
		return r, err
	}
	if r.Token, err = receive.ParseToken(string(text)); err != nil {
		return r, fmt.Errorf("%s: %w", o.TokenFile, err)
	}
	return r, nil
}
