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

// Init looks into a folder, prints the kind of each file, writes a mapping for logs in unknown
// formats and properties to begin with, and prints the next command. It replaces existing files
// only by force. The same folder gives the same files.
//
// For example, in a folder logs with app.log, of lines such as level=info node=a msg="sent vote",
// it writes pota.json and pota.properties, and prints
//
//	pota detect -f pota.properties --map pota.json logs/app.log
func Init(r *job.Run, folder string, force bool) error {
	for _, name := range []string{mappingFile, propertiesFile} {
		if load.Exists(name) && !force {
			return exit.Usagef("%s is there: move it away, or replace it with --force", name)
		}
	}
	// What is found is printed before anything is written, so that a wrong guess can be seen.
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

// A finding sorts the files of a folder by their contents.
type finding struct {
	folder string
	known  []string // traces in formats that pota reads without a mapping
	logs   []string // logs in other formats
	others []string // all else, and folders
	traces []string // to decide on, with flags
	flags  string
}

// look sorts the files of a folder by their contents, and prints the kind of each.
func look(r *job.Run, folder string) (*finding, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	found := &finding{folder: folder}
	table := tabwriter.NewWriter(r.Console.Out, 0, 0, 2, ' ', 0)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		// What Init has written itself is no input of the next time.
		if strings.HasPrefix(entry.Name(), ".") || path == mappingFile || path == propertiesFile {
			continue
		}
		what := "no trace and no log"
		known := ""
		// A folder may be an execution, or hold several: the user knows.
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

// isLog reports whether a mapping can be guessed for a file, with something that says when its
// events were, or who got messages: other text has neither.
func isLog(r *job.Run, path string) bool {
	mapping, err := export.GuessMapping(r, path)
	return err == nil && (strings.Contains(mapping, `"time":`) || strings.Contains(mapping, `"messages":`))
}

// mapping chooses the traces, and returns the mapping that they need, "" for none. Logs come first:
// there may be reports of other tools beside them. All logs of a folder are one execution.
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

	// A mapping may name its files of a folder. Without such a list pota reads all of them, and a
	// file of another kind would be a mistake.
	named := strings.Contains(mapping, `"files":`)
	alone := len(f.known)+len(f.others) == 0 && filepath.Clean(f.folder) != "."
	if len(f.logs) > 1 && (len(f.known) > 0 || !named && !alone) {
		return "", exit.Usagef("%d logs are one execution where nothing else is in their folder: "+
			"put them into one, and run pota init FOLDER beside it", len(f.logs))
	}
	return mapping, err
}

// Bounds on the runs that properties are looked for in, so that Init stays quick on large folders.
// The time is for what bounds on events do not foresee.
const (
	maxRuns   = 10
	maxEvents = 200_000 // of all runs
	maxLines  = 5       // of each list
	maxTime   = 10 * time.Second
)

// properties reads the traces, and writes the properties that the first one suggests, and those
// that hold on all of them.
func (f *finding) properties(r *job.Run) error {
	// The trace is read as the next command will read it: with the mapping from its file.
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
		// Traces of one folder mostly have the same names, so one is enough.
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
	// The commands that are printed can be copied as they are.
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
