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
	results       []object
	notifications []object
}

// An object is one of the standard with the members that are used, in its words.
type object map[string]any

// notify adds a notification, which is about the run of pota rather than about the program.
func (s *sarifReport) notify(level, text string, at place) {
	s.notifications = append(s.notifications, object{
		"level":     level,
		"message":   object{"text": text},
		"locations": at.sarif(),
	})
}

// verdict adds a result. An error is one of the run. A property that holds without notes needs
// none.
func (s *sarifReport) verdict(r *Record) {
	if r.Err != nil {
		s.notify("error", r.Err.Error(), place{file: r.Path}.of(r.Err))
	}
	if r.Verdict == "" {
		return
	}
	// The place is that of the last event of the first run. A verdict about the initial cut is shown
	// by its operand.
	trace := place{file: r.Path}
	if len(r.Runs) > 0 {
		e := r.Runs[0].Evidence
		for len(e.Run) == 0 && len(e.Children) > 0 {
			e = e.Children[0]
		}
		if n := len(e.Run); n > 0 {
			trace = r.placeOf(r.Runs[0].Computation, e.Run[n-1])
		}
	}
	text := r.Subject.Trace + ": " + r.headline()
	result := object{"ruleId": title(r.Property), "ruleIndex": r.Index, "level": "none"}
	switch v := r.Outcome(); {
	case v == rctl.Fails:
		result["kind"] = "fail"
		result["level"] = "error"
	case v == rctl.Unknown:
		result["kind"] = "open"
		s.notify("warning", fmt.Sprintf("%s: %s: %s", r.Subject.Trace, title(r.Property), r.headline()), trace)
	case len(r.Notes) > 0:
		result["kind"] = "review"
	default:
		return
	}

	// Viewers without Markdown show the text.
	markdown := fence(text+"\n\n"+r.account(s.options.Verbose)) + "\n"
	for _, n := range r.Notes {
		text += "\n" + n.String()
	}
	result["message"] = object{"text": text, "markdown": markdown}
	result["locations"] = trace.sarif()
	// A change of code is reviewed beside the property, and the trace is made anew each time.
	if file := r.Property.File; file != "" {
		result["locations"] = place{file, r.Property.Line, r.Property.Column}.sarif()
		for _, at := range trace.sarif() {
			at["id"] = 1
			at["message"] = object{"text": "the trace " + r.Subject.Trace}
			result["relatedLocations"] = []object{at}
		}
	}
	if len(r.Runs) > 0 && len(r.Runs[0].Evidence.Run) > 0 {
		result["codeFlows"] = []object{r.sarifFlow(r.Runs[0])}
	}
	s.results = append(s.results, result)
}

// sarifFlow is a run, reduced to the steps that matter, with a thread flow for each process that
// takes part. The order of execution counts through all of them.
func (r *Record) sarifFlow(run Run) object {
	c, t := run.Computation, r.explainer(run)
	// Threads are in the order in which processes take part.
	steps := make(map[int][]object) // by process
	var threads []int
	for _, s := range t.Explain(run.Evidence).Steps {
		p := c.Process(s.Event)
		if steps[p] == nil {
			threads = append(threads, p)
		}
		// A step without a change is there because the run ends with it.
		text := cmp.Or(t.Line(&s), "reaches the cut")
		// A merged trace has no file for an event, but the event has a name.
		location := object{
			"logicalLocations": []object{{"name": c.ID(s.Event), "fullyQualifiedName": c.Processes()[p] + "/" + c.ID(s.Event)}},
			"message":          object{"text": c.ID(s.Event) + ": " + text},
		}
		for _, here := range r.placeOf(c, s.Event).sarif() {
			location["physicalLocation"] = here["physicalLocation"]
		}
		steps[p] = append(steps[p], object{"location": location, "executionOrder": s.Number})
	}
	var flows []object
	for _, p := range threads {
		flows = append(flows, object{"id": c.Processes()[p], "locations": steps[p]})
	}
	return object{"message": object{"text": t.Summary(run.Evidence)}, "threadFlows": flows}
}

// placeOf is the place of an event, or the trace if that is not known.
func (r *Record) placeOf(c *graphs.Computation, e graphs.Event) place {
	at := c.Place(e)
	return place{file: cmp.Or(at.File, r.Path), line: at.Line}
}

// sarif is the location of a place; standard input has none.
func (p place) sarif() []object {
	if p.file == "-" || p.file == "" {
		return []object{}
	}
	u := url.URL{Path: filepath.ToSlash(p.file)}
	// A relative path is a relative URI, which viewers resolve in the checkout.
	if filepath.IsAbs(p.file) {
		u.Scheme = "file"
	}
	at := object{"artifactLocation": object{"uri": u.String()}}
	if p.line > 0 {
		region := object{"startLine": p.line}
		if p.column > 0 {
			region["startColumn"] = p.column
		}
		at["region"] = region
	}
	return []object{{"physicalLocation": at}}
}

// close writes the document.
func (s *sarifReport) close(status exit.Status) {
	// Properties that hold have no result, and are rules all the same.
	rules := []object{}
	for _, p := range s.options.Properties {
		text := object{"text": OneLine(p.Source)}
		rules = append(rules, object{"id": title(p), "shortDescription": text, "fullDescription": text})
	}
	run := object{
		"tool": object{"driver": object{
			"name":           "pota",
			"version":        s.options.Version,
			"informationUri": "https://github.com/pota-project/pota",
			"rules":          rules,
		}},
		"invocations": []object{{
			// Undecided verdicts are no failure of the tool: it ran as it should.
			"executionSuccessful":        status != exit.BadInput,
			"exitCode":                   int(status),
			"toolExecutionNotifications": append([]object{}, s.notifications...),
		}},
		"results":    append([]object{}, s.results...), // null would mean that nothing was looked for
		"columnKind": "unicodeCodePoints",
	}
	// The version should stand before all else, so that viewers know how to go on.
	s.run.JSON(s.out.Out, struct {
		Schema  string   `json:"$schema"`
		Version string   `json:"version"`
		Runs    []object `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []object{run}}, "  ")
}
