package guess

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// A shape is the common part of texts that differ only in words with digits, in values of
// key=value, and in names of processes.
type shape struct {
	of    *guesser
	words []string // "" for a word that differs
	// The first record of the shape, for its words and the punctuation around ids.
	example *record
	same    bool // whether all lines have the text of the example
	says    int  // 1 if the text says that something is sent, -1 if received, 0 if neither
}

// text returns the shape in the form of a condition, with a * for each word that differs.
func (s *shape) text() string {
	if s.same {
		return s.example.label()
	}
	words := slices.Clone(s.words)
	for i := range words {
		words[i] = cmp.Or(words[i], "*")
	}
	return strings.Join(words, " ")
}

// label returns the text for people.
func (r *record) label() string { return r.fields[r.of.labelAt].text }

// says returns 1 if texts with these words say that something is sent, -1 if received, and 0 if
// neither.
func says(words []string) int {
	for _, word := range words {
		// Case and punctuation are ignored, as in "Sending:". The first of these words decides.
		switch _, core, _ := bare(strings.ToLower(word)); core {
		case "send", "sends", "sent", "sending":
			return 1
		case "receive", "receives", "received", "receiving", "recv", "got", "gets":
			return -1
		}
	}
	return 0
}

// A spot is a word that differs in texts of a shape, or a field of lines with such a text.
type spot struct {
	shape *shape
	at    int    // the index of the word
	field string // a pointer; "" for a word
}

// recognizable reports whether an expression can find the spot: it is a field, or a fixed word
// precedes it.
func (s spot) recognizable() bool {
	return s.field != "" || strings.Join(s.shape.words[:s.at], "") != ""
}

// A sighting is an id, with its name, at a spot of a record.
type sighting struct {
	spot
	r  *record
	id string
}

// A passage says how many ids passed from one spot to another on another process.
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

// shortNames shortens names of ids, so that variants of a name become equal.
var shortNames = strings.NewReplacer("_", "", "-", "", ".", "", "request", "req", "transaction", "tx", "correlation", "corr", "id", "")

// sightings returns the ids in a record: words with digits in the text of the label, and fields. A
// number is identified together with its name, because requests and orders may both be counted from
// 1; an id with a letter, such as q17, is the same under any name. The name of a word is the word
// before it, if that is also the name of a field.
func (g *guesser) sightings(r *record, processes, names map[string]bool) (words []string, ids []sighting) {
	sight := func(at spot, before, id string) {
		name := shortName(before)
		if !names[name] || strings.ContainsFunc(id, unicode.IsLetter) {
			name = ""
		}
		ids = append(ids, sighting{at, r, name + " " + id})
	}
	if text := r.fields[g.labelAt].text; text != "" {
		words = strings.Split(text, " ")
	}
	before := ""
	for i, word := range words {
		_, core, _ := bare(word)
		// An id has a digit and is a separate word; forms with fields handle key=value.
		value := strings.Contains(core, "=")
		id := strings.ContainsFunc(core, unicode.IsDigit) && !value
		if processes[core] || id || value {
			words[i] = ""
		}
		if id && !processes[core] {
			sight(spot{at: i}, before, core)
		}
		before = core
	}
	for _, p := range g.ids {
		if f := r.fields[p]; strings.ContainsFunc(f.text, unicode.IsDigit) && !processes[f.text] {
			sight(spot{field: p}, lastOf(p), f.text)
		}
	}
	return words, ids
}

// shortName returns the name of an id in its short form: request_id is req.
func shortName(name string) string { return shortNames.Replace(strings.ToLower(name)) }

// noIDs are names of numbers that are not ids, although several processes have equal ones.
var noIDs = strings.Fields("term epoch count total size bytes port pid status code attempt attempts line latency duration elapsed ms us ns version index thread seconds")

