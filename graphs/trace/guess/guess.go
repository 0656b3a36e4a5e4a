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
	// Check that package mapped accepts the text. An error is a bug of this package, or due to a
	// name in the log that no mapping can express.
	if _, err := mapped.Parse("the mapping that was guessed", []byte(text)); err != nil {
		return "", err
	}
	return text, nil
}

// divide returns guessers with statistics and times: one for all lines, or one for the logs of each
// form if more than 1 % of the lines do not have the most frequent form. Logs in which each line
// names its fields have the same form if their times and labels have the same names. left has the
// files of no known form. If these have most of the lines, there is one guesser, which treats all
// lines as texts.
func divide(all []line, files []string, directory bool) (groups []*guesser, left []string) {
	whole := newGuesser(all, files, directory)
	logs := byLog(all, files)
	if len(logs) == 1 {
		return []*guesser{whole}, nil
	}
	one := 100*whole.unfit <= whole.lines
	var parts [][]line
	known := 0 // how many lines are in files of a known form
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
	// Any line is a text, so text as the common form counts only if most lines have no better one.
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

// A guesser makes a mapping, or a source of one, from a sample.
type guesser struct {
	*sample
	directory bool
	stats     map[string]*statistic
	pointers  []string // the fields in order of appearance
	// Fields used for the time, the process, the clock or messages; they are not proposed as
	// variables.
	used map[string]bool // by pointer

	// timeAt is a pointer. layout is a layout of package time, "" if the times need none.
	timeAt, layout string
	processAt      string // a pointer; "" if the process is the name of the file, or a constant
	fileNames      string // the pattern of the names of files if they name the process
	labelAt        string
	wordsAt        string   // the pointer under which expressions find words of the label
	ids            []string // the fields that may be ids
	texts          []string // the members of "texts" in the mapping
	entries        []entry  // the members of the mapping, in order
}

// An entry is a member of the mapping with the comments above it, or only comments if text is "".
type entry struct {
	comments []string
	text     string
}

// say adds a member to the mapping, with comments above it.
func (g *guesser) say(text string, comments ...string) {
	g.entries = append(g.entries, entry{comments, text})
}

// A statistic summarizes the values of a field.
type statistic struct {
	lines int // how many lines have the field, with one value each
	// How many of the lines have a string; the others have a number or a boolean.
	quoted int
	values map[string]int // how many lines have each value
	order  []string       // the values in order of appearance
	// how many lines have a value that is, or reads as, a number, true or false
	numbers int
}

// statistics counts the values of all fields.
func (g *guesser) statistics() {
	g.stats = make(map[string]*statistic)
	for _, r := range g.records {
		// Sorted, because maps have no order, and guesses must not vary from run to run.
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
			// A string that reads as a number also counts: it needs "decode" in the mapping.
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
	// The sort is stable, so equally frequent values keep the order of the log.
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

// Typical names, the most specific first. A name is better evidence than any statistic, because
// logs of all origins share these few. The order decides between several fields of one line: a host
// has many processes, and a pid is reused.
var (
	timeNames    = strings.Fields("time ts @timestamp timestamp at t when date __realtime_timestamp")
	processNames = strings.Fields(`process node nid node_id nodeid host hostname server replica peer
		instance actor worker pod container service proc name unit component pid thread goroutine
		logger program client _systemd_unit syslog_identifier _hostname`)
	// Of the names of processes, those before this one do not mean a part of a process.
	strongNames = slices.Index(processNames, "proc")
	levelNames  = strings.Fields("level severity lvl priority")
	codeNames   = strings.Fields("caller source class thread logger file line func function")
	labelNames  = strings.Fields("msg message event label text op action log")
)

// lastOf returns the last name of a pointer.
func lastOf(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// rank returns the index in names of the last name of a pointer, or len(names); a lower rank is
// better evidence.
func rank(pointer string, names []string) int {
	if i := slices.Index(names, strings.ToLower(lastOf(pointer))); i >= 0 {
		return i
	}
	return len(names)
}

// id matches the last name of an id that may pass from process to process.
var id = lazy.Regexp(`(?i)(?:^|[/_.-])(?:id|req|request|trace|span|corr|correlation|tx|txn|session|call|order|msgid|reqid|requestid|traceid|spanid)$|(?-i:[a-z]I[dD]$)`)

// isOf reports whether the last name of a pointer is in one of lists.
func isOf(pointer string, lists ...[]string) bool {
	names := slices.Concat(lists...)
	return rank(pointer, names) < len(names)
}

// layouts are forms of times for which a mapping needs a layout.
var layouts = []string{
	// Layouts of package time. A time without a date comes last, because the first layout that
	// parses every value wins.
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "02.01.2006 15:04:05",
	"02.01.2006 15:04", "02/Jan/2006:15:04:05 -0700", "2006/01/02 15:04:05", "060102 150405",
	"Jan _2 15:04:05", "0102 15:04:05", "15:04:05",
}

// layoutOf returns the layout of all values of a field, "" if they need none; ok is false if they
// are not times.
func (st *statistic) layoutOf(named bool) (layout string, ok bool) {
	// A field needs no layout if package mapped recognizes each value as a time. A bare number is
	// as likely an id as a timestamp, so it counts only under a typical name.
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

// time guesses the field of the wall-clock time: it is in most lines, and all its values are times.
// A number is a time only under a typical name.
func (g *guesser) time() {
	best := -1
	for _, p := range g.pointers {
		st := g.stats[p]
		r := rank(p, timeNames)
		layout, ok := st.layoutOf(r < len(timeNames))
		// More than half of the lines must have it: a time in a few lines is data of the program.
		// The rank must be strictly better, so the first of equal fields wins.
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

// process guesses the field of the process: in nine of ten lines, with at most half as many values
// as lines. Under another than a typical name it needs 2 to 64 values. A directory without such a
// field has a process in each file.
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
		// Three values are always allowed, for short samples.
		if g.used[p] || 10*st.lines < 9*len(g.records) || n < 1 || n > max(3, st.lines/2) {
			continue
		}
		r := rank(p, processNames)
		// Without this, a label or a level, with few values, would pass for a process.
		other := isOf(p, labelNames, levelNames)
		if r == len(processNames) && (n < 2 || n > 64 || other) {
			continue
		}
		switch {
		case r == len(processNames) && !id().MatchString(p):
			r *= 2
		case r == len(processNames): // the name suggests a request rather than a process
			r *= 4
		case n < 2 && r < strongNames:
			r += len(processNames) // the name is typical of processes, but there is only one value
		case n < 2:
			r += 3 * len(processNames)
		}
		all = append(all, candidate{p, r, st})
	}
	// Of equally good names the field with the fewest values wins: it is the coarser one, and a
	// mapping that merges threads is easier to correct than one that splits a process.
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.values), len(b.values)))
	})
	// Up to three runners-up become comments, for users who know better.
	var others []string
	for _, c := range all[min(len(all), 1):min(len(all), 4)] {
		others = append(others, fmt.Sprintf(`or "process": %s, %s: %s`,
			literal(c.pointer), g.share(c.statistic), c.examples()))
	}
	// In a directory of several files, the name of the file is better evidence than a field without
	// a typical name, and a field with one is better than both.
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
		"process: no field names one, so all lines belong to one process",
		`another is {"file": "*.log"}, the name of the file, where each process has its own`)
}

