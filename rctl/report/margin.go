package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Margin says how close a duration came to the bound in a formula about times. Times are whole
// nanoseconds.
type Margin struct {
	What     string   `json:"what"`              // slowest, fastest, longest or shortest
	Took     *int64   `json:"took_ns,omitempty"` // nil if it never ends
	Relation string   `json:"relation"`          // <=, <, >= or >
	Bound    int64    `json:"bound_ns"`
	Binding  *Binding `json:"binding,omitempty"` // the binding of the names in front of the formula
	From     *Moment  `json:"from,omitempty"`    // nil for the beginning of the trace
	To       *Moment  `json:"to,omitempty"`      // nil for its end
}

// A Moment is an event with its time in the trace and the offset to the time that yields the
// margin. The offset is nonzero if clocks may be skewed.
type Moment struct {
	Event
	// Off is how much later than Time the event happens in the case with the margin.
	Off int64 `json:"off_ns,omitempty"`
}

// String returns the event with its offset.
func (m *Moment) String() string {
	switch off := time.Duration(m.Off); {
	case off > 0:
		return m.ID + " + " + Duration(off)
	case off < 0:
		return m.ID + " - " + Duration(-off)
	}
	return m.ID
}

// Line describes the event, with its time, and its place and label if it has them.
func (m *Moment) Line() string {
	text := m.String() + "  at " + strings.Trim(string(m.Time), `"`)
	if m.File != "" {
		text += "  " + m.File + ":" + strconv.Itoa(m.Event.Line)
	}
	if m.Label != "" {
		text += "  " + strconv.Quote(m.Label)
	}
	return text
}

// String returns the margin in one line, such as
// slowest 6.5s ("r2": gateway:5 to gateway:8), bound 5s, or
// no answer ("r3": from gateway:4 on), bound 5s. It returns "" for a nil margin.
func (m *Margin) String() string {
	if m == nil {
		return ""
	}
	var took string
	switch {
	case m.Took != nil:
		took = m.What + " " + m.duration(time.Duration(*m.Took))
	case m.What == syntax.Slowest || m.What == syntax.Fastest:
		took = "no answer"
	default:
		took = "no end"
	}
	between := ""
	switch {
	case m.From != nil && m.To != nil:
		between = m.From.String() + " to " + m.To.String()
	case m.From != nil:
		between = "from " + m.From.String() + " on"
	case m.To != nil:
		between = "up to " + m.To.String()
	}
	if m.Binding != nil && !m.names(m.Binding) {
		between = strings.TrimSuffix(m.Binding.text()+": "+between, ": ")
	}
	if between != "" {
		took += " (" + between + ")"
	}
	return took + ", bound " + Duration(time.Duration(m.Bound))
}

// Moments returns a line for each event of a margin. It returns nil for a nil margin.
func (m *Margin) Moments() (lines []string) {
	if m == nil {
		return nil
	}
	for _, at := range []*Moment{m.From, m.To} {
		if at != nil {
			lines = append(lines, at.Line())
		}
	}
	return lines
}

// names reports whether each name in a binding stands for an event of the margin.
func (m *Margin) names(b *Binding) bool {
	return !slices.ContainsFunc(b.Values, func(value json.RawMessage) bool {
		var id string
		isString := json.Unmarshal(value, &id) == nil
		own := func(at *Moment) bool { return isString && at != nil && id == at.ID }
		return !own(m.From) && !own(m.To)
	})
}

// text returns the values that the names stand for.
func (b *Binding) text() string {
	texts := make([]string, len(b.Names))
	for i, name := range b.Names {
		texts[i] = string(b.Values[i])
		if len(b.Names) > 1 {
			texts[i] = name + " = " + texts[i]
		}
	}
	return strings.Join(texts, ", ")
}

// duration formats how long something took, rounded to four digits if the result still compares to
// the bound in the same way.
func (m *Margin) duration(d time.Duration) string {
	short := d
	for unit := time.Duration(10); d.Abs()/unit >= 1000; unit *= 10 {
		short = d.Round(unit)
	}
	if bound := time.Duration(m.Bound); (short < bound) == (d < bound) && (short > bound) == (d > bound) {
		d = short
	}
	return Duration(d)
}

// zeros matches zero minutes and seconds at the end of a duration.
var zeros = lazy.Regexp("([hm])(0m)?0s$")

// Duration formats a duration without zeros at its end: 2m for 2m0s.
func Duration(d time.Duration) string { return zeros().ReplaceAllString(d.String(), "$1") }
