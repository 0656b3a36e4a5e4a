package present

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/rctl"
)

// A junitReport is one document in the XML of JUnit: a test suite for each execution, a test
// case for each property. A property that fails is a failure; one that is undecided or cannot
// be read is an error, so that no report is green by mistake.
type junitReport struct {
	output
	junitSuite // all cases
	Suites     []*junitSuite
}

// junitSuite has the cases of an execution.
type junitSuite struct {
	Name                    string
	Tests, Failures, Errors int
	Time                    time.Duration
	Cases                   []junitCase
}

// junitCase is one property on the execution of its suite.
type junitCase struct {
	Name, Class string
	Time        time.Duration
	Result      *junitResult // nil if it passed
	Out         string
}

// junitResult says why a case did not pass: in one line, and in full. Element is failure for a
// property that fails, and error for all else: dashboards count the two apart.
type junitResult struct{ Element, Message, Type, Text string }

// xmlText returns text between tags. Escaped line ends are shown as such. Text has no workflow
// commands, because runners of continuous integration print reports.
func xmlText(text string) string {
	text = escaped(strings.TrimRight(text, "\n"))
	return strings.NewReplacer("&#xA;", "\n", "::", "&#58;:").Replace(text)
}

// escaped returns text as XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// add adds a case to a suite, and counts it there and in the report.
func (j *junitReport) add(s *junitSuite, c junitCase) {
	s.Cases = append(s.Cases, c)
	for _, of := range []*junitSuite{s, &j.junitSuite} {
		of.Tests++
		of.Time += c.Time
		if c.Result == nil {
			continue
		}
		if c.Result.Element == "failure" {
			of.Failures++
		} else {
			of.Errors++
		}
	}
}

// suite returns the suite of an execution, a new one if begins is set or the case before is of
// another. Records come in the order of the executions, so the last suite is the only one to ask.
func (j *junitReport) suite(name string, begins bool) *junitSuite {
	if begins || j.Suites[len(j.Suites)-1].Name != name {
		j.Suites = append(j.Suites, &junitSuite{Name: name})
	}
	return j.Suites[len(j.Suites)-1]
}

// refused makes a trace that cannot be read a suite with one case, so that the report is not green
// without it.
func (j *junitReport) refused(trace string, err error) {
	j.add(j.suite(trace, true), junitCase{Name: "read", Class: trace, Result: junitError(err)})
}

// junitError tells a limit from bad input, so that a report can be filtered.
func junitError(err error) *junitResult {
	kind := "bad input"
	if failure.IsLimit(err) {
		kind = "undecided"
	}
	return &junitResult{"error", failure.Head(err), kind, failure.Text(err)}
}

// verdict adds a case.
func (j *junitReport) verdict(r *Record) {
	name := r.Subject.Trace
	c := junitCase{Name: title(r.Property), Class: name}
	if r.Verdict != "" {
		c.Time = time.Duration(r.ElapsedMS * float64(time.Millisecond))
	}
	account := func(element, kind string) *junitResult {
		return &junitResult{element, r.headline(), kind, r.account(j.options.Verbose)}
	}
	switch {
	case r.Err != nil:
		c.Result = junitError(r.Err)
	case r.Outcome() == rctl.Fails:
		c.Result = account("failure", "fails")
	case r.Outcome() == rctl.Unknown:
		c.Result = account("error", "undecided")
	// A property that holds has room for its run beside the result.
	case j.options.Witness:
		c.Out = r.account(j.options.Verbose)
	}
	// The account has the notes already.
	if c.Out == "" {
		for _, n := range r.Notes {
			c.Out += n.String() + "\n"
		}
	}
	// Executions may share a name; the first property begins a new suite.
	j.add(j.suite(name, r.Index == 0), c)
}

// close writes the document. It is written here and not earlier, because its root has the totals.
func (j *junitReport) close(exit.Status) {
	out := j.out.Out
	fmt.Fprintf(out, "%s<testsuites name=\"pota\" %s>", xml.Header, j.counted())
	for _, s := range j.Suites {
		fmt.Fprintf(out, "\n\t<testsuite name=\"%s\" %s>", escaped(s.Name), s.counted())
		for _, c := range s.Cases {
			c.write(out)
		}
		fmt.Fprint(out, "\n\t</testsuite>")
	}
	if len(j.Suites) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, "</testsuites>")
}

// counted returns the attributes that count the cases.
func (s *junitSuite) counted() string {
	return fmt.Sprintf(`tests="%d" failures="%d" errors="%d" time="%.6f"`,
		s.Tests, s.Failures, s.Errors, s.Time.Seconds())
}

// write writes the element of a case.
func (c junitCase) write(out io.Writer) {
	fmt.Fprintf(out, "\n\t\t<testcase name=\"%s\" classname=\"%s\" time=\"%.6f\">",
		escaped(c.Name), escaped(c.Class), c.Time.Seconds())
	if r := c.Result; r != nil {
		fmt.Fprintf(out, "\n\t\t\t<%s message=\"%s\" type=\"%s\">%s</%[1]s>",
			r.Element, escaped(r.Message), r.Type, xmlText(r.Text))
	}
	if c.Out != "" {
		fmt.Fprintf(out, "\n\t\t\t<system-out>%s</system-out>", xmlText(c.Out))
	}
	if c.Result != nil || c.Out != "" {
		fmt.Fprint(out, "\n\t\t")
	}
	fmt.Fprint(out, "</testcase>")
}
