package present

import (
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/rctl/report"
)

// jsonLines prints each record as lines of package report.
type jsonLines struct{ output }

// verdict prints a verdict and, on a line of its own, what is wrong with it. A record that was read
// is printed as it was: merged results have the bytes of their parts.
func (j jsonLines) verdict(r *Record) {
	switch {
	case r.Origin != nil:
		_, _ = j.out.Out.Write(append(r.Origin.Text, '\n')) // Flush reports the error
		return
	case r.Sweep != nil && r.Err == nil:
		j.run.JSON(j.out.Out, r.Sweep, "")
	case r.Line != nil:
		line := *r.Line
		line.Witness, line.Others = r.witness()
		if err := line.Write(j.out.Out); err != nil {
			j.run.Fail(err)
		}
	}
	if r.Err != nil {
		j.error(r.Subject, r.Err)
	}
}

// refused prints why a trace has no verdicts.
func (j jsonLines) refused(path string, err error) {
	j.error(report.Subject{Trace: path}, err)
}

// error prints the first line of an error; the place in a formula is for people.
func (j jsonLines) error(of report.Subject, err error) {
	j.run.JSON(j.out.Out, report.Error{Subject: of, Error: failure.Head(err)}, "")
}

// close prints the line that ends a shard. Without it, merge knows that results are cut off.
func (j jsonLines) close(exit.Status) {
	if shard := j.options.Shard; shard != nil {
		j.run.JSON(j.out.Out, shard, "")
	}
}
