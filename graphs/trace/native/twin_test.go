package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// The twin reads a trace the obvious way: encoding/json, maps, one pass for each
// thing, an edge for each entry of a clock. It says only that something is wrong.

// twinMember is a key with its value: a string, json.Number, bool, nil, []any or
// []twinMember.
type twinMember struct {
	key   string
	value any
}

var errTwin = errors.New("refused")

type twinEvent struct {
	process int
	handle  graphs.Handle
	members map[string]any
}

type twin struct {
	b         graphs.Builder
	lines     []map[string]any
	processes map[string]int
	events    []twinEvent
	at        map[string]graphs.Handle // process:k of every event
	ids       map[string]graphs.Handle
	shared    map[string]*graphs.Variable
}

func readTwin(text []byte) (c *graphs.Computation, err error) {
	t := &twin{
		processes: make(map[string]int), at: make(map[string]graphs.Handle),
		ids: make(map[string]graphs.Handle), shared: make(map[string]*graphs.Variable),
	}
	for _, step := range []func() error{
		func() error { return t.parse(text) }, t.kinds, t.declareShared, t.addEvents, t.variables,
		t.messages, t.after, t.clocks, t.syncs, t.edges,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return t.b.Build()
}

func (t *twin) parse(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for _, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		if !json.Valid(line) || !utf8.Valid(line) || loneSurrogate(line) {
			return errTwin
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		value, err := decode(d)
		if err != nil {
			return err
		}
		members, ok := value.([]twinMember)
		if !ok {
			return errTwin
		}
		t.lines = append(t.lines, asMap(members))
	}
	return nil
}

func asMap(members []twinMember) map[string]any {
	m := make(map[string]any)
	for _, e := range members {
		m[e.key] = e.value
	}
	return m
}

// decode decodes a value, refusing a key that stands twice.
func decode(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		members := []twinMember{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decode(d)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(members, func(m twinMember) bool { return m.key == key }) {
				return nil, errTwin
			}
			members = append(members, twinMember{key.(string), value})
		}
		_, err := d.Token()
		return members, err
	case json.Delim('['):
		values := []any{}
		for d.More() {
			value, err := decode(d)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		_, err := d.Token()
		return values, err
	}
	return token, nil
}

// loneSurrogate reports whether some escape in a line of valid JSON is half of a
// pair.
func loneSurrogate(line []byte) bool {
	high := false
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		if line[i+1] != 'u' {
			if high {
				return true
			}
			i++
			continue
		}
		n, _ := strconv.ParseUint(string(line[i+2:i+6]), 16, 32)
		i += 5
		isHigh := n >= 0xd800 && n < 0xdc00
		isLow := utf16.IsSurrogate(rune(n)) && !isHigh
		if isLow != high {
			return true
		}
		high = isHigh
	}
	return high
}

// kinds refuses lines that are of no kind.
func (t *twin) kinds() error {
	only := func(line map[string]any, keys ...string) error {
		for k := range line {
			if !slices.Contains(keys, k) {
				return errTwin
			}
		}
		return nil
	}
	for i, line := range t.lines {
		var err error
		switch {
		case line["pota"] != nil:
			f, numberErr := strconv.ParseFloat(fmt.Sprint(line["pota"]), 64)
			_, isNumber := line["pota"].(json.Number)
			if i != 0 || numberErr != nil || f != 1 || !isNumber {
				return errTwin
			}
			err = only(line, "pota")
		case line["shared"] != nil:
			err = only(line, "shared")
		case line["edge"] != nil:
			err = only(line, "edge")
		case line["init"] != nil:
			err = only(line, "process", "init")
		default:
			err = only(line, "process", "id", "set", "send", "to", "recv", "after", "sync", "clock", "label", "time")
		}
		if err != nil {
			return err
		}
		if line["shared"] == nil && line["edge"] == nil && line["pota"] == nil {
			if _, ok := line["process"].(string); !ok {
				return errTwin
			}
		}
		for _, value := range line {
			if value == nil {
				return errTwin
			}
		}
	}
	return nil
}

func (t *twin) declareShared() error {
	for _, line := range t.lines {
		if line["shared"] == nil {
			continue
		}
		vars, ok := line["shared"].([]twinMember)
		if !ok {
			return errTwin
		}
		for _, m := range vars {
			x, err := scalar(m.value)
			if err != nil || t.shared[m.key] != nil {
				return errTwin
			}
			t.shared[m.key] = t.b.Variable(graphs.Shared, m.key)
			t.b.Init(t.shared[m.key], x)
		}
	}
	return nil
}

