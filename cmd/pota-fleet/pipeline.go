// Pota-fleet decides properties of executions whose events lie scattered over many files,
// as a pipeline of Apache Beam:
//
//	inputs → read → pieces by execution → group → decide → lines by output → group → write
//
// Reading splits the inputs into pieces (package graphs/trace/split). Deciding joins the pieces of
// an execution and does what pota detect does with a trace (package rctl/pota). The outputs are
// sorted lines in a fixed number of files, and each file is written as a whole: the same inputs
// produce the same bytes, no matter what the runner did in between. A pipeline that was lost can be
// run again.
//
// The command is a module of its own, so that nobody else depends on Beam.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"
)

func init() {
	// Register by type alone: register.DoFn would make each call a little faster, but this package
	// would take a minute to compile.
	for _, fn := range []any{matchFn{}, readFn{}, decidedFn{}, decideFn{}, totalFn{}, openFn{}, writeFn{}} {
		beam.RegisterType(reflect.TypeOf(fn))
	}
	register.Emitter1[string]()
	register.Emitter2[string, []byte]()
	register.Emitter2[string, int64]()
	register.Iter1[[]byte]()
}

// A job configures a pipeline. Every worker gets all of it, whatever its step.
type job struct {
	Inputs  []string // patterns of the Beam file system
	Decided string   // the pattern of the verdicts of earlier runs, "" if there are none
	Output  string   // the output folder
	Outputs int      // the number of files of each kind

	// How inputs are split.
	Mapping string // the mapping of logs, as mapped.Lookup accepts it, or ""
	Key     string // the member of a line that names its execution
	// a regular expression whose first group is the name, for lines that are not JSON
	Pattern string
	MaxLine int // the maximum length of a line, in bytes

	// The properties to decide, and the limits for one execution.
	Properties string // the text of a property file
	Certify    bool
	MaxBytes   int64 // the maximum size of the text of an execution
	MaxPieces  int64
	MaxMemory  int64 // the maximum memory of an enumeration of cuts, in bytes
	Timeout    time.Duration
}

// pipeline makes the pipeline of a job.
func pipeline(j *job) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	// Reshuffle keeps the runner from fusing the list of files with reading them, which would leave
	// all files to one worker.
	files := func(patterns ...string) beam.PCollection {
		return beam.Reshuffle(s,
			beam.ParDo(s.Scope("match"), &matchFn{}, beam.CreateList(s, patterns)))
	}
	pieces, dead, badTallies := beam.ParDo3(s.Scope("read"), &readFn{*j}, files(j.Inputs...))
	// The empty pieces of decided executions are grouped with late pieces by their keys.
	if j.Decided != "" {
		pieces = beam.Flatten(s, pieces,
			beam.ParDo(s.Scope("decided"), &decidedFn{}, files(j.Decided)))
	}
	lines, tallies := beam.ParDo2(s.Scope("decide"), &decideFn{Job: *j}, beam.GroupByKey(s, pieces))
	totals := beam.ParDo(s.Scope("total"), &totalFn{},
		stats.SumPerKey(s, beam.Flatten(s, tallies, badTallies)))
	// Every output is written, even an empty one, so that a reader can distinguish it from a lost
	// one.
	opened := beam.ParDo(s.Scope("open"), &openFn{}, beam.CreateList(s, j.outputs()))
	all := beam.Flatten(s, lines, dead, totals, opened)
	beam.ParDo0(s.Scope("write"), &writeFn{j.Output}, beam.GroupByKey(s, all))
	return p
}

// The kinds of outputs.
const (
	verdictLines     = "verdicts"
	deadLines        = "dead"
	certificateLines = "certificates"
	totalsFile       = "totals.jsonl"
)

// outputs returns the names of all files that a job writes.
func (j *job) outputs() []string {
	names := []string{totalsFile}
	kinds := []string{verdictLines, deadLines}
	if j.Certify {
		kinds = append(kinds, certificateLines)
	}
	for _, kind := range kinds {
		for i := range j.Outputs {
			names = append(names, outputName(kind, i, j.Outputs))
		}
	}
	return names
}

// outputName returns the name of the i-th output of a kind, as Beam names shards.
func outputName(kind string, i, of int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.jsonl", kind, i, of)
}

// outputOf returns the output of the given kind for lines with the given key.
func outputOf(kind, about string, of int) string {
	// The hash is fixed, because the same line must be in the same file in each run.
	h := fnv.New64a()
	_, _ = h.Write([]byte(about)) // it never fails
	return outputName(kind, int(h.Sum64()%uint64(of)), of)
}

// matchFn finds the files that match a pattern.
type matchFn struct{}

// ProcessElement emits the files in order. A pattern that matches no file is an error, not an empty
// input.
func (*matchFn) ProcessElement(ctx context.Context, pattern string, emit func(string)) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s matches no file", pattern)
	}
	// Object stores list files in any order.
	slices.Sort(names)
	for _, name := range names {
		emit(name)
	}
	return nil
}

// openFn ensures that outputs without lines are written, too.
type openFn struct{}

// ProcessElement emits an empty line, which writeFn omits.
func (*openFn) ProcessElement(name string, emit func(string, []byte)) { emit(name, nil) }

// A tally counts the verdicts of a property, errors, or something else.
type tally struct {
	Name    string `json:"name,omitempty"`
	Formula string `json:"formula,omitempty"`
	// holds, fails, unknown or error; executions, events, dead, refused, large or late
	Counted string `json:"counted"`
	Number  int64  `json:"number,omitempty"`
}

// key returns the tally without its number, as the key of a sum.
func (t tally) key() string { return string(jsonOf(t)) }

// totalFn writes a line of totals.
type totalFn struct{}

// ProcessElement writes one sum. The key contains all other members.
func (*totalFn) ProcessElement(key string, n int64, emit func(string, []byte)) {
	var t tally
	_ = json.Unmarshal([]byte(key), &t) // key wrote it
	t.Number = n
	emit(totalsFile, jsonOf(t))
}

// jsonOf returns v as a line of JSON, without the newline.
func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("this cannot happen, because everything that is written has a JSON form: " + err.Error())
	}
	return b
}

// writeFn writes an output: its lines, sorted.
type writeFn struct{ Output string }

// ProcessElement sorts the lines, because the runner delivers them in any order. It clones them,
// because Beam may reuse their memory.
func (f *writeFn) ProcessElement(ctx context.Context, name string, values func(*[]byte) bool) error {
	var lines [][]byte
	var line []byte
	for values(&line) {
		if len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	var text []byte
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	return writeFile(ctx, f.Output, name, text)
}

// writeFile writes a file in a folder atomically: the file has either its old content or all of the
// new. A local file is written next to its final name and renamed; an object appears when it is
// closed.
func writeFile(ctx context.Context, folder, name string, text []byte) error {
	folder = strings.TrimSuffix(folder, "/")
	to := folder + "/" + name
	fs, err := filesystem.New(ctx, to)
	if err != nil {
		return err
	}
	defer fs.Close()
	// Object stores replace an object atomically.
	if strings.Contains(to, "://") {
		return filesystem.Write(ctx, fs, to, text)
	}
	// The name is random, because a retried bundle must not collide with its first attempt.
	beside := path.Dir(to) + "/." + path.Base(to) + "." + rand.Text()
	if err := filesystem.Write(ctx, fs, beside, text); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, beside, to)
}
