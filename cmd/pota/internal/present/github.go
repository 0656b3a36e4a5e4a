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

// annotations prints workflow commands, which GitHub shows next to the lines of files: an error for
// a formula that fails or cannot be read, a warning for one that is undecided or possibly spurious,
// and a notice for other notes. It prints nothing for a formula that holds without notes.
type annotations struct{ output }

// verdict prints at most one annotation. It is at the property if that is in a file, where a
// reviewer sees it, since traces are rarely in a repository.
func (g annotations) verdict(r *Record) {
	at := place{file: r.Path}
	if file := r.Property.File; file != "" {
		at = place{file: file, line: r.Property.Line}
	}
	level := "notice"
	switch {
	case r.Err != nil:
		g.print("error", at.of(r.Err), r, r.Err.Error())
		return
	case r.Outcome() == rctl.Fails:
		level = "error"
	case r.Outcome() == rctl.Unknown, r.PossiblySpurious:
		level = "warning"
	case len(r.Notes) == 0:
		return
	}
	g.print(level, at, r, r.Subject.Trace+": "+r.headline()+"\n"+r.account(g.options.Verbose))
}

// print prints a workflow command with a message about a record for a place. It escapes the message
// so that all of it stays within the command.
func (g annotations) print(level string, at place, about *Record, message string) {
	var properties []string
	add := func(key, value string) { properties = append(properties, key+"="+propertyEscapes.Replace(value)) }
	if at.file != "-" {
		add("file", at.file)
		if at.line > 0 {
			add("line", fmt.Sprint(at.line))
		}
		if at.column > 0 {
			add("col", fmt.Sprint(at.column))
		}
	}
	add("title", cmp.Or(title(about.Property), "pota"))
	message = messageEscapes.Replace(strings.TrimRight(message, "\n"))
	fmt.Fprintf(g.out.Out, "%s%s %s::%s\n", console.Own("::"), level, strings.Join(properties, ","), message)
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// A place is a place in a file; "-" stands for standard input. Unknown numbers are 0.
type place struct {
	file         string
	line, column int
}

// of returns the place of an error, or p if the error has none.
func (p place) of(err error) place {
	if at, ok := errors.AsType[*trace.Error](err); ok && at.File != "" {
		return place{at.File, at.Line, at.Column}
	}
	// The place in a formula is relative to the beginning of its file.
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
