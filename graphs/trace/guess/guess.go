package guess

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
)

// Mapping returns the text of a mapping for a log, and closes the source. Errors are
// *trace.Error or the error of ctx.
//
// The time complexity of Mapping is O(bytes of the sample + fields² · records).
func Mapping(ctx context.Context, source *trace.Source) (string, error) {
	all, files, err := read(ctx, source)
	if err != nil {
		return "", err
	}
	groups, left := divide(all, files, source.Directory())
	empty := func(g *guesser) bool { return len(g.records) == 0 && len(groups) > 1 }
	groups = slices.DeleteFunc(groups, empty)
	for _, g := range groups {
		g.process()
		g.clock()
		if g.labelAt = g.labelField(); g.labelAt != "" {
			st := g.stats[g.labelAt]
			g.say(`"label": `+literal(g.labelAt), "label: "+g.share(st)+", with "+st.count())
		}
	}
	if len(groups) > 1 {
		passages(groups, inTime(groups))
	} else {
		groups[0].messages()
	}
	for _, g := range groups {
		g.variables()
	}
	text := write(groups, left)
	// A guess that package mapped refuses would be of no use to anyone, so the text is parsed
	// once. An error here is a bug of this package, or a name in the log that no mapping can
	// express.
	if _, err := mapped.Parse("the mapping that was guessed", []byte(text)); err != nil {
		return "", err
	}
	return text, nil
}

// divide returns a guesser, with statistics and times, for all lines, or one for the logs of each
// form if more than 1 % of the lines are not of the form of most. Logs in which each line names its
// fields are of one form if their times and labels have the same names. Left are the files of no
// known form; where these have most of the lines, all lines are texts.
func divide(all []line, files []string, directory bool) (groups []*guesser, left []string) {
	whole := newGuesser(all, files, directory)
	logs := byLog(all, files)
	if len(logs) == 1 {
		return []*guesser{whole}, nil
	}
	one := 100*whole.unfit <= whole.lines
	var parts [][]line
	known := 0 // lines of files of a known form
	for _, lines := range logs {
		g := newGuesser(lines, files, directory)
		if g.form.name == textForm {
			left = append(left, files[lines[0].file])
			continue
		}
		known += len(lines)
		at := slices.IndexFunc(groups, func(h *guesser) bool {
			return h.form.line == g.form.line && h.timeAt == g.timeAt && h.layout == g.layout &&
				h.labelField() == g.labelField()
		})
		if at < 0 {
			groups, parts = append(groups, g), append(parts, lines)
			one = one && (len(groups) == 1 || g.form.pattern != nil)
			continue
		}
		parts[at] = append(parts[at], lines...)
	}
	// Any line is a text: that all are one says nothing, unless most of them are no more.
	if whole.form.name == textForm {
		one = 2*known < len(all)
	}
	if one || len(groups) < 2 && left == nil || len(groups) == 0 {
		return []*guesser{whole}, nil
	}
	for i, lines := range parts {
		groups[i] = newGuesser(lines, files, directory)
	}
	return groups, left
}

// newGuesser returns a guesser for lines.
func newGuesser(lines []line, files []string, directory bool) *guesser {
	g := &guesser{sample: newSample(lines, files), directory: directory}
	g.used = make(map[string]bool)
	for _, r := range g.records {
		r.of = g
	}
	g.statistics()
	g.time()
	return g
}

// A guesser makes a mapping of a sample, or a source of one.
type guesser struct {
	*sample
	directory bool
	stats     map[string]*statistic
	pointers  []string // fields in order of appearance
	// as time, process, clock or part of a message; such a field is not proposed as a variable
	used map[string]bool // fields that say something other than a value

	// timeAt is a pointer and layout is "" for times that need none, in terms of package time.
	timeAt, layout string
	processAt      string // "" for the name of the file, or a constant
	fileNames      string // pattern
	labelAt        string
	wordsAt        string   // the field of words of the label
	ids            []string // fields that may be ids
	texts          []string // members of the mapping's texts
	entries        []entry  // the members of the mapping, in order
}

