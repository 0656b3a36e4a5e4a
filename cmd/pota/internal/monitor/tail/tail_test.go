package tail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// followed follows a directory, and has the lines that came and the positions as a log would have them.
type followed struct {
	*testing.T
	dir   string
	in    <-chan Chunk
	stop  context.CancelFunc
	lines []string
	notes []string
	marks map[string]Position
}

// follow follows paths in a directory, from positions on.
func follow(t *testing.T, dir string, from map[string]Position, o Options) *followed {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	if from == nil {
		from = make(map[string]Position)
	}
	o.From = slices.Collect(maps.Values(from))
	if o.Paths == nil {
		o.Paths = []string{""}
	}
	for i, path := range o.Paths {
		o.Paths[i] = filepath.Join(dir, path)
	}
	in, err := Follow(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return &followed{T: t, dir: dir, in: in, stop: stop, marks: from}
}

// end stops to follow.
func (l *followed) end() {
	l.stop()
	for range l.in {
	}
}

// take takes what comes until there is a line, and for a while where there is to be none.
func (l *followed) take(line string) {
	l.Helper()
	limit := scanInterval + 2*quietTime
	if line != "" {
		limit = time.Minute
	}
	late := time.After(limit)
	for line == "" || len(l.lines) == 0 || l.lines[len(l.lines)-1] != line {
		select {
		case c, ok := <-l.in:
			if !ok {
				if line != "" {
					l.Errorf("%s has not come: %v", line, l.lines)
				}
				return
			}
			l.got(c)
		case <-late:
			if line != "" {
				l.Errorf("%s has not come: %v", line, l.lines)
			}
			return
		}
	}
}

func (l *followed) got(c Chunk) {
	if c.Err != nil {
		l.Fatal(c.Err)
	}
	if c.Note != "" {
		l.notes = append(l.notes, c.Note)
	}
	l.lines = append(l.lines, strings.Fields(string(c.Text))...)
	if c.At != nil {
		if l.marks[c.At.File] = *c.At; c.At.Gone {
			delete(l.marks, c.At.File)
		}
	}
}

// do does what a step says: "a 1 2" appends lines to a file, where one that ends in … is not whole; "a > b" moves,
// "a = b" copies to a, "a @ b" makes it a symbolic link and "a & b" another name, "a /" makes a directory, "a 0"
// truncates and "- a" removes.
func (l *followed) do(step string) {
	l.Helper()
	words := strings.Fields(step)
	path := func(name string) string { return filepath.Join(l.dir, name) }
	var err error
	switch {
	case words[0] == "-":
		err = os.Remove(path(words[1]))
	case len(words) > 1 && words[1] == ">":
		err = os.Rename(path(words[0]), path(words[2]))
	case len(words) > 1 && words[1] == "=":
		var text []byte
		if text, err = os.ReadFile(path(words[2])); err == nil {
			err = os.WriteFile(path(words[0]), text, 0o666)
		}
	case len(words) > 1 && words[1] == "@":
		_ = os.Remove(path(words[0])) // it may be there
		err = os.Symlink(words[2], path(words[0]))
	case len(words) > 1 && words[1] == "&":
		err = os.Link(path(words[2]), path(words[0]))
	case len(words) > 1 && words[1] == "/":
		err = os.Mkdir(path(words[0]), 0o777)
	case len(words) > 1 && words[1] == "0":
		err = os.Truncate(path(words[0]), 0)
	default:
		var f *os.File
		if f, err = os.OpenFile(path(words[0]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err == nil {
			text := strings.Join(append(words[1:], ""), "\n")
			_, err = f.WriteString(strings.ReplaceAll(text, "…\n", ""))
			f.Close()
		}
	}
	if err != nil {
		l.Fatal(err)
	}
}

// Lines of logs that are rotated come once, those of a log in their order.
func TestRotations(t *testing.T) {
	for name, x := range map[string]struct{ before, then, want string }{
		"written after its rename":       {"a 1", "a > a.1;a;wait;a.1 2;a 3", "1 2 3"},
		"written a little later":         {"a 1", "a > a.1;a 3;a.1 2", "1 2 3"},
		"an unfinished last line":        {"a 1 2…", "wait;a > a.1;a 3", "1 2 3"},
		"truncated in a line":            {"a 1 2…", "wait;a 0;wait;a 3", "1 3"},
		"rewritten to more than it had":  {"a 1 2", "wait;a 0;a 3 4 5 6", "1 2 3 4 5 6"},
		"older ones first":               {"a.10 1 2;a.2 3;a.1 4;a 5", "", "1 2 3 4 5"},
		"older ones by their days first": {"a-20260102 2;a-20260101 1;a-20260103 3;a 4", "", "1 2 3 4"},
		"by number and extension":        {"a.10.log 1;a.2.log 2;a.1.log 3;a.log 4", "", "1 2 3 4"},
		"by time and extension":          {"a-2026-01-02T00-00-00.000.log 2;a-2026-01-01T23-00-00.000.log 1;a.log 3", "", "1 2 3"},
		"copied, with an extension":      {"a.log 1 2", "a.1.log = a.log;a.log 0;wait;a.log 3;wait;wait;a.log 4", "1 2 3 4"},
		"moved twice":                    {"a.1 1;a 2", "a.1 > a.2;a > a.1;a 3;wait;a.1 > a.x;wait;a 4", "1 2 3 4"},
		"three files in no time":         {"a 1", "a > a.1;a 2;wait;a.1 > a.2;a > a.1;a 3", "1 2 3"},
		"copied and truncated":           {"a 1 2", "a.1 = a;a 0;wait;a 3;wait;wait;a 4", "1 2 3 4"},
		"copied with more than was read": {"a 1 2", "a 3;a.1 = a;a 0;wait;a 4", "1 2 3 4"},
		"copied long before":             {"a 1 2", "a.1 = a;wait;a 0;a 3;wait;a 4", "1 2 3 4"},
		"copied twice":                   {"a 1 2", "a.1 = a;a 0;a 3;wait;a.1 > a.2;a.1 = a;a 0;a 4;wait;a 5", "1 2 3 4 5"},
		"a compressed one":               {"a 1", "wait;a > a.1;a 2;wait;wait;a.1.gz \x1f\x8b;- a.1;wait;wait;a 3", "1 2 3"},
		"an older one unfinished":        {"a.1 1 2…;a 3", "", "1 2 3"},
		"a hole":                         {"a 1 2", "a 0;wait;a \x00\x00\x00\x00…;a 3;wait;a 4", "1 2 3 4"},
		"a link that is moved on":        {"a @ .b;.b 1", ".c 2;a @ .c;wait;.c 3", "1 2 3"},
		"another name":                   {"a 1", "b & a;wait;wait;a 2", "1 2"},
		"a link to itself":               {"a 1", "b @ b;wait;wait;- b;b 2", "1 2"},
		"a directory in its place":       {"a 1", "- a;a /;wait;- a;a 2", "1 2"},
		"one is gone":                    {"a 1", "- a;wait;b 2", "1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				l := &followed{T: t, dir: dir}
				want := strings.Fields(x.want)
				begun := strings.Split(x.before, ";")
				for _, step := range begun {
					l.do(step)
				}
				l = follow(t, dir, nil, Options{})
				last := strings.TrimSuffix(begun[len(begun)-1], "…")
				if words := strings.Fields(last); strings.HasSuffix(begun[len(begun)-1], "…") {
					l.take(words[len(words)-2])
				} else {
					l.take(words[len(words)-1])
				}
				for _, step := range strings.Split(x.then, ";") {
					switch step {
					case "":
					case "wait":
						l.take("")
					default:
						l.do(step)
					}
				}
				if last := want[len(want)-1]; l.lines[len(l.lines)-1] != last {
					l.take(last)
				}
				l.take("")
				if !slices.Equal(l.lines, want) {
					t.Errorf("%v, want %v", l.lines, want)
				}
				l.end()
			})
		})
	}
}