func scalar(value any) (graphs.Value, error) {
	switch value := value.(type) {
	case bool:
		return graphs.Boolean(value), nil
	case string:
		return graphs.Str(value), nil
	case json.Number:
		if i, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return graphs.Int(i), nil
		}
		f, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.IsInf(f, 0) {
			return graphs.Value{}, errTwin
		}
		return graphs.Float(f), nil
	}
	return graphs.Value{}, errTwin
}

func (t *twin) addEvents() error {
	started := make(map[string]bool)
	for _, line := range t.lines {
		name, ok := line["process"].(string)
		if !ok {
			continue
		}
		t.processes[name] = t.b.Process(name)
		if line["init"] != nil {
			if started[name] {
				return errTwin
			}
			continue
		}
		started[name] = true
		h := t.b.Event(t.processes[name])
		t.events = append(t.events, twinEvent{t.processes[name], h, line})
		t.at[fmt.Sprintf("%s:%d", name, t.b.PositionOf(h))] = h
	}
	if len(t.processes) == 0 {
		return errTwin
	}
	return t.identify()
}

// identify gives every event its id.
func (t *twin) identify() error {
	for _, e := range t.events {
		id, err := stringOf(e.members, "id")
		if err != nil || id == "⊥" || id == "⊤" {
			return errTwin
		}
		if id == "" {
			continue
		}
		if _, ok := t.ids[id]; ok {
			return errTwin
		}
		t.ids[id] = e.handle
		t.b.SetID(e.handle, []byte(id))
	}
	for id, h := range t.at {
		if given, _ := t.events[h].members["id"].(string); given != "" {
			continue
		}
		if _, ok := t.ids[id]; ok {
			return errTwin
		}
		t.ids[id] = h
	}
	return t.people()
}

func stringOf(line map[string]any, key string) (string, error) {
	value, ok := line[key]
	if !ok {
		return "", nil
	}
	s, ok := value.(string)
	if !ok {
		return "", errTwin
	}
	return s, nil
}

// people adds labels and times.
func (t *twin) people() error {
	for _, e := range t.events {
		label, err := stringOf(e.members, "label")
		if err != nil {
			return err
		}
		if label != "" {
			t.b.SetLabel(e.handle, label)
		}
		switch at := e.members["time"].(type) {
		case nil:
		case json.Number:
			if _, err := scalar(at); err != nil {
				return err
			}
			t.b.SetTime(e.handle, string(at))
		case string:
			if _, err := time.Parse(time.RFC3339, at); err != nil {
				return errTwin
			}
			t.b.SetTime(e.handle, graphs.Str(at).String())
		default:
			return errTwin
		}
	}
	return nil
}

func (t *twin) variables() error {
	inited := make(map[*graphs.Variable]bool)
	for _, line := range t.lines {
		if line["init"] == nil {
			continue
		}
		vars, ok := line["init"].([]twinMember)
		if !ok {
			return errTwin
		}
		for _, m := range vars {
			x, err := scalar(m.value)
			if err != nil || t.shared[m.key] != nil {
				return errTwin
			}
			v := t.b.Variable(t.processes[line["process"].(string)], m.key)
			if inited[v] {
				return errTwin
			}
			inited[v] = true
			t.b.Init(v, x)
		}
	}
	for _, e := range t.events {
		if e.members["set"] == nil {
			continue
		}
		vars, ok := e.members["set"].([]twinMember)
		if !ok {
			return errTwin
		}
		for _, m := range vars {
			x, err := scalar(m.value)
			if err != nil {
				return err
			}
			v := t.shared[m.key]
			if v == nil {
				v = t.b.Variable(e.process, m.key)
			}
			if !t.b.Set(v, e.handle, x) {
				return errTwin
			}
		}
	}
	return nil
}

// stringsOf returns the value of a key that is a string or an array of strings.
func stringsOf(line map[string]any, key string) ([]string, error) {
	switch value := line[key].(type) {
	case nil:
		return nil, nil
	case string:
		return []string{value}, nil
	case []any:
		var all []string
		for _, v := range value {
			s, ok := v.(string)
			if !ok {
				return nil, errTwin
			}
			all = append(all, s)
		}
		return all, nil
	}
	return nil, errTwin
}

