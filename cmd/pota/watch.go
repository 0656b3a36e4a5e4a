package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
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

func (s *session) watchCommand() *cli.Command {
	return s.command("watch", 0, -1, watchFlags(), s.watching)
}

// watchFlags are those of watch, under headings.
func watchFlags() []cli.Flag {
	return slices.Concat(
		group("Answers",
			toggle("json", "print a JSON object a line for each answer"),
			toggle("quiet, q", "print nothing: the exit status is the answer"),
			text("exec",
				"run `COMMAND` by sh for each final answer, which is JSON on its standard input"),
			textOr("log-format", "text", "write notes and errors as `FORMAT`: text or json")),
		group("Executions",
			text("execution-key",
				"lines are of many executions, each named by the key `FIELD` of the line"),
			period("idle", "an execution ends when nothing has come of it for `D`"),
			periodOr("grace", 5*time.Second,
				"an execution of spans ends when its root has ended and no span has come for `D`"),
			toggle("until-final", "end when all answers are final"),
			toggle("to-end", "read files up to their ends, and do not wait for more")),
		group("Lines",
			textOr("input", format.Native,
				"lines are of `FORMAT`: native, shiviz, or documents of otlp, stdouttrace, jaeger "+
					"or zipkin"),
			text("map",
				"lines are of logs that `MAPPING` describes, a file or one that pota formats lists "+
					"(pota help mappings)"),
			toggle("skip-lines", "skip the lines of a log that do not fit its mapping"),
			text("regexp",
				"ShiViz: find events with `REGEXP`, which has the groups clock, host and event; "+
					"further groups become variables"),
			texts("assign",
				"ShiViz: assign the named groups of `REGEXP` where it matches an event's text (may "+
					"be repeated)"),
			toggle("declared",
				"the processes and variables declared before the first event are all that there "+
					"will be, so that formulas about all processes can be decided"),
			number("sync-size",
				"every sync has `N` events; else one is complete when no process can join it any more")),
		group("Listening",
			texts("listen",
				"receive lines at `ADDRESS`, such as 127.0.0.1:7777, lines and spans by HTTP at "+
					"http://127.0.0.1:4318, spans at grpc://127.0.0.1:4317; may be repeated"),
			text("tls-cert", "listen with TLS and the certificates in `FILE`"),
			text("tls-key", "and with the key in `FILE`"),
			text("token-file", "refuse senders that do not know the token in `FILE`")),
		group("Properties", append(formulaFlags("decide"),
			period("deadline", "warn when an AG(p -> AF q) obligation is pending longer than `D`"))...),
		group("Resources",
			text("journal", "write-ahead log directory `DIR`; resume from it after a crash"),
			numberOr("window", 1<<20, "give up on properties that need more than `N` events to be kept"),
			limitFlags(0)[1]))
}

func (s *session) watching(c *cli.Context) error {
	o, err := s.watchOptions(c)
	if err != nil {
		return err
	}
	r := s.run
	out := r.Console
	switch name := c.String("log-format"); name {
	case "text":
	case "json":
		out.Log = slog.New(slog.NewJSONHandler(out.Err, nil))
	default:
		return exit.Unknown("format of logs", name, "text", "json")
	}
	out.Progress = false // answers come all the while

	status, err := monitor.Run(r.Context, *o, monitor.Host{
		Write: func(text []byte) error {
			if _, err := out.Out.Write(text); err != nil {
				return err
			}
			return out.Out.Flush()
		},
		Note:   func(text string) { out.Note(r.Context, text) },
		Error:  func(text string) { out.Error(r.Context, text) },
		Misfit: failure.InProperty,
		Fail: func(err error) exit.Status {
			r.Fail(err)
			return r.Status
		},
		Step: func(work func(context.Context) error) (bool, error) {
			return job.Do(r, "watching", func(ctx context.Context) (bool, error) { return true, work(ctx) })
		},
	})
	r.Worsen(status)
	r.Broken = true // all that could be written has been
	return err
}

// watchOptions reads the flags and arguments of pota watch, and refuses what does not fit together.
func (s *session) watchOptions(c *cli.Context) (*monitor.Options, error) {
	if !named(c) {
		return nil, exit.Usagef("properties are missing: write -f FILE, or --property PATTERN (pota help watching)")
	}
	properties, err := load.Properties(s.run, formulasOf(c))
	if err == nil {
		err = checkWatch(c)
	}
	if err != nil {
		return nil, err
	}
	variables := make(map[string]bool)
	for _, p := range properties {
		maps.Copy(variables, syntax.Names(p.Formula))
	}
	lines, mapping, err := s.watchFormat(c, properties, variables)
	if err != nil {
		return nil, err
	}
	o := &monitor.Options{
		Properties:   properties,
		Variables:    variables,
		Format:       lines,
		ExecutionKey: c.String("execution-key"),
		Paths:        c.Args().Slice(),
		Stdin:        s.run.Console.In,
		ToEnd:        c.Bool("to-end"),
		Declared:     c.Bool("declared"),
		SyncSize:     c.Int("sync-size"),
		Window:       c.Int("window"),
		Deadline:     c.Duration("deadline"),
		Idle:         c.Duration("idle"),
		Grace:        c.Duration("grace"),
		UntilFinal:   c.Bool("until-final"),
		JSON:         c.Bool("json"),
		Quiet:        c.Bool("quiet"),
		Exec:         c.String("exec"),
		Log:          c.String("journal"),
		Conditions:   conditions(c, properties, mapping),
		Memory:       s.run.Budget.Bytes(),
		EngineMemory: s.run.Budget.Memory(1),
	}
	if o.Listen, o.Received, err = listenAt(c); err != nil {
		return nil, err
	}
	if len(o.Paths)+len(o.Listen) == 0 {
		o.Paths = []string{"-"}
	}
	return o, nil
}

