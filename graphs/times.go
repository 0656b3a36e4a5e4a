package graphs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// times holds wall-clock times as written, in 9 bytes per event: a number and the form of its text,
// from which the text can be restored. Text of another form is kept unchanged.
type times struct {
	at    []int64 // the digits of a number, or nanoseconds since 1970; nil if no event has a time
	form  []uint8 // an index into forms, from 1; 0 if there is no time, oddForm for a text in odd
	forms []timeForm
	odd   map[Event]string
}

// A timeForm says how a time was written: as a number, or as in RFC 3339.
type timeForm struct {
	calendar bool
	digits   uint8 // how many digits follow the decimal point
	zone     int16 // the zone in minutes east of Greenwich, or zuluZone for "Z"
}

const zuluZone = math.MaxInt16

const oddForm = math.MaxUint8

// set stores the text of event e, which is a Handle while a computation is being built.
func (t *times) set(e Event, text string) {
	t.grow(e)
	if text == "" {
		t.form[e] = 0
		return
	}
	if n, form, ok := parseTime(text); ok && t.put(e, n, form) {
		return
	}
	if t.odd == nil {
		t.odd = make(map[Event]string)
	}
	t.form[e], t.odd[e] = oddForm, strings.Clone(text)
}

// put stores a time of that form. It returns false if there are too many forms.
func (t *times) put(e Event, n int64, form timeForm) bool {
	i := slices.Index(t.forms, form)
	if i < 0 {
		if i = len(t.forms); i == oddForm-1 {
			return false
		}
		t.forms = append(t.forms, form)
	}
	t.at[e], t.form[e] = n, uint8(i+1)
	return true
}

// grow makes room for event e.
func (t *times) grow(e Event) {
	for int(e) >= len(t.at) {
		n := max(int(e)+1-len(t.at), len(t.at)/4)
		t.at = append(t.at, make([]int64, n)...)
		t.form = append(t.form, make([]uint8, n)...)
	}
}

// moved returns the times, which are indexed by handle, indexed by event.
func (t *times) moved(c *Computation, event func(Handle) Event) times {
	if t.at == nil {
		return times{}
	}
	return times{moved(t.at, c, event), moved(t.form, c, event), t.forms, movedMap(t.odd, event)}
}

// text returns the time of e as JSON, or "" if there is none.
func (t *times) text(e Event) string {
	if t.at == nil || t.form[e] == 0 {
		return ""
	}
	if t.form[e] == oddForm {
		return t.odd[e]
	}
	form := t.forms[t.form[e]-1]
	if form.calendar {
		return form.calendarText(t.at[e])
	}
	return form.numberText(t.at[e])
}