// A file named by itself is followed when it is moved, truncated or replaced.
func TestSingleFile(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &followed{T: t, dir: dir}
		l.do("a 1")
		l = follow(t, dir, nil, Options{Paths: []string{"a"}})
		for _, step := range []string{"a 2 3…", "a 4", "a > b", "b 5", "a 6", "a 0", "a 7", "- a", "a 8"} {
			l.do(step)
			l.take("")
		}
		if got := strings.Join(l.lines, " "); got != "1 2 34 5 6 7 8" || len(l.marks) != 1 {
			t.Errorf("%s, positions %v", got, l.marks)
		}
		l.end()
	})
}

// What is gone on with is the file that it was, though others were moved, or have its place or what the system
// called it; positions of files that are gone are forgotten.
func TestPositions(t *testing.T) {
	for name, x := range map[string]struct {
		before, then, want string
		positions          int
	}{
		"grown":                      {"a 1 2", "a 3", "3", 1},
		"rotated":                    {"a 1", "a 2 3;a > a.1;a 4 5", "2 3 4 5", 2},
		"rotated and nothing more":   {"a 1", "a > a.1;a 2", "2", 2},
		"removed, another begun":     {"a 1 2", "- a;b 3 4 5 6", "3 4 5 6", 1},
		"removed, its path reused":   {"a 1 2", "- a;a 3 4 5 6", "3 4 5 6", 1},
		"truncated":                  {"a 1 2", "a 0;a 3 4 5", "3 4 5", 1},
		"copied and truncated":       {"a 1 2", "a 3;a.1 = a;a 0;a 4", "3 4", 2},
		"copied, and nothing more":   {"a 1 2", "a.1 = a;a 0;a 4", "4", 2},
		"copied, and nothing at all": {"a 1 2", "a.1 = a;a 0", "", 1},
		"copied and removed":         {"a 1 2", "a-20260101 = a;- a", "", 1},
		"one of an unclear day":      {"a-01-02-2026 1", "a-02-01-2026 2", "2", 2},
		"compressed":                 {"a 1", "a.1.gz \x1f\x8b;a 2", "2", 1},
		"many that begin like these": {"a 1 2;b 1 2 3", "a 4;b 5", "4 5", 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				l := &followed{T: t, dir: dir}
				for step := range strings.SplitSeq(x.before, ";") {
					l.do(step)
				}
				l = follow(t, dir, nil, Options{})
				l.take("")
				l.end()
				for step := range strings.SplitSeq(x.then, ";") {
					l.do(step)
				}
				for _, want := range []string{x.want, ""} { // the second time, nothing is left
					l = follow(t, dir, l.marks, Options{})
					if l.take(""); strings.Join(slices.Sorted(slices.Values(l.lines)), " ") != want || len(l.marks) < x.positions {
						t.Errorf("%v, want %q; positions %v", l.lines, want, l.marks)
					}
					l.end()
				}
			})
		})
	}
}

