package guess

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
)

// A shape is what texts have in common that differ only in words with digits and in names
// of processes.
type shape struct {
	words   []string // "" for one that differs
	example *record
	says    int // 1 that something is sent, -1 that it is received, 0 neither
}

// says tells what texts with these words say.
func says(words []string) int {
	for _, word := range words {
		switch _, core, _ := bare(strings.ToLower(word)); core {
		case "send", "sends", "sent", "sending":
			return 1
		case "receive", "receives", "received", "receiving", "recv", "got", "gets":
			return -1
		}
	}
	return 0
}

// A spot is a word that differs in texts of a shape.
type spot struct {
	shape *shape
	at    int
}

// told reports whether a word before the spot tells its texts from others.
func (s spot) told() bool { return strings.Join(s.shape.words[:s.at], "") != "" }

// A sighting is a value at a spot of a record.
type sighting struct {
	spot
	r *record
}

// A role is what values at a spot do: how often they are on another process next, and how
// often they were on another process before.
type role struct{ lines, leaves, arrives int }

// A passage says how many values went from one spot to another on another process.
type passage struct {
	from, to spot
	ids      int
	first    crossing
}

// bare splits a word into its core and the punctuation around it.
func bare(word string) (before, core, after string) {
	outer := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	core = strings.TrimLeftFunc(word, outer)
	before = word[:len(word)-len(core)]
	core = strings.TrimRightFunc(core, outer)
	return before, core, word[len(before)+len(core):]
}

// words looks for ids in the texts of the label: words with digits that are in a text of one
// process and next in one of another. It reports whether it has found messages.
func (g *guesser) words(ordered []*record) bool {
	if g.labelAt == "" {
		return false
	}
	processes := make(map[string]bool)
	for i := range g.records {
		processes[g.processOf(&g.records[i])] = true
	}
	shapes := make(map[string]*shape)
	last := make(map[string]sighting) // by id
	roles := make(map[spot]*role)
	passages := make(map[[2]spot]*passage)
	var found []*passage
	for _, r := range ordered {
		text, ok := r.fields[g.labelAt]
		if !ok || g.processOf(r) == "" {
			continue
		}
		words := strings.Split(text.text, " ")
		ids := make(map[int]string)
		for i, word := range words {
			if _, core, _ := bare(word); processes[core] {
				words[i] = ""
			} else if strings.ContainsFunc(core, unicode.IsDigit) && !strings.Contains(core, "=") {
				words[i], ids[i] = "", core
			}
		}
		name := strings.Join(words, " ")
		s := shapes[name]
		if s == nil {
			s = &shape{words, r, says(words)}
			shapes[name] = s
		}
		for i := range words {
			id, ok := ids[i]
			if !ok {
				continue
			}
			here, before := spot{s, i}, last[id]
			if roles[here] == nil {
				roles[here] = &role{}
			}
			roles[here].lines++
			last[id] = sighting{here, r}
			if before.r == nil || g.processOf(before.r) == g.processOf(r) || before.shape == s {
				continue
			}
			from, to := before, last[id]
			if from.shape.says < 0 && to.shape.says > 0 {
				from, to = to, from // clocks are not that exact
			}
			if from.shape.says < 0 || to.shape.says > 0 {
				continue
			}
			roles[from.spot].leaves++
			roles[to.spot].arrives++
			p := passages[[2]spot{from.spot, to.spot}]
			if p == nil {
				p = &passage{from: from.spot, to: to.spot, first: crossing{from.r, to.r}}
				passages[[2]spot{from.spot, to.spot}] = p
				found = append(found, p)
			}
			p.ids++
		}
	}
	// What is sent at a spot is not received there, too, and most values of one of them go to the other.
	found = slices.DeleteFunc(found, func(p *passage) bool {
		from, to := roles[p.from], roles[p.to]
		n := p.ids
		least := 3
		if p.from.shape.says != 0 || p.to.shape.says != 0 {
			least = 2
		}
		return n < least || !p.from.told() || !p.to.told() || 4*n < 3*min(from.lines, to.lines) || 10*from.leaves < 9*(from.leaves+from.arrives) || 10*to.arrives < 9*(to.leaves+to.arrives)
	})
	slices.SortStableFunc(found, func(a, b *passage) int { return cmp.Compare(b.ids, a.ids) })
	if len(found) == 0 {
		return false
	}
	g.tellWords(found[:min(len(found), 20)])
	return true
}

