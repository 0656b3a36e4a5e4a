package start

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/infer"
)

// The files that Init writes.
const (
	mappingFile    = "pota.json"
	propertiesFile = "pota.properties"
)

// Init inspects a folder, prints the kind of each file, writes a mapping for logs in unknown
// formats and a first set of properties, and prints the next command. It replaces existing files
// only if force is set. The same folder gives the same files.
//
// For example, for a folder logs whose app.log has lines such as level=info node=a msg="sent vote",
// it writes pota.json and pota.properties, and prints
//
//	pota detect -f pota.properties --map pota.json logs/app.log
func Init(r *job.Run, folder string, force bool) error {
	for _, name := range []string{mappingFile, propertiesFile} {
		if load.Exists(name) && !force {
			return exit.Usagef("%s is there: move it away, or replace it with --force", name)
		}
	}
	// Print the findings before writing anything, so that a wrong guess is visible.
	found, err := look(r, folder)
	if err != nil {
		return err
	}
	mapping, err := found.mapping(r)
	if err != nil {
		return err
	}
	if mapping != "" {
		if err := r.Output(mappingFile, "writing", job.Text(mapping)); err != nil {
			return err
		}
	}
	return found.properties(r)
}

// A finding classifies the files of a folder by their contents.
type finding struct {
	folder string
	known  []string // traces in formats that pota reads without a mapping
	logs   []string // logs in other formats
	others []string // other files, and folders
	traces []string // the traces to decide on, with flags
	flags  string
}

// look classifies the files of a folder by their contents, and prints the kind of each.
func look(r *job.Run, folder string) (*finding, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	found := &finding{folder: folder}
	table := tabwriter.NewWriter(r.Console.Out, 0, 0, 2, ' ', 0)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		// Ignore the files that an earlier Init has written.
		if strings.HasPrefix(entry.Name(), ".") || path == mappingFile || path == propertiesFile {
			continue
		}
		what := "no trace and no log"
		known := ""
		// A folder may be one execution or hold several. Only the user knows.
		if !entry.IsDir() {
			known = format.Known(r.Context, path)
		}
		switch {
		case entry.IsDir():
			what = "a folder: pota init " + quoted(path) + " looks into it"
			found.others = append(found.others, path)
		case known != "":
			what = known
			found.known = append(found.known, path)
		case isLog(r, path):
			what = "a log, which needs a mapping"
			found.logs = append(found.logs, path)
		default:
			found.others = append(found.others, path)
		}
		fmt.Fprintf(table, "%s\t%s\n", graphs.Printable(path), what)
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	return found, r.Context.Err()
}

// isLog reports whether a mapping can be guessed for a file that includes times or messages. Text
// other than logs has neither.
func isLog(r *job.Run, path string) bool {
	mapping, err := export.GuessMapping(r, path)
	return err == nil && (strings.Contains(mapping, `"time":`) || strings.Contains(mapping, `"messages":`))
}

// mapping chooses the traces, and returns the mapping that they need, or "" if they need none. Logs
// take precedence over known formats, which may be reports of other tools. All logs of a folder are
// one execution.
func (f *finding) mapping(r *job.Run) (string, error) {
	switch {
	case len(f.logs) == 0 && len(f.known) == 0:
		return "", exit.Usagef("there is no trace and no log in %s: pota help traces says what can be read", f.folder)
	case len(f.logs) == 0:
		f.traces = f.known
		return "", nil
	case len(f.logs) == 1:
		f.traces = f.logs
	default:
		f.traces = []string{f.folder}
	}
	f.flags = " --map " + mappingFile
	mapping, err := export.GuessMapping(r, f.traces[0])

	// A mapping may list its files in a folder. Without such a list, pota reads all files, and a file
	// of another kind would be an error.
	named := strings.Contains(mapping, `"files":`)
	alone := len(f.known)+len(f.others) == 0 && filepath.Clean(f.folder) != "."
	if len(f.logs) > 1 && (len(f.known) > 0 || !named && !alone) {
		return "", exit.Usagef("%d logs are one execution where nothing else is in their folder: "+
			"put them into one, and run pota init FOLDER beside it", len(f.logs))
	}
	return mapping, err
}

