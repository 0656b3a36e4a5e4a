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

// A sarifReport is one document in the Static Analysis Results Interchange Format, version 2.1.0
// (OASIS Standard, 2020). It has a rule for each property, and a result for each verdict that fails
// (kind fail, level error), is undecided (open) or has notes (review). The standard gives kinds other
// than fail the level none, so undecided verdicts are also notifications of the run. The location
// of a result is its property, if that is in a file, and otherwise the event in the trace with
// which the run reaches its cut.
type sarifReport struct {
	output
	results       []object
	notifications []object
}

// An object is an object of the standard, with the members that are used.
type object map[string]any

// notify adds a notification, which is about the run of pota rather than the program.
func (s *sarifReport) notify(level, text string, at place) {
	s.notifications = append(s.notifications, object{
		"level":     level,
		"message":   object{"text": text},
		"locations": at.sarif(),
	})
}

// verdict adds a result. An error becomes a notification of the run. A property that holds without
// notes has no result.
func (s *sarifReport) verdict(r *Record) {
	if r.Err != nil {
		s.notify("error", r.Err.Error(), place{file: r.Path}.of(r.Err))
	}
	if r.Verdict == "" {
		return
	}
	// Use the place of the last event of the first run. For a verdict about the initial cut, the
	// evidence of the operand shows it.
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
	// A reviewer of a change sees the property, whereas the trace is different each time.
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

// sarifFlow returns the important steps of a run, with a thread flow for each process that takes
// part. The execution order is numbered across all thread flows.
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
		// A step without a change is included because the run ends with it.
		text := cmp.Or(t.Line(&s), "reaches the cut")
		// The event has a name, even if it has no file, as in a merged trace.
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

// placeOf returns the place of an event, or the trace if the place is not known.
func (r *Record) placeOf(c *graphs.Computation, e graphs.Event) place {
	at := c.Place(e)
	return place{file: cmp.Or(at.File, r.Path), line: at.Line}
}

// sarif returns the location of a place. Standard input has none.
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
	// Properties that hold have no result, but are rules too.
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
			// Undecided verdicts are not a failure of the tool.
			"executionSuccessful":        status != exit.BadInput,
			"exitCode":                   int(status),
			"toolExecutionNotifications": append([]object{}, s.notifications...),
		}},
		"results":    append([]object{}, s.results...), // null would mean that there was no scan
		"columnKind": "unicodeCodePoints",
	}
	// The version should come first, so that viewers know how to parse the rest.
	s.run.JSON(s.out.Out, struct {
		Schema  string   `json:"$schema"`
		Version string   `json:"version"`
		Runs    []object `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []object{run}}, "  ")
}
