package viewer

import (
	"context"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
)

// A Finding is a verdict on an execution that no formula gives, such as that of a sequence diagram. The
// page opens at the end of its run, the longest part of the execution that is as it should be.
type Finding struct {
	Verdict  rctl.Verdict
	Headline string
	Detail   string
	Run      []graphs.Event          // from the initial cut, with all that happened before
	Culprits []graphs.Event          // where the execution goes wrong
	Missing  []graphs.Edge           // orders that should be there, and are not
	Arrows   map[graphs.Event]string // what events stand for in the diagram
}

// SaveFinding writes the page about a finding to a file.
func SaveFinding(r *job.Run, path string, e *format.Execution, f *Finding) error {
	return writePage(r, path, func(ctx context.Context) (*shown, error) { return newFinding(e, f).save(ctx, 0, -1) })
}

// newFinding returns the viewing of a finding. Its processes come first, as those of a formula do.
func newFinding(e *format.Execution, f *Finding) *viewing {
	v := &viewing{execution: e, finding: f, processes: []int{}}
	v.runs = []evidenceRun{{claim: f.Headline, events: f.Run, every: true}}
	takesPart := make(map[int]bool)
	for event := range f.Arrows {
		takesPart[e.Computation.Process(event)] = true
	}
	for p := range e.Computation.Processes() {
		if takesPart[p] && len(v.processes) < maxMentioned {
			v.processes = append(v.processes, p)
		}
	}
	return v
}

// showFinding completes the data of a window with the finding, if there is one.
func (v *viewing) showFinding(d *shown, w *view.Window) {
	f := v.finding
	if f == nil {
		d.Lay(w, nil, nil, v.processes)
		return
	}
	run := v.runs[0].in(w)
	d.Verdict, d.Runs = f.Verdict.String(), []shownRun{run}
	d.Reason = &reason{
		Headline: graphs.Printable(f.Headline),
		Detail:   graphs.Printable(f.Detail),
		Missing:  pairs(w, f.Missing),
		Fix:      f.Missing != nil,
		Culprits: []int32{},
		Assumed:  []string{},
	}
	for _, e := range f.Culprits {
		d.Reason.Culprits = append(d.Reason.Culprits, w.Number(e))
	}
	d.Arrows = make([]string, w.Len())
	for e, text := range f.Arrows {
		if n := w.Number(e); n >= 0 && int(n) < w.Len() {
			d.Arrows[n] = graphs.Printable(text)
		}
	}
	d.Lay(w, nil, run.Events, v.processes)
}
