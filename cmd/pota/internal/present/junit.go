package present

import (
	"cmp"
	"encoding/xml"
	"fmt"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/rctl"
)

// A junitReport is one document in the XML of JUnit: a test suite for each execution, with a test
// case for each property. A property that fails is a failure. One that is undecided or cannot be
// read is an error, so that no report is green by mistake.
type junitReport struct {
	output
	suites []*junitSuite
}

// A junitSuite has the cases of an execution.
type junitSuite struct {
	junit.Testsuite
	took float64 // the total time in seconds
}

// verdict adds a case. A trace that cannot be read becomes a suite with one case.
func (j *junitReport) verdict(r *Record) {
	name := r.Subject.Trace
	took := 0.0
	if r.Verdict != "" {
		took = r.ElapsedMS / 1000
	}
	c := junit.Testcase{Name: cmp.Or(title(r.Property), "read"), Classname: name, Time: seconds(took)}
	account := func(kind string) *junit.Result {
		return &junit.Result{Message: r.headline(), Type: kind, Data: r.account(j.options.Verbose)}
	}
	out := ""
	switch {
	case failure.IsLimit(r.Err):
		c.Error = &junit.Result{Message: failure.Head(r.Err), Type: "undecided", Data: failure.Text(r.Err)}
	case r.Err != nil:
		c.Error = &junit.Result{Message: failure.Head(r.Err), Type: "bad input", Data: failure.Text(r.Err)}
	case r.Outcome() == rctl.Fails:
		c.Failure = account("fails")
	case r.Outcome() == rctl.Unknown:
		c.Error = account("undecided")
	// A property that holds can have its run in the output.
	case j.options.Witness:
		out = r.account(j.options.Verbose)
	}
	// The account already has the notes.
	if out == "" {
		for _, n := range r.Notes {
			out += n.String() + "\n"
		}
	}
	if out != "" {
		c.SystemOut = &junit.Output{Data: out}
	}
	// A suite has the consecutive cases of one execution. Executions may share a name, so the first
	// property begins a new suite. Merged results may begin with another property.
	n := len(j.suites)
	if r.Index == 0 || n == 0 || j.suites[n-1].Name != name {
		j.suites = append(j.suites, &junitSuite{Testsuite: junit.Testsuite{Name: name, ID: n}})
	}
	s := j.suites[len(j.suites)-1]
	s.AddTestcase(c)
	s.took += took
}

// seconds formats a time in seconds with its fraction.
func seconds(t float64) string { return fmt.Sprintf("%.6f", t) }

// close writes the document. It cannot be written earlier, because its root has the totals.
func (j *junitReport) close(exit.Status) {
	all := junit.Testsuites{Name: "pota"}
	took := 0.0
	for _, s := range j.suites {
		s.Time = seconds(s.took)
		took += s.took
		all.AddSuite(s.Testsuite)
	}
	all.Time = seconds(took)
	fmt.Fprint(j.out.Out, xml.Header)
	if err := all.WriteXML(j.out.Out); err != nil {
		j.run.Fail(err)
	}
}
