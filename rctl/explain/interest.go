package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// interest is what a formula mentions.
type interest struct {
	c         *graphs.Computation
	variables []*graphs.Variable
	noted     map[*graphs.Variable]bool                 // those of variables
	sets      map[*graphs.Variable]map[graphs.Event]int // of shared ones: the assignment of each event
	channels  []channel
}

type channel struct {
	from, to     int
	sends, recvs []graphs.Event
}

func newInterest(c *graphs.Computation, f *syntax.Formula) *interest {
	in := &interest{c: c, noted: make(map[*graphs.Variable]bool), sets: make(map[*graphs.Variable]map[graphs.Event]int)}
	syntax.WalkExprs(f, in.note)
	slices.SortStableFunc(in.variables, func(v, w *graphs.Variable) int { return v.Process - w.Process })
	return in
}

func (in *interest) note(e *syntax.Expr) {
	switch e.Op {
	case syntax.ExprVar:
		v := in.c.Variable(e.Owner, e.Text)
		if v == nil || in.noted[v] {
			return
		}
		in.noted[v] = true
		in.variables = append(in.variables, v)
		if v.Process == graphs.Shared {
			in.sets[v] = make(map[graphs.Event]int, v.Len())
			for i, e := range v.Events() {
				in.sets[v][e] = i
			}
		}
	case syntax.ExprTransit:
		if slices.ContainsFunc(in.channels, func(ch channel) bool { return ch.from == e.FromID && ch.to == e.ToID }) {
			return
		}
		ch := channel{from: e.FromID, to: e.ToID}
		ch.sends, ch.recvs = in.c.Channel(ch.from, ch.to)
		in.channels = append(in.channels, ch)
	}
}

func (in *interest) name(v *graphs.Variable) string {
	if v.Process == graphs.Shared {
		return v.Name
	}
	return v.Name + "@" + in.c.Processes()[v.Process]
}

// changes tells what an event does to what the formula mentions.
func (in *interest) changes(event graphs.Event) string {
	var parts []string
	p := in.c.Process(event)
	for _, v := range in.variables {
		if i, ok := in.assignment(v, event, p); ok && !v.Value(i-1).Equal(v.Value(i)) {
			parts = append(parts, fmt.Sprintf("%s: %s → %s", v.Name, v.Value(i-1), v.Value(i)))
		}
	}
	for _, ch := range in.channels {
		if p == ch.from {
			if n := count(ch.sends, event); n > 0 {
				parts = append(parts, fmt.Sprintf("sends %s to %s", graphs.Plural(n, "message"), in.c.Processes()[ch.to]))
			}
		}
		if p == ch.to {
			if n := count(ch.recvs, event); n > 0 {
				parts = append(parts, fmt.Sprintf("receives %s from %s", graphs.Plural(n, "message"), in.c.Processes()[ch.from]))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// assignment returns the index of event's assignment to v, p being its process.
func (in *interest) assignment(v *graphs.Variable, event graphs.Event, p int) (int, bool) {
	switch v.Process {
	case graphs.Shared:
		i, ok := in.sets[v][event]
		return i, ok
	case p:
		return slices.BinarySearch(v.Events(), event)
	}
	return 0, false
}

// count returns how often e occurs in sorted events.
func count(events []graphs.Event, e graphs.Event) int {
	first, _ := slices.BinarySearch(events, e)
	next, _ := slices.BinarySearch(events, e+1)
	return next - first
}

// mostValues bounds the values that are listed of a cut.
const mostValues = 24

// values lists the values at a cut; where there are too many, those assigned since
// start come first.
func (in *interest) values(start, cut graphs.Cut) []string {
	variables := in.variables
	if len(variables) > mostValues {
		variables = slices.Clone(variables)
		unchanged := func(v *graphs.Variable) int {
			if v.Last(in.c, start) == v.Last(in.c, cut) {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(variables, func(v, w *graphs.Variable) int { return unchanged(v) - unchanged(w) })
	}
	var values []string
	for _, v := range variables {
		values = append(values, fmt.Sprintf("%s = %s", in.name(v), v.At(in.c, cut)))
	}
	for _, ch := range in.channels {
		n := 0
		for _, e := range ch.sends {
			if in.c.Has(cut, e) {
				n++
			}
		}
		for _, e := range ch.recvs {
			if in.c.Has(cut, e) {
				n--
			}
		}
		names := in.c.Processes()
		values = append(values, fmt.Sprintf("transit(%s, %s) = %d", names[ch.from], names[ch.to], n))
	}
	if n := len(values) - mostValues; n > 0 {
		values = append(values[:mostValues], fmt.Sprintf("and %d more", n))
	}
	return values
}

// lines returns values with several on a line.
func (in *interest) lines(start, cut graphs.Cut) []string {
	var lines []string
	line := ""
	for _, v := range in.values(start, cut) {
		if line != "" && utf8.RuneCountInString(line)+utf8.RuneCountInString(v) > 90 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += "   "
		}
		line += v
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
