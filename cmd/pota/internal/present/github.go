package present

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// annotations prints workflow commands. GitHub shows them beside the lines of files: an error for
// a formula that fails or cannot be read, a warning for one that is undecided or possibly
// spurious, a notice for other notes. For a formula that holds without notes it prints nothing.
type annotations struct{ output }

// verdict prints at most one annotation, at the property if it is in a file: there a reviewer sees
// it, whereas traces are rarely in a repository.
func (g annotations) verdict(r *Record) {
	a := annotation{title: cmp.Or(title(r.Property), "pota"), place: place{file: r.Path}}
	if file := r.Property.File; file != "" {
		a.place = place{file: file, line: r.Property.Line}
	}
	if r.Err != nil {
		a.level = "error"
		a.message = r.Err.Error()
		a.place = a.place.of(r.Err)
		g.print(a)
		return
	}
	switch v := r.Outcome(); {
	case v == rctl.Fails:
		a.level = "error"
	case v == rctl.Unknown || r.PossiblySpurious:
		a.level = "warning"
	case len(r.Notes) > 0:
		a.level = "notice"
	default:
		return
	}
	a.message = r.Subject.Trace + ": " + r.headline() + "\n" + r.account(g.options.Verbose)
	g.print(a)
}

// An annotation is a workflow command with a message for a place in a file.
type annotation struct {
	level   string // error, warning or notice
	place   place
	title   string
	message string
}

// print prints a workflow command. Escapes keep all of a message in it.
func (g annotations) print(a annotation) {
	var properties []string
	add := func(key, value string) { properties = append(properties, key+"="+propertyEscapes.Replace(value)) }
	if a.place.file != "-" {
		add("file", a.place.file)
		if a.place.line > 0 {
			add("line", fmt.Sprint(a.place.line))
		}
		if a.place.column > 0 {
			add("col", fmt.Sprint(a.place.column))
		}
	}
	add("title", a.title)
	message := messageEscapes.Replace(strings.TrimRight(a.message, "\n"))
	fmt.Fprintf(g.out.Out, "%s%s %s::%s\n", console.Own("::"), a.level, strings.Join(properties, ","), message)
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// A place is one in a file, "-" for standard input. What is not known is 0.
type place struct {
	file         string
	line, column int
}

// of returns the place of an error, or p if that has none.
func (p place) of(err error) place {
	if at, ok := errors.AsType[*trace.Error](err); ok && at.File != "" {
		return place{at.File, at.Line, at.Column}
	}
	// The place in a formula counts from the beginning of its file.
	of, ok := errors.AsType[*syntax.PropertyError](err)
	if !ok || of.File == "" {
		return p
	}
	if at, ok := errors.AsType[*syntax.Error](of.Err); ok {
		p.file = of.File
		p.line, p.column = at.Position()
	}
	return p
}
