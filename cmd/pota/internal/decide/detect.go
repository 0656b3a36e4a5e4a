package decide

import (
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Request asks for the verdicts on all properties and traces, and for a report.
type Request struct {
	Formulas    load.Formulas
	Choice      load.Choice // the choice of traces
	Read        load.Options
	Options     Options
	Report      present.Options
	Certificate string // the file for certificates; "" for none

	// These are in the form that the user wrote, for load.ParsePart, load.Choices and parseShowing.
	Shard   string
	Binding []string
	Show    string

	// Check refuses output files that are among the traces, which are known only once lists and
	// patterns have been expanded.
	Check func(traces []string) error
}

// Detect decides everything in the request, and writes the report and the certificates.
func Detect(r *job.Run, q Request) error {
	// Report mistakes in flags before reading any file.
	if err := q.complete(r); err != nil {
		return err
	}
	// Parse formulas first, so that mistakes in them are reported before a list of traces is read.
	set := new(Set)
	var err error
	set.Properties, err = load.Properties(r, q.Formulas)
	switch {
	case failure.IsLimit(err):
		set.Late = err // reported for each trace
	// Continuous integration may read only the report, so it includes the mistakes.
	case failure.Is[*syntax.PropertyError](err) && q.Report.IsReport():
		return r.Results(q.Report.Output, func(out *console.Console) error {
			p := present.New(r, out, q.Report)
			p.Invalid(err)
			p.Close()
			return nil
		})
	case err != nil:
		return err
	}
	if set.Paths, err = load.Traces(r, q.Choice); err != nil {
		return err
	}
	if err := q.Check(set.Paths); err != nil {
		return err
	}
	if err := PrepareViews(q.Options.View, set.Paths); err != nil {
		return err
	}
	in, err := q.reader(r, set)
	if err != nil {
		return err
	}

	// The subject of the report is known only now.
	q.Report.Properties = set.Properties
	if q.Choice.Part != nil {
		q.Report.Shard = &report.Shard{Shard: q.Choice.Part.String(), Traces: len(set.Paths)}
		for _, p := range set.Properties {
			title := report.Subject{Name: p.Name, Formula: p.Source}.Title()
			q.Report.Shard.Properties = append(q.Report.Shard.Properties, title)
		}
	}
	var certificates string
	err = r.Results(q.Report.Output, func(out *console.Console) error {
		p := present.New(r, out, q.Report)
		set.Decide(r, in, p, q.Options)
		p.Close()
		certificates = p.Certificates.String()
		return nil
	})
	if err != nil || !q.Options.Certify {
		return err
	}
	unlimited := *r // certificates are also written after the limits were reached
	unlimited.Budget = nil
	return unlimited.WriteFiles("writing certificates", job.File{
		// An incomplete file of certificates would look complete, so write it at the end.
		Path:  q.Certificate,
		Write: job.Text(certificates),
	})
}

// complete checks the options, and fills in options that depend on others.
func (q *Request) complete(r *job.Run) (err error) {
	if q.Choice.Part, err = load.ParsePart(q.Shard); err != nil {
		return err
	}
	o := &q.Options
	if o.Binding, err = load.Choices(q.Binding); err != nil {
		return err
	}
	if o.Show, err = parseShowing(q.Show); err != nil {
		return err
	}
	// Finding a run costs time, so find one only for a format that prints it, or for a page.
	o.Evidence = q.Report.NeedsEvidence(r.Console.Terminal) || o.View != ""
	o.Certify = q.Certificate != ""
	o.Report = q.Report
	return o.Check()
}

// reader returns the reader of the traces. It keeps the variables that properties name, or all
// variables if others are to be shown.
func (q Request) reader(r *job.Run, set *Set) (*load.Reader, error) {
	// Keep only data that is used, since labels and times use more memory than causality.
	want := load.Want{
		Names:  q.Options.Evidence,
		Places: q.Options.Evidence,
		Times:  q.Options.SkewSweep || q.Options.View != "",
		Digest: q.Options.Certify,
	}
	if q.Options.Show == nil {
		want.Variables = load.VariablesOf(set.Properties)
	}
	for _, p := range set.Properties {
		want = want.With(p.Formula)
	}
	return load.New(r, q.Read, want)
}
