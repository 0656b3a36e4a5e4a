package ist

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

var (
	traces      = flag.String("traces", "", "directory of traces MODEL-processes-events-seed.jsonl.gz to decide")
	withRuns    = flag.Bool("runs", false, "look for evidence, too")
	formulaText = flag.String("formula", "", "formula to decide on all traces instead of that of MODEL-processes.properties")
	glob        = flag.String("glob", "*", "which traces")
	limit       = flag.Duration("limit", time.Minute, "time for each trace")
)

// TestOnTraces decides the formulas of the models with every event visible.
func TestOnTraces(t *testing.T) {
	if *traces == "" {
		t.Skip("no -traces")
	}
	paths, err := filepath.Glob(filepath.Join(*traces, *glob+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "trace\tread\tspace\tcuts\tdecide\truns\tnodes of cuts\tnodes\tMB\tverdict\t")
	for _, path := range paths {
		decideTrace(t, w, path)
		w.Flush()
		runtime.GC()
	}
}

func decideTrace(t *testing.T, w *tabwriter.Writer, path string) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")
	start := time.Now()
	lap := func() time.Duration {
		d := time.Since(start)
		start = time.Now()
		return d.Round(100 * time.Microsecond)
	}
	c, err := native.ReadFile(ctx, path, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := lap()
	text := *formulaText
	if text == "" {
		model := strings.Join(strings.Split(name, "-")[:2], "-")
		file, err := os.ReadFile(filepath.Join(*traces, model+".properties"))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ = strings.Cut(string(file), ":")
	}
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Problem(c, *withRuns)
	p.Ctx = ctx
	f = p.Normal(f)
	if _, err := newSpace(p); err != nil {
		t.Fatal(err)
	}
	space := lap()
	none := &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{{Op: syntax.OpFalse}}}
	x, err := evaluate(p, none)
	if err != nil {
		fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%v\t\n", name, read, space, lap(), err)
		return
	}
	cuts, nodes := lap()-space, x.store.Size()
	roots := p.Roots(f)
	x, err = evaluate(p, roots...)
	decide := lap()
	if err != nil {
		fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%v\t\t%d\t%v\t\n", name, read, space, cuts, decide, nodes, err)
		return
	}
	a := p.Decided(roots, x.holds, x.run)
	for _, run := range a.Runs {
		if err := replay.Check(c, c.Initial(), run); err != nil {
			t.Error(name, err)
		}
	}
	fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%v\t%v\t%d\t%d\t%d\t%s\t\n", name, read, space, cuts, decide, lap(), nodes, x.store.Size(), x.store.Bytes()>>20, a.Verdict)
}
