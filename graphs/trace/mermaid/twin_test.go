package mermaid_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
	"github.com/pota-project/pota/graphs/trace/native"
)

// straight draws a diagram without blocks, one statement per line.
func straight(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	who := func() string { return pick("A", "B", "C", "Dora", "e_1") }
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for range r.IntN(3) {
		fmt.Fprintf(&b, "%s %s%s\n", pick("participant", "actor"), who(), pick("", " as Alias", " as A->>B"))
	}
	fmt.Fprintf(&b, "A->>B: first\n")
	for range r.IntN(20) {
		from, to := who(), who()
		switch r.IntN(8) {
		case 0:
			b.WriteString(pick("%% A->>B: no\n", "autonumber\n", "\n", "Note over A: a comment\n", "title A->>B: no\n"))
		case 1:
			fmt.Fprintf(&b, "Note over %s: x = %d\n", pick(from, from+","+to), r.IntN(5))
		case 2:
			fmt.Fprintf(&b, "Note %s %s: up = %s, s = %s\n", pick("left of", "right of", "over"), from, pick("true", "false"), pick("red", `"a b"`, "n-1"))
		case 3:
			fmt.Fprintf(&b, "%s%s+%s: on\n", from, pick("->>", "-->", "-)"), to)
		case 4:
			fmt.Fprintf(&b, "%s %s - %s: off\n", from, pick("->>", "-->>", "--)", "-x"), to)
		default:
			fmt.Fprintf(&b, "%s%s%s%s%s: %s\n", from, pick("", " "), pick("->", "-->", "->>", "-->>", "-x", "--x", "-)", "--)", "<<->>", "<<-->>"), pick("", " "), to, pick("hello", "x = 1", "é è"))
		}
	}
	return b.String()
}

var (
	declares = regexp.MustCompile(`^(?:participant|actor) (\w+)`)
	sends    = regexp.MustCompile(`^(\w+) ?(<<--?>>|--?>>?|--?x|--?\)) ?[+-]? ?(\w+): (.*)$`)
	assigns  = regexp.MustCompile(`^Note (?:over|left of|right of) (\w+)(?:,(\w+))?: (\w+ = .*)$`)
)

// twin translates a straight diagram to a native trace, one expression per line.
func twin(text string) string {
	var order []string
	inits := make(map[string]map[string]any)
	var lines []map[string]any
	seen := func(p string) {
		if inits[p] == nil {
			inits[p] = map[string]any{}
			order = append(order, p)
		}
	}
	event := func(p, label string) map[string]any {
		seen(p)
		e := map[string]any{"process": p, "label": label}
		lines = append(lines, e)
		return e
	}
	messages, syncs := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := declares.FindStringSubmatch(line); m != nil {
			seen(m[1])
		} else if m := sends.FindStringSubmatch(line); m != nil {
			a, arrow, b, label := m[1], m[2], m[3], m[4]
			s := event(a, label)
			seen(b)
			if a != b {
				if arrow[0] == '<' {
					syncs++
					r := event(b, label)
					s["sync"], r["sync"] = fmt.Sprint("s", syncs), fmt.Sprint("s", syncs)
				} else {
					messages++
					s["send"] = fmt.Sprint("m", messages)
					if strings.HasSuffix(arrow, "x") {
						s["to"] = b
					} else {
						event(b, label)["recv"] = s["send"]
					}
				}
			}
		} else if m := assigns.FindStringSubmatch(line); m != nil {
			set := make(map[string]any)
			zero := make(map[string]any)
			for _, part := range strings.Split(m[3], ", ") {
				name, value, _ := strings.Cut(part, " = ")
				switch {
				case name == "x":
					set[name], zero[name] = json.Number(value), 0
				case name == "up":
					set[name], zero[name] = value == "true", false
				default:
					set[name], zero[name] = strings.Trim(value, `"`), ""
				}
			}
			over := []string{m[1]}
			seen(m[1])
			if m[2] != "" && m[2] != m[1] {
				over = append(over, m[2])
				syncs++
			}
			for _, p := range over {
				e := event(p, m[3])
				e["set"] = set
				if len(over) == 2 {
					e["sync"] = fmt.Sprint("s", syncs)
				}
				for name, x := range zero {
					inits[p][name] = x
				}
			}
		} else if strings.HasPrefix(line, "Note") {
			seen("A")
		}
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	for _, p := range order {
		encoder.Encode(map[string]any{"process": p, "init": inits[p]})
	}
	for _, e := range lines {
		encoder.Encode(e)
	}
	return out.String()
}