// An entry is a member of the mapping and the comments above it; without a text, only
// they.
type entry struct {
	comments []string
	text     string
}

// say adds a member to the mapping, with comments above it.
func (g *guesser) say(text string, comments ...string) {
	g.entries = append(g.entries, entry{comments, text})
}

// A statistic sums up the values of a field.
// lines that have the field, at most one value each
type statistic struct {
	lines int
	// of the lines, those with a string; the others have a number or a boolean
	quoted  int
	values  map[string]int
	order   []string // values in order of appearance
	numbers int      // values, by line, that are numbers, true or false
}

// statistics counts the values of all fields.
func (g *guesser) statistics() {
	g.stats = make(map[string]*statistic)
	for _, r := range g.records {
		// Maps have no order, and guesses must not vary from run to run.
		for _, p := range slices.Sorted(maps.Keys(r.fields)) {
			f, st := r.fields[p], g.stats[p]
			if st == nil {
				st = &statistic{values: make(map[string]int)}
				g.stats[p] = st
				g.pointers = append(g.pointers, p)
			}
			st.lines++
			if f.quoted {
				st.quoted++
			}
			// A string that reads as a number counts, too: it then needs "decode" in the mapping.
			if _, ok := trace.ParseNumber(f.text); ok || f.text == "true" || f.text == "false" {
				st.numbers++
			}
			if st.values[f.text]++; st.values[f.text] == 1 {
				st.order = append(st.order, f.text)
			}
		}
	}
}

// share says in how many of the lines a field is.
func (g *guesser) share(st *statistic) string {
	if st.lines == len(g.records) {
		return "in every line"
	}
	return fmt.Sprintf("in %d of %d lines", st.lines, len(g.records))
}

// count says how many values a field has.
func (st *statistic) count() string { return graphs.Plural(len(st.values), "value") }

