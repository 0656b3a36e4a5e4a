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
	Choice      load.Choice // of traces
	Read        load.Options
	Options     Options
	Report      present.Options
	Certificate string // file of certificates, "" for none

	// As the user wrote them: what load.ParsePart, load.Choices and parseShowing read.
	Shard   string
	Binding []string
	Show    string

	// Check refuses files to be written that are among the traces: only now are those of lists
	// and patterns known.
	Check func(traces []string) error
}

// Detect decides everything that is asked for, and writes the report and the certificates.
func Detect(r *job.Run, q Request) error {
	// Mistakes in flags are found before any file is read.
	if err := q.complete(r); err != nil {
		return err
	}
	// Formulas are parsed first: a mistake in them should not wait for a list of traces.
	set := new(Set)
	var err error
	set.Properties, err = load.Properties(r, q.Formulas)
	switch {
	case failure.IsLimit(err):
		set.Late = err // reported for each trace
	// Continuous integration may look at the report alone, so that has the mistakes, too.
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

	// Only now is it known what the report is about.
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
	unlimited := *r // certificates are written when the limits have been reached, too
	unlimited.Budget = nil
	return unlimited.WriteFiles("writing certificates", job.File{
		// Half a file of certificates would look like a complete one, so it is written at the end.
		Path:  q.Certificate,
		Write: job.Text(certificates),
	})
}

// complete checks the options, and fills in those that follow from others.
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
	// To find a run costs time, so it is only sought for a format that prints it, or for a page.
	o.Evidence = q.Report.NeedsEvidence(r.Console.Terminal) || o.View != ""
	o.Certify = q.Certificate != ""
	o.Report = q.Report
	return o.Check()
}

// reader returns the reader of the traces. It keeps the variables that properties name, or all
// where others are to be shown.
func (q Request) reader(r *job.Run, set *Set) (*load.Reader, error) {
	// What nobody looks at is not kept: labels and times take more memory than causality.
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