// readNative reads a native trace.
func readNative(t testing.TB, text string) *graphs.Computation {
	t.Helper()
	c, err := native.ReadFile(context.Background(), write(t, "x.jsonl", text), trace.Options{Names: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// canonical describes a computation in an order that is independent of that of its variables and
// messages.
func canonical(c *graphs.Computation) string {
	lines := describe(c)
	slices.Sort(lines)
	return strings.Join(append(slices.Clone(c.Processes()), lines...), "\n")
}

func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range graphtest.Rounds(t, 200) {
		text := straight(r)
		c := readAll(t, text)[0].Computation
		got, want := canonical(c), canonical(readNative(t, twin(text)))
		if got != want {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", text, got, want)
		}
	}
}

// level draws a computation in which each message is received at once, as in every diagram.
func level(r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	n := 1 + r.IntN(4)
	for p := range n {
		b.Process(fmt.Sprint("P", p))
		if r.IntN(2) == 0 {
			b.Init(b.Variable(p, "x"), graphs.Int(int64(r.IntN(3))))
		}
	}
	event := func(p int) graphs.Handle {
		h := b.Event(p)
		b.SetLabel(h, fmt.Sprint("event ", h))
		return h
	}
	for range r.IntN(20) {
		p, q := r.IntN(n), r.IntN(n)
		switch k := r.IntN(5); {
		case k == 0:
			h := b.Event(p)
			x := r.IntN(4)
			b.SetLabel(h, fmt.Sprint("x = ", x))
			b.Set(b.Variable(p, "x"), h, graphs.Int(int64(x)))
		case p == q:
			event(p)
		case k == 1:
			b.Deliver(b.NewMessage(""), event(p), graphs.NoHandle, q)
		case k == 2:
			h := event(p)
			g := b.Event(q)
			b.SetLabel(g, fmt.Sprint("event ", h))
			b.Sync(h, g)
		default:
			h := event(p)
			g := b.Event(q)
			b.SetLabel(g, fmt.Sprint("event ", h))
			b.Deliver(b.NewMessage(""), h, g, -1)
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// print writes a computation as a diagram.
func print(c *graphs.Computation) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for p, name := range c.Processes() {
		fmt.Fprintf(&b, "participant %s\n", name)
		if v := c.Variable(p, "x"); v != nil {
			fmt.Fprintf(&b, "Note over %s: initially x = %v\n", name, v.Init)
		}
	}
	partner := make(map[graphs.Event]graphs.Event)
	arrow := make(map[graphs.Event]string)
	for _, m := range c.Messages() {
		if m.Recv == graphs.Bottom {
			arrow[m.Send] = fmt.Sprintf("%s-x%s", c.Processes()[c.Process(m.Send)], c.Processes()[m.To])
			continue
		}
		partner[m.Send], partner[m.Recv] = m.Recv, m.Send
		arrow[m.Send] = fmt.Sprintf("%s->>%s", c.Processes()[c.Process(m.Send)], c.Processes()[c.Process(m.Recv)])
	}
	for _, tied := range c.Syncs() {
		partner[tied[0]], partner[tied[1]] = tied[1], tied[0]
		arrow[tied[0]] = fmt.Sprintf("%s<<->>%s", c.Processes()[c.Process(tied[0])], c.Processes()[c.Process(tied[1])])
	}
	next := make([]int, c.NumProcesses())
	for moved := true; moved; {
		moved = false
		for p := range next {
			for next[p] < c.Len(p) {
				e := c.Event(p, next[p]+1)
				f, two := partner[e]
				if two && next[c.Process(f)]+1 != c.Position(f) {
					break
				}
				line := arrow[e]
				if two && line == "" {
					line, e, f = arrow[f], f, e
				}
				label := c.Label(e)
				switch {
				case line != "":
					fmt.Fprintf(&b, "%s: %s\n", line, label)
				case strings.HasPrefix(label, "x = "):
					fmt.Fprintf(&b, "Note over %s: %s\n", c.Processes()[p], label)
				default:
					fmt.Fprintf(&b, "%s->>%s: %s\n", c.Processes()[p], c.Processes()[p], label)
				}
				next[c.Process(e)]++
				if two {
					next[c.Process(f)]++
				}
				moved = true
			}
		}
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range graphtest.Rounds(t, 200) {
		c := level(r)
		text := print(c)
		got := canonical(readAll(t, text)[0].Computation)
		if want := canonical(c); got != want {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", text, got, want)
		}
	}
}

// outcome is one way through a diagram: the choices, the labels, and whether a break
// ended it.
type outcome struct {
	names, labels []string
	broken        bool
}

// after returns the outcomes of first, followed by those of second unless a break ended first.
func after(first, second []outcome) []outcome {
	var all []outcome
	for _, f := range first {
		if f.broken {
			all = append(all, f)
			continue
		}
		for _, s := range second {
			all = append(all, outcome{slices.Concat(f.names, s.names), slices.Concat(f.labels, s.labels), s.broken})
		}
	}
	return all
}

func named(name string, all []outcome) []outcome {
	return after([]outcome{{names: []string{name}}}, all)
}

// blocks draws a body, as text and as its outcomes.
func blocks(r *rand.Rand, depth int, inPar bool, count *int) (string, []outcome) {
	var text strings.Builder
	all := []outcome{{}}
	for range 1 + r.IntN(2) {
		*count++
		id := fmt.Sprint("c", *count)
		line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
		kind := 0
		if depth > 0 {
			kind = r.IntN(9)
		}
		sub := func(inPar bool) []outcome {
			body, outcomes := blocks(r, depth-1, inPar, count)
			text.WriteString(body)
			return outcomes
		}
		switch kind {
		case 3:
			line("alt %s", id)
			either := named(id, sub(inPar))
			line("else")
			either = append(either, named("else", sub(inPar))...)
			line("end")
			all = after(all, either)
		case 4:
			line("opt %s", id)
			all = after(all, append(named(id, sub(inPar)), outcome{names: []string{"not " + id}}))
			line("end")
		case 5:
			line("critical")
			body := sub(inPar)
			line("option %s", id)
			all = after(all, after(body, append([]outcome{{names: []string{"no option"}}}, named(id, sub(inPar))...)))
			line("end")
		case 6:
			if inPar {
				continue
			}
			line("break %s", id)
			body := named(id, sub(inPar))
			for i := range body {
				body[i].broken = true
			}
			line("end")
			all = after(all, append([]outcome{{names: []string{"not " + id}}}, body...))
		case 7:
			n := r.IntN(3)
			line("loop %d times", n)
			body := sub(false)
			line("end")
			repeated := []outcome{{}}
			for range n {
				repeated = after(repeated, body)
			}
			for i := range repeated {
				repeated[i].broken = false
			}
			all = after(all, repeated)
		case 8:
			line("par")
			body := sub(true)
			line("and")
			body = after(body, sub(true))
			line("end")
			all = after(all, body)
		default:
			line("A->>A: %s", id)
			all = after(all, []outcome{{labels: []string{id}}})
		}
	}
	return text.String(), all
}

func TestChoicesTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	several, n := 0, graphtest.Rounds(t, 200)
	for range n {
		count := 0
		text, want := blocks(r, 3, false, &count)
		text = "sequenceDiagram\nparticipant A\n" + text
		all, err := readText(t, text, trace.Options{Names: true})
		if len(want) > 1000 {
			if err == nil {
				t.Fatalf("%d executions are read", len(want))
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(all) > 1 {
			several++
		}
		var got, expected []string
		for _, x := range all {
			labels := []string{strings.Split(x.Name, " (")[0]}
			for k := range x.Computation.Len(0) {
				labels = append(labels, x.Computation.Label(x.Computation.Event(0, k+1)))
			}
			got = append(got, strings.Join(labels, " "))
		}
		for _, o := range want {
			name := strings.Join(o.names, "/")
			if len(want) == 1 {
				name = ""
			}
			expected = append(expected, strings.Join(append([]string{name}, o.labels...), " "))
		}
		if !slices.Equal(got, expected) {
			t.Fatalf("%s\ngot  %q\nwant %q", text, got, expected)
		}
	}
	if several < n/5 {
		t.Errorf("only %d diagrams with choices", several)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"twophase.mmd", "lock.mmd", "review.md"} {
		text, err := os.ReadFile(samples + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 10 {
		f.Add(straight(r))
		count := 0
		text, _ := blocks(r, 2, false, &count)
		f.Add("sequenceDiagram;" + text)
	}
	f.Add("sequenceDiagram\nparticipant A@{\"alias\":\n\"x\"} as B; create actor C; A//--C: x #35;\ndestroy C;C()<<->>()A:wrap:y<br/>\nNote over A,C: initially x = \"1\"")
	f.Add("sequenceDiagram\nA->>B: wait; then go; note that; B->>A: x;y; end\nrect a; A->>A: b; c; end")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		opts := trace.Options{Names: true}
		all, err := readText(t, text, opts)
		var e *trace.Error
		if err != nil {
			if !errors.As(err, &e) || strings.ContainsAny(e.Msg, "\r\n") || e.Line < 1 || e.Line > strings.Count(text, "\n")+1 || e.Column < 1 {
				t.Fatalf("%q", err)
			}
			return
		}
		if !strings.Contains(text, "\x00") && !mermaid.Detect([]byte(text)) {
			t.Error("read, but not detected")
		}
		again, err := readText(t, text, opts)
		if err != nil || !slices.Equal(names(all), names(again)) {
			t.Fatalf("the second time: %v, %q", err, names(again))
		}
		unique := names(all)
		slices.Sort(unique)
		if len(slices.Compact(unique)) != len(all) || len(all) > 1000 {
			t.Errorf("executions %q", names(all))
		}
		for i, x := range all[:min(len(all), 5)] {
			if x.Computation.NumEvents() > 10000 {
				break
			}
			written := inNative(t, x.Computation)
			if written != inNative(t, again[i].Computation) {
				t.Error("two readings differ")
			}
			c := readNative(t, written)
			if inNative(t, c) != written {
				t.Errorf("natively it is\n%s\nnot\n%s", inNative(t, c), written)
			}
		}
	})
}