// checkWatch refuses flags that do not fit together.
func checkWatch(c *cli.Context) error {
	for _, flag := range []string{"sync-size", "window"} {
		if n := c.Int(flag); n < 0 || c.IsSet(flag) && n < 1 {
			return exit.Usagef("--%s must be at least 1, not %d", flag, n)
		}
	}
	for _, flag := range []string{"deadline", "idle", "grace"} {
		if d := c.Duration(flag); c.IsSet(flag) && d <= 0 {
			return exit.Usagef("--%s must be positive, not %s", flag, d)
		}
	}
	ofSpans := c.IsSet("listen") || split.Documents(c.String("input"))
	keyed := c.IsSet("execution-key")
	switch {
	case c.IsSet("grace") && !ofSpans:
		return exit.Usagef("--grace is of spans: write --listen ADDRESS or --input otlp, too")
	case !keyed && c.IsSet("idle") && !ofSpans:
		return exit.Usagef("--idle is of many executions: write --execution-key FIELD, or for spans --listen ADDRESS or --input otlp, too")
	case keyed && c.Bool("until-final"):
		return exit.Usagef("--until-final is of one execution, and --execution-key of any number")
	}
	return checkLines(c)
}

// checkLines refuses flags about lines that do not fit together.
func checkLines(c *cli.Context) error {
	input := c.String("input")
	mapping := c.String("map") != ""
	switch {
	case mapping && c.IsSet("input"):
		return exit.Usagef("--map and --input exclude each other: a mapping says what lines are")
	case !mapping && c.Bool("skip-lines"):
		return exit.Usagef("--skip-lines is of logs that a mapping describes: write --map MAPPING, too")
	}
	for _, flag := range []string{"regexp", "assign"} {
		if c.IsSet(flag) && input != "shiviz" {
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
		if c.IsSet(flag) {
			return exit.Usagef("%s and --%s exclude each other: native lines alone have keys of executions, declarations and syncs", how, flag)
		}
	}
	return nil
}

// watchFormat returns the format of the lines, and the mapping that describes them, nil for none.
func (s *session) watchFormat(c *cli.Context, properties []syntax.Property, variables map[string]bool) (*ingest.Format, *mapped.Mapping, error) {
	o := ingest.Options{
		Input:        c.String("input"),
		Regexp:       c.String("regexp"),
		Assign:       c.StringSlice("assign"),
		ExecutionKey: c.String("execution-key"),
		Properties:   properties,
		Variables:    variables,
	}
	if name := c.String("map"); name != "" {
		m, err := mapped.Lookup(s.run.Context, name)
		if err != nil {
			return nil, nil, err
		}
		if c.Bool("skip-lines") {
			m = m.Skipping()
		}
		o.Mapping = m
	}
	lines, err := ingest.New(o)
	return lines, o.Mapping, err
}

// conditions are what has to be as before where a write-ahead log is gone on with.
func conditions(c *cli.Context, properties []syntax.Property, mapping *mapped.Mapping) (all []monitor.Condition) {
	for _, p := range properties {
		all = append(all, monitor.Condition{Name: "properties", Value: p.Name + ": " + p.Source})
	}
	for _, flag := range []string{"declared", "sync-size", "execution-key", "input", "regexp", "assign", "map", "skip-lines"} {
		all = append(all, monitor.Condition{Name: "--" + flag, Value: fmt.Sprint(c.Value(flag))})
	}
	if mapping != nil {
		all = append(all, monitor.Condition{Name: "text in the mapping " + mapping.Name, Value: mapping.Sum()})
	}
	return all
}

// maxTokenFile is how many bytes the file of a token may have.
const maxTokenFile = 1 << 10

// listenAt returns the addresses to listen at, and the certificate and token.
func listenAt(c *cli.Context) (all []receive.Address, o receive.Options, err error) {
	for _, text := range c.StringSlice("listen") {
		a, err := receive.ParseAddress(text)
		if err != nil {
			return nil, o, exit.Usagef("--listen %s: %v", text, err)
		}
		all = append(all, a)
	}
	certificate := c.String("tls-cert")
	key := c.String("tls-key")
	token := c.String("token-file")
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
		text, err := trace.ReadFile(c.Context, token, maxTokenFile)
		if err != nil {
			return nil, o, err
		}
		if o.Token, err = receive.ParseToken(string(text)); err != nil {
			return nil, o, fmt.Errorf("%s: %w", token, err)
		}
	}
	return all, o, nil
}
