// Package load reads the inputs of a decision: traces, in any format and with additional causality,
// and formulas, from arguments, property files and patterns. It also selects the traces by
// arguments, lists, name patterns and shards.
//
// # Definitions
//
// Options are texts as the user wrote them. New checks them once and returns a Reader, which any
// number of goroutines may share. A Want says which data of a trace a command needs: the less it
// needs, the less memory a trace uses. An execution is one run of a program; a trace may have
// several. A Question is a formula about the only execution of a trace.
//
// Example: pota detect --order more.jsonl 'AG x@P = 1' run.jsonl reads run.jsonl with only the
// values of x, adds the edges of more.jsonl, and resolves the formula on the result.
//
// # Order
//
// Causality is added after reading, first that of an order file and then that of clocks. So a clock
// that contradicts the file is detected.
package load

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options choose how traces are read, in the form that the user wrote.
type Options struct {
	Format    format.Options // the options that the user can choose
	MaxLine   string         // the greatest length of a line in bytes, with a unit
	Execution string         // the name or number of an execution; "" for all
	Order     string         // a file of causality to add; "" for none
	Skew      string         // the bound on the skew of clocks; "" for no assumption
	Offset    string         // the bound on constant offsets of clocks, or auto; "" for no assumption
	TimeUnit  string         // the unit of times that are numbers: s, ms, us or ns
	// whether the user gave TimeUnit, which has an effect only if times are read
	UnitGiven bool
	Silent    bool // do not say which format was recognised
}

// Want says which data of traces a command needs. Other data use no memory.
type Want struct {
	Variables map[string]bool // the variables whose values are kept; nil for all
	Names     bool            // labels, times and names of messages
	Times     bool
	Places    bool // the places of events in the files
	Digest    bool // the SHA-256 of the files
	Idle      bool // report parts of a mapping that find nothing in the log
}

// With returns w with the data of single events that a formula needs: times, labels and ids.
func (w Want) With(f *syntax.Formula) Want {
	names, times := syntax.OfEvents(f)
	w.Names = w.Names || names
	w.Times = w.Times || times
	return w
}

// A Reader reads traces according to options. Runs can share it, since they are passed to its
// methods.
type Reader struct {
	given   Options
	options format.Options
	order   *order.File
	clocks  *assumption // the assumption on clocks; nil for none
	idle    bool

	mutex    *sync.Mutex
	together map[string][]string // the paths for each remark; nil to print remarks at once

	Unit time.Duration // the unit of times that are numbers
}

// Unit reads the unit of times that are numbers.
func Unit(text string) (time.Duration, error) {
	if unit, ok := units[text]; ok {
		return unit, nil
	}
	return 0, exit.Unknown("unit of time", text, "s", "ms", "us", "ns")
}

// units maps the names of units of time to durations.
var units = map[string]time.Duration{
	"s":  time.Second,
	"ms": time.Millisecond,
	"us": time.Microsecond,
	"ns": time.Nanosecond,
}

// New checks the options and reads the order file. Mistakes in the options are *exit.UsageError.
func New(r *job.Run, opts Options, want Want) (*Reader, error) {
	in := &Reader{given: opts, options: opts.Format, idle: want.Idle, mutex: new(sync.Mutex)}
	// These options are a copy, so the caller's do not change.
	o := &in.options.Options
	o.Variables = want.Variables
	o.Names = want.Names
	in.options.Digest = want.Digest

	// Check units and assumptions in the order of the help, and report the first mistake.
	var err error
	if o.MaxLine, err = MaxLine(opts.MaxLine); err != nil {
		return nil, err
	}
	if in.Unit, err = Unit(opts.TimeUnit); err != nil {
		return nil, err
	}
	o.TimeUnit = in.Unit
	if in.clocks, err = parseClocks(opts); err != nil {
		return nil, err
	}
	// Otherwise the flag would have no effect, although the user expects one.
	if opts.UnitGiven && in.clocks == nil && !want.Times {
		return nil, exit.Usagef("--time-unit says how times are read, so it needs --skew, --clock-offset or a formula about times")
	}
	// Clocks can order events only if their times are kept.
	o.Times = in.clocks != nil || want.Times
	// Places use memory for each event, so keep them only on request.
	o.Places = want.Places

	// Read the order file once, no matter how many traces it is applied to.
	if opts.Order == "" {
		return in, nil
	}
	in.order, err = job.Do(r, "reading "+opts.Order, func(ctx context.Context) (*order.File, error) {
		return order.Open(ctx, opts.Order)
	})
	// The order file may compare variables that no formula names. Keep them too.
	if err == nil && want.Variables != nil {
		o.Variables = maps.Clone(want.Variables)
		for _, name := range in.order.Variables() {
			o.Variables[name] = true
		}
	}
	return in, err
}

