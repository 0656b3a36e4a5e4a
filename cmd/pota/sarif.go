package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
)

// A sarifReport is one document in the Static Analysis Results Interchange Format,
// version 2.1.0 (OASIS Standard, 2020): a rule for each property; a result for each
// verdict that fails (kind fail, level error), is undecided (open) or has notes
// (review). The standard gives kinds other than fail the level none, so that what is
// undecided is a notification of the run too. The location of a result is that of its
// property, if that is in a file, and of its trace otherwise.
type sarifReport struct {
	results       []sarifResult
	notifications []sarifNotification
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
	Full  sarifMessage `json:"fullDescription"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	ExitCode      int                 `json:"exitCode"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifMessage struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

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

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPlace    `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

type sarifPlace struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

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

type sarifThreadFlow struct {
	ID        string      `json:"id"`
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
	Order    int           `json:"executionOrder"`
}

func (r *sarifReport) fork() presentation { return new(sarifReport) }

func (*sarifReport) forPeople(*detection) bool { return true }

func (r *sarifReport) join(_ *detection, p presentation) {
	other := p.(*sarifReport)
	r.results = append(r.results, other.results...)
	r.notifications = append(r.notifications, other.notifications...)
}

func (r *sarifReport) notify(level string, err error, at ...sarifLocation) {
	r.notifications = append(r.notifications, sarifNotification{level, sarifMessage{Text: err.Error()}, at})
}

func (r *sarifReport) refusal(_ *detection, path string, err error) {
	a := annotation{file: path}.of(err)
	r.notify("error", err, sarifAt(a.file, a.line, a.column)...)
}

func (r *sarifReport) decision(v *decision) {
	if v.err != nil {
		r.refusal(v.detection, v.trace, v.err)
	}
	if v.result == nil {
		return
	}
	res := sarifResult{RuleID: v.title(), RuleIndex: v.index, Level: "none", Locations: sarifAt(v.trace, 0, 0)}
	switch {
	case v.result.Verdict == rctl.Fails:
		res.Kind, res.Level = "fail", "error"
	case v.result.Verdict == rctl.Unknown:
		res.Kind = "open"
		r.notify("warning", fmt.Errorf("%s: %s: %s", v.execution.Name, v.title(), v.headline()), sarifAt(v.trace, 0, 0)...)
	case len(v.notes) > 0:
		res.Kind = "review"
	default:
		return
	}
	res.Message = v.sarifMessage()
	if file := v.property.File; file != "" {
		res.Locations, res.Related = sarifAt(file, v.property.Line, 0), res.Locations
		for i := range res.Related {
			res.Related[i].ID = i + 1
			res.Related[i].Message = &sarifMessage{Text: "the trace " + v.execution.Name}
		}
	}
	if e := v.result.Evidence; e != nil && len(e.Run) > 0 {
		res.CodeFlows = []sarifCodeFlow{v.sarifFlow(v.teller(), e)}
	}
	r.results = append(r.results, res)
}

// sarifMessage is the verdict in one line, and with the run in Markdown.
func (v *decision) sarifMessage() sarifMessage {
	text := v.execution.Name + ": " + v.headline()
	markdown := text + "\n\n" + v.account()
	for _, n := range v.notes {
		text += "\n" + n.String()
	}
	fence := "```"
	for strings.Contains(markdown, fence) {
		fence += "`"
	}
	return sarifMessage{text, fence + "\n" + markdown + fence + "\n"}
}

// sarifFlow is a run, reduced to the steps that matter.
func (v *decision) sarifFlow(t *explain.Teller, e *rctl.Evidence) sarifCodeFlow {
	c := v.execution.Computation
	flow := sarifCodeFlow{Message: sarifMessage{Text: t.Summary(e)}}
	thread := make(map[int]int) // index in Threads, by process
	for _, s := range t.Explain(e).Steps {
		p := c.Process(s.Event)
		i, ok := thread[p]
		if !ok {
			i = len(flow.Threads)
			thread[p] = i
			flow.Threads = append(flow.Threads, sarifThreadFlow{ID: c.Processes()[p]})
		}
		text := s.Text()
		if text == "" {
			text = "reaches the cut"
		}
		at := sarifLocation{Message: &sarifMessage{Text: c.ID(s.Event) + ": " + text}}
		if here := sarifAt(v.trace, 0, 0); len(here) > 0 {
			at.Physical = here[0].Physical
		}
		at.Logical = []sarifLogical{{c.ID(s.Event), c.Processes()[p] + "/" + c.ID(s.Event)}}
		flow.Threads[i].Locations = append(flow.Threads[i].Locations, sarifStep{at, s.Number})
	}
	return flow
}

// sarifAt is a place in a file; standard input has none.
func sarifAt(file string, line, column int) []sarifLocation {
	if file == "-" || file == "" {
		return []sarifLocation{}
	}
	at := new(sarifPlace)
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	at.Artifact.URI = u.String()
	if line > 0 {
		at.Region = &sarifRegion{line, column}
	}
	return []sarifLocation{{Physical: at}}
}

// end writes the document.
func (r *sarifReport) end(d *detection) {
	run := sarifRun{Results: r.results, ColumnKind: "unicodeCodePoints"}
	if run.Results == nil {
		run.Results = []sarifResult{} // null would mean that nothing was looked for
	}
	run.Tool.Driver = sarifDriver{Name: "pota", Version: version(), InformationURI: "https://github.com/pota-project/pota", Rules: []sarifRule{}}
	for _, p := range d.properties {
		v := decision{property: p}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{v.title(), sarifMessage{Text: oneLine(p.Source)}, sarifMessage{Text: oneLine(p.Source)}})
	}
	run.Invocations = []sarifInvocation{{d.status != badInput, int(d.status), r.notifications}}
	d.printJSON(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "  ")
}
