package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// A presentation prints decisions in one format.
type presentation interface {
	// decision prints what came of one property on one execution.
	decision(v *decision)
	// refusal prints that a trace could not be read. The error has been reported.
	refusal(d *detection, trace string, err error)
	// tells reports whether runs are told to people, for whom labels are read.
	tells(d *detection) bool
	// end prints what stands after all others.
	end(d *detection)

	// fork returns a presentation for a trace that is decided beside others, and
	// join takes what it holds. Forks are joined in the order of the traces.
	fork() presentation
	join(presentation)
}

// formats are the names that --format takes.
var formats = []string{"text", "json", "junit", "sarif", "github"}

// presentationOf returns what prints as the flags say.
func presentationOf(c *cli.Context) (presentation, error) {
	name := c.String("format")
	if c.Bool("json") {
		if c.IsSet("format") && name != "json" {
			return nil, usagef("detect: --json and --format %s: choose one", name)
		}
		name = "json"
	}
	if c.Bool("quiet") {
		if c.IsSet("format") {
			return nil, usagef("detect: --quiet prints nothing, --format %s does: choose one", name)
		}
		return silence{}, nil
	}
	switch name {
	case "text":
		return textLines{}, nil
	case "json":
		return jsonLines{}, nil
	case "junit":
		return new(junitReport), nil
	case "sarif":
		return new(sarifReport), nil
	case "github":
		return annotations{}, nil
	}
	return nil, usagef("detect: there is no format %q; there are %s", name, strings.Join(formats, ", "))
}

// silence prints nothing. It is what is common to presentations that print each
// decision at once.
type silence struct{}

func (silence) decision(*decision)                {}
func (silence) refusal(*detection, string, error) {}
func (silence) tells(*detection) bool             { return false }
func (silence) end(*detection)                    {}
func (s silence) fork() presentation              { return s }
func (silence) join(presentation)                 {}

// A note is what a reader should know beside a verdict.
type note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// The kinds of notes.
const (
	noteSpurious = "spurious" // the verdict may be due to cuts that could not have been; why there may be such
	noteVacuous  = "vacuous"  // the verdict says less than it seems to
	noteAssumed  = "assumed"  // what the verdict rests on beside the trace
)

func (n note) String() string {
	if n.Kind == noteSpurious {
		return "possibly spurious: " + n.Text
	}
	return n.Kind + ": " + n.Text
}

// lowerBound returns why the verdict is possibly spurious, "" if it is not.
func (v *decision) lowerBound() string {
	for _, n := range v.notes {
		if n.Kind == noteSpurious {
			return n.Text
		}
	}
	return ""
}