// MaxLine reads the value of --max-line, the greatest length of a line in bytes.
func MaxLine(text string) (int, error) {
	n, err := budget.ParseSize("--max-line", text)
	if err == nil && (n < 1 || n > trace.LineLimit) {
		err = exit.Usagef("--max-line must be from 1B to 1GiB, not %s", text)
	}
	return int(n), err
}

// Format returns the options for package format, without added causality.
func (in *Reader) Format() format.Options { return in.options }

// AssumesClocks reports whether clocks add causality. If so, other bounds of skew are not tried.
func (in *Reader) AssumesClocks() bool { return in.clocks != nil }

// WithTimes returns a reader that keeps times. It is for reading a trace again, so it does not
// repeat remarks.
func (in *Reader) WithTimes() *Reader {
	// Copy the reader, since other goroutines use it.
	again := *in
	again.options.Times = true
	again.given.Silent = true
	return &again
}

// Observe passes remarks about the files and the mapping to functions instead of standard error. A
// truncated log, as of a killed program, is read up to its end, which is also a remark.
func (in *Reader) Observe(truncated, note func(*trace.Error)) {
	in.options.AllowTruncated = true
	in.options.Truncated = truncated
	in.options.Note, in.options.Idle = note, note
}

// Read returns the executions of a trace, or the one that the options choose. It reports which
// format was guessed, since a wrong guess may explain strange verdicts.
func (in *Reader) Read(r *job.Run, path string) ([]format.Execution, error) {
	// The reader is shared, but remarks go to this run.
	options := in.options
	remark := func(e *trace.Error) { fmt.Fprintln(r.Console.Err, "pota: "+failure.Text(e)) }
	if options.Note == nil && !in.given.Silent {
		options.Note = remark
	}
	if in.idle {
		options.Idle = remark
	}
	executions, err := job.Do(r, "reading "+path, func(ctx context.Context) ([]format.Execution, error) {
		executions, err := format.Read(ctx, path, options)
		if err != nil && !budget.IsDone(err) {
			err = in.explain(ctx, path, err)
		}
		for i := range executions {
			executions[i].Unit = in.Unit
		}
		return executions, err
	})
	if err != nil {
		return nil, err
	}

	// A user who chose a format or a mapping knows it.
	guessed := in.options.Input == format.Auto && in.options.Map == ""
	var remarks []string
	if f := executions[0].Format; guessed && f != format.Native {
		remarks = append(remarks, "is read as "+f)
	}
	if slices.ContainsFunc(executions, func(e format.Execution) bool { return e.Shared > 0 }) {
		remarks = append(remarks, "orders events of one host or service by its clock (--no-shared-clock)")
	}
	if remarks != nil && !in.given.Silent {
		text := strings.Join(remarks, ", and ")
		if in.together == nil {
			fmt.Fprintf(r.Console.Err, "pota: %s %s\n", graphs.Printable(path), text)
		} else { // Remarks says it once for all traces
			in.mutex.Lock()
			in.together[text] = append(in.together[text], path)
			in.mutex.Unlock()
		}
	}

	// Add causality only to the chosen execution, since an order file may not fit the others.
	want := in.given.Execution
	if want == "" {
		return in.enrich(r, executions)
	}
	for i, e := range executions {
		// Match the number, the full name, or the part after the name of the file.
		if strconv.Itoa(i+1) == want || e.Name == want || strings.HasSuffix(e.Name, "#"+want) {
			return in.enrich(r, executions[i:i+1])
		}
	}
	return nil, fmt.Errorf("%s has no execution %q: it has %s", path, want, executionNames(executions))
}