// examples lists the values of a field with their numbers, most frequent first.
func (st *statistic) examples() string {
	const most = 4
	values := slices.Clone(st.order)
	often := func(v, w string) int { return cmp.Compare(st.values[w], st.values[v]) }
	// The sort is stable, so equally frequent values keep the order of the log and the output
	// does not depend on the iteration over a map.
	slices.SortStableFunc(values, often)
	var parts []string
	for _, v := range values[:min(len(values), most)] {
		parts = append(parts, fmt.Sprintf("%q %d", short(v), st.values[v]))
	}
	if n := len(values) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

// Telling names, the most telling first.
// A name tells more than any statistic, since logs of all origins share these few. The order
// decides between several fields of one line: a host has many processes, and a pid is reused.
var (
	timeNames    = strings.Fields("time ts @timestamp timestamp at t when date __realtime_timestamp")
	processNames = strings.Fields(`process node nid node_id nodeid host hostname server replica peer
		instance actor worker pod container service proc name unit component pid thread goroutine
		logger program client _systemd_unit syslog_identifier _hostname`)
	// Of the names of processes, those before this one mean no part of one.
	strongNames = slices.Index(processNames, "proc")
	levelNames  = strings.Fields("level severity lvl priority")
	codeNames   = strings.Fields("caller source class thread logger file line func function")
	labelNames  = strings.Fields("msg message event label text op action log")
)

// lastOf returns the last name of a pointer.
func lastOf(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// rank returns how telling the last name of a pointer is, the less the more.
func rank(pointer string, names []string) int {
	if i := slices.Index(names, strings.ToLower(lastOf(pointer))); i >= 0 {
		return i
	}
	return len(names)
}

// id matches the last name of what is an id of something that passes from process to process.
var id = lazy.Regexp(`(?i)(?:^|[/_.-])(?:id|req|request|trace|span|corr|correlation|tx|txn|session|call|order|msgid|reqid|requestid|traceid|spanid)$|(?-i:[a-z]I[dD]$)`)

// isOf reports whether the last name of a pointer is in one of lists.
func isOf(pointer string, lists ...[]string) bool {
	names := slices.Concat(lists...)
	return rank(pointer, names) < len(names)
}

// layouts are times that a mapping reads with a layout only.
var layouts = []string{
	// Layouts in terms of package time. A time without a date comes last,
	// as the first layout that reads every value wins.
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "02.01.2006 15:04:05",
	"02.01.2006 15:04", "02/Jan/2006:15:04:05 -0700", "2006/01/02 15:04:05", "060102 150405",
	"Jan _2 15:04:05", "0102 15:04:05", "15:04:05",
}

// layoutOf returns the layout of all values of a field, "" for what needs none; it is not
// ok where they are not times.
func (st *statistic) layoutOf(named bool) (layout string, ok bool) {
	// A field needs no layout if package mapped reads each value as a time by itself. A bare
	// number is ambiguous, an id as likely as a timestamp, so it counts only under a telling
	// name.
	if !slices.ContainsFunc(st.order, func(v string) bool {
		_, number := trace.ParseNumber(v)
		return mapped.Time(v) == "" || number && !named
	}) {
		return "", true
	}
	for _, layout := range layouts {
		if !slices.ContainsFunc(st.order, func(v string) bool {
			_, err := time.Parse(layout, v)
			return err != nil
		}) {
			return layout, true
		}
	}
	return "", false
}

// time guesses the field of the wall-clock time: in most lines, and all its values are times. A
// number is a time only under a telling name.
func (g *guesser) time() {
	best := -1
	for _, p := range g.pointers {
		st := g.stats[p]
		r := rank(p, timeNames)
		layout, ok := st.layoutOf(r < len(timeNames))
		// More than half of the lines must have it: a time that occurs in some messages is data of
		// the program. A strictly better rank is required, so the first of equal fields wins.
		if ok && 2*st.lines > len(g.records) && (best < 0 || r < best) {
			best = r
			g.timeAt, g.layout = p, layout
		}
	}
	if len(g.records) == 0 {
		return
	}
	if best < 0 {
		g.say("", "time: no field has times only")
		return
	}
	g.used[g.timeAt] = true
	st := g.stats[g.timeAt]
	first, last := st.order[0], st.order[len(st.order)-1]
	evidence := fmt.Sprintf("time: %s, from %q to %q", g.share(st), first, last)
	at := literal(g.timeAt)
	text := `"time": ` + at
	if g.layout != "" {
		text = fmt.Sprintf(`"time": {"fields": [%s], "layout": %s}`, at, literal(g.layout))
		evidence += "; without a zone, it is read as UTC"
	}
	g.say(text, evidence)
}

// process guesses the field of the process: in nine of ten lines, with at most half as many
// values as lines. Under a name that tells nothing it needs 2 to 64 values. A directory without
// such a field has a process in each file.
func (g *guesser) process() {
	if len(g.records) == 0 {
		return
	}
	type candidate struct {
		pointer string
		rank    int
		*statistic
	}
	var all []candidate
	for _, p := range g.pointers {
		st := g.stats[p]
		n := len(st.values)
		// One line in ten may lack the process, such as a banner at the start or a stack trace.
		// Three values are always allowed, so that a short sample is not refused.
		if g.used[p] || 10*st.lines < 9*len(g.records) || n < 1 || n > max(3, st.lines/2) {
			continue
		}
		r := rank(p, processNames)
		// A label or a level has few values, too, and would pass for a process without this.
		other := isOf(p, labelNames, levelNames)
		if r == len(processNames) && (n < 2 || n > 64 || other) {
			continue
		}
		switch {
		case r == len(processNames) && !id().MatchString(p):
			r *= 2
		case r == len(processNames): // the name is that of a request rather than of a process
			r *= 4
		case n < 2 && r < strongNames:
			r += len(processNames) // the name is that of a process, but tells nothing apart
		case n < 2:
			r += 3 * len(processNames)
		}
		all = append(all, candidate{p, r, st})
	}
	// Among equally telling names the field with the fewest values wins: it is the coarser one,
	// and a mapping that merges threads is easier to correct than one that splits a process.
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.values), len(b.values)))
	})
	// Up to three runners-up become comments, for a user who knows better.
	var others []string
	for _, c := range all[min(len(all), 1):min(len(all), 4)] {
		others = append(others, fmt.Sprintf(`or "process": %s, %s: %s`,
			literal(c.pointer), g.share(c.statistic), c.examples()))
	}
	// In a directory of several files the name of the file is better evidence than a field with
	// no telling name; a telling name beats both.
	if len(all) > 0 && (all[0].rank < 2*len(processNames) || !g.directory || len(g.files) < 2) {
		g.processAt = all[0].pointer
		g.used[g.processAt] = true
		st, at := g.stats[g.processAt], literal(g.processAt)
		if n := len(g.records) - st.lines; n > 0 {
			why := fmt.Sprintf("events: the %d lines without the process are none", n)
			g.say(fmt.Sprintf(`"events": {%s: "*"}`, at), why)
		}
		why := fmt.Sprintf("process: %s, with %s: %s", g.share(st), st.count(), st.examples())
		g.say(`"process": `+at, append([]string{why}, others...)...)
		return
	}
	names := g.names()
	if g.fileNames = pattern(names); g.fileNames != "" && g.directory {
		n, files := len(names), graphs.List(names, 4)
		why := "process: the name of the file"
		if n > 1 {
			why += fmt.Sprintf(", of which there are %d: %s", n, files)
		}
		text := fmt.Sprintf(`"process": {"file": %s}`, literal(g.fileNames))
		g.say(text, append([]string{why}, others...)...)
		return
	}
	g.say(`"process": {"constant": "log"}`,
		"process: no field names one, so all lines are of one process",
		`another is {"file": "*.log"}, the name of the file, where each process has its own`)
}

