// Pota-fleet decides properties of executions whose events lie scattered over many files,
// as a pipeline of Apache Beam:
//
//	inputs → read → pieces by execution → group → decide → lines by output → group → write
//
// Reading takes inputs apart (package graphs/trace/split). Deciding joins the pieces of an
// execution and is what pota detect does with a trace (package rctl/pota). The outputs are
// lines in a fixed number of files, sorted, each written as a whole: the same inputs make the
// same bytes, whatever the runner did in between. A pipeline that was lost can be run again.
//
// It is a module of its own, so that nobody else pays for Beam.
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
	// By their types alone: register.DoFn would make a call of each element a little faster, and
	// this package compile for a minute.
	for _, fn := range []any{matchFn{}, readFn{}, decidedFn{}, decideFn{}, totalFn{}, openFn{}, writeFn{}} {
		beam.RegisterType(reflect.TypeOf(fn))
	}
	register.Emitter1[string]()
	register.Emitter2[string, []byte]()
	register.Emitter2[string, int64]()
	register.Iter1[[]byte]()
}

// job is what a pipeline is asked for. Workers get all of it, whatever their step is.
type job struct {
	Inputs  []string // patterns of the file system
	Decided string   // pattern of verdicts of earlier runs, "" for none
	Output  string   // folder
	Outputs int      // files of each kind

	// How inputs are taken apart.
	Mapping string // of logs, as mapped.Lookup takes it; "" for none
	Key     string // the member of lines that names their execution
	Pattern string // finds the name in lines of another form, as its first group
	MaxLine int    // bytes

	// What is decided, and the limits of an execution.
	Properties string // their text
	Certify    bool
	MaxBytes   int64 // of the text of an execution
	MaxPieces  int64
	MaxMemory  int64 // bytes that an enumeration of cuts may take
	Timeout    time.Duration
}

// pipeline makes the pipeline of a job.
func pipeline(j *job) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	// Reshuffle keeps the runner from fusing the list of files with their reading, which would
	// leave all files to one worker.
	files := func(patterns ...string) beam.PCollection {
		return beam.Reshuffle(s,
			beam.ParDo(s.Scope("match"), &matchFn{}, beam.CreateList(s, patterns)))
	}
	pieces, dead, badTallies := beam.ParDo3(s.Scope("read"), &readFn{*j}, files(j.Inputs...))
	// Empty pieces of decided executions meet the late ones by their keys.
	if j.Decided != "" {
		pieces = beam.Flatten(s, pieces,
			beam.ParDo(s.Scope("decided"), &decidedFn{}, files(j.Decided)))
	}
	lines, tallies := beam.ParDo2(s.Scope("decide"), &decideFn{Job: *j}, beam.GroupByKey(s, pieces))
	totals := beam.ParDo(s.Scope("total"), &totalFn{},
		stats.SumPerKey(s, beam.Flatten(s, tallies, badTallies)))
	// Every output is written, even an empty one: a reader can tell it from one that was lost.
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

// outputs are the names of all files that a job writes.
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

// outputName is the name of the i-th output of a kind, as Beam names shards.
func outputName(kind string, i, of int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.jsonl", kind, i, of)
}

// outputOf is the output of a kind that lines about something are in.
func outputOf(kind, about string, of int) string {
	// A fixed hash: the same line must be in the same file in each run.
	h := fnv.New64a()
	_, _ = h.Write([]byte(about)) // it never fails
	return outputName(kind, int(h.Sum64()%uint64(of)), of)
}

// matchFn finds the files that match a pattern.
type matchFn struct{}

// ProcessElement emits the files in order. A pattern without a file is a mistake, not an empty
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
	// Storage lists files in any order.
	slices.Sort(names)
	for _, name := range names {
		emit(name)
	}
	return nil
}

// openFn makes outputs be written that have no line.
type openFn struct{}

// ProcessElement emits an empty line, and writeFn leaves it out.
func (*openFn) ProcessElement(name string, emit func(string, []byte)) { emit(name, nil) }

// A tally counts the verdicts of a property, errors, or something else.
type tally struct {
	Name    string `json:"name,omitempty"`
	Formula string `json:"formula,omitempty"`
	// holds, fails, unknown or error; executions, events, dead, refused, large or late
	Counted string `json:"counted"`
	Number  int64  `json:"number,omitempty"`
}

// key is the tally without a number, as the key of a sum.
func (t tally) key() string { return string(jsonOf(t)) }

// totalFn writes a line of totals.
type totalFn struct{}

// ProcessElement writes one sum. The key has all other members.
func (*totalFn) ProcessElement(key string, n int64, emit func(string, []byte)) {
	var t tally
	_ = json.Unmarshal([]byte(key), &t) // key wrote it
	t.Number = n
	emit(totalsFile, jsonOf(t))
}

// jsonOf is a line of JSON, without its end.
func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("this cannot happen, because everything that is written has a JSON form: " + err.Error())
	}
	return b
}

// writeFn writes an output: its lines, sorted.
type writeFn struct{ Output string }

// ProcessElement sorts the lines, because the runner delivers them in any order. They are cloned:
// Beam may use their memory again.
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

// writeFile writes a file in a folder. It has either its old content or all of the new: a
// local file is written beside it and takes its place, an object is there when it is closed.
func writeFile(ctx context.Context, folder, name string, text []byte) error {
	folder = strings.TrimSuffix(folder, "/")
	to := folder + "/" + name
	fs, err := filesystem.New(ctx, to)
	if err != nil {
		return err
	}
	defer fs.Close()
	// Object stores replace an object at once.
	if strings.Contains(to, "://") {
		return filesystem.Write(ctx, fs, to, text)
	}
	// A random name: a bundle that is tried again must not meet its first attempt.
	beside := path.Dir(to) + "/." + path.Base(to) + "." + rand.Text()
	if err := filesystem.Write(ctx, fs, beside, text); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, beside, to)
}