// pattern returns the common beginning and end of the names of files, with a * for the rest, or ""
// if some file would have no rest.
func pattern(names []string) string {
	var plain []string
	for _, n := range names {
		if n = logName(n); !slices.Contains(plain, n) {
			plain = append(plain, n)
		}
	}
	// Find the common beginning and end, which must not overlap in any name.
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
	// For a single file, the name without the extension is the variable part.
	if len(plain) == 1 {
		before, after = "", first[min(len(first), max(strings.LastIndexByte(first, '.'), 1)):]
	}
	// Cut both back to a mark, so that node1 and node10 do not lose their common "node1" to the
	// pattern: the process consists of whole words of the name.
	const marks = "-_. "
	before = before[:strings.LastIndexAny(before, marks)+1]
	after = strings.TrimLeftFunc(after, func(r rune) bool { return !strings.ContainsRune(marks, r) })
	// The rest of each name must not be empty, and a * in a name would act as a wildcard.
	for _, n := range plain {
		if len(n) <= len(before)+len(after) || strings.Contains(n, "*") {
			return ""
		}
	}
	return before + "*" + after
}

// plainName returns the name of a file without the suffix of a compression.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// processOf returns the process of a record, or "" if it has none.
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

// clock guesses the vector clock: an object of counts in nine of ten lines, whose names include the
// process of the line.
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
		// Nine of ten lines, as for the process, because the same lines may lack both.
		if 10*found[p] < 9*len(g.records) {
			continue
		}
		// The counts in the clock are not variables, because the mapping reads them as a whole.
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
		// More than half of the lines must have it; the first of equally good fields wins.
		if r := rank(p, labelNames); r < best && !g.used[p] && 2*g.stats[p].lines > len(g.records) {
			best, at = r, p
		}
	}
	return at
}

