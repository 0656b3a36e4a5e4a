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
	words []string // "" for one that differs
	// the first record of the shape, for its words and the punctuation around ids
	example *record
	says    int // 1 that something is sent, -1 that it is received, 0 neither
}

// says tells what texts with these words say.
func says(words []string) int {
	for _, word := range words {
		// Case and punctuation are ignored: "Sending:" says the same. The first of these words
		// decides.
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

// recognizable reports whether a word stands before the spot, so that an expression finds it.
func (s spot) recognizable() bool { return strings.Join(s.shape.words[:s.at], "") != "" }

// A sighting is a value at a spot of a record.
type sighting struct {
	spot
	r *record
}

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
	// Names of processes are replaced like ids: "sent to n1" and "sent to n2" are one shape.
	processes := make(map[string]bool)
	for _, r := range g.records {
		processes[g.processOf(r)] = true
	}
	shapes := make(map[string]*shape)
	// the last record with the id; a third process with the same id forms a passage with the
	// second and not with the first
	last := make(map[string]sighting) // by id
	lines := make(map[spot]int)       // with a value there
	leaves := make(map[spot]int)      // whose value is on another process next
	arrives := make(map[spot]int)     // whose value was on another process before
	passages := make(map[[2]spot]*passage)
	// in order of discovery, since the map has none
	var found []*passage
	for _, r := range ordered {
		text, ok := r.fields[g.labelAt]
		if !ok || g.processOf(r) == "" {
			continue
		}
		words := strings.Split(text.text, " ")
		ids := make([]string, len(words))
		for i, word := range words {
			_, core, _ := bare(word)
			// An id has a digit and is a word of its own; key=value is left to forms with fields.
			id := strings.ContainsFunc(core, unicode.IsDigit) && !strings.Contains(core, "=")
			if processes[core] || id {
				words[i] = ""
			}
			if id && !processes[core] {
				ids[i] = core
			}
		}
		name := strings.Join(words, " ")
		s := shapes[name]
		if s == nil {
			s = &shape{words, r, says(words)}
			shapes[name] = s
		}
		for i, id := range ids {
			if id == "" {
				continue
			}
			// The map is read before this sighting replaces the earlier one.
			here, before := spot{s, i}, last[id]
			lines[here]++
			last[id] = sighting{here, r}
			// Both ends must be in texts of different shapes and on different processes: a text
			// that all processes log about an id does not say who has sent it.
			if before.r == nil || g.processOf(before.r) == g.processOf(r) || before.shape == s {
				continue
			}
			from, to := before, last[id]
			if from.shape.says < 0 && to.shape.says > 0 {
				from, to = to, from // clocks are not that exact
			}
			// Two texts that both send, or both receive, are two messages with one id, and no
			// passage.
			if from.shape.says < 0 || to.shape.says > 0 {
				continue
			}
			leaves[from.spot]++
			arrives[to.spot]++
			ends := [2]spot{from.spot, to.spot}
			p := passages[ends]
			if p == nil {
				p = &passage{from: from.spot, to: to.spot, first: crossing{from.r, to.r}}
				passages[ends] = p
				found = append(found, p)
			}
			p.ids++
		}
	}
	// What is sent at a spot is not received there, too, and most values of one of them go to the
	// other.
	found = slices.DeleteFunc(found, func(p *passage) bool {
		// The bounds: three passages, or two where a verb supports the guess; a word before
		// either id, or any text with a number would match; three quarters of the rarer end; nine
		// tenths of each spot in one direction.
		least := 3
		if p.from.shape.says != 0 || p.to.shape.says != 0 {
			least = 2
		}
		switch {
		case p.ids < least, 4*p.ids < 3*min(lines[p.from], lines[p.to]):
			return true
		case !p.from.recognizable(), !p.to.recognizable():
			return true
		}
		return leaves[p.from] < 9*arrives[p.from] || arrives[p.to] < 9*leaves[p.to]
	})
	// The most frequent first, as a conflict of kinds is decided in favor of the earlier passage.
	slices.SortStableFunc(found, func(a, b *passage) int { return cmp.Compare(b.ids, a.ids) })
	// Twenty passages fill a screen with expressions. A log with more has ids that are no
	// messages.
	if found = found[:min(len(found), 20)]; len(found) > 0 {
		g.tellWords(found)
	}
	return len(found) > 0
}

// tellWords says what messages there are, and what texts with their ids look like.
func (g *guesser) tellWords(found []*passage) {
	at := g.labelAt
	// A text with logfmt fields is an object to the mapping already, so the words get a group of
	// their own around the same text.
	if g.logfmt[at] {
		at = "/words"
		g.form.line = strings.Replace(g.form.line, "(?<msg>.*)", "(?<msg>(?<words>.*))", 1)
	}
	kinds := make(map[spot]int) // 1, 2, …: spots with passages between them are of a kind
	last := 0
	found = slices.DeleteFunc(found, func(p *passage) bool {
		// Kinds are merged greedily: a passage joins the kind of either end. It is dropped if its
		// ends are of different kinds, since one key cannot be of two sorts of messages.
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
	vague := make(map[int]bool) // kinds with a passage that does not name its receiver
	for _, p := range found {
		// The names of a kind are sent and received, then sent2 and received2, …: names of groups
		// in expressions must be unique within a mapping.
		k, suffix := kinds[p.from], ""
		if k > 1 {
			suffix = fmt.Sprint(k)
		}
		named[p.from], named[p.to] = "sent"+suffix, "received"+suffix
		shown := func(r *record) string {
			return fmt.Sprintf("%q (line %d)", short(r.fields[g.labelAt].text), r.number)
		}
		comments = append(comments, fmt.Sprintf("messages: %s in texts of one process and then of another, as %s, then %s",
			graphs.Plural(p.ids, "id"), shown(p.first.first), shown(p.first.second)))
		vague[k] = vague[k] || g.addressee(p) < 0
	}
	// Several passages share a spot. Its expression, and the messages of its kind, are written
	// once; expressions begin with ^ and names do not, so one map serves both.
	done := make(map[string]bool)
	for _, p := range found {
		for _, here := range []spot{p.from, p.to} {
			receiver := -1
			if here == p.from && !vague[kinds[here]] {
				receiver = g.addressee(p)
			}
			if e := here.expression(g.labelAt, named[here], receiver); !done[e] {
				done[e] = true
				expressions = append(expressions, e)
			}
		}
		if send := named[p.from]; !done[send] {
			done[send] = true
			end := func(name string) string {
				return fmt.Sprintf(`{"when": {%[1]s: "*"}, "key": [%[1]s]`, literal(at+"/"+name))
			}
			address := ""
			// The mapping would ask for a receiver in all texts of the kind.
			if !vague[kinds[p.from]] {
				address = `, "to": ` + literal(at+"/to")
			}
			receive := strings.Replace(send, "sent", "received", 1)
			messages = append(messages, message(end(send)+address, end(receive)))
		}
	}
	// Longer expressions first: the mapping uses the first that matches, and a long one is more
	// specific.
	slices.SortStableFunc(expressions, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, e := range expressions {
		expressions[i] = "    " + literal(e)
	}
	g.texts = append(g.texts, literal(at)+": [\n"+strings.Join(expressions, ",\n")+"\n  ]")
	g.say("\"messages\": ["+strings.Join(messages, ", ")+"]", comments...)
}

// addressee returns the word of the texts at the first spot of a passage that names the
// process of the second, -1 for none.
func (g *guesser) addressee(p *passage) int {
	words := strings.Split(p.first.first.fields[g.labelAt].text, " ")
	for i, word := range words {
		// A word of the shape that is empty differs between texts, so it can name the other
		// process here by more than accident.
		_, core, _ := bare(word)
		if p.from.shape.words[i] == "" && core == g.processOf(p.first.second) {
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
		// A group is greedy up to the next space, or stops at the punctuation that follows the
		// word.
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
		// Another word that differs matches anything without a space; an empty word, from two
		// spaces in a row, matches itself.
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
	// Runes and not bytes are counted, so no character is cut in two.
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
