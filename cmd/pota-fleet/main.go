package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/rctl/syntax"
)

// The flags are global variables because Beam starts workers with the same command line, and the
// workers parse it again.
var (
	asked job // the values of the flags that need no further work

	propertiesFlag = flag.String("f", "",
		"decide the properties of `FILE`, one `name: formula` a line")
	mapFlag = flag.String("map", "", "read logs by `MAPPING`, a file or one that pota formats lists")
)

func init() {
	flag.StringVar(&asked.Output, "output", "",
		"write verdicts, totals and dead letters to `FOLDER`, local, gs:// or s3://")
	flag.IntVar(&asked.Outputs, "outputs", 16,
		"write `N` files of each kind; the lines of one must fit in memory")
	flag.StringVar(&asked.Key, "execution-key", "",
		"for lines: the key `FIELD` of a line names its execution")
	flag.StringVar(&asked.Pattern, "execution-pattern", "",
		"for lines that are not JSON: the first group of `REGEXP` matches the name of the execution")
	flag.StringVar(&asked.Decided, "decided", "",
		"treat executions with a verdict in the files that match `PATTERN`, written by an earlier run, as over: their events are late")
	flag.BoolVar(&asked.Certify, "certificates", false,
		"write certificates for pota verify, and the joined traces that they are about")
	flag.Int64Var(&asked.MaxBytes, "max-bytes", 256<<20, "an execution of more than `BYTES` is unknown")
	flag.Int64Var(&asked.MaxPieces, "max-pieces", 10_000_000,
		"an execution of more than `PIECES` (adjacent spans, or lines) is unknown")
	flag.Int64Var(&asked.MaxMemory, "max-memory", 1<<30, "an enumeration of cuts may use at most `BYTES`")
	flag.DurationVar(&asked.Timeout, "timeout", time.Minute,
		"verdicts on an execution that are not known after `TIME` are unknown")
	flag.IntVar(&asked.MaxLine, "max-line", 64<<20,
		"refuse lines, and documents of several lines, of more than `BYTES`")
}

// The exit statuses are those of pota detect.
const (
	allHold = iota
	someFails
	badInput
	undecided
)

const usage = `pota-fleet -f PROPERTIES --output FOLDER [flags] INPUT...

Decides properties of executions whose events are scattered over files (pota help fleets).
INPUT is a file or a pattern, local, gs:// or s3://: OTLP, Jaeger or Zipkin in JSON; with
--execution-key, lines in the native format, or with --map, logs; gzip and zstd. All other
flags belong to Beam and its runners (--runner, --endpoint, --project, ...).

`

// main parses the flags and runs the pipeline. On a worker, beam.Init serves the runner and exits
// the process.
func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init() // does not return on a worker
	status, err := program()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pota-fleet: "+err.Error())
		status = badInput
	}
	os.Exit(status)
}

// program runs the job of the flags in a temporary directory of its own, because Beam leaves a file
// there for each pipeline that it runs in this process (its issue 27569).
func program() (status int, err error) {
	dir, err := os.MkdirTemp("", "pota-fleet-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return 0, err
	}
	return run(context.Background(), flag.Args(), os.Stdout)
}

// run runs the pipeline of the flags and prints its totals.
func run(ctx context.Context, inputs []string, out io.Writer) (status int, err error) {
	j, err := jobOf(ctx, inputs)
	if err != nil {
		return 0, err
	}
	// Run returns when all outputs are written.
	if err := beamx.Run(ctx, pipeline(j)); err != nil {
		return 0, err
	}
	return summary(ctx, j, out)
}

// jobOf returns the job that the flags describe. It finds mistakes in properties and mappings here,
// before any worker starts.
func jobOf(ctx context.Context, inputs []string) (*job, error) {
	j := asked
	j.Inputs = inputs
	switch {
	case *propertiesFlag == "":
		return nil, errors.New("-f must name a file of properties")
	case j.Output == "":
		return nil, errors.New("--output must name a folder")
	case len(inputs) == 0:
		return nil, errors.New("there is no input: name files or patterns after the flags")
	case j.Outputs < 1:
		return nil, fmt.Errorf("--outputs must be at least 1, not %d", j.Outputs)
	case j.MaxLine < 1 || j.MaxLine > trace.LineLimit:
		return nil, fmt.Errorf("--max-line must be from 1 to %d, not %d", trace.LineLimit, j.MaxLine)
	case j.Timeout <= 0:
		return nil, fmt.Errorf("--timeout must be positive, not %s", j.Timeout)
	// A mapping reads lines, but does not say how lines belong together.
	case *mapFlag != "" && j.Key == "" && j.Pattern == "":
		return nil, errors.New("--map needs --execution-key or --execution-pattern, which names the execution of a line")
	}
	properties, err := os.ReadFile(*propertiesFlag)
	if err != nil {
		return nil, err
	}
	if all, err := syntax.ParseProperties(string(properties)); err != nil {
		return nil, fmt.Errorf("%s: %w", *propertiesFlag, err)
	} else if len(all) == 0 {
		return nil, fmt.Errorf("%s: a property file must have a property; write one a line as name: formula", *propertiesFlag)
	}
	j.Properties = string(properties)
	if j.Mapping, err = mappingText(ctx, *mapFlag); err != nil {
		return nil, err
	}
	// Compile the pattern only to find mistakes before workers start.
	_, err = j.split()
	return &j, err
}

// mappingText returns a mapping in a form that package mapped accepts without a file: the name of a
// shipped mapping, or the text itself. Without a mapping, it returns "".
func mappingText(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if _, err := mapped.Lookup(ctx, name); err != nil {
		return "", err
	}
	if _, err := mapped.Text(name); err == nil {
		return name, nil
	}
	text, err := os.ReadFile(name)
	return strings.TrimSpace(string(text)), err
}

// summary prints the totals and returns the exit status.
func summary(ctx context.Context, j *job, out io.Writer) (status int, err error) {
	name := j.Output + "/" + totalsFile
	// Read the totals back from the folder: remote workers cannot return them.
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	text, err := filesystem.Read(ctx, fs, name)
	if err != nil {
		return 0, err
	}
	// Totals over all properties, and those of each property.
	counted := make(map[string]int64)
	of := make(map[string]map[string]int64)
	for line := range bytes.Lines(text) {
		var t tally
		if err := json.Unmarshal(line, &t); err != nil {
			return 0, err
		}
		counted[t.Counted] += t.Number
		if t.Formula == "" {
			continue
		}
		if of[t.Name] == nil {
			of[t.Name] = make(map[string]int64)
		}
		of[t.Name][t.Counted] = t.Number
	}
	fmt.Fprintf(out, "%d executions, %d events; %d bad lines, %d pieces too late; %d executions refused, %d too large\n",
		counted["executions"], counted["events"], counted["dead"], counted["late"], counted["refused"], counted["large"])
	for _, title := range slices.Sorted(maps.Keys(of)) {
		n := of[title]
		fmt.Fprintf(out, "%s: holds on %d, fails on %d, unknown on %d, errors on %d\n", title,
			n["holds"], n["fails"], n["unknown"], n["error"])
	}
	switch {
	// Inputs that were not decided outweigh any verdict: the results are incomplete.
	case counted["dead"]+counted["late"]+counted["refused"]+counted["error"] > 0:
		return badInput, nil
	case counted["unknown"] > 0:
		return undecided, nil
	case counted["fails"] > 0:
		return someFails, nil
	}
	return allHold, nil
}