// variables lists the remaining fields: as variables if they change, and otherwise as comments with
// the reason against them. At most 200 of each are listed.
func (g *guesser) variables() {
	if len(g.records) == 0 {
		return
	}
	var lines, left []string
	// names has the names used so far. Two pointers may end in the same name, but the names of
	// variables must differ: the second gets its whole path, and underscores as a last resort.
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
		// Quoted numbers are decoded, so that formulas can compare them as numbers.
		if st.quoted > 0 && st.numbers > 0 && st.numbers == st.lines {
			options = `, "decode": "value"`
		}
		// CSV cannot omit a cell: an empty one means that the variable keeps its value.
		if g.form.comma != 0 && st.lines < len(g.records) {
			options += fmt.Sprintf(`, "when": {%s: {"not": ""}}`, value)
		}
		if options != "" {
			value = fmt.Sprintf(`{"at": %s%s}`, value, options)
		}
		member := literal(last) + ": " + value
		// Each case is a reason against a variable, most specific first; the user sees it and can
		// move the member. If no reason applies, the field becomes a variable.
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
	// A trace without variables has no states, so the last text becomes one.
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

// tellsProcess reports whether a field is in every line and has one value on each process.
func (g *guesser) tellsProcess(p string) bool {
	names := make(map[string]string)
	// names has the value of each process so far. A field that some line lacks does change, between
	// present and absent.
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

// write returns the mapping of one guesser, or one with several guessers as sources.
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
				names[i] += "*" // so that the pattern also matches the compressed file
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
	// Lines of another form, such as stack traces, are skipped; the comment counts them, so that
	// users see how much of the log the mapping covers.
	if g.unfit > 0 {
		lines := graphs.Plural(g.unfit, "line")
		why := fmt.Sprintf("skip: %s that did not fit, this one first: %s", lines, g.firstBad)
		if 100*g.unfit > g.lines {
			why += fmt.Sprintf("; these are more than 1 %%, so write \"%d%%\" to skip them", (100*g.unfit+g.lines-1)/g.lines)
		}
		entries = append(entries, entry{[]string{why}, `"skip": true`})
	}
	// A text is declared as logfmt only if some member points into it, because the declaration
	// makes the reader parse every such string.
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

// object writes an object of members, with a margin before all lines but the first.
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
			// Comments contain values of the log. Control characters and line breaks in them must
			// not end the comment, or the log could inject members into the mapping.
			shown := graphs.Printable(strings.Join(strings.Fields(c), " "))
			b.WriteString(margin + "  // " + shown + "\n")
		}
		if e.text == "" {
			continue
		}
		b.WriteString(margin + "  " + strings.ReplaceAll(e.text, "\n", "\n"+margin))
		// JSON allows no comma after the last member, although comments may follow.
		if i < last {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString(margin + "}")
}
