package present

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
)

// A sarifReport is one document in the Static Analysis Results Interchange Format, version
// 2.1.0 (OASIS Standard, 2020): a rule for each property; a result for each verdict that fails
// (kind fail, level error), is undecided (open) or has notes (review). The standard gives kinds
// other than fail the level none, so undecided verdicts are notifications of the run, too. The
// location of a result is its property, if that is in a file, and otherwise the event of its trace
// with which the run that shows it comes to its cut.
type sarifReport struct {
	output
	results       []sarifResult
	notifications []sarifNotification
}

// The types that follow are the objects of the standard with the members that are used, in its
// words. Numbers of sections are in the test that checks them.
type sarifLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    [1]sarifRun `json:"runs"` // of pota
}

// A sarifRun is one run. Its rules are the properties, and its invocation says how it ended.
type sarifRun struct {
	Tool struct {
		Driver struct {
			Name           string      `json:"name"`
			Version        string      `json:"version"`
			InformationURI string      `json:"informationUri"`
			Rules          []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Invocations [1]struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	} `json:"invocations"`
	Results    []sarifResult `json:"results"`
	ColumnKind string        `json:"columnKind"`
}

// A sarifRule is a property.
type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
	Full  sarifMessage `json:"fullDescription"`
}

// A sarifNotification is about the run, not about the program under test.
type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

// A sarifMessage is for people. Viewers without Markdown show the text.
type sarifMessage struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

// A sarifResult is a verdict.
type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Kind      string          `json:"kind"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
	CodeFlows []sarifCodeFlow `json:"codeFlows,omitempty"`
}

// A sarifLocation is a place in a file, or an event of a process.
type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPlace    `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

// A sarifPlace is a file with, perhaps, a line.
type sarifPlace struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

// A sarifRegion is a line and column, from 1.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

// A sarifLogical names an event: a merged trace has no file for it.
type sarifLogical struct {
	Name      string `json:"name"`
	Qualified string `json:"fullyQualifiedName"`
}

// A sarifCodeFlow is a run, with a thread flow for each process that takes part. The order
// of execution counts through all of them.
type sarifCodeFlow struct {
	Message sarifMessage      `json:"message"`
	Threads []sarifThreadFlow `json:"threadFlows"`
}

// A sarifThreadFlow has the steps of one process.
type sarifThreadFlow struct {
	ID        string      `json:"id"`
	Locations []sarifStep `json:"locations"`
}

// A sarifStep is an event of the run.
type sarifStep struct {
	Location sarifLocation `json:"location"`
	Order    int           `json:"executionOrder"`
}

// notify adds a notification: what is wrong with the run, rather than with the program.
func (s *sarifReport) notify(level, text string, at []sarifLocation) {
	s.notifications = append(s.notifications, sarifNotification{level, sarifMessage{Text: text}, at})
}

// refused makes a trace that cannot be read an error of the run.
func (s *sarifReport) refused(path string, err error) {
	s.notify("error", err.Error(), place{file: path}.of(err).sarif())
}

// verdict adds a result. A property that holds without notes needs none.
func (s *sarifReport) verdict(r *Record) {
	if r.Err != nil {
		s.refused(r.Path, r.Err)
	}
	if r.Verdict == "" {
		return
	}
	trace := r.decidingPlace()
	result := sarifResult{RuleID: title(r.Property), RuleIndex: r.Index, Level: "none", Locations: trace.sarif()}
	switch v := r.Outcome(); {
	case v == rctl.Fails:
		result.Kind = "fail"
		result.Level = "error"
	case v == rctl.Unknown:
		result.Kind = "open"
		text := fmt.Sprintf("%s: %s: %s", r.Subject.Trace, title(r.Property), r.headline())
		s.notify("warning", text, trace.sarif())
	case len(r.Notes) > 0:
		result.Kind = "review"
	default:
		return
	}

	result.Message = r.sarifMessage(s.options.Verbose)
	// A change of code is reviewed beside the property, and the trace is made anew each time.
	if file := r.Property.File; file != "" {
		result.Related = result.Locations
		result.Locations = place{file, r.Property.Line, r.Property.Column}.sarif()
		for i := range result.Related {
			result.Related[i].ID = i + 1
			result.Related[i].Message = &sarifMessage{Text: "the trace " + r.Subject.Trace}
		}
	}
	if len(r.Runs) > 0 && len(r.Runs[0].Evidence.Run) > 0 {
		result.CodeFlows = []sarifCodeFlow{r.sarifFlow(r.Runs[0])}
	}
	s.results = append(s.results, result)
}

