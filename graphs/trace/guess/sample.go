package guess

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

// Bounds of a sample.
const (
	maxBytes = 4 << 20 // how many bytes of each file are read
	maxLines = 20000
	maxFiles = 64
	deepest  = 5 // how many names a pointer may have
)

// A line is a line of a log that is not blank.
type line struct {
	content      string // the text without the line end
	file, number int
}

// A record is a line and its fields.
type record struct {
	line
	of     *guesser
	fields map[string]field
	// The names in objects whose values are all nonnegative integers, by pointer: candidates for a
	// clock.
	counts map[string]map[string]bool // by pointer, then by name
	logfmt []string                   // the pointers to strings with fields in logfmt
}

// A field is a value that is a string, a number or a boolean.
type field struct {
	text   string
	quoted bool // whether the value is a string
}

// A sample is the part of a log on which guesses are based.
type sample struct {
	files    []string // the base names of the files
	form     form
	records  []*record
	lines    int             // how many lines are not blank
	logfmt   map[string]bool // the pointers to strings with fields in logfmt
	unfit    int             // how many lines are not of the form
	firstBad string          // the position and text of the first of them
}

// textForm is the name of the form for lines of no known form.
const textForm = "text"

// A form says how to find fields in lines: JSON, logfmt, csv, or an expression.
type form struct {
	name    string
	line    string // the value of "line" in a mapping; "" for JSON
	pattern *regexp.Regexp
	comma   rune // the separator of the columns of csv; 0 for another form
}

// prefixList has known beginnings of lines, each with a name and an expression, the more specific
// ones first: of those that fit the most lines, the first one wins. {stamp} stands for the time
// that most loggers write.
//
//go:embed prefixes.txt
var prefixList string

const stamp = `\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`

// prefixes returns the forms of prefixList. It compiles them in the first call, because most runs
// guess nothing.
var prefixes = sync.OnceValue(func() (all []form) {
	for entry := range strings.SplitSeq(strings.TrimSpace(prefixList), "\n\n") {
		name, text, _ := strings.Cut(entry, "\n")
		all = append(all, expression(name, strings.ReplaceAll(text, "{stamp}", stamp)))
	}
	return all
})

// expression returns the form of lines that an expression matches.
func expression(name, text string) form {
	return form{name: name, line: text, pattern: regexp.MustCompile(text)}
}

