package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pota-project/pota/rctl"
)

// A junitReport is one document in the XML of JUnit: a test suite for each
// execution, a test case for each property. A property that fails is a failure; one that
// is undecided or cannot be read is an error, so that no report is green by mistake.
type junitReport struct {
	XMLName xml.Name `xml:"testsuites"`
	junitTotals
	Suites []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitTotals
	Cases []junitCase `xml:"testcase"`
}

type junitTotals struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Time     seconds `xml:"time,attr"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Time    seconds      `xml:"time,attr"`
	Failure *junitResult `xml:"failure,omitempty"`
	Error   *junitResult `xml:"error,omitempty"`
	Out     *junitText   `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	junitText
}

// junitText is text whose lines stay lines, which the encoder would escape, and begin no workflow command.
type junitText struct {
	XML string `xml:",innerxml"`
}

func newJunitText(text string) junitText {
	var b strings.Builder
	xml.EscapeText(&b, []byte(strings.TrimRight(text, "\n"))) //nolint:errcheck // a strings.Builder takes everything
	return junitText{strings.NewReplacer("&#xA;", "\n", "::", "&#58;:").Replace(b.String())}
}

// seconds are written to the microsecond.
type seconds time.Duration

func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.6f", time.Duration(s).Seconds())}, nil
}

func (r *junitReport) fork() presentation { return new(junitReport) }

func (*junitReport) forPeople(*detection) bool { return true }

func (r *junitReport) join(_ *detection, p presentation) {
	r.Suites = append(r.Suites, p.(*junitReport).Suites...)
}

// suite returns the suite of an execution, a new one where begins is set or the case before
// is of another.
func (r *junitReport) suite(name string, begins bool) *junitSuite {
	if begins || r.Suites[len(r.Suites)-1].Name != name {
		r.Suites = append(r.Suites, &junitSuite{junitTotals: junitTotals{Name: name}})
	}
	return r.Suites[len(r.Suites)-1]
}

func (r *junitReport) refusal(d *detection, trace string, err error) {
	s := r.suite(trace, true)
	s.Cases = append(s.Cases, junitCase{Name: "read", Class: trace, Error: junitError(err)})
}

func junitError(err error) *junitResult {
	kind := "bad input"
	if is[*limitError](err) {
		kind = "undecided"
	}
	text := errorText(err)
	first, _, _ := strings.Cut(text, "\n")
	return &junitResult{first, kind, newJunitText(text)}
}

func (r *junitReport) decision(v *decision) {
	name := v.execution.Name
	c := junitCase{Name: v.title(), Class: name, Time: seconds(v.elapsed)}
	var out []string
	switch {
	case v.err != nil:
		c.Error = junitError(v.err)
	case v.result.Verdict == rctl.Fails:
		c.Failure = &junitResult{v.headline(), "fails", newJunitText(v.account())}
	case v.result.Verdict == rctl.Unknown:
		c.Error = &junitResult{v.headline(), "undecided", newJunitText(v.account())}
	case v.cli.Bool("witness"):
		out = append(out, v.account())
	}
	if out == nil {
		for _, n := range v.notes {
			out = append(out, n.String())
		}
	}
	if out != nil {
		text := newJunitText(strings.Join(out, "\n"))
		c.Out = &text
	}
	s := r.suite(name, v.index == 0)
	s.Cases = append(s.Cases, c)
}

// end adds everything up and writes the document.
func (r *junitReport) end(d *detection) {
	r.Name = "pota"
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			s.Tests++
			s.Time += c.Time
			if c.Failure != nil {
				s.Failures++
			}
			if c.Error != nil {
				s.Errors++
			}
		}
		r.Tests, r.Failures, r.Errors, r.Time = r.Tests+s.Tests, r.Failures+s.Failures, r.Errors+s.Errors, r.Time+s.Time
	}
	d.out.WriteString(xml.Header) //nolint:errcheck // Flush tells
	enc := xml.NewEncoder(d.out)
	enc.Indent("", "\t")
	if err := errors.Join(enc.Encode(r), enc.Close()); err != nil {
		d.fail(err)
	}
	d.out.WriteByte('\n') //nolint:errcheck // Flush tells
}
