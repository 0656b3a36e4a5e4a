package mapped

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
)

// The twin reads a log in the obvious way: whole objects, maps, and every edge. It
// says that something is wrong, but not what or where. Clocks are objects here, of
// processes that have one field, or pairs.

type twinEvent struct {
	process  string
	position int
	label    string
	time     string
	clock    map[string]int
	line     int
	sets     []twinSet
}

type twinSet struct {
	name  string
	value any // bool, graphs number as graphs.Value, string
	add   bool
	prev  bool
}

type twinEnd struct {
	event  *twinEvent
	key    string
	to     string
	glob   bool
	unsent bool
	lost   bool
	taken  bool
	recv   *twinEvent
}

type twinLog struct {
	mapping   map[string]any
	processes []string
	events    []*twinEvent // by line
	byProcess map[string][]*twinEvent
	sends     []*twinEnd
	recvs     []*twinEnd
	edges     map[*twinEvent][]*twinEvent // direct predecessors
}

var errTwin = errors.New("wrong")

func decodeTwin(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errTwin
	}
	return nil
}

func readTwin(mapping, text string) (*twinLog, error) {
	l := &twinLog{byProcess: make(map[string][]*twinEvent), edges: make(map[*twinEvent][]*twinEvent)}
	if err := decodeTwin(mapping, &l.mapping); err != nil {
		return nil, err
	}
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var o map[string]any
		if !json.Valid([]byte(line)) || decodeTwin(line, &o) != nil || o == nil {
			return nil, errTwin
		}
		if c, ok := l.mapping["events"]; ok && !twinHolds(c, o) {
			continue
		}
		if err := l.add(n+1, o); err != nil {
			return nil, err
		}
	}
	if len(l.events) == 0 {
		return nil, errTwin
	}
	if err := l.order(); err != nil {
		return nil, err
	}
	if err := l.match(); err != nil {
		return nil, err
	}
	if l.cyclic() {
		return nil, errTwin
	}
	return l, nil
}

