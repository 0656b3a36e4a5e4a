package present

import (
	"cmp"
	"encoding/xml"
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
	suites junitSuites
}

// junitSuites has the suites of all executions, and the numbers of all cases.
type junitSuites struct {
	Name string `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

// junitSuite has the cases of an execution.
type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Cases []junitCase `xml:"testcase"`
}

// junitCounts are numbers of cases. Failures are properties that fail, and errors all else that did
// not pass: dashboards count the two apart.
type junitCounts struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Time     seconds `xml:"time,attr"`
}

// junitCase is one property on the execution of its suite. It passed without a failure and an
// error.
type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Time    seconds      `xml:"time,attr"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Out     *junitText   `xml:"system-out"`
}

// junitResult says why a case did not pass: in one line, and in full.
type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	junitText
}

// junitText is text between tags.
type junitText struct {
	XML string `xml:",innerxml"`
}

// newText returns text without workflow commands, because runners of continuous integration print
// reports. Line ends stay.
func newText(text string) junitText {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(strings.TrimRight(text, "\n"))) // a strings.Builder takes everything
	return junitText{strings.NewReplacer("&#xA;", "\n", "::", "&#58;:").Replace(b.String())}
}

// seconds is a time with its fraction.
type seconds time.Duration

func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.6f", time.Duration(s).Seconds()), nil
}

// add adds a case to a suite, and counts it there and in the report.
func (j *junitReport) add(s *junitSuite, c junitCase) {
	s.Cases = append(s.Cases, c)
	for _, of := range []*junitCounts{&s.junitCounts, &j.suites.junitCounts} {
		of.Tests++
		of.Time += c.Time
		if c.Failure != nil {
			of.Failures++
		}
		if c.Error != nil {
			of.Errors++
		}
	}
}

// suite returns the suite of an execution, a new one if begins is set or the case before is of
// another. Records come in the order of the executions, so the last suite is the only one to ask.
// Where results were merged, the first property of an execution may come after others.
func (j *junitReport) suite(name string, begins bool) *junitSuite {
	all := j.suites.Suites
	if begins || len(all) == 0 || all[len(all)-1].Name != name {
		all = append(all, &junitSuite{Name: name})
	}
	j.suites.Suites = all
	return all[len(all)-1]
}

// junitError tells a limit from bad input, so that a report can be filtered.
func junitError(err error) *junitResult {
	kind := "bad input"
	if failure.IsLimit(err) {
		kind = "undecided"
	}
	return &junitResult{failure.Head(err), kind, newText(failure.Text(err))}
}

// verdict adds a case. A trace that cannot be read is a suite with one.
func (j *junitReport) verdict(r *Record) {
	name := r.Subject.Trace
	c := junitCase{Name: cmp.Or(title(r.Property), "read"), Class: name}
	if r.Verdict != "" {
		c.Time = seconds(r.ElapsedMS * float64(time.Millisecond))
	}
	account := func(kind string) *junitResult {
		return &junitResult{r.headline(), kind, newText(r.account(j.options.Verbose))}
	}
	out := ""
	switch {
	case r.Err != nil:
		c.Error = junitError(r.Err)
	case r.Outcome() == rctl.Fails:
		c.Failure = account("fails")
	case r.Outcome() == rctl.Unknown:
		c.Error = account("undecided")
	// A property that holds has room for its run beside the result.
	case j.options.Witness:
		out = r.account(j.options.Verbose)
	}
	// The account has the notes already.
	if out == "" {
		for _, n := range r.Notes {
			out += n.String() + "\n"
		}
	}
	if out != "" {
		text := newText(out)
		c.Out = &text
	}
	// Executions may share a name; the first property begins a new suite.
	j.add(j.suite(name, r.Index == 0), c)
}

// close writes the document. It is written here and not earlier, because its root has the totals.
func (j *junitReport) close(exit.Status) {
	fmt.Fprint(j.out.Out, xml.Header)
	enc := xml.NewEncoder(j.out.Out)
	enc.Indent("", "\t")
	root := xml.StartElement{Name: xml.Name{Local: "testsuites"}}
	if err := enc.EncodeElement(j.suites, root); err != nil {
		j.run.Fail(err)
	}
	fmt.Fprintln(j.out.Out)
}