// A reader that goes on is notified of a file in the place of one that was read. It is not when only
// compressed older parts of a log are left.
func TestGoesOn(t *testing.T) {
	for then, want := range map[string]int{"b 2;b > a": 1, "a 2": 0, "a-20260101.gz \x1f\x8b;- a": 0} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			l := &followed{T: t, dir: dir}
			l.do("a 1")
			l = follow(t, dir, nil, Options{})
			l.take("")
			l.end()
			for step := range strings.SplitSeq(then, ";") {
				l.do(step)
			}
			l = follow(t, dir, l.marks, Options{})
			l.take("")
			l.end()
			told := 0
			for _, note := range l.notes {
				if strings.HasSuffix(note, "a is not the file that was read before: it is read from its beginning") {
					told++
				}
			}
			if told != want || len(l.notes) != want {
				t.Errorf("%s: %q", then, l.notes)
			}
		})
	}
}

// A file that cannot be read is an error, and not one that has ended.
func TestUnreadable(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	p := &part{file: file}
	if _, err := p.more(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// Whenever the process is killed while a log is copied and truncated, each line counts once: positions are those
// of the last chunk that was committed, and lines after it come again.
func TestKilledAtRotation(t *testing.T) {
	for seed := range uint64(100) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			l := &followed{T: t, dir: dir}
			marks := make(map[string]Position)
			var lines []string
			n := 0
			l.do("a first")
			for range 12 {
				l = follow(t, dir, maps.Clone(marks), Options{})
				for range 1 + r.IntN(3) {
					for range 1 + r.IntN(5) {
						n++
						l.do(fmt.Sprintf("a %d", n))
					}
					time.Sleep(2 * pollInterval) // of the clock of the bubble: what is written is read
					if r.IntN(2) == 0 {
						_ = os.Rename(filepath.Join(dir, "a.1"), filepath.Join(dir, "a.2")) // there may be none
						l.do("a.1 = a")
						time.Sleep(time.Duration(r.IntN(2)) * scanInterval)
						l.do("a 0")
					}
					commit := r.IntN(8) // chunks, of those that wait
					for range commit {
						select {
						case c := <-l.in:
							l.got(c)
						case <-time.After(3 * pollInterval):
						}
					}
				}
				lines = append(lines, l.lines...)
				marks = l.marks
				l.end()
			}
			l = follow(t, dir, marks, Options{})
			l.take("")
			l.end()
			lines = append(lines, l.lines...)
			count := make(map[string]int)
			for _, line := range lines {
				if count[line]++; count[line] > 1 {
					t.Fatalf("seed %d: %s came twice: %v", seed, line, lines)
				}
			}
		})
	}
}