// tellWords says what messages there are, and what texts with their ids look like.
func (g *guesser) tellWords(found []*passage) {
	at := g.labelAt
	if g.logfmt[at] {
		at = "/words"
		g.form.line = strings.Replace(g.form.line, "(?<msg>.*)", "(?<msg>(?<words>.*))", 1)
	}
	kinds := make(map[spot]int) // 1, 2, …: spots with passages between them are of a kind
	last := 0
	found = slices.DeleteFunc(found, func(p *passage) bool {
		k := cmp.Or(kinds[p.from], kinds[p.to], last+1)
		if cmp.Or(kinds[p.from], k) != cmp.Or(kinds[p.to], k) {
			return true
		}
		kinds[p.from], kinds[p.to] = k, k
		last = max(last, k)
		return false
	})
	var comments, messages, expressions []string
	named := make(map[spot]string)
	to := make(map[int]bool)
	for _, p := range found {
		k, suffix := kinds[p.from], ""
		if k > 1 {
			suffix = fmt.Sprint(k)
		}
		named[p.from], named[p.to] = "sent"+suffix, "received"+suffix
		comments = append(comments, fmt.Sprintf("messages: %s in texts of one process and then of another, as %q (line %d), then %q (line %d)",
			graphs.Plural(p.ids, "id"), short(p.first.first.fields[g.labelAt].text), p.first.first.line, short(p.first.second.fields[g.labelAt].text), p.first.second.line))
		if _, known := to[k]; !known {
			to[k] = true
		}
		to[k] = to[k] && g.addressee(p) >= 0
	}
	done := make(map[string]bool)
	for _, p := range found {
		for _, here := range []spot{p.from, p.to} {
			receiver := -1
			if here == p.from && to[kinds[p.from]] {
				receiver = g.addressee(p)
			}
			if e := here.expression(g.labelAt, named[here], receiver); !done[e] {
				done[e] = true
				expressions = append(expressions, e)
			}
		}
		if send := named[p.from]; !done[send] {
			done[send] = true
			receive := strings.Replace(send, "sent", "received", 1)
			address := ""
			if to[kinds[p.from]] {
				address = `, "to": ` + literal(at+"/to")
			}
			messages = append(messages, fmt.Sprintf("{\n    \"send\": {\"when\": {%[1]s: \"*\"}, \"key\": [%[1]s]%[3]s},\n    \"receive\": {\"when\": {%[2]s: \"*\"}, \"key\": [%[2]s], \"unsent\": true}\n  }",
				literal(at+"/"+send), literal(at+"/"+receive), address))
		}
	}
	slices.SortStableFunc(expressions, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var lines []string
	for _, e := range expressions {
		lines = append(lines, "    "+literal(e))
	}
	g.texts = append(g.texts, fmt.Sprintf("%s: [\n%s\n  ]", literal(at), strings.Join(lines, ",\n")))
	g.say("\"messages\": ["+strings.Join(messages, ", ")+"]", comments...)
}

// addressee returns the word of the texts at the first spot of a passage that names the
// process of the second, -1 for none.
func (g *guesser) addressee(p *passage) int {
	words := strings.Split(p.first.first.fields[g.labelAt].text, " ")
	for i, word := range words {
		if _, core, _ := bare(word); p.from.shape.words[i] == "" && core == g.processOf(p.first.second) {
			return i
		}
	}
	return -1
}

// expression returns what texts with the id at a spot look like, as far as the id and the
// name of the receiver, a word, -1 for none.
func (s spot) expression(label, name string, receiver int) string {
	text := strings.Split(s.shape.example.fields[label].text, " ")
	var parts []string
	for i, word := range s.shape.words[:max(s.at, receiver)+1] {
		before, _, after := bare(text[i])
		group := func(name string) string {
			if after == "" {
				return regexp.QuoteMeta(before) + `(?<` + name + `>\S+)`
			}
			return regexp.QuoteMeta(before) + `(?<` + name + `>\S+?)` + regexp.QuoteMeta(after)
		}
		switch {
		case i == s.at:
			parts = append(parts, group(name))
		case i == receiver:
			parts = append(parts, group("to"))
		case word == "" && text[i] != "":
			parts = append(parts, `\S+`)
		default:
			parts = append(parts, regexp.QuoteMeta(word))
		}
	}
	return "^" + strings.Join(parts, " ")
}

// short returns the beginning of a text.
func short(text string) string {
	const longest = 40
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
