package main

import (
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/syntax"
)

// logs finds out how the lines that a watch takes are read: as native ones, or with a mapping.
func (w *watch) logs() error {
	if w.key != "" {
		if err := native.CheckExecutionKey(w.key); err != nil {
			return usagef("--execution-key: %s", err)
		}
	}
	name := w.cli.String("map")
	if name == "" {
		if w.cli.Bool("skip-lines") {
			return usagef("--skip-lines is of logs that a mapping describes: write --map MAPPING, too")
		}
		return nil
	}
	for _, flag := range []string{"execution-key", "declared", "sync-size"} {
		if w.cli.IsSet(flag) {
			return usagef("--map and --%s exclude each other: native lines alone have keys of executions, declarations and syncs", flag)
		}
	}
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
	w.mapping = m
	w.known, err = mapped.NewKnown(m, trace.Options{Variables: w.names})
	if err != nil {
		return usagef("--map: %v", err)
	}
	return nil
}

// reading returns how the sources of a watch are read.
func (w *watch) reading() reading {
	r := reading{toEnd: w.cli.Bool("to-end"), takes: func(string) bool { return true }}
	if w.known == nil {
		r.scanner = func(string) scanner { return &native.Scanner{ExecutionKey: w.key} }
		return r
	}
	r.takes = w.known.Takes
	r.scanner = func(source string) scanner { return w.known.NewScanner(source) }
	return r
}