// The position in the middle of a chunk is that of a chunk which ends there.
func TestPrefix(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 400)
	text := "\x00\x00\ufeffone\n" + long + "two\n" + long + "three\nfour"
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := &part{file: file, first: true}
	more, err := p.more()
	if err != nil {
		t.Fatal(err)
	}
	p.accept(more)
	c := p.chunk(len(p.rest))
	for n, line := 0, 0; n < len(c.Text); n += strings.IndexByte(string(c.Text[n:]), '\n') + 1 {
		at := c.Prefix(n)
		want := int64(len("\x00\x00\ufeff") + n)
		if at.Offset != want || at.Line != line || !has(file, at.Offset, at.Sum) {
			t.Errorf("after %d bytes: %+v, want offset %d, line %d", n, at, want, line)
		}
		line++
	}
	if at := c.Prefix(len(c.Text)); at.Offset != int64(len(text)) || !has(file, at.Offset, at.Sum) {
		t.Errorf("%+v", at)
	}
}

// What is compressed is refused where nothing of its log was read, and so is what is no file.
func TestKindsOfFiles(t *testing.T) {
	for name, x := range map[string]struct{ steps, paths, want string }{
		"compressed":       {"b.gz \x1f\x8b", "b.gz", "b.gz: compressed, and logs are watched as they are written"},
		"an older one":     {"zipped /;zipped/a 1;zipped/b.2.gz \x1f\x8b", "zipped", "b.2.gz: compressed, and the rest of its log was not read"},
		"missing":          {"", "nothing", "nothing: no such file or directory"},
		"an unclear order": {"d /;d/a-01-02-2026 1;d/a-02-01-2026 1", "d", "which is older is not clear"},
	} {
		l := &followed{T: t, dir: t.TempDir()}
		for step := range strings.SplitSeq(x.steps, ";") {
			if step != "" {
				l.do(step)
			}
		}
		_, err := Follow(t.Context(), Options{Paths: []string{filepath.Join(l.dir, x.paths)}, ToEnd: true})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", name, err, x.want)
		}
	}
}