func (f timeForm) numberText(n int64) string {
	if f.digits == 0 {
		return strconv.FormatInt(n, 10)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	text := strconv.FormatInt(n, 10)
	if missing := int(f.digits) + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - int(f.digits)
	return sign + text[:point] + "." + text[point:]
}

func (f timeForm) calendarText(n int64) string {
	zone, layout := time.UTC, `"2006-01-02T15:04:05`
	if f.digits > 0 {
		layout += "." + strings.Repeat("0", int(f.digits))
	}
	if f.zone != zuluZone {
		zone = time.FixedZone("", 60*int(f.zone))
		layout += "-07:00"
	} else {
		layout += "Z"
	}
	return time.Unix(0, n).In(zone).Format(layout + `"`)
}

// parseTime parses a time, if text would restore it from the result.
func parseTime(text string) (int64, timeForm, bool) {
	if strings.HasPrefix(text, `"`) {
		return parseCalendar(text)
	}
	return parseDecimal(text)
}

// parseDecimal reads a number without an exponent whose digits fit into an int64.
func parseDecimal(text string) (int64, timeForm, bool) {
	digits := strings.TrimPrefix(text, "-")
	negative := len(digits) < len(text)
	n, point := uint64(0), -1
	for i := range len(digits) {
		switch d := digits[i] - '0'; {
		case d <= 9 && i < 20: // 19 digits, and a point
			n = 10*n + uint64(d)
		case digits[i] == '.' && point < 0 && i > 0:
			point = i
		default:
			return 0, timeForm{}, false
		}
	}
	whole, fraction := len(digits), 0
	if point >= 0 {
		whole, fraction = point, len(digits)-point-1
	}
	if whole == 0 || whole > 1 && digits[0] == '0' || point >= 0 && fraction == 0 ||
		whole+fraction > 19 || n > math.MaxInt64 || negative && n == 0 {
		return 0, timeForm{}, false
	}
	form := timeForm{digits: uint8(fraction)}
	if negative {
		return -int64(n), form, true
	}
	return int64(n), form, true
}

// parseCalendar reads a quoted time as in RFC 3339 between the years 1678 and 2261.
func parseCalendar(text string) (int64, timeForm, bool) {
	if len(text) < 2 || text[len(text)-1] != '"' {
		return 0, timeForm{}, false
	}
	s := text[1 : len(text)-1]
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || at.Year() < 1678 || at.Year() > 2261 {
		return 0, timeForm{}, false
	}
	// Parse also accepts these, but calendarText would not restore them.
	if s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") ||
		strings.HasSuffix(s, "-00:00") {
		return 0, timeForm{}, false
	}
	form := timeForm{calendar: true, zone: zuluZone}
	if _, fraction, ok := strings.Cut(s, "."); ok {
		digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
		if digits > 9 {
			return 0, timeForm{}, false
		}
		form.digits = uint8(digits)
	}
	if !strings.HasSuffix(s, "Z") {
		_, east := at.Zone()
		form.zone = int16(east / 60)
	}
	return at.UnixNano(), form, true
}

// A TimeError reports that the time of an event is malformed or out of range.
type TimeError struct {
	Event Event
	ID    string
	Text  string // JSON text
	Range bool   // the text is a time, but not between the years 1678 and 2261
}

func (e *TimeError) Error() string {
	if e.Range {
		return fmt.Sprintf("the time of %s, %s, is not between the years 1678 and 2261", e.ID,
			e.Text)
	}
	return fmt.Sprintf("the time of %s, %s, is neither a number nor a time as in RFC 3339", e.ID,
		e.Text)
}

// Instant returns the wall-clock time of e in nanoseconds: since 1970 for a time as in RFC 3339,
// and the product with unit, rounded down, for a number; ok is false if e has no time. Errors are
// *TimeError.
func (c *Computation) Instant(e Event, unit time.Duration) (nanoseconds int64, ok bool, err error) {
	return c.times.instant(c, e, unit)
}

// instant is Instant for one end of the intervals, the earliest or the latest times.
func (t *times) instant(c *Computation, e Event, unit time.Duration) (nanoseconds int64, ok bool, err error) {
	if t.at == nil || t.form[e] == 0 {
		return 0, false, nil
	}
	inRange, known := true, true
	if t.form[e] == oddForm {
		nanoseconds, inRange, known = oddInstant(t.text(e), unit)
	} else {
		nanoseconds, inRange = t.forms[t.form[e]-1].instant(t.at[e], unit)
	}
	if !known || !inRange {
		return 0, false, &TimeError{Event: e, ID: c.ID(e), Text: t.text(e), Range: known}
	}
	return nanoseconds, true, nil
}

// instant converts n, which parseTime returned with f, to the nanoseconds of Instant.
func (f timeForm) instant(n int64, unit time.Duration) (nanoseconds int64, inRange bool) {
	if f.calendar {
		return n, true
	}
	return scaled(n, int(f.digits), unit)
}

// ParseTime converts a time as JSON text, or the earliest time of an interval, as Instant does; ok
// is false if text is malformed, or out of range.
func ParseTime(text string, unit time.Duration) (nanoseconds int64, ok bool) {
	text, _ = cutInterval(text)
	if n, form, ok := parseTime(text); ok {
		return form.instant(n, unit)
	}
	if text == "" {
		return 0, false
	}
	nanoseconds, inRange, known := oddInstant(text, unit)
	return nanoseconds, inRange && known
}

// cutInterval returns the two ends of an interval; latest is "" for a single time.
func cutInterval(text string) (earliest, latest string) {
	from, to, ok := strings.Cut(text, ",")
	if !ok || text[0] != '[' {
		return text, ""
	}
	return from[1:], to[:len(to)-1]
}

// AddTime returns the time d after text, in the form of text: a number that counts units, a time as
// in RFC 3339, or an interval of two of these. It returns "" if text is malformed.
func AddTime(text string, d, unit time.Duration) string {
	if from, to := cutInterval(text); to != "" {
		return "[" + AddTime(from, d, unit) + "," + AddTime(to, d, unit) + "]"
	}
	n, form, ok := parseTime(text)
	switch {
	case ok && form.calendar, !ok && strings.HasPrefix(text, `"`):
		at, err := time.Parse(`"`+time.RFC3339+`"`, text)
		if err != nil {
			return ""
		}
		return at.Add(d).Format(`"` + time.RFC3339Nano + `"`)
	case ok && d > 0:
		// The sum is a whole number of nanoseconds, if it fits into an int64. Units are powers of ten.
		digits := uint8(len(strconv.FormatInt(int64(unit), 10)) - 1)
		if ns, ok := form.instant(n, unit); ok && form.digits <= digits && ns <= math.MaxInt64-int64(d) {
			sum := timeForm{digits: digits}.numberText(ns + int64(d))
			if digits > 0 {
				sum = strings.TrimSuffix(strings.TrimRight(sum, "0"), ".")
			}
			return sum
		}
	}
	sum, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 1000 {
		return ""
	}
	sum.Add(sum, big.NewRat(int64(d), int64(unit)))
	digits, _ := sum.FloatPrec() // exact
	return sum.FloatString(digits)
}

// Interval returns the earliest and the latest wall-clock time of e, in the units of Instant. They
// differ if the clock knows its error.
func (c *Computation) Interval(e Event, unit time.Duration) (from, to int64, ok bool, err error) {
	from, ok, err = c.Instant(e, unit)
	if err != nil || !ok || c.latest.at == nil || c.latest.form[e] == 0 {
		return from, from, ok, err
	}
	to, _, err = c.latest.instant(c, e, unit)
	return from, to, ok, err
}

// scaled returns n·unit/10^digits, rounded down, or false if that does not fit into an int64.
func scaled(n int64, digits int, unit time.Duration) (int64, bool) {
	negative, abs := n < 0, uint64(n)
	if negative {
		abs = -abs
	}
	power := uint64(1)
	for range digits {
		power *= 10
	}
	high, low := bits.Mul64(abs, uint64(unit))
	if high >= power {
		return 0, false
	}
	q, rest := bits.Div64(high, low, power)
	if negative && rest > 0 {
		q++
	}
	switch {
	case q > math.MaxInt64:
		return 0, false
	case negative:
		return -int64(q), true
	}
	return int64(q), true
}

// oddInstant is ParseTime for texts that parseTime rejects.
func oddInstant(text string, unit time.Duration) (nanoseconds int64, inRange, known bool) {
	if strings.HasPrefix(text, `"`) {
		var s string
		if json.Unmarshal([]byte(text), &s) != nil {
			return 0, false, false
		}
		at, err := time.Parse(time.RFC3339, s)
		return at.UnixNano(), at.Year() >= 1678 && at.Year() <= 2261, err == nil
	}
	if !json.Valid([]byte(text)) || bytes.IndexByte([]byte("-0123456789"), text[0]) < 0 {
		return 0, false, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > 1000 || math.Abs(f) > math.MaxInt64 {
		return 0, false, true
	}
	if math.Abs(f) < 1e-300 { // even if the exponent is too large to compute with
		if strings.HasPrefix(text, "-") &&
			strings.ContainsAny(strings.SplitN(strings.ToLower(text), "e", 2)[0], "123456789") {
			return -1, true, true
		}
		return 0, true, true
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false, false
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(unit)))
	floor := new(big.Int).Div(r.Num(), r.Denom())
	return floor.Int64(), floor.IsInt64(), true
}