// pattern returns what the names of files have in common, with a * for what they have
// not; "" where that is nothing.
func pattern(names []string) string {
	var plain []string
	for _, n := range names {
		if n = logName(n); !slices.Contains(plain, n) {
			plain = append(plain, n)
		}
	}
	// The common beginning and the common end, which may not overlap in any name.
	first := plain[0]
	before, after := first, first
	for _, n := range plain[1:] {
		for !strings.HasPrefix(n, before) {
			before = before[:len(before)-1]
		}
		after = after[max(0, len(before)+len(after)-len(first)):]
		for !strings.HasSuffix(n[len(before):], after) {
			after = after[1:]
		}
	}
	// A single file has no other to compare with: its name without the extension varies.
	if len(plain) == 1 {
		before, after = "", first[min(len(first), max(strings.LastIndexByte(first, '.'), 1)):]
	}
	// Both are cut back to a mark, so that node1 and node10 do not lose their common "1" or
	// "node" to the pattern: the process is a whole word of the name.
	const marks = "-_. "
	before = before[:strings.LastIndexAny(before, marks)+1]
	after = strings.TrimLeftFunc(after, func(r rune) bool { return !strings.ContainsRune(marks, r) })
	// Every file must have a name left, and a * in a name would be read as a wildcard.
	for _, n := range plain {
		if len(n) <= len(before)+len(after) || strings.Contains(n, "*") {
			return ""
		}
	}
	return before + "*" + after
}

// plainName is the name of a file without the ending of compression.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// processOf returns the process of a record, "" for none.
func (g *guesser) processOf(r *record) string {
	switch {
	case g.processAt != "":
		return r.fields[g.processAt].text
	case g.fileNames != "":
		before, after, _ := strings.Cut(g.fileNames, "*")
		return strings.TrimSuffix(strings.TrimPrefix(logName(g.files[r.file]), before), after)
	}
	return "log"
}

