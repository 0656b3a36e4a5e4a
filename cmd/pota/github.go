package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// annotations prints workflow commands, which GitHub shows beside the lines of
// files: an error for a formula that fails or cannot be read, a warning for one that is
// undecided or possibly spurious, a notice for other notes. For a formula that holds
// without notes it prints nothing.
type annotations struct{ silence }

func (annotations) fork() presentation { return annotations{} }

func (annotations) forPeople(*detection) bool { return true }

func (annotations) refusal(d *detection, path string, err error) {
	annotation{level: "error", file: path, title: "pota"}.of(err).print(d)
}

func (annotations) decision(v *decision) {
	a := annotation{title: v.title(), file: v.trace}
	if file := v.property.File; file != "" {
		a.file, a.line = file, v.property.Line
	}
	if v.err != nil {
		a.level = "error"
		a.of(v.err).print(v.detection)
		return
	}
	switch {
	case v.result.Verdict == rctl.Fails:
		a.level = "error"
	case v.result.Verdict == rctl.Unknown || v.lowerBound() != "":
		a.level = "warning"
	case len(v.notes) > 0:
		a.level = "notice"
	default:
		return
	}
	a.message = v.execution.Name + ": " + v.headline() + "\n" + v.account()
	a.print(v.detection)
}

// An annotation is a workflow command with a message for a place in a file.
type annotation struct {
	level        string // error, warning or notice
	file         string // "-" for none
	line, column int    // 0 where they are not known
	title        string
	message      string
}

// of returns a with the text and the place of an error.
func (a annotation) of(err error) annotation {
	a.message = err.Error()
	if at, ok := errors.AsType[*trace.Error](err); ok && at.File != "" {
		a.file, a.line, a.column = at.File, at.Line, at.Column
	} else if of, ok := errors.AsType[*formulaError](err); ok && of.file != "" {
		if at, ok := errors.AsType[*syntax.Error](of.err); ok {
			a.file = of.file
			a.line, a.column = at.Position()
		}
	}
	return a
}

func (a annotation) print(d *detection) {
	var properties []string
	property := func(key, value string) { properties = append(properties, key+"="+propertyEscapes.Replace(value)) }
	if a.file != "-" {
		property("file", a.file)
		if a.line > 0 {
			property("line", fmt.Sprint(a.line))
		}
		if a.column > 0 {
			property("col", fmt.Sprint(a.column))
		}
	}
	property("title", a.title)
	fmt.Fprintf(d.out, "%s%s %s::%s\n", own("::"), a.level, strings.Join(properties, ","), messageEscapes.Replace(strings.TrimRight(a.message, "\n")))
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