// Together makes the reader collect its remarks on traces until Remarks, which prints each of them
// once for all traces.
func (in *Reader) Together() { in.together = make(map[string][]string) }

// Remarks prints the remarks that were collected since Together.
func (in *Reader) Remarks(r *job.Run) {
	for _, text := range slices.Sorted(maps.Keys(in.together)) {
		about := graphs.Printable(in.together[text][0])
		if n := len(in.together[text]); n > 1 {
			about = fmt.Sprintf("each of %d traces", n)
		}
		fmt.Fprintf(r.Console.Err, "pota: %s %s\n", about, text)
	}
	in.together = nil
}

// explain adds a remedy to an error in reading a directory if its entries look like runs: each is a
// trace by itself.
//
// Example: runs/ has 1.jsonl and 2.jsonl, two executions of one program. As one execution, they
// contradict each other. The user meant 'runs/*'.
func (in *Reader) explain(ctx context.Context, path string, err error) error {
	// A file, or a folder with one entry, has no such remedy.
	entries, bad := os.ReadDir(path)
	if bad != nil || len(entries) < 2 {
		return err
	}
	// Two entries that can be read alone are enough to recognise a folder of runs.
	for _, e := range entries[:2] {
		if _, bad := format.Read(ctx, filepath.Join(path, e.Name()), in.options); bad != nil {
			return err
		}
	}
	return fmt.Errorf("%w; a directory is one execution with a log for each process: if each of its entries is a run, write %s", err, filepath.Join(path, "*"))
}

// Each reads traces and calls do for each of their executions. It reports errors, and goes on with
// the other traces.
func (in *Reader) Each(r *job.Run, paths []string, do func(*format.Execution)) {
	for _, path := range paths {
		executions, err := in.Read(r, path)
		if err != nil {
			r.Fail(err)
		}
		for i := range executions {
			do(&executions[i])
		}
	}
}

// ReadOne is Read for a trace that must have one execution.
func (in *Reader) ReadOne(r *job.Run, path string) (*format.Execution, error) {
	executions, err := in.Read(r, path)
	if err != nil {
		return nil, err
	}
	if len(executions) != 1 {
		return nil, fmt.Errorf("%s has %d executions; choose one with --execution: %s", path, len(executions), executionNames(executions))
	}
	return &executions[0], nil
}

// executionNames lists the first few names, for errors.
func executionNames(executions []format.Execution) string {
	var names []string
	for _, e := range executions {
		names = append(names, strconv.Quote(e.Name))
	}
	// A file may have thousands of executions.
	return graphs.List(names, 10)
}

// enrich adds causality to executions: first the order of a file, and then the order of times,
// because clocks must not contradict the file.
func (in *Reader) enrich(r *job.Run, executions []format.Execution) ([]format.Execution, error) {
	if in.order == nil && in.clocks == nil {
		return executions, nil
	}
	return job.Do(r, "adding causality", func(ctx context.Context) ([]format.Execution, error) {
		all := slices.Clone(executions)
		for i := range all {
			e := &all[i]
			if in.order != nil {
				c, err := in.order.Apply(ctx, e.Computation)
				// The error needs the name only if there are several executions.
				if err != nil && len(all) > 1 {
					err = fmt.Errorf("%s: %w", e.Name, err)
				}
				if err != nil {
					return nil, err
				}
				e.Computation = c
			}
			if err := in.addClocks(ctx, e); err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
		return all, nil
	})
}