func (t *twin) messages() error {
	type sent struct {
		h  graphs.Handle
		to int
	}
	sends := make(map[string]sent)
	recvs := make(map[string][]graphs.Handle)
	var order []string
	for _, e := range t.events {
		to := -1
		if _, ok := e.members["to"]; ok {
			name, err := stringOf(e.members, "to")
			if err != nil {
				return errTwin
			}
			if _, known := t.processes[name]; !known {
				t.processes[name] = t.b.NewProcess(name)
			}
			to = t.processes[name]
		}
		ids, err := stringsOf(e.members, "send")
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, twice := sends[id]; twice || id == "" {
				return errTwin
			}
			sends[id] = sent{e.handle, to}
			order = append(order, id)
		}
		ids, err = stringsOf(e.members, "recv")
		if err != nil {
			return err
		}
		for _, id := range ids {
			for _, h := range recvs[id] {
				if t.b.ProcessOf(h) == e.process {
					return errTwin
				}
			}
			recvs[id] = append(recvs[id], e.handle)
		}
	}
	for id := range recvs {
		if _, ok := sends[id]; !ok {
			return errTwin
		}
	}
	for _, id := range order {
		i := t.b.NewMessage(id)
		if len(recvs[id]) == 0 {
			t.b.Deliver(i, sends[id].h, graphs.NoHandle, sends[id].to)
		}
		for _, h := range recvs[id] {
			t.b.Deliver(i, sends[id].h, h, 0)
		}
	}
	return nil
}

func (t *twin) after() error {
	for _, e := range t.events {
		ids, err := stringsOf(e.members, "after")
		if err != nil {
			return err
		}
		for _, id := range ids {
			h, ok := t.ids[id]
			if !ok {
				return errTwin
			}
			t.b.Order(h, e.handle)
		}
	}
	return nil
}

func (t *twin) clocks() error {
	type pair struct{ p, q int }
	last := make(map[pair]float64)
	names := make([]string, len(t.processes))
	for name, p := range t.processes {
		names[p] = name
	}
	for _, e := range t.events {
		if e.members["clock"] == nil {
			continue
		}
		entries, ok := e.members["clock"].([]twinMember)
		if !ok {
			return errTwin
		}
		own := false
		for _, m := range entries {
			number, ok := m.value.(json.Number)
			q, known := t.processes[m.key]
			if !ok || !known {
				return errTwin
			}
			c, err := strconv.ParseFloat(string(number), 64)
			switch {
			case err != nil || c < 0 || c != math.Trunc(c) || c > float64(t.b.Count(q)):
				return errTwin
			case c < last[pair{e.process, q}]:
				return errTwin
			}
			last[pair{e.process, q}] = c
			if q == e.process {
				own = true
				if int(c) != t.b.PositionOf(e.handle) {
					return errTwin
				}
			} else if c > 0 {
				t.b.Order(t.at[fmt.Sprintf("%s:%d", names[q], int(c))], e.handle)
			}
		}
		if !own && len(entries) > 0 {
			return errTwin
		}
	}
	return nil
}

func (t *twin) syncs() error {
	groups := make(map[string][]graphs.Handle)
	for _, e := range t.events {
		ids, err := stringsOf(e.members, "sync")
		if err != nil {
			return err
		}
		for _, id := range ids {
			for _, h := range groups[id] {
				if t.b.ProcessOf(h) == e.process {
					return errTwin
				}
			}
			groups[id] = append(groups[id], e.handle)
		}
	}
	for _, group := range groups {
		t.b.Sync(group...)
	}
	return nil
}

func (t *twin) edges() error {
	end := func(id string) (graphs.Handle, error) {
		switch id {
		case "⊥":
			return graphs.BottomHandle, nil
		case "⊤":
			return graphs.TopHandle, nil
		}
		h, ok := t.ids[id]
		if !ok {
			return 0, errTwin
		}
		return h, nil
	}
	for _, line := range t.lines {
		if line["edge"] == nil {
			continue
		}
		if _, ok := line["edge"].([]any); !ok {
			return errTwin
		}
		ids, err := stringsOf(line, "edge")
		if err != nil || len(ids) != 2 {
			return errTwin
		}
		from, err := end(ids[0])
		if err != nil {
			return err
		}
		to, err := end(ids[1])
		if err != nil {
			return err
		}
		t.b.Edge(from, to)
	}
	return nil
}

// oneLine reports whether an error is as all should be.
func oneLine(err error) bool {
	var e *trace.Error
	return errors.As(err, &e) && !strings.ContainsAny(err.Error(), "\r\n")
}