// Bounds on the runs in which Init searches for properties, so that it stays fast on large folders.
// The time limit covers cases in which the bounds on events are not enough.
const (
	maxRuns   = 10
	maxEvents = 200_000 // in all runs together
	maxLines  = 5       // in each list
	maxTime   = 10 * time.Second
)

// properties reads the traces, and writes the properties that the first trace suggests and those
// that hold on all traces.
func (f *finding) properties(r *job.Run) error {
	// Read the trace in the way of the next command: with the mapping from its file.
	read := load.Options{TimeUnit: "s", MaxLine: "64MiB", Silent: true}
	if f.flags != "" {
		read.Format.Map = mappingFile
	}
	in, err := load.New(r, read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	var first *graphs.Computation
	var runs []infer.Run
	events := 0
	in.Each(r, f.traces, func(e *format.Execution) {
		c := e.Computation
		fmt.Fprintf(r.Console.Out, "%s: %s, %s, %s\n", graphs.Printable(e.Name),
			graphs.Plural(c.NumProcesses(), "process"), graphs.Plural(c.NumEvents(), "event"),
			graphs.Plural(c.NumMessages(), "message"))
		// Traces of one folder mostly have the same names, so the first is enough.
		if first == nil {
			first = c
		}
		if len(runs) < maxRuns && events+c.NumEvents() <= maxEvents {
			events += c.NumEvents()
			runs = append(runs, infer.Run{Name: e.Name, Computation: c, Times: load.Times(e, false)})
		}
	})
	if first == nil {
		return errors.New("nothing could be read")
	}

	var proposals []proposal
	found, err := job.Do(r, "looking for properties", func(ctx context.Context) (*infer.Result, error) {
		proposals = propose(first)
		ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errors.New("the time limit was reached"))
		defer cancel()
		return infer.Infer(ctx, runs, nil, infer.Options{Lines: maxLines, Timeout: maxTime / 10}), nil
	})
	if err != nil {
		return err
	}
	// Quote names, so that the printed commands can be copied.
	names := f.flags
	for _, trace := range f.traces {
		names += " " + quoted(trace)
	}
	if f.flags != "" {
		fmt.Fprintf(r.Console.Out, "\n%s says how the log is read. Check it: pota lint%s\n", mappingFile, names)
	}
	proposed := func(f *infer.Finding) bool {
		return slices.ContainsFunc(proposals, func(p proposal) bool { return p.name == f.Name || p.formula == f.Text })
	}
	found.Luck = slices.DeleteFunc(found.Luck, proposed)
	found.Held = slices.DeleteFunc(found.Held, proposed)
	if len(proposals)+len(found.Held) == 0 {
		fmt.Fprintf(r.Console.Out, "\nNothing in it suggests a property. Next, see what formulas may "+
			"name:\n\n   pota stats --names%s\n", names)
		return nil
	}
	var b strings.Builder
	if len(proposals) > 0 {
		b.WriteString("# Properties to begin with, which names and values in the trace suggest. Keep what should\n" +
			"# hold, and correct the rest: pota help formulas.\n")
	}
	for _, p := range proposals {
		fmt.Fprintf(&b, "\n# %s\n%s: %s\n", p.says, p.name, p.formula)
	}
	if len(found.Luck)+len(found.Held) > 0 {
		fmt.Fprintf(&b, "\n%s", found.Properties())
	}
	if err := r.Output(propertiesFile, "writing", job.Text(strings.TrimLeft(b.String(), "\n"))); err != nil {
		return err
	}
	fmt.Fprintf(r.Console.Out, "\n%s has properties to begin with: %d that names suggest, %d that pota infer finds in %s. "+
		"Next:\n\n   pota detect -f %[1]s%[5]s\n",
		propertiesFile, len(proposals), len(found.Luck)+len(found.Held), graphs.Plural(len(runs), "run"), names)
	return nil
}

// quoted quotes a name if a shell would change it, so that a command can be copied: "a b" becomes
// 'a b'.
func quoted(name string) string {
	if strings.ContainsAny(name, " \t'\"\\$`*?[]{}()<>|&;#!~") {
		return arguments.Quote(name)
	}
	return name
}