// clock guesses the vector clock: an object of counts in nine of ten lines, with the process of
// the line among its names.
func (g *guesser) clock() {
	found := make(map[string]int)
	for _, r := range g.records {
		for p, names := range r.counts {
			if names[g.processOf(r)] {
				found[p]++
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(found)) {
		// Nine of ten lines, as for the process: the same lines may lack both.
		if 10*found[p] < 9*len(g.records) {
			continue
		}
		// The counts below the clock are no variables: the mapping reads them as a whole.
		for q := range g.stats {
			if strings.HasPrefix(q, p+"/") {
				g.used[q] = true
			}
		}
		const why = "clock: an object of counts in %d of %d lines, one of them for the process of the line"
		g.say(`"clock": `+literal(p), fmt.Sprintf(why, found[p], len(g.records)))
		return
	}
}

// labelField returns the field of the text for people, by its name.
func (g *guesser) labelField() (at string) {
	best := len(labelNames)
	for _, p := range g.pointers {
		// The text need not be in every line, but in most; the first of equally telling fields
		// wins.
		if r := rank(p, labelNames); r < best && !g.used[p] && 2*g.stats[p].lines > len(g.records) {
			best, at = r, p
		}
	}
	return at
}

// variables lists the fields left over: as variables if they change, and else as comments with
// the reason against them. At most 200 of each are listed.
func (g *guesser) variables() {
	if len(g.records) == 0 {
		return
	}
	var lines, left []string
	// names are those given so far. Two pointers may end in the same name, and the variables of a
	// mapping must differ: the second gets its whole path, and underscores as a last resort.
	names := make(map[string]bool)
	for _, p := range g.pointers {
		st := g.stats[p]
		if g.used[p] || p == g.labelAt || g.logfmt[p] {
			continue
		}
		n := len(st.values)
		last := trace.VariableName(lastOf(p))
		if names[last] {
			last = trace.VariableName(strings.ReplaceAll(p[1:], "/", "."))
		}
		for names[last] {
			last += "_"
		}
		names[last] = true
		value, options := literal(p), ""
		// Numbers in quotes are decoded, so that formulas can compare them by size.
		if st.quoted > 0 && st.numbers > 0 && st.numbers == st.lines {
			options = `, "decode": "value"`
		}
		// CSV cannot leave a cell out: an empty one means that the variable keeps its value.
		if g.form.comma != 0 && st.lines < len(g.records) {
			options += fmt.Sprintf(`, "when": {%s: {"not": ""}}`, value)
		}
		if options != "" {
			value = fmt.Sprintf(`{"at": %s%s}`, value, options)
		}
		member := literal(last) + ": " + value
		// Each case is a reason against a variable, most specific first; the user sees it and can
		// move the member. A field stays a candidate if no reason applies.
		why := ""
		switch {
		case strings.Contains(strings.ToLower(last), "timestamp"):
			why = "a time"
		case n > 1 && g.tellsProcess(p):
			why = "the same in all lines of a process"
		case n == 1 && st.lines == len(g.records):
			why = "always " + st.examples()
		case st.lines > 4 && n > st.lines*9/10 && st.numbers < st.lines:
			why = "another value on nearly each line"
		case isOf(p, levelNames, codeNames):
			why = st.examples()
		}
		if why != "" {
			left = append(left, member+"  "+why)
			continue
		}
		evidence := fmt.Sprintf("// %s, %s: %s", g.share(st), st.count(), st.examples())
		lines = append(lines, evidence+"\n    "+member)
	}
	const most = 200
	comments := []string{"variables: fields that change"}
	for _, l := range left[:min(len(left), most)] {
		comments = append(comments, "not taken: "+l)
	}
	if n := max(len(left)-most, 0) + max(len(lines)-most, 0); n > 0 {
		comments = append(comments, "not taken: "+graphs.Plural(n, "field")+" more")
		lines = lines[:min(len(lines), most)]
	}
	// With no variable a trace has no states to speak of, so the last text takes its place.
	if len(lines) == 0 {
		if g.labelAt == "" {
			g.say("", comments...)
			return
		}
		const why = "// no field looks like one: what each process said last"
		lines = []string{why + "\n    \"last\": " + literal(g.labelAt)}
	}
	g.say("\"variables\": {\n    "+strings.Join(lines, ",\n    ")+"\n  }", comments...)
}

// tellsProcess reports whether a field is in every line and always the same on a process.
func (g *guesser) tellsProcess(p string) bool {
	names := make(map[string]string)
	// One pass with the value of each process so far. A single line without the field is enough
	// to refuse: it then changes, between present and absent.
	for _, r := range g.records {
		f, ok := r.fields[p]
		process := g.processOf(r)
		if name, known := names[process]; !ok || known && name != f.text {
			return false
		}
		names[process] = f.text
	}
	return true
}

// write returns the mapping, of one guesser or of several as sources.
func write(groups []*guesser, left []string) string {
	var b strings.Builder
	if len(groups) == 1 && left == nil {
		g := groups[0]
		members := append([]entry{{[]string{
			fmt.Sprintf("Guessed from %s of a log, in this form: %s.", graphs.Plural(g.lines, "line"), g.form.name),
			"Correct what is wrong, then look at the trace with pota stats, lint and convert.",
		}, `"description": "guessed from a log"`}}, g.members()...)
		object(&b, "", members)
		return b.String() + "\n"
	}
	var sources []string
	for _, g := range groups {
		var b strings.Builder
		names := g.names()
		for i, name := range names {
			if names[i] = logName(name); plainName(name) != name {
				names[i] += "*" // the pattern matches the compressed file, too
			}
		}
		names = slices.Compact(names)
		object(&b, "    ", append([]entry{{
			[]string{fmt.Sprintf("%s of %s, in this form: %s", graphs.Plural(g.lines, "line"), graphs.List(g.names(), 4), g.form.name)},
			`"files": ` + oneOrAll(names),
		}}, g.members()...))
		sources = append(sources, "    "+b.String())
	}
	about := []string{
		"Guessed from logs of several forms.",
		"Correct what is wrong, then look at the trace with pota stats, lint and convert.",
	}
	if left != nil {
		about = append(about, "not taken: "+graphs.List(left, 10)+", of no known form")
	}
	object(&b, "", []entry{
		{about, `"description": "guessed from logs"`},
		{nil, "\"sources\": [\n" + strings.Join(sources, ",\n") + "\n  ]"},
	})
	return b.String() + "\n"
}

// members returns the members of the mapping, or of a source.
func (g *guesser) members() (entries []entry) {
	if g.form.line != "" {
		entries = append(entries, entry{text: `"line": ` + literal(g.form.line)})
	}
	// Lines of another form, such as stack traces, are skipped with their number in the comment,
	// so that a user sees how much of the log the mapping covers.
	if g.unfit > 0 {
		lines := graphs.Plural(g.unfit, "line")
		why := fmt.Sprintf("skip: %s that did not fit, this one first: %s", lines, g.firstBad)
		if 100*g.unfit > g.lines {
			why += fmt.Sprintf("; these are more than 1 %%, so write \"%d%%\" to skip them", (100*g.unfit+g.lines-1)/g.lines)
		}
		entries = append(entries, entry{[]string{why}, `"skip": true`})
	}
	// A text is declared as logfmt only if some member points into it: the declaration makes the
	// reader parse every such string.
	for _, p := range slices.Sorted(maps.Keys(g.logfmt)) {
		at := literal(p)
		below := strings.TrimSuffix(at, `"`) + "/"
		used := func(e entry) bool { return strings.Contains(e.text, below) }
		if slices.ContainsFunc(g.entries, used) {
			g.texts = append(g.texts, at+`: "logfmt"`)
		}
	}
	if len(g.texts) > 0 {
		why := []string{"texts: what strings with fields look like"}
		entries = append(entries, entry{why, `"texts": {` + strings.Join(g.texts, ", ") + "}"})
	}
	return append(entries, g.entries...)
}

// object writes an object of members, with a margin before its lines but the first.
func object(b *strings.Builder, margin string, members []entry) {
	b.WriteString("{\n")
	last := 0 // the last member
	for i, e := range members {
		if e.text != "" {
			last = i
		}
	}
	for i, e := range members {
		for _, c := range e.comments {
			// Values of the log stand in comments. Control characters and line breaks in them
			// must not end the comment, or the log could write members of the mapping.
			shown := graphs.Printable(strings.Join(strings.Fields(c), " "))
			b.WriteString(margin + "  // " + shown + "\n")
		}
		if e.text == "" {
			continue
		}
		b.WriteString(margin + "  " + strings.ReplaceAll(e.text, "\n", "\n"+margin))
		// JSON allows no comma behind the last member, although comments may follow.
		if i < last {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString(margin + "}")
}
