// Package load reads the inputs of a decision: traces, in any format and with causality added to
// them, and formulas, from arguments, property files and patterns. It also chooses the traces,
// by arguments, lists, patterns of names and shards.
//
// # Definitions
//
// Options are texts as the user wrote them. New checks them once and returns a Reader. Any number
// of goroutines may share it. A Want says what a command needs of a trace: the less it wants, the
// less memory a trace takes. An execution is one run of a program; a trace may have several. A
// Question is a formula about the one execution of a trace.
//
// Example: pota detect --order more.jsonl 'AG x@P = 1' run.jsonl reads run.jsonl with the values of
// x alone, adds the edges of more.jsonl, and resolves the formula on the result.
//
// # Order
//
// Causality is added after reading, first that of an order file and then that of clocks. So a clock
// that contradicts the file is found.
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

// Options say how traces are read, as the user wrote it.
type Options struct {
	Format    format.Options // as far as the user chooses
	MaxLine   string         // bytes of a line, with a unit
	Execution string         // name or number of the one wanted, "" for all
	Order     string         // file of causality that is added, "" for none
	Skew      string         // bound on the skew of clocks, "" for no assumption
	Offset    string         // bound on their constant offsets, or auto; "" for no assumption
	TimeUnit  string         // of times that are numbers: s, ms, us or ns
	UnitGiven bool           // TimeUnit was given, which only an assumption on clocks needs
	Silent    bool           // do not say which format was recognised
}

// Want says what a command needs of traces. What it does not need takes no memory.
type Want struct {
	Variables map[string]bool // whose values are kept, all for nil
	Names     bool            // labels, times and names of messages
	Times     bool
	Places    bool // where in the files events are
	Digest    bool // SHA-256 of the files
	Idle      bool // say which parts of a mapping find nothing in the log
}

// With also wants what a formula asks of single events: their times, their labels and ids.
func (w Want) With(f *syntax.Formula) Want {
	names, times := syntax.OfEvents(f)
	w.Names = w.Names || names
	w.Times = w.Times || times
	return w
}

// A Reader reads traces as options say. It can be shared: runs are passed to it.
type Reader struct {
	given   Options
	options format.Options
	order   *order.File
	clocks  *assumption // on clocks, nil for none
	idle    bool

	mutex    *sync.Mutex
	together map[string][]string // paths by the remark about them; nil to print remarks at once

	Unit time.Duration // of times that are numbers
}

// Unit reads the unit of times that are numbers.
func Unit(text string) (time.Duration, error) {
	if unit, ok := units[text]; ok {
		return unit, nil
	}
	return 0, exit.Unknown("unit of time", text, "s", "ms", "us", "ns")
}

// units are those of times that are numbers.
var units = map[string]time.Duration{
	"s":  time.Second,
	"ms": time.Millisecond,
	"us": time.Microsecond,
	"ns": time.Nanosecond,
}

// New checks the options and reads the causality that they add. Mistakes are *exit.UsageError.
func New(r *job.Run, opts Options, want Want) (*Reader, error) {
	in := &Reader{given: opts, options: opts.Format, idle: want.Idle, mutex: new(sync.Mutex)}
	// The options of the caller are copied, and a Want belongs to one command.
	o := &in.options.Options
	o.Variables = want.Variables
	o.Names = want.Names
	in.options.Digest = want.Digest

	// Units and assumptions are checked in the order of the help, the first mistake is reported.
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
	// Else the flag would have no effect, and the user expects one.
	if opts.UnitGiven && in.clocks == nil && !want.Times {
		return nil, exit.Usagef("--time-unit says how times are read, so it needs --skew, --clock-offset or a formula about times")
	}
	// Clocks can only order events that have kept their times.
	o.Times = in.clocks != nil || want.Times
	// Places take memory for each event, so only the viewer asks for them.
	o.Places = want.Places

	// The order file is read once, however many traces it is applied to.
	if opts.Order == "" {
		return in, nil
	}
	in.order, err = job.Do(r, "reading "+opts.Order, func(ctx context.Context) (*order.File, error) {
		return order.Open(ctx, opts.Order)
	})
	// The order file may compare variables that no formula names. They must be kept, too.
	if err == nil && want.Variables != nil {
		o.Variables = maps.Clone(want.Variables)
		for _, name := range in.order.Variables() {
			o.Variables[name] = true
		}
	}
	return in, err
}