// To the end, files are read once, and the last line may lack its end; pipes and standard input likewise.
// A device has nothing to be read.
func TestToEnd(t *testing.T) {
	l := &followed{T: t, dir: t.TempDir(), marks: make(map[string]Position)}
	l.do("a 1")
	l.do("a.1 .5…")
	in, err := Follow(t.Context(), Options{Paths: []string{l.dir, "-", os.DevNull}, Stdin: strings.NewReader("\ufeff2\n3"), ToEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	var last []string
	for c := range in {
		l.got(c)
		if c.Last {
			last = append(last, filepath.Base(c.Source))
		}
	}
	slices.Sort(l.lines)
	slices.Sort(last)
	if fmt.Sprint(l.lines, last) != "[.5 1 2 3] [a a.1 null standard input]" {
		t.Error(l.lines, last)
	}
}

// Of a reader that gives pieces of any size each chunk has whole lines, and says how many are before it.
func TestLines(t *testing.T) {
	broken := errors.New("broken")
	for _, x := range []struct {
		text string
		err  error
	}{
		{"", nil},
		{"\ufeff", nil},
		{"1\n2\n", nil},
		{"1\n\n22", nil},
		{"1\n\ufeff2\n", nil}, // only the first line has a mark
		{"\ufeff1\n2", broken},
	} {
		for name, in := range map[string]io.Reader{
			"bytes":    iotest.OneByteReader(strings.NewReader(x.text)),
			"all":      strings.NewReader(x.text),
			"with EOF": iotest.DataErrReader(strings.NewReader(x.text)),
		} {
			if x.err != nil {
				in = io.MultiReader(in, iotest.ErrReader(x.err))
			}
			text, line := "", 0
			var last bool
			var err error
			Lines(t.Context(), "name", in, func(c Chunk) bool {
				if last || err != nil || c.New != (line == 0 && text == "") || c.Err == nil && c.Line != line {
					t.Errorf("%q by %s: a chunk %+v after %q", x.text, name, c, text)
				}
				if c.Err == nil && !c.Last && !bytes.HasSuffix(c.Text, newline) {
					t.Errorf("%q by %s: the chunk %q is no line", x.text, name, c.Text)
				}
				text += string(c.Text)
				line += bytes.Count(c.Text, newline)
				last, err = c.Last, c.Err
				return true
			})
			want := strings.TrimPrefix(x.text, "\ufeff")
			if x.err != nil {
				want = want[:strings.LastIndexByte(want, '\n')+1] // the rest is no line
			} else if want != "" && !strings.HasSuffix(want, "\n") {
				want += "\n"
			}
			if text != want || last == (x.err != nil) || (err != nil) != (x.err != nil) {
				t.Errorf("%q by %s: %q, last %v, %v", x.text, name, text, last, err)
			}
		}
	}
}

// A line comes when its end does, whatever else the reader waits for.
func TestLineAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		var got []string
		go Lines(t.Context(), "name", in, func(c Chunk) bool {
			got = append(got, string(c.Text))
			return true
		})
		for i, piece := range []string{"1", "\n", "2", "\n"} {
			if _, err := out.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
			if synctest.Wait(); len(got) != (i+1)/2 {
				t.Errorf("after %d pieces: %q", i+1, got)
			}
		}
		out.Close()
	})
}

// Of two directories each has its own files: those that Takes refuses and hidden ones are not read, and
// nothing is forgotten of one because it is not in the other.
func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &followed{T: t, dir: dir}
		for _, step := range []string{"p /", "q /", "p/a 1", "p/.a 2", "p/b.txt 3", "q/a 4", "q/c 5"} {
			l.do(step)
		}
		paths := func() []string { return []string{"p", "q"} } // follow changes them
		takes := func(file string) bool { return !strings.HasSuffix(file, ".txt") }
		l = follow(t, dir, nil, Options{Paths: paths(), Takes: takes})
		l.take("")
		l.end()
		if slices.Sort(l.lines); fmt.Sprint(l.lines) != "[1 4 5]" || len(l.marks) != 3 {
			t.Errorf("%v, %v", l.lines, l.marks)
		}
		for _, step := range []string{"- q/c", "p/a 6"} {
			l.do(step)
		}
		l = follow(t, dir, l.marks, Options{Paths: paths(), Takes: takes})
		l.take("")
		if fmt.Sprint(l.lines) != "[6]" || len(l.marks) != 2 {
			t.Errorf("%v, %v", l.lines, l.marks)
		}
		// Without a directory nothing more can be found in it. A look at it now would find a part of its files.
		synctest.Wait()
		if err := os.RemoveAll(filepath.Join(dir, "q")); err != nil {
			t.Fatal(err)
		}
		select {
		case c := <-l.in:
			if !errors.Is(c.Err, fs.ErrNotExist) {
				t.Errorf("the directory is gone: %+v", c)
			}
		case <-time.After(time.Minute):
			t.Error("nobody said that the directory is gone")
		}
		l.end()
	})
}

// A line without an end is refused before it takes all memory.
func TestEndlessLine(t *testing.T) {
	var got []Chunk
	Lines(t.Context(), "name", endless{}, func(c Chunk) bool {
		got = append(got, c)
		return true
	})
	if len(got) != 1 || got[0].Err == nil || got[0].Err.Error() != "name: a line must not have more than 64 MiB" {
		t.Error(got)
	}
}

// endless reads as a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

var _ io.Reader = endless{}