// twinGet follows a pointer.
func twinGet(v any, pointer string) any {
	if pointer == "" {
		return v
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch x := v.(type) {
		case map[string]any:
			v = x[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(i) != token || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

func twinHolds(condition, o any) bool {
	if list, ok := condition.([]any); ok {
		return slices.ContainsFunc(list, func(c any) bool { return twinHolds(c, o) })
	}
	for pointer, w := range condition.(map[string]any) {
		if !twinWanted(w, twinGet(o, pointer)) {
			return false
		}
	}
	return true
}

func twinWanted(w, v any) bool {
	switch w := w.(type) {
	case []any:
		return slices.ContainsFunc(w, func(x any) bool { return twinWanted(x, v) })
	case map[string]any:
		return !twinWanted(w["not"], v)
	case json.Number:
		n, ok := v.(json.Number)
		return ok && twinText(n) == twinText(w)
	case string:
		s, ok := v.(string)
		return ok && twinMatch(w, s)
	}
	return w == v
}

// twinMatch tries every text for each star.
func twinMatch(pattern, s string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	for i := len(head); i <= len(s); i++ {
		if twinMatch(tail, s[i:]) {
			return true
		}
	}
	return false
}

func twinNumber(n json.Number) (graphs.Value, bool) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return graphs.Int(i), true
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.IsInf(f, 0) {
		return graphs.Value{}, false
	}
	return graphs.Float(f), true
}

// twinText is a value as canonical JSON.
func twinText(v any) string {
	switch v := v.(type) {
	case json.Number:
		if x, ok := twinNumber(v); ok {
			return x.String()
		}
		return v.String()
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, twinText(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for name := range v {
			parts = append(parts, twinText(name)+":"+twinText(v[name]))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// twinName returns a name. ok is false if a field is not a scalar, and missing is true if a
// field does not exist.
func twinName(n, o any) (s string, glob, ok, missing bool) {
	fields, format := []any{n}, "%s"
	if m, isObject := n.(map[string]any); isObject {
		fields = m["fields"].([]any)
		if f, given := m["format"]; given {
			format = f.(string)
		}
	}
	parts := strings.Split(format, "%s")
	for i, f := range fields {
		s += strings.ReplaceAll(parts[i], "%%", "%")
		switch v := twinGet(o, f.(string)).(type) {
		case string:
			s += v
		case json.Number:
			s += v.String()
		case bool:
			s += strconv.FormatBool(v)
		default:
			return "", false, false, v == nil
		}
	}
	return s + strings.ReplaceAll(parts[len(fields)], "%%", "%"), strings.Contains(format, "*"), true, false
}

// twinLabel makes the label of a line from the fields that exist; "" if there are none. It returns
// false for an object or an array.
func twinLabel(n any, o map[string]any) (label string, ok bool) {
	fields := []any{n}
	if m, isObject := n.(map[string]any); isObject {
		fields = m["fields"].([]any)
	}
	there := maps.Clone(o)
	found := false
	for _, f := range fields {
		switch twinGet(o, f.(string)).(type) {
		case nil:
			there[strings.TrimPrefix(f.(string), "/")] = ""
		case map[string]any, []any:
			return "", false
		default:
			found = true
		}
	}
	if !found {
		return "", true
	}
	label, _, _, _ = twinName(n, there)
	return label, true
}

func (l *twinLog) add(line int, o map[string]any) error {
	e := &twinEvent{line: line}
	m := l.mapping
	process, _, ok, _ := twinName(m["process"], o)
	if !ok {
		return errTwin
	}
	e.process = process
	if n, given := m["label"]; given {
		if e.label, ok = twinLabel(n, o); !ok {
			return errTwin
		}
	}
	if p, given := m["time"]; given {
		switch t := twinGet(o, p.(string)).(type) {
		case nil:
		case json.Number:
			e.time = t.String()
		case string:
			var n json.Number
			if json.Unmarshal([]byte(t), &n) == nil && !strings.ContainsAny(t, " \n\t\r\"n") {
				e.time = t
			} else if _, err := time.Parse(time.RFC3339, t); err == nil {
				e.time = twinText(t)
			} else {
				return errTwin
			}
		default:
			return errTwin
		}
	}
	if p, given := m["clock"]; given {
		if err := l.clock(e, twinGet(o, p.(string))); err != nil {
			return err
		}
	}
	l.events = append(l.events, e)
	if l.byProcess[process] == nil {
		l.processes = append(l.processes, process)
	}
	l.byProcess[process] = append(l.byProcess[process], e)
	return errors.Join(l.messages(e, o), l.variables(e, o), l.writes(e, o))
}

func (l *twinLog) clock(e *twinEvent, v any) error {
	e.clock = make(map[string]int)
	format := "%s"
	if m, ok := l.mapping["process"].(map[string]any); ok {
		if f, given := m["format"]; given {
			format = f.(string)
		}
	}
	enter := func(keys []any, count any) error {
		n, ok := count.(json.Number)
		if !ok {
			return errTwin
		}
		x, ok := twinNumber(n)
		if !ok || x.Float || x.Int64() < 0 || x.Int64() > math.MaxInt32 {
			return errTwin
		}
		name := format
		if strings.Count(format, "%s") != len(keys) {
			if len(keys) != 1 {
				return errTwin
			}
			name = "%s"
		}
		for _, k := range keys {
			s, isString := k.(string)
			n, isNumber := k.(json.Number)
			if !isString && !isNumber {
				return errTwin
			}
			name = strings.Replace(name, "%s", s+n.String(), 1)
		}
		if x.Int64() == 0 {
			return nil
		}
		if _, twice := e.clock[name]; twice {
			return errTwin
		}
		e.clock[name] = int(x.Int64())
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for k, count := range v {
			if err := enter([]any{k}, count); err != nil {
				return err
			}
		}
	case []any:
		for _, pair := range v {
			p, ok := pair.([]any)
			if !ok || len(p) != 2 {
				return errTwin
			}
			keys, ok := p[0].([]any)
			if !ok {
				keys = p[:1]
			}
			if err := enter(keys, p[1]); err != nil {
				return err
			}
		}
	default:
		return errTwin
	}
	if e.clock[e.process] == 0 {
		return errTwin
	}
	return nil
}

// elements returns what the pointers of a rule are relative to.
func elements(rule map[string]any, o any) []any {
	if each, ok := rule["each"]; ok {
		list, _ := twinGet(o, each.(string)).([]any)
		return list
	}
	return []any{o}
}

func twinWhen(rule map[string]any, key string, o any) bool {
	c, given := rule[key]
	return !given || twinHolds(c, o)
}

func (l *twinLog) messages(e *twinEvent, o any) error {
	rules, _ := l.mapping["messages"].([]any)
	for n, r := range rules {
		rule := r.(map[string]any)
		if !twinWhen(rule, "when", o) {
			continue
		}
		for _, x := range elements(rule, o) {
			for _, kind := range []string{"send", "receive", "lost"} {
				side, given := rule[kind].(map[string]any)
				if !given || !twinWhen(side, "when", o) || !twinWhen(side, "where", x) {
					continue
				}
				end := &twinEnd{event: e, key: strconv.Itoa(n), lost: kind == "lost", unsent: side["unsent"] == true}
				for _, p := range side["key"].([]any) {
					v := twinGet(x, p.(string))
					if v == nil && !twinNull(x, p.(string)) {
						return errTwin
					}
					end.key += " " + twinText(v)
				}
				if to, given := side["to"]; given {
					s, glob, ok, missing := twinName(to, x)
					if !ok && !missing {
						return errTwin
					}
					end.to, end.glob = s, glob
				}
				if kind == "send" {
					l.sends = append(l.sends, end)
				} else {
					l.recvs = append(l.recvs, end)
				}
			}
		}
	}
	return nil
}

// twinNull reports whether a pointer leads to a null.
func twinNull(x any, pointer string) bool {
	i := strings.LastIndex(pointer, "/")
	parent, ok := twinGet(x, pointer[:i]).(map[string]any)
	if ok {
		_, ok = parent[pointer[i+1:]]
		return ok
	}
	list, ok := twinGet(x, pointer[:i]).([]any)
	n, err := strconv.Atoi(pointer[i+1:])
	return ok && err == nil && n < len(list)
}

// twinValue returns what a JSON value assigns; nil for nothing.
func twinValue(v any, tla bool) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.Number:
		x, ok := twinNumber(v)
		if !ok {
			return nil, errTwin
		}
		return x, nil
	case bool:
		return v, nil
	case string:
		if !tla {
			return v, nil
		}
		switch v {
		case "TRUE", "FALSE":
			return v == "TRUE", nil
		case "defaultInitValue":
			return nil, nil
		}
		if i, err := strconv.Atoi(v); err == nil && strconv.Itoa(i) == v {
			return graphs.Int(int64(i)), nil
		}
		if len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' && !strings.ContainsAny(v[1:len(v)-1], `\"`) {
			return v[1 : len(v)-1], nil
		}
		return v, nil
	}
	return twinText(v), nil
}

func (l *twinLog) variables(e *twinEvent, o any) error {
	variables, _ := l.mapping["variables"].(map[string]any)
	for name, v := range variables {
		rules, isList := v.([]any)
		if !isList {
			rules = []any{v}
		}
		for _, r := range rules {
			rule, ok := r.(map[string]any)
			if !ok {
				rule = map[string]any{"at": r}
			}
			if !twinWhen(rule, "when", o) {
				continue
			}
			set := twinSet{name: name}
			var err error
			if at, given := rule["at"]; given {
				set.value, err = twinValue(twinGet(o, at.(string)), rule["decode"] == "tla")
			} else if x, given := rule["add"]; given {
				set.add = true
				set.value, err = twinValue(x, false)
			} else {
				set.value, err = twinValue(rule["value"], false)
			}
			if err != nil {
				return err
			}
			if set.value != nil {
				e.sets = append(e.sets, set)
			}
			break
		}
	}
	return nil
}

func (l *twinLog) writes(e *twinEvent, o any) error {
	rules, _ := l.mapping["writes"].([]any)
	for _, r := range rules {
		rule := r.(map[string]any)
		if !twinWhen(rule, "when", o) {
			continue
		}
		for _, x := range elements(rule, o) {
			if !twinWhen(rule, "where", x) {
				continue
			}
			name, ok := twinGet(x, rule["name"].(string)).(string)
			if !ok || name == "" {
				return errTwin
			}
			if renames, ok := rule["rename"].(map[string]any); ok {
				if other, ok := renames[name]; ok {
					name = other.(string)
				}
			}
			if p, given := rule["index"]; given {
				plain := func(v any) string {
					if s, ok := v.(string); ok {
						return s
					}
					return twinText(v)
				}
				var indices []string
				switch v := twinGet(x, p.(string)).(type) {
				case nil:
				case []any:
					for _, i := range v {
						indices = append(indices, plain(i))
					}
				default:
					indices = []string{plain(v)}
				}
				own := ""
				hasOwn := false
				if p, given := rule["own"]; given {
					if v := twinGet(x, p.(string)); v != nil {
						own, hasOwn = plain(v), true
					}
				}
				if len(indices) > 0 && !(hasOwn && len(indices) == 1 && indices[0] == own) {
					name += "[" + strings.Join(indices, ",") + "]"
				}
			}
			tla := rule["decode"] == "tla"
			if p, given := rule["previous"]; given {
				v, err := twinValue(twinGet(x, p.(string)), tla)
				if err != nil {
					return err
				}
				if v != nil {
					e.sets = append(e.sets, twinSet{name: name, value: v, prev: true})
				}
			}
			v, err := twinValue(twinGet(x, rule["value"].(string)), tla)
			if err != nil {
				return err
			}
			if v != nil {
				e.sets = append(e.sets, twinSet{name: name, value: v})
			}
		}
	}
	return nil
}

// order puts the events of each process in order and collects what happened before.
func (l *twinLog) order() error {
	_, clocks := l.mapping["clock"]
	for _, p := range l.processes {
		list := l.byProcess[p]
		if clocks {
			slices.SortStableFunc(list, func(e, f *twinEvent) int { return e.clock[p] - f.clock[p] })
		}
		for i, e := range list {
			e.position = i + 1
			if clocks && e.clock[p] != i+1 {
				return errTwin
			}
			if i > 0 {
				l.edges[e] = append(l.edges[e], list[i-1])
			}
		}
	}
	for _, p := range l.processes {
		last := make(map[string]int)
		for _, e := range l.byProcess[p] {
			for q, count := range e.clock {
				if q == p {
					continue
				}
				list := l.byProcess[q]
				if count > len(list) || count < last[q] {
					return errTwin
				}
				last[q] = count
				l.edges[e] = append(l.edges[e], list[count-1])
			}
		}
	}
	return nil
}

// sequence orders the ends of each key: again and again the first in the log among
// those that come next on their processes, as seen by their key.
func sequence(ends []*twinEnd) []*twinEnd {
	var result []*twinEnd
	rest := slices.Clone(ends)
	for len(rest) > 0 {
		best := -1
		for i, x := range rest {
			next := !slices.ContainsFunc(rest, func(y *twinEnd) bool {
				return y.key == x.key && y.event.process == x.event.process && y.event.position < x.event.position
			})
			if next && (best < 0 || x.event.line < rest[best].event.line) {
				best = i
			}
		}
		result = append(result, rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	return result
}

func (l *twinLog) match() error {
	_, clocks := l.mapping["clock"]
	sends := sequence(l.sends)
	wrong := false
	for _, r := range sequence(l.recvs) {
		var got *twinEnd
		for _, s := range sends {
			known := !clocks || r.event.clock[s.event.process] >= s.event.position && r.event != s.event && !(r.event.process == s.event.process && s.event.position >= r.event.position)
			if s.key == r.key && !s.taken && known && (got == nil || s.event.line < got.event.line) {
				// of one process only the first, which clocks know first
				if !slices.ContainsFunc(sends, func(o *twinEnd) bool {
					return clocks && o.key == s.key && !o.taken && o != s && o.event.process == s.event.process && o.event.position < s.event.position
				}) {
					got = s
				}
			}
			if got != nil && !clocks {
				break
			}
		}
		switch {
		case got == nil && !r.unsent:
			wrong = true
		case got != nil:
			got.taken = true
			if !r.lost {
				got.recv = r.event
				l.edges[r.event] = append(l.edges[r.event], got.event)
			}
		}
	}
	if wrong {
		return errTwin
	}
	return nil
}

func (l *twinLog) cyclic() bool {
	state := make(map[*twinEvent]int)
	var visit func(e *twinEvent) bool
	visit = func(e *twinEvent) bool {
		switch state[e] {
		case 1:
			return true
		case 2:
			return false
		}
		state[e] = 1
		for _, f := range l.edges[e] {
			if visit(f) {
				return true
			}
		}
		state[e] = 2
		return false
	}
	return slices.ContainsFunc(l.events, visit)
}

// receiver returns the process that the name of a receiver means, "" for none.
func (l *twinLog) receiver(s *twinEnd) string {
	found := ""
	for _, p := range l.processes {
		if p == s.to && !s.glob || s.glob && twinMatch(s.to, p) {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}