// passages looks for ids that pass from a line of one process to the next line with the id, of
// another process. It reports whether it has found messages. In
//
//	a: sent request 4711 to b
//	b: got request 4711
//	a: sent request 4712 to b
//	b: got request 4712
//
// there are two shapes, "sent request * to *" and "got request *". Both ids pass from the third
// word of one to the third word of the other, and the fifth word of the first names the receiver.
func passages(groups []*guesser, ordered []*record) bool {
	// Names of processes are replaced like ids: "sent to n1" and "sent to n2" are one shape.
	processes, names := make(map[string]bool), make(map[string]bool)
	for _, g := range groups {
		for _, r := range g.records {
			processes[g.processOf(r)] = true
		}
		// A field may be an id if it may be a key and has each value on few lines.
		const often = 20 // lines per value, on average
		g.ids = slices.DeleteFunc(g.keyFields(), func(p string) bool {
			st := g.stats[p]
			isTime := strings.Contains(strings.ToLower(p), "time")
			return isTime || isOf(p, codeNames, noIDs) || st.lines > often*len(st.values)
		})
		for _, p := range g.ids {
			names[shortName(lastOf(p))] = true
		}
	}
	type text struct {
		of    *guesser
		shape string
	}
	shapes := make(map[text]*shape)
	// The last record with each id: a third process with the same id forms a passage with the
	// second, not with the first.
	last := make(map[string]sighting) // by id
	lines := make(map[spot]int)       // how many lines have a value at the spot
	leaves := make(map[spot]int)      // how many of these have their value on another process next
	arrives := make(map[spot]int)     // how many had their value on another process before
	all := make(map[[2]spot]*passage)
	// In order of discovery, because the map has no order.
	var found []*passage
	for _, r := range ordered {
		g := r.of
		process := g.processOf(r)
		words, ids := g.sightings(r, processes, names)
		if process == "" || len(ids) == 0 {
			continue
		}
		name := text{g, strings.Join(words, " ")}
		s := shapes[name]
		if s == nil {
			s = &shape{of: g, words: words, example: r, same: true, says: says(words)}
			shapes[name] = s
		}
		s.same = s.same && s.example.label() == r.label()
		for _, here := range ids {
			here.shape = s
			// Read the map before this sighting replaces the earlier one.
			before := last[here.id]
			lines[here.spot]++
			last[here.id] = here
			// The ends must have texts of different shapes and be on different processes: a text
			// that all processes log about an id does not say who sent it.
			if before.r == nil || before.r.of.processOf(before.r) == process || before.shape == s {
				continue
			}
			from, to := before, here
			if from.shape.says < 0 && to.shape.says > 0 {
				from, to = to, from // the clocks are not exact enough
			}
			// Two texts that both send, or both receive, belong to two messages with one id.
			if from.shape.says < 0 || to.shape.says > 0 {
				continue
			}
			leaves[from.spot]++
			arrives[to.spot]++
			ends := [2]spot{from.spot, to.spot}
			p := all[ends]
			if p == nil {
				p = &passage{from: from.spot, to: to.spot, first: crossing{from.r, to.r}}
				all[ends] = p
				found = append(found, p)
			}
			p.ids++
		}
	}
	// A spot does not both send and receive, and most values of one spot of a passage go to the
	// other.
	found = slices.DeleteFunc(found, func(p *passage) bool {
		// The bounds: three passages, or two if a verb or a field supports the guess; three
		// quarters of the lines of the rarer end; a word before each id, because any text with a
		// number would match otherwise; at each spot, nine times as many values in one direction as
		// in the other.
		least := 3
		if p.from.shape.says != 0 || p.to.shape.says != 0 || p.from.field != "" || p.to.field != "" {
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
	// The most frequent ones first, because the earlier passage wins a conflict of kinds.
	slices.SortStableFunc(found, func(a, b *passage) int { return cmp.Compare(b.ids, a.ids) })
	// One id suffices for two texts: another id in both is redundant.
	pairs := make(map[[2]*shape]bool)
	found = slices.DeleteFunc(found, func(p *passage) bool {
		pair := [2]*shape{p.from.shape, p.to.shape}
		again := pairs[pair]
		pairs[pair] = true
		return again
	})
	// Twenty passages fill a screen with expressions. In a log with more, ids are not those of
	// messages.
	if found = found[:min(len(found), 20)]; len(found) > 0 {
		describe(groups, found, slices.Collect(maps.Values(shapes)))
	}
	return len(found) > 0
}

// A kind is a kind of message: spots with passages between them belong to one kind.
type kind struct {
	number int // the number of the kind, from 1
	sides  []*side
	vague  bool // whether some passage does not name its receiver
}

// A side has the ends of a kind of message in lines of one guesser that have the key at the same
// pointer.
type side struct {
	of      *guesser
	pointer string
	sends   bool
	ends    []spot
}

// add adds an end of a passage to its side.
func (k *kind) add(end spot, sends bool) {
	pointer := end.pointer(k.number, sends)
	at := slices.IndexFunc(k.sides, func(s *side) bool {
		return s.of == end.shape.of && s.pointer == pointer && s.sends == sends
	})
	if at < 0 {
		at = len(k.sides)
		k.sides = append(k.sides, &side{of: end.shape.of, pointer: pointer, sends: sends})
	}
	if s := k.sides[at]; !slices.Contains(s.ends, end) {
		s.ends = append(s.ends, end)
	}
}

// describe adds the messages of passages to the mappings, and the expressions for texts with their ids.
func describe(groups []*guesser, found []*passage, shapes []*shape) {
	for _, g := range groups {
		g.wordsAt = g.labelAt
		// To the mapping, a text with logfmt fields is an object already, so the words get a
		// separate group around the same text.
		if g.logfmt[g.labelAt] && slices.ContainsFunc(found, func(p *passage) bool {
			return p.from.field == "" && p.from.shape.of == g || p.to.field == "" && p.to.shape.of == g
		}) {
			g.wordsAt = "/words"
			g.form.line = strings.Replace(g.form.line, "(?<msg>.*)", "(?<msg>(?<words>.*))", 1)
		}
	}
	var kinds []*kind
	of := make(map[spot]*kind)
	var kept []*passage
	comments, expressions := make(map[*guesser][]string), make(map[*guesser][]string)
	for _, p := range found {
		// Kinds grow greedily: a passage joins the kind of either end. It is dropped if its ends
		// are of different kinds, because a key cannot belong to two kinds of messages.
		k := cmp.Or(of[p.from], of[p.to])
		if k == nil {
			k = &kind{number: len(kinds) + 1}
			kinds = append(kinds, k)
		}
		if cmp.Or(of[p.to], k) != k {
			continue
		}
		kept = append(kept, p)
		of[p.from], of[p.to] = k, k
		k.vague = k.vague || p.addressee() < 0
		k.add(p.from, true)
		k.add(p.to, false)
		shown := func(r *record) string {
			return fmt.Sprintf("%q (%s:%d)", short(r.label()), r.of.files[r.file], r.number)
		}
		what := fmt.Sprintf("messages: %s on one process and then on another, as %s, then %s",
			graphs.Plural(p.ids, "id"), shown(p.first.first), shown(p.first.second))
		for _, g := range slices.Compact([]*guesser{p.from.shape.of, p.to.shape.of}) {
			comments[g] = append(comments[g], what)
		}
	}
	for _, p := range kept {
		for _, here := range []spot{p.from, p.to} {
			if here.field != "" {
				continue
			}
			k, g := of[here], here.shape.of
			receiver := -1
			if here == p.from && !k.vague {
				receiver = p.addressee()
			}
			name := strings.TrimPrefix(here.pointer(k.number, here == p.from), g.wordsAt+"/")
			// The expression has the words up to the last one it needs, or all of them if other
			// shapes begin with the same ones.
			words := max(here.at, receiver) + 1
			begin := here.shape.words[:words]
			if slices.ContainsFunc(shapes, func(s *shape) bool {
				return s != here.shape && s.of == g && len(s.words) >= words && slices.Equal(s.words[:words], begin)
			}) {
				words = len(here.shape.words)
			}
			if e := here.expression(name, receiver, words); !slices.Contains(expressions[g], e) {
				expressions[g] = append(expressions[g], e)
			}
		}
	}
	messages, names := make(map[*guesser][]string), make(map[string]bool)
	for _, k := range kinds {
		texts := make([]string, len(k.sides))
		for i, s := range k.sides {
			texts[i] = s.text()
			if s.sends && !k.vague {
				// The mapping requires a receiver in all texts of the kind.
				texts[i] += `, "to": ` + literal(s.of.wordsAt+"/to")
			}
		}
		first := k.sides[0]
		if len(k.sides) == 2 && first.of == k.sides[1].of {
			messages[first.of] = append(messages[first.of], message(texts[0], texts[1]))
			continue
		}
		name := first.ends[0].shape.text()
		if names[name] {
			name = fmt.Sprintf("%s (%d)", name, k.number)
		}
		names[name] = true
		for i, s := range k.sides {
			end := fmt.Sprintf(`"send": %s}}`, texts[i])
			if !s.sends {
				end = fmt.Sprintf(`"receive": %s, "unsent": true}}`, texts[i])
			}
			messages[s.of] = append(messages[s.of], fmt.Sprintf("\n    {\"kind\": %s, %s", literal(name), end))
		}
	}
	for _, g := range groups {
		// Longer expressions first, because the mapping uses the first that matches, and a longer
		// one is more specific.
		list := expressions[g]
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		for i, e := range list {
			list[i] = "    " + literal(e)
		}
		if list != nil {
			g.texts = append(g.texts, literal(g.wordsAt)+": [\n"+strings.Join(list, ",\n")+"\n  ]")
		}
		if messages[g] != nil {
			list := "[" + strings.Join(messages[g], ", ") + "]"
			if strings.HasPrefix(list, "[\n") {
				list = strings.ReplaceAll(strings.TrimSuffix(list, "]"), ", \n", ",\n") + "\n  ]"
			}
			g.say(`"messages": `+list, comments[g]...)
		}
	}
}

// text returns the end of a message in the form of a mapping, without its closing brace. For a
// word, its group is the condition, because only texts of its shapes have it; for a field, the
// condition has the texts.
func (s *side) text() string {
	when := literal(s.pointer) + `: "*"`
	if s.ends[0].field != "" && s.of.labelAt != "" {
		var texts []string
		for _, e := range s.ends {
			texts = append(texts, e.shape.text())
		}
		label := literal(s.of.labelAt) + ": " + oneOrAll(texts)
		// A line with the text may lack the field, which the mapping would require.
		if when = label + ", " + when; !slices.ContainsFunc(s.of.records, func(r *record) bool {
			_, has := r.fields[s.pointer]
			return !has && slices.ContainsFunc(texts, func(t string) bool { return trace.Match(t, r.label(), false) })
		}) {
			when = label
		}
	}
	return messageEnd(when, s.pointer)
}

// pointer returns the pointer to the id at a spot of a kind of message. For words it ends in sent
// or received, then sent2 or received2, because names of groups must be unique within a mapping.
func (s spot) pointer(kind int, sends bool) string {
	if s.field != "" {
		return s.field
	}
	name := "received"
	if sends {
		name = "sent"
	}
	if kind > 1 {
		name += fmt.Sprint(kind)
	}
	return s.shape.of.wordsAt + "/" + name
}

// addressee returns the index of the word in the texts of the first spot of a passage that names
// the process of the second, or -1 if there is none.
func (p *passage) addressee() int {
	from := p.first.first
	if p.from.field != "" {
		return -1
	}
	for i, word := range strings.Split(from.label(), " ") {
		// The word must differ between texts, so that it does not name the other process by
		// accident.
		_, core, _ := bare(word)
		if p.from.shape.words[i] == "" && core == p.first.second.of.processOf(p.first.second) {
			return i
		}
	}
	return -1
}

// expression returns a regular expression for texts with the id at a spot, up to the given number
// of words. receiver is the index of the word that names the receiver, or -1 if there is none.
func (s spot) expression(name string, receiver, words int) string {
	text := strings.Split(s.shape.example.label(), " ")
	var parts []string
	for i, word := range s.shape.words[:words] {
		before, _, after := bare(text[i])
		// A group extends to the next space, or to the punctuation after the word.
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
		// Another word that differs matches anything without a space; an empty word, between two
		// spaces, matches itself.
		case word == "" && text[i] != "":
			parts = append(parts, `\S+`)
		default:
			parts = append(parts, regexp.QuoteMeta(word))
		}
	}
	return "^" + strings.Join(parts, " ")
}

// short shortens a text for a comment.
func short(text string) string { return graphs.Shorten(text, 40) }
