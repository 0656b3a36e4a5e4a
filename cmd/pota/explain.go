package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// printVerdict tells a person the verdict, then why.
func (d *detection) printVerdict(e *format.Execution, p syntax.Property, f *syntax.Formula, res *rctl.Result, elapsed time.Duration) {
	verdict := map[rctl.Verdict]color.Attribute{
		rctl.Holds: color.FgGreen, rctl.Fails: color.FgRed, rctl.Unknown: color.FgYellow,
	}
	fmt.Fprintf(d.out, "%-7s  %s", d.paint(res.Verdict.String(), verdict[res.Verdict], color.Bold), e.Name)
	if p.Name != "" {
		fmt.Fprintf(d.out, "  %s", d.paint(p.Name, color.Bold))
	}
	fmt.Fprintf(d.out, "  %s\n", p.Source)
	why := fmt.Sprintf("engine %s, fragment %s", d.engineOf(res), res.Class.Fragment)
	if d.person {
		why += fmt.Sprintf(", %s", elapsed.Round(100*time.Microsecond))
	}
	if res.Reason != "" {
		why = res.Reason + " (" + why + ")"
	}
	fmt.Fprintf(d.out, "         %s\n", d.paint(why, color.Faint))
	if res.Evidence == nil || !d.cli.Bool("witness") && !d.person {
		return
	}
	t := &teller{session: d.session, c: e.Computation, indent: "  "}
	t.tell(res.Evidence)
}

// teller prints evidence as tables.
type teller struct {
	*session
	c      *graphs.Computation
	indent string
}

func (t *teller) line(format string, args ...any) {
	fmt.Fprintf(t.out, t.indent+format+"\n", args...)
}

func (t *teller) tell(e *rctl.Evidence) {
	interest := newInterest(t.c, e.Formula)
	where := "to this cut"
	switch {
	case len(e.Run) == 0:
		where = "at this cut already"
	case e.Whole:
		where = "to the end"
	}
	t.line("%s: %s", t.paint(abbreviate(e.Formula.String()), color.Bold), sentence(e, where))
	t.table(e, interest)
	t.line("cut %s", t.cut(e.Start, e.Cut))
	for _, v := range interest.describe(e.Start, e.Cut) {
		t.line("    %s", v)
	}
	deeper := &teller{t.session, t.c, t.indent + "  "}
	for _, child := range e.Children {
		deeper.tell(child)
	}
}

func sentence(e *rctl.Evidence, where string) string {
	n := len(e.Run)
	if n == 0 {
		return where
	}
	s := fmt.Sprintf("a run of %d events %s", n, where)
	if n == 1 {
		s = "one event " + where
	}
	if e.Nearer {
		s += " (a shorter one may exist)"
	}
	return s
}

// mostRows bounds the table of a run; what is left out is counted.
const mostRows = 40

// table shows the events of the run that matter to the formula, and its last.
func (t *teller) table(e *rctl.Evidence, interest *interest) {
	type row struct {
		number int // 0 for events left out
		text   string
	}
	var rows []row
	skipped := 0
	skip := func() {
		if skipped > 0 {
			verb := "change"
			if skipped == 1 {
				verb = "changes"
			}
			rows = append(rows, row{0, fmt.Sprintf("%s that %s nothing in it", plural(skipped, "event"), verb)})
			skipped = 0
		}
	}
	for i, event := range e.Run {
		change := interest.changes(event)
		if change == "" && i < len(e.Run)-1 {
			skipped++
			continue
		}
		skip()
		id := t.c.ID(event)
		if t.c.HasID(event) {
			id += "\t" + t.c.Processes()[t.c.Process(event)]
		} else {
			id += "\t"
		}
		rows = append(rows, row{i + 1, id + "\t" + change})
	}
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		switch {
		case len(rows) > mostRows && i == mostRows/2:
			fmt.Fprintf(w, "…\t%d rows more; --json has them all\n", len(rows)-mostRows)
		case len(rows) > mostRows && i > mostRows/2 && i < len(rows)-mostRows/2:
		case r.number == 0:
			fmt.Fprintf(w, "…\t%s\n", r.text)
		default:
			fmt.Fprintf(w, "%d\t%s\n", r.number, r.text)
		}
	}
	w.Flush() //nolint:errcheck // a strings.Builder takes everything
	for l := range strings.Lines(b.String()) {
		t.line("    %s", strings.TrimRight(l, " \n"))
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mostProcesses bounds the processes that are listed of a cut; where there are
// more, those are listed that took part in the run.
const mostProcesses = 12

func (t *teller) cut(start, cut graphs.Cut) string {
	var parts []string
	left := 0
	for p, name := range t.c.Processes() {
		if len(cut) > mostProcesses && cut[p] == start[p] || len(parts) == mostProcesses {
			left++
			continue
		}
		parts = append(parts, fmt.Sprintf("%s:%d", name, cut[p]))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("… %d processes more", left))
	}
	return strings.Join(parts, " ")
}

// interest is what a formula speaks of.
type interest struct {
	c         *graphs.Computation
	variables []*graphs.Variable
	sets      map[*graphs.Variable]map[graphs.Event]int // of shared ones: the assignment of each event
	channels  []channel
}

type channel struct {
	from, to     int
	sends, recvs []graphs.Event
}

func newInterest(c *graphs.Computation, f *syntax.Formula) *interest {
	in := &interest{c: c, sets: make(map[*graphs.Variable]map[graphs.Event]int)}
	syntax.Walk(f, func(f *syntax.Formula) bool {
		if f.Op == syntax.OpAtom {
			syntax.WalkExpr(f.Expr, in.note)
		}
		return true
	})
	slices.SortStableFunc(in.variables, func(v, w *graphs.Variable) int { return v.Process - w.Process })
	return in
}

func (in *interest) note(e *syntax.Expr) {
	switch e.Op {
	case syntax.ExprVar:
		v := in.c.Variable(e.Owner, e.Text)
		if v == nil || slices.Contains(in.variables, v) {
			return
		}
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

// changes tells what event does to what the formula speaks of.
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
				parts = append(parts, fmt.Sprintf("sends %s to %s", plural(n, "message"), in.c.Processes()[ch.to]))
			}
		}
		if p == ch.to {
			if n := count(ch.recvs, event); n > 0 {
				parts = append(parts, fmt.Sprintf("receives %s from %s", plural(n, "message"), in.c.Processes()[ch.from]))
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

// count tells how often e stands in sorted events.
func count(events []graphs.Event, e graphs.Event) int {
	first, _ := slices.BinarySearch(events, e)
	next, _ := slices.BinarySearch(events, e+1)
	return next - first
}

// mostValues bounds the values that are listed of a cut.
const mostValues = 24

// describe lists the values at a cut, several a line; where there are too many,
// those that were assigned since start come first.
func (in *interest) describe(start, cut graphs.Cut) []string {
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
	var lines []string
	line := ""
	for _, v := range values {
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

// abbreviate shortens a formula that would fill a screen, as those do that a
// quantifier over many processes stands for.
func abbreviate(formula string) string {
	const most = 300
	if runes := []rune(formula); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return formula
}