// MaxLine reads the greatest length of a line, in bytes.
func MaxLine(text string) (int, error) {
	n, err := budget.ParseSize("--max-line", text)
	if err == nil && (n < 1 || n > trace.LineLimit) {
		err = exit.Usagef("--max-line must be from 1B to 1GiB, not %s", text)
	}
	return int(n), err
}

// Format returns the options of the readers below: they know nothing of added causality.
func (in *Reader) Format() format.Options { return in.options }

// AssumesClocks reports whether clocks add causality. Then no bound of skew is tried.
func (in *Reader) AssumesClocks() bool { return in.clocks != nil }

// WithTimes returns a reader that keeps times. It is used to read a trace again, so it announces
// nothing a second time.
func (in *Reader) WithTimes() *Reader {
	// A copy: other goroutines read with the first one.
	again := *in
	again.options.Times = true
	again.given.Silent = true
	return &again
}

// Observe passes remarks about the files, and about the mapping, to functions, instead of standard
// error. The log of a killed program is read up to its end, and that is a remark, too.
func (in *Reader) Observe(truncated, note func(*trace.Error)) {
	in.options.AllowTruncated = true
	in.options.Truncated = truncated
	in.options.Note, in.options.Idle = note, note
}

// Read returns the executions of a trace, or the one that the options choose. It says which
// format was guessed, since a wrong guess explains strange verdicts.
func (in *Reader) Read(r *job.Run, path string) ([]format.Execution, error) {
	// The remarks go to the run at hand, and the reader is shared.
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

	// Whoever chose a format, or a mapping, knows it.
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

	// Causality is added to the chosen execution only: an order file may fit no other.
	want := in.given.Execution
	if want == "" {
		return in.enrich(r, executions)
	}
	for i, e := range executions {
		// The number, the full name, or the part that follows the file.
		if strconv.Itoa(i+1) == want || e.Name == want || strings.HasSuffix(e.Name, "#"+want) {
			return in.enrich(r, executions[i:i+1])
		}
	}
	return nil, fmt.Errorf("%s has no execution %q: it has %s", path, want, executionNames(executions))
}

// Together makes the reader wait for Remarks with what it says of traces, and then say it once for
// all of them.
func (in *Reader) Together() { in.together = make(map[string][]string) }

// Remarks says how the traces were read.
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

// explain adds a remedy to the error of reading a directory, if its entries look like runs: each
// is a trace by itself.
//
// Example: runs/ has 1.jsonl and 2.jsonl, two executions of one program. As one execution they
// contradict each other. The user meant 'runs/*'.
func (in *Reader) explain(ctx context.Context, path string, err error) error {
	// A file, or a folder with one entry, has no such remedy.
	entries, bad := os.ReadDir(path)
	if bad != nil || len(entries) < 2 {
		return err
	}
	// Two that can be read alone are enough to recognise a folder of runs.
	for _, e := range entries[:2] {
		if _, bad := format.Read(ctx, filepath.Join(path, e.Name()), in.options); bad != nil {
			return err
		}
	}
	return fmt.Errorf("%w; a directory is one execution with a log for each process: if each of its entries is a run, write %s", err, filepath.Join(path, "*"))
}

// Each reads traces and calls do for each of their executions. Errors are reported and do not
// keep other traces from being read.
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

// enrich adds causality to executions: the order of a file, and then the order of times, because
// clocks must not contradict the file.
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
				// The file is meant for one execution, so only of several the error needs a name.
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
