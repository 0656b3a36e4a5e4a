package guess

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
)

// literal returns a text, a number or a list of these as JSON, without unnecessary escapes.
func literal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // writing to a bytes.Buffer does not fail
	return strings.TrimSpace(b.String())
}

// oneOrAll returns alternatives in the form of a mapping: a single one alone, several as a list.
func oneOrAll[T any](all []T) string {
	if len(all) == 1 {
		return literal(all[0])
	}
	return literal(all)
}

// A crossing is a value of a key that occurs on one process, at the record first, and later on
// another, at second.
type crossing struct{ first, second *record }

// A link is a key of messages, with a field that distinguishes their ends.
type link struct {
	key       string // a pointer; so is by
	crossings []crossing
	values    int      // how many values the key has, including those that do not cross
	by        string   // the field that distinguishes sends from receives, "" if there is none
	sends     []string // the values of by at sends; receives has those at receives
	receives  []string
	right     int // how many crossings have a value of sends first and one of receives second
}

// messages looks for keys with values that pass from one process to another. In
//
//	{"node":"a","ev":"send","id":7}
//	{"node":"b","ev":"recv","id":7}
//	{"node":"a","ev":"send","id":8}
//	{"node":"b","ev":"recv","id":8}
//
// the key is /id: both of its values are on a first and then on b. The field /ev distinguishes the
// ends, because it is send at the first record of each crossing and recv at the second.
func (g *guesser) messages() {
	// Crossings depend on which record is first, so order the records by time if possible: in the
	// sample, the files of different processes follow each other.
	ordered := inTime([]*guesser{g})
	var found []*link
	for _, key := range g.keyFields() {
		if l := g.link(key, ordered); l != nil {
			found = append(found, l)
		}
	}
	// The best key has the greatest share of values that cross and whose ends are distinguished.
	quality := func(l *link) int {
		return 100 * l.right / len(l.crossings) * len(l.crossings) / l.values
	}
	slices.SortStableFunc(found, func(a, b *link) int {
		return cmp.Or(quality(b)-quality(a), b.values-a.values)
	})
	// Ids that pass several times, and texts for people, are less reliable, so they are considered
	// only if no field has a send and a receive for each value.
	if (len(found) == 0 || found[0].by == "") && passages([]*guesser{g}, ordered) {
		return
	}
	if len(found) == 0 {
		g.say("", "messages: no field has values that one process and later another has; "+
			"without messages, events of different processes are not ordered")
		return
	}
	best := found[0]
	crossings := len(best.crossings)
	const part = "messages: %d of %d values of %s are on one process and later on another, "
	what := fmt.Sprintf(part, crossings, best.values, best.key)
	if best.by == "" {
		g.say("", what+"but no field tells sends from receives")
		return
	}
	to := g.receiver(best)
	g.used[best.key], g.used[best.by] = true, true
	end := func(values []string) string {
		when := literal(best.by) + ": " + g.constants(best.by, values) + g.lacking(best)
		return messageEnd(when, best.key)
	}
	send := end(best.sends)
	ends := fmt.Sprintf("%s tells the ends apart in %d of %d cases", best.by, best.right, crossings)
	if to != "" {
		send += `, "to": ` + literal(to)
		ends += fmt.Sprintf("; %s there names the receiver", to)
		g.used[to] = true
	}
	x := best.crossings[0]
	what += fmt.Sprintf("for example %q (line %d, then %d)", x.first.fields[best.key].text, x.first.number, x.second.number)
	comments := []string{what, ends}
	// Two further keys become comments, because users may know that one of them is right.
	for _, l := range found[1:min(len(found), 3)] {
		comments = append(comments, fmt.Sprintf("or the key %s: %d of %d values", l.key, len(l.crossings), l.values))
	}
	g.say("\"messages\": ["+message(send, end(best.receives))+"]", comments...)
}

// keyFields returns the fields that may be the key of messages.
func (g *guesser) keyFields() (all []string) {
	for _, p := range g.pointers {
		st := g.stats[p]
		// Constants, levels, texts for people and fractional numbers, mostly durations, do not
		// identify a message.
		point := func(v string) bool { return strings.Contains(v, ".") }
		fractional := st.lines == st.numbers && st.quoted == 0 && slices.ContainsFunc(st.order, point)
		if g.used[p] || p == g.labelAt || isOf(p, levelNames) || len(st.values) < 2 || fractional {
			continue
		}
		all = append(all, p)
	}
	return all
}

// messageEnd returns an end of a message in the form of a mapping, without its closing brace.
func messageEnd(when, key string) string {
	return fmt.Sprintf(`{"when": {%s}, "key": [%s]`, when, literal(key))
}

// message returns a kind of message in the form of a mapping, from its ends without closing braces.
func message(send, receive string) string {
	return fmt.Sprintf(`{
    "send": %s},
    "receive": %s, "unsent": true}
  }`, send, receive)
}

// lacking returns another condition if some ends of messages lack the key, because the mapping
// would refuse such a line, or "" if none does.
func (g *guesser) lacking(l *link) string {
	if slices.ContainsFunc(g.records, func(r *record) bool {
		_, has := r.fields[l.key]
		by := r.fields[l.by].text
		return !has && (slices.Contains(l.sends, by) || slices.Contains(l.receives, by))
	}) {
		return ", " + literal(l.key) + `: "*"`
	}
	return ""
}