// sarifMessage is the verdict in one line, and with the run in Markdown.
func (r *Record) sarifMessage(verbose bool) sarifMessage {
	text := r.Subject.Trace + ": " + r.headline()
	markdown := text + "\n\n" + r.account(verbose)
	for _, n := range r.Notes {
		text += "\n" + n.String()
	}
	return sarifMessage{text, fence(markdown) + "\n"}
}

// sarifFlow is a run, reduced to the steps that matter.
func (r *Record) sarifFlow(run Run) sarifCodeFlow {
	c, t := run.Computation, r.explainer(run)
	flow := sarifCodeFlow{Message: sarifMessage{Text: t.Summary(run.Evidence)}}
	// Threads are in the order in which processes take part.
	thread := make(map[int]int) // index in Threads, by process
	for _, s := range t.Explain(run.Evidence).Steps {
		p := c.Process(s.Event)
		i, ok := thread[p]
		if !ok {
			i = len(flow.Threads)
			thread[p] = i
			flow.Threads = append(flow.Threads, sarifThreadFlow{ID: c.Processes()[p]})
		}
		text := t.Line(&s)
		// A step without a change is there because the run ends with it.
		if text == "" {
			text = "reaches the cut"
		}

		at := sarifLocation{Message: &sarifMessage{Text: c.ID(s.Event) + ": " + text}}
		if here := r.placeOf(c, s.Event).sarif(); len(here) > 0 {
			at.Physical = here[0].Physical
		}
		at.Logical = []sarifLogical{{c.ID(s.Event), c.Processes()[p] + "/" + c.ID(s.Event)}}
		flow.Threads[i].Locations = append(flow.Threads[i].Locations, sarifStep{at, s.Number})
	}
	return flow
}

// decidingPlace is the place of the last event of the first run, or the trace.
func (r *Record) decidingPlace() place {
	if len(r.Runs) > 0 {
		c, e := r.Runs[0].Computation, r.Runs[0].Evidence
		// Where the verdict is about the initial cut, its operand tells more.
		for len(e.Run) == 0 && len(e.Children) > 0 {
			e = e.Children[0]
		}
		if n := len(e.Run); n > 0 {
			return r.placeOf(c, e.Run[n-1])
		}
	}
	return place{file: r.Path}
}

// placeOf is the place of an event, or the trace where that is not known.
func (r *Record) placeOf(c *graphs.Computation, e graphs.Event) place {
	at := c.Place(e)
	return place{file: cmp.Or(at.File, r.Path), line: at.Line}
}

// sarif is the location of a place; standard input has none.
func (p place) sarif() []sarifLocation {
	if p.file == "-" || p.file == "" {
		return []sarifLocation{}
	}
	at := new(sarifPlace)
	u := url.URL{Path: filepath.ToSlash(p.file)}
	// A relative path is a relative URI, which viewers resolve in the checkout.
	if filepath.IsAbs(p.file) {
		u.Scheme = "file"
	}
	at.Artifact.URI = u.String()
	if p.line > 0 {
		at.Region = &sarifRegion{p.line, p.column}
	}
	return []sarifLocation{{Physical: at}}
}

// close writes the document.
func (s *sarifReport) close(status exit.Status) {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0"}
	of := &log.Runs[0]
	of.ColumnKind = "unicodeCodePoints"
	of.Results = append([]sarifResult{}, s.results...) // null would mean that nothing was looked for

	// Properties that hold have no result, and are rules all the same.
	driver := &of.Tool.Driver
	driver.Name = "pota"
	driver.Version = s.options.Version
	driver.InformationURI = "https://github.com/pota-project/pota"
	driver.Rules = []sarifRule{}
	for _, p := range s.options.Properties {
		text := sarifMessage{Text: OneLine(p.Source)}
		driver.Rules = append(driver.Rules, sarifRule{title(p), text, text})
	}

	// Undecided verdicts are no failure of the tool: it ran as it should.
	invocation := &of.Invocations[0]
	invocation.Successful = status != exit.BadInput
	invocation.ExitCode = int(status)
	invocation.Notifications = s.notifications
	s.run.JSON(s.out.Out, log, "  ")
}
