package main

import (
	"slices"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/shiviz"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/syntax"
)

// settled is what all scanners of an execution know of it.
type settled interface{ Code(*stream.Codec) }

// logs finds out how the lines that a watch takes are read: as native ones, as those of another
// format, or with a mapping.
func (w *watch) logs() error {
	if w.key != "" {
		if err := native.CheckExecutionKey(w.key); err != nil {
			return usagef("--execution-key: %s", err)
		}
	}
	w.format = w.cli.String("input")
	name := w.cli.String("map")
	how := "--input " + w.format
	switch {
	case name != "" && w.cli.IsSet("input"):
		return usagef("--map and --input exclude each other: a mapping says what lines are")
	case name != "":
		how = "--map"
	case w.cli.Bool("skip-lines"):
		return usagef("--skip-lines is of logs that a mapping describes: write --map MAPPING, too")
	}
	for _, flag := range []string{"regexp", "assign"} {
		if w.cli.IsSet(flag) && w.format != shivizFormat {
			return usagef("--%s is of ShiViz logs: write --input shiviz, too", flag)
		}
	}
	if w.format == format.Native && name == "" {
		return nil
	}
	for _, flag := range []string{"execution-key", "declared", "sync-size"} {
		if w.cli.IsSet(flag) {
			return usagef("%s and --%s exclude each other: native lines alone have keys of executions, declarations and syncs", how, flag)
		}
	}
	switch {
	case name != "":
		return w.describe(name)
	case split.Documents(w.format):
		return nil
	case w.format == shivizFormat:
		return w.shiviz()
	}
	return w.refuse(w.format)
}

// refuse tells why lines of a format cannot be watched.
func (w *watch) refuse(name string) error {
	switch all := format.Formats(); {
	case slices.ContainsFunc(all, func(f format.Format) bool { return f.Name == name }):
		return usagef("--input %s: what is in this format shows its meaning only as a whole; when it is complete, pota detect --input %[1]s decides it", name)
	case name == format.Auto:
		return usagef("--input auto looks at a whole file, and one that grows has not been written yet: name the format")
	default:
		return &format.UnknownError{Input: name}
	}
}

// shivizFormat is what package format calls logs with vector clocks.
const shivizFormat = "shiviz"

// shiviz finds out how the lines of logs with vector clocks are read.
func (w *watch) shiviz() error {
	for _, p := range w.properties {
		if syntax.UsesTransit(p.Formula) {
			return usagef("%s counts messages, of which logs with vector clocks do not tell", oneLine(p.Source))
		}
	}
	known, err := shiviz.NewKnown(shiviz.Options{Options: trace.Options{Variables: w.names}, Regexp: w.cli.String("regexp"), Assign: w.cli.StringSlice("assign")})
	if err != nil {
		return usagef("--input shiviz: %v", err)
	}
	w.known = known
	return nil
}

// describe looks up the mapping that describes the lines.
func (w *watch) describe(name string) error {
	m, err := mapped.Lookup(w.ctx, name)
	if err != nil {
		return err
	}
	if m.Columns() && w.cli.IsSet("journal") {
		return usagef("--journal and the mapping %s exclude each other: the names of its columns stand in the first line of a file, which is not read again after a crash", name)
	}
	if w.cli.Bool("skip-lines") {
		m = m.Skipping()
	}
	for _, p := range w.properties {
		if !m.Messages() && syntax.UsesTransit(p.Formula) {
			return usagef("%s counts messages, and those of logs with vector clocks are told apart only when all lines are there: pota detect --map %s decides it on the whole log", oneLine(p.Source), name)
		}
	}
	known, err := mapped.NewKnown(m, trace.Options{Variables: w.names})
	if err != nil {
		return usagef("--map: %v", err)
	}
	w.mapping, w.known = m, known
	return nil
}

// reading returns how the sources of a watch are read.
func (w *watch) reading() reading {
	r := reading{toEnd: w.cli.Bool("to-end"), takes: func(string) bool { return true }}
	switch k := w.known.(type) {
	case *mapped.Known:
		r.takes = k.Takes
		r.scanner = func(source string) scanner { return k.NewScanner(source) }
	case *shiviz.Known:
		r.scanner = func(string) scanner { return k.NewScanner() }
	default:
		r.scanner = func(source string) scanner {
			if split.Documents(w.format) {
				return &documents{watch: w, name: source}
			}
			return &native.Scanner{ExecutionKey: w.key}
		}
	}
	return r
}