// read returns the first lines of the files of a source, and the base names of the files. It closes
// the source.
func read(ctx context.Context, source *trace.Source) (all []line, files []string, err error) {
	// The files share the bound on lines, so that a sample has lines of all processes if each has
	// its own file.
	most := maxLines / min(max(len(source.Files()), 1), maxFiles)
	err = source.Each(ctx, func(in *trace.Input) error {
		if len(files) == maxFiles {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(in, maxBytes))
		if err != nil {
			return err
		}
		if bytes.IndexByte(text, 0) >= 0 {
			return trace.Errorf(in.Name, 0, "a byte is zero, as in no log: the file is no text")
		}
		whole := len(text) < maxBytes
		text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
		lines := strings.SplitAfter(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
		// The bound on bytes may cut the last line; a partial record would count as one of another
		// form.
		if n := len(lines) - 1; n > 0 && !whole {
			lines = lines[:n]
		}
		for i, text := range lines[:min(len(lines), most)] {
			if strings.TrimSpace(text) != "" {
				all = append(all, line{strings.TrimRight(text, "\r\n"), len(files), i + 1})
			}
		}
		// Base names only, because a pattern of files in a mapping matches names without
		// directories.
		files = append(files, filepath.Base(in.Name))
		return nil
	})
	if err == nil && len(all) == 0 {
		err = trace.Errorf(source.Path, 0, "there is no line to guess from")
	}
	return all, files, err
}

// newSample returns a sample of lines, with the form that fits most of them.
func newSample(all []line, files []string) *sample {
	s := &sample{files: files, form: choose(all), lines: len(all)}
	s.logfmt = make(map[string]bool)
	var columns []string
	for i, l := range all {
		// Each CSV file has its own header, and the order of the columns may differ. A header is
		// not an event, so it does not count as a line.
		if s.form.name == "csv" && (i == 0 || all[i-1].file != l.file) {
			columns = s.form.cells(l.content)
			s.lines--
			continue
		}
		if r := s.form.record(l, columns); r != nil {
			s.records = append(s.records, r)
			for _, p := range r.logfmt {
				s.logfmt[p] = true
			}
			continue
		}
		if s.unfit == 0 {
			s.firstBad = fmt.Sprintf("%s:%d: %s", s.files[l.file], l.number, trace.Quote(l.content))
		}
		s.unfit++
	}
	return s
}

// byLog groups lines by the logs that their files are parts of.
func byLog(all []line, files []string) (logs [][]line) {
	number := make(map[string]int)
	for _, l := range all {
		name := logName(files[l.file])
		n, known := number[name]
		if !known {
			n = len(logs)
			number[name] = n
			logs = append(logs, nil)
		}
		logs[n] = append(logs[n], l)
	}
	return logs
}

// logName returns the name of the log that a file is a part of, without the suffix of a
// compression.
func logName(file string) string {
	name := plainName(file)
	if log, sure := trace.LogOf(name); sure {
		return log
	}
	return name
}

// names returns the names of the files that have records.
func (s *sample) names() (names []string) {
	for _, r := range s.records {
		if name := s.files[r.file]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// choose returns the form that fits most of the first lines.
func choose(lines []line) form {
	// 2,000 lines are enough to distinguish forms; each of about twenty forms is tried on all of
	// them.
	lines = lines[:min(len(lines), 2000)]
	// A form must fit more than half of the lines. If none does, each line is a text without other
	// fields.
	best, most := expression(textForm, `^(?<msg>.*)`), len(lines)/2
	try := func(f form, columns []string) {
		n := 0
		for _, l := range lines {
			if f.record(l, columns) != nil {
				n++
			}
		}
		if n > most {
			best, most = f, n
		}
	}
	// JSON first and the loose forms last: in a tie the earlier form wins, and many lines have
	// something that looks like key=value.
	try(form{name: "JSON"}, nil)
	for _, f := range prefixes() {
		try(f, nil)
	}
	try(form{name: "logfmt", line: "logfmt"}, nil)
	for _, comma := range ",;\t" {
		sheet := form{name: "csv", comma: comma}
		sheet.line = "csv" + strings.TrimPrefix(string(comma), ",")
		// A header has at least two columns, all of them names. Without this check, texts with
		// commas would pass for CSV.
		columns := sheet.cells(lines[0].content)
		other := func(c string) bool { return !word().MatchString(c) }
		if len(columns) > 1 && !slices.ContainsFunc(columns, other) {
			try(sheet, columns)
		}
	}
	return best
}

// word matches the name of a column. A first line with other texts is not a header of CSV.
var word = lazy.Regexp(`^[A-Za-z_][\w .-]*$`)

// cells returns the cells of a line of CSV, or nil if it is malformed.
func (f *form) cells(line string) []string {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma = f.comma
	cells, err := r.Read()
	if err != nil {
		return nil
	}
	return cells
}

// pair matches key=value, as in logfmt.
var pair = lazy.Regexp(`(?:^|\s)([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)`)

// pairs matches a text that a mapping reads as logfmt.
var pairs = lazy.Regexp(`^\s*(?:[^\s="]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\s"]*))?(?:\s+|$))*$`)

// record returns a line with its fields, or nil if it is not of the form.
func (f *form) record(l line, columns []string) *record {
	r := &record{line: l, fields: make(map[string]field), counts: make(map[string]map[string]bool)}
	if !f.fields(r, l.content, columns) {
		return nil
	}
	return r
}

// fields stores the fields of a line in r, and reports whether it is of the form.
func (f *form) fields(r *record, line string, columns []string) bool {
	switch f.name {
	case "JSON":
		object := decode(line)
		r.object("", object, 0)
		return object != nil
	case "csv":
		cells := f.cells(line)
		if len(cells) != len(columns) {
			return false
		}
		for i, cell := range cells {
			if cell != "" {
				r.text("/"+escape(columns[i]), cell)
			}
		}
		return true
	case "logfmt":
		pairs := pair().FindAllStringSubmatchIndex(line, -1)
		// Pairs must cover the whole line, and one pair is not enough, because a text for people
		// may end in key=value.
		covered := 0
		for _, m := range pairs {
			covered += len(strings.TrimSpace(line[m[0]:m[1]])) + 1
			r.text("/"+escape(line[m[2]:m[3]]), unquote(line[m[4]:m[5]]))
		}
		return len(pairs) > 1 && covered >= len(strings.TrimSpace(line))
	}
	m := f.pattern.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	// Leave out a group that matches nothing, as a field that the line does not have.
	for i, name := range f.pattern.SubexpNames() {
		if name != "" && m[i] != "" {
			r.text("/"+name, m[i])
		}
	}
	return true
}

// decode returns the JSON object that the whole text is, or nil if it is not one.
func decode(text string) map[string]any {
	var object map[string]any
	// Numbers keep their spelling, because ids of 64 bits would lose digits in a float64.
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&object) != nil || d.More() {
		return nil
	}
	return object
}

// unquote returns the decoded string if text is quoted, or else text itself.
func unquote(text string) string {
	var s string
	if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// escape turns a name into a token of a JSON pointer.
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// text adds a field with a string, or the fields of a string that is a JSON object. A text for
// people may also have fields in logfmt.
func (r *record) text(pointer, text string) {
	r.fields[pointer] = field{text, true}
	// Search only fields with the name of a label, because paths and queries in other fields also
	// have equals signs.
	if isOf(pointer, labelNames) && pairs().MatchString(text) {
		for i, p := range pair().FindAllStringSubmatch(text, -1) {
			if i == 0 {
				r.logfmt = append(r.logfmt, pointer)
			}
			r.text(pointer+"/"+escape(p[1]), unquote(p[2]))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if object := decode(text); object != nil {
			// The object replaces its text: the mapping decodes it, and the text would differ on
			// each line.
			delete(r.fields, pointer)
			r.object(pointer, object, strings.Count(pointer, "/"))
		}
	}
}

// object adds the fields of an object, and those of nested objects down to a depth.
func (r *record) object(pointer string, object map[string]any, depth int) {
	names := make(map[string]bool)
	for name, value := range object {
		at := pointer + "/" + escape(name)
		switch v := value.(type) {
		case string:
			r.text(at, v)
		case bool:
			r.fields[at] = field{strconv.FormatBool(v), false}
		case json.Number:
			r.fields[at] = field{v.String(), false}
			// A clock counts events, so a sign, a fraction or an exponent excludes the object.
			if !strings.ContainsAny(v.String(), ".eE-") {
				names[name] = true
			}
		case map[string]any:
			// The depth bounds the recursion, and longer pointers are of no use in formulas.
			if depth < deepest {
				r.object(at, v, depth+1)
			}
		}
	}
	// All members must be counts.
	if len(names) > 0 && len(names) == len(object) {
		r.counts[pointer] = names
	}
}
