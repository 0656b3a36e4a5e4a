package viewer

import (
	"context"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Finding is a verdict on an execution, with the reason in words. A formula gives one, or
// something else, such as a sequence diagram.
type Finding struct {
	Verdict  rctl.Verdict
	Headline string
	Detail   string
	Culprits []graphs.Event // where the execution goes wrong
	Missing  []graphs.Edge  // orders that should be there, and are not
	Fix      bool           // Missing are all that it needs

	// Where no formula gives the verdict: from the initial cut the longest run that is as it should
	// be, with all that happened before its end, and what events stand for.
	Run    []graphs.Event
	Arrows map[graphs.Event]string
}

// SaveFinding writes the page about a finding to a file. It opens at the end of its run.
func SaveFinding(r *job.Run, path string, e *format.Execution, f *Finding) error {
	return writePage(r, path, func(ctx context.Context) (*shown, error) { return newFinding(e, f).save(ctx, 0, -1) })
}

// newFinding returns the viewing of a finding. Its processes come first, as those of a formula do.
func newFinding(e *format.Execution, f *Finding) *viewing {
	f.Headline = graphs.Printable(f.Headline)
	v := &viewing{execution: e, finding: f, processes: []int{}}
	v.runs = []evidenceRun{{shownRun: shownRun{Claim: f.Headline}, events: f.Run, decisive: len(f.Run), every: true}}
	for event := range f.Arrows {
		v.processes = append(v.processes, e.Computation.Process(event))
	}
	slices.Sort(v.processes)
	v.processes = slices.Compact(v.processes)
	v.processes = v.processes[:min(len(v.processes), maxMentioned)]
	return v
}

// arrows returns what the events of a window stand for, nil where none does.
func (f *Finding) arrows(w *layout.Window) []string {
	if f.Arrows == nil {
		return nil
	}
	all := make([]string, w.Len())
	for e, text := range f.Arrows {
		if w.Inside(e) {
			all[w.Number(e)] = graphs.Printable(text)
		}
	}
	return all
}

// whateverClocks decides a property with comparisons of times that depend on clocks against it, and
// then in its favour. As with pota detect, a verdict that only one of the two has is not known. A
// limit may have kept either from being found.
func whateverClocks(p syntax.Property, e *format.Execution, decide func(scope.Times) (f *Finding, depends bool, err error)) (*Finding, error) {
	why := "it depends on clocks"
	for _, inFavour := range []bool{false, true} {
		f, depends, err := decide(load.Times(e, inFavour))
		final := map[bool]rctl.Verdict{false: rctl.Holds, true: rctl.Fails}[inFavour]
		if err != nil || !depends || f.Verdict == final {
			return f, err
		}
		if f.Verdict == rctl.Unknown {
			why = f.Detail
		}
	}
	return findingOf(p, &rctl.Result{Verdict: rctl.Unknown, Reason: why}, nil), nil
}
