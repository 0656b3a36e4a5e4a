package present

import (
	"encoding/xml"
	"errors"
	"fmt"
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
	suites []*junitSuite
}

// junitDocument is the root of the report.
type junitDocument struct {
	XMLName xml.Name `xml:"testsuites"`
	junitTotals
	Suites []*junitSuite `xml:"testsuite"`
}

// junitSuite has the cases of an execution.
type junitSuite struct {
	junitTotals
	Cases []junitCase `xml:"testcase"`
}

// junitTotals are the attributes that suites and the root have in common.
type junitTotals struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Time     seconds `xml:"time,attr"`
}

// junitCase is one property on the execution of its suite.
type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Time    seconds      `xml:"time,attr"`
	Failure *junitResult `xml:"failure,omitempty"`
	Error   *junitResult `xml:"error,omitempty"`
	Out     *junitText   `xml:"system-out,omitempty"`
}

// add adds a case and counts it.
func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.Time += c.Time
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

// junitResult says why a case did not pass: in one line, and in full.
type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	junitText
}

// junitText is text with its line ends, which the encoder would escape. It holds no workflow
// commands, because runners of continuous integration print reports.
type junitText struct {
	XML string `xml:",innerxml"`
}

// newJunitText escapes text.
func newJunitText(text string) junitText {
	var b strings.Builder
	// The encoder would escape line ends, and viewers show the escapes.
	_ = xml.EscapeText(&b, []byte(strings.TrimRight(text, "\n"))) // a strings.Builder takes everything
	return junitText{strings.NewReplacer("&#xA;", "\n", "::", "&#58;:").Replace(b.String())}
}

// seconds are written to the microsecond.
type seconds time.Duration

// MarshalXMLAttr implements xml.MarshalerAttr.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.6f", time.Duration(s).Seconds())}, nil
}

// suite returns the suite of an execution, a new one where begins is set or the case before is
// of another.
func (j *junitReport) suite(name string, begins bool) *junitSuite {
	if begins || j.suites[len(j.suites)-1].Name != name {
		j.suites = append(j.suites, &junitSuite{junitTotals: junitTotals{Name: name}})
	}
	return j.suites[len(j.suites)-1]
}

// refused makes a trace that cannot be read a suite with one case, so that the report is not green
// without it.
func (j *junitReport) refused(trace string, err error) {
	j.suite(trace, true).add(junitCase{Name: "read", Class: trace, Error: junitError(err)})
}

// junitError tells a limit from bad input, so that a report can be filtered.
func junitError(err error) *junitResult {
	kind := "bad input"
	if failure.IsLimit(err) {
		kind = "undecided"
	}
	return &junitResult{failure.Head(err), kind, newJunitText(failure.Text(err))}
}

// verdict adds a case.
func (j *junitReport) verdict(r *Record) {
	name := r.Subject.Trace
	c := junitCase{Name: title(r.Property), Class: name}
	if r.Verdict != "" {
		c.Time = seconds(r.ElapsedMS * float64(time.Millisecond))
	}
	var out []string
	account := func(kind string) *junitResult {
		return &junitResult{r.headline(), kind, newJunitText(r.account(j.options.Verbose))}
	}
	switch {
	case r.Err != nil:
		c.Error = junitError(r.Err)
	case r.Outcome() == rctl.Fails:
		c.Failure = account("fails")
	case r.Outcome() == rctl.Unknown:
		c.Error = account("undecided")
	// A property that holds has room for its run beside the result.
	case j.options.Witness:
		out = append(out, r.account(j.options.Verbose))
	}
	// The account has the notes already.
	if out == nil {
		for _, n := range r.Notes {
			out = append(out, n.String())
		}
	}
	if out != nil {
		text := newJunitText(strings.Join(out, "\n"))
		c.Out = &text
	}
	// Executions may share a name; the first property begins a new suite.
	j.suite(name, r.Index == 0).add(c)
}

// close adds the suites up and writes the document.
func (j *junitReport) close(exit.Status) {
	doc := junitDocument{junitTotals: junitTotals{Name: "pota"}, Suites: j.suites}
	for _, s := range j.suites {
		// The root has the totals of all suites.
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
		doc.Time += s.Time
	}

	// The document is written here and not earlier, because its root has the totals.
	_, _ = j.out.Out.WriteString(xml.Header) // Flush reports the error
	enc := xml.NewEncoder(j.out.Out)
	enc.Indent("", "\t")
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		j.run.Fail(err)
	}
	_ = j.out.Out.WriteByte('\n')
}
