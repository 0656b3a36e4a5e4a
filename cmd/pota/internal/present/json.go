package present

import (
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
)

// jsonLines prints each record in the JSON lines of package report.
type jsonLines struct{ output }

// verdict prints a verdict and, on a separate line, its error. A record that was read keeps its
// bytes, so that merged results have the bytes of their parts.
func (j *jsonLines) verdict(r *Record) {
	if r.Origin != "" {
		_, _ = j.out.Out.Write(append(r.Text, '\n')) // Flush reports the error
		return
	}
	line := r.Record
	switch {
	case r.Err != nil:
		// Leave out the snippet of the formula, which is for people.
		line.Error = failure.Head(r.Err)
	case r.Sweep != nil:
		j.run.JSON(j.out.Out, r.Sweep, "")
	}
	if r.Verdict != "" {
		line.Witness, line.Others = r.witness()
	}
	if r.Verdict != "" && r.Bindings != nil {
		all := *r.Bindings
		all.First = slices.Clone(all.First)
		for _, run := range r.Runs {
			all.First[run.Binding].Witness = r.witnessOf(run)
		}
		line.Bindings = &all
	}
	if err := line.Write(j.out.Out); err != nil {
		j.run.Fail(err)
	}
}

// close prints the line that ends a shard. If it is missing, merge knows that the results are
// truncated.
func (j *jsonLines) close(exit.Status) {
	if shard := j.options.Shard; shard != nil {
		j.run.JSON(j.out.Out, shard, "")
	}
}