// constants returns values of a field in the form of a condition of a mapping: a single one alone,
// several as a list.
func (g *guesser) constants(pointer string, values []string) string {
	var all []any
	for _, v := range values {
		// Conditions also compare types: a quoted number does not match an unquoted one.
		if g.stats[pointer].quoted > 0 {
			all = append(all, v)
		} else {
			all = append(all, json.RawMessage(v)) // a number, true or false
		}
	}
	return oneOrAll(all)
}

// inTime returns the records of guessers, ordered by time if all have one, and by line otherwise.
func inTime(groups []*guesser) (all []*record) {
	// The map has records and not indices as keys, because the slice is being sorted.
	at := make(map[*record]time.Time)
	for _, g := range groups {
		all = append(all, g.records...)
		for _, r := range g.records {
			if t, ok := g.timeOf(r); ok {
				at[r] = t
			}
		}
	}
	// With a record without a time, the order would be partial and the sort meaningless, so the
	// order of the log remains.
	if len(at) == len(all) {
		slices.SortStableFunc(all, func(a, b *record) int { return at[a].Compare(at[b]) })
	}
	return all
}

// timeOf returns the time of a record. A number counts seconds, because any unit suffices for
// comparisons.
func (g *guesser) timeOf(r *record) (time.Time, bool) {
	text := r.fields[g.timeAt].text
	if g.layout != "" {
		t, err := time.Parse(g.layout, text)
		return t, err == nil
	}
	text = mapped.Time(text)
	if n, ok := trace.ParseNumber(text); ok {
		if !n.Float {
			return time.Unix(n.Int64(), 0), true
		}
		whole, part := math.Modf(n.Float64())
		return time.Unix(int64(whole), int64(part*1e9)), true
	}
	t, err := time.Parse(time.RFC3339, strings.Trim(text, `"`))
	return t, err == nil
}

// link returns the link of a key, or nil if less than half of the values cross, or if a value is on
// more than three lines on average and so is hardly an id.
func (g *guesser) link(key string, ordered []*record) *link {
	l := &link{key: key}
	// The earliest record with each value, nil once the value has crossed: only the first crossing
	// counts, because later records with the id are acknowledgements or retries.
	first := make(map[string]*record)
	lines := 0
	for _, r := range ordered {
		value, process := r.fields[key].text, g.processOf(r)
		if value == "" || process == "" {
			continue
		}
		lines++
		switch before, known := first[value]; {
		case !known:
			first[value] = r
		case before != nil && g.processOf(before) != process:
			first[value] = nil
			l.crossings = append(l.crossings, crossing{before, r})
		}
	}
	l.values = len(first)
	// Two crossings are the minimal evidence. At least half of the values must cross, because a
	// local id crosses only by accident. At most three lines per value rule out names and states.
	if len(l.crossings) < 2 || 2*len(l.crossings) < l.values || lines > 3*l.values {
		return nil
	}
	// A type of event has 2 to 40 values, unlike free text and ids.
	for _, p := range g.pointers {
		known := p == g.processAt || p == g.timeAt || p == key
		if n := len(g.stats[p].values); n >= 2 && n <= 40 && !known {
			l.distinguish(p)
		}
	}
	return l
}

// distinguish makes p the field that distinguishes the ends, if it is better than l.by.
func (l *link) distinguish(p string) {
	// votes counts how often each value is at the first record of a crossing, minus how often it is
	// at the second: positive for sends, negative for receives.
	votes := make(map[string]int)
	var pairs [][2]string
	for _, c := range l.crossings {
		a, aok := c.first.fields[p]
		b, bok := c.second.fields[p]
		if aok && bok {
			pairs = append(pairs, [2]string{a.text, b.text})
			votes[a.text]++
			votes[b.text]--
		}
	}
	// right counts crossings with a send first and a receive second, by these votes.
	right := 0
	for _, pair := range pairs {
		if votes[pair[0]] > 0 && votes[pair[1]] < 0 {
			right++
		}
	}
	// Nine of ten crossings must agree. Of equally good fields, the one with fewer values wins,
	// because the condition is shorter.
	fewer := len(votes) < len(l.sends)+len(l.receives)
	if right < l.right || 10*right < 9*len(l.crossings) || right == l.right && (right == 0 || !fewer) {
		return
	}
	l.by, l.right = p, right
	l.sends, l.receives = nil, nil
	for _, pair := range pairs {
		for _, v := range pair {
			// A value with 0 votes is neither.
			switch n := votes[v]; {
			case n > 0:
				l.sends = append(l.sends, v)
			case n < 0:
				l.receives = append(l.receives, v)
			}
			delete(votes, v) // each value once
		}
	}
}

// receiver returns the field that names the process of the other end at all sends, or "" if there
// is none.
func (g *guesser) receiver(l *link) string {
	// A send that names another process, or none, is a counterexample.
	for _, p := range g.pointers {
		if p == g.processAt {
			continue
		}
		other := func(c crossing) bool { return c.first.fields[p].text != g.processOf(c.second) }
		if !slices.ContainsFunc(l.crossings, other) {
			return p
		}
	}
	return ""
}
