package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// Formats that are read by lines refuse the first line that is too long, with its position.
func TestMaxLine(t *testing.T) {
	for _, path := range []string{
		"figure1.jsonl", "traces/etcd-raft/example.ndjson.gz", "traces/spin/mutex.out", "traces/shiviz/chord.log", "traces/mermaid/lock.mmd",
	} {
		path = testdata + path
		source, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := source.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(text, []byte("\n"))
		longest := slices.IndexFunc(lines, func(line []byte) bool {
			return len(line) == len(slices.MaxFunc(lines, func(a, b []byte) int { return len(a) - len(b) }))
		})
		most := len(lines[longest])
		read := func(most int) error {
			_, err := Read(background, path, Options{Options: trace.Options{MaxLine: most}})
			return err
		}
		if err := read(most); err != nil {
			t.Errorf("%s with lines of %d bytes: %v", path, most, err)
		}
		var e *trace.Error
		want := fmt.Sprintf("a line must not have more than %d bytes; --max-line allows more", most-1)
		if err := read(most - 1); !errors.As(err, &e) || e.Line != longest+1 || e.Msg != want {
			t.Errorf("%s with lines of %d bytes: %v, want line %d: %s", path, most-1, err, longest+1, want)
		}
	}
}

// The first long line is found wherever pieces end, even if it is the last one and has no end.
func TestMaxLineAnywhere(t *testing.T) {
	const most = 700_000
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for i := range 20 {
		var text strings.Builder
		text.WriteString(`{"process":"A"}` + "\n")
		want, line := 0, 1
		for range 2 + random.IntN(4) {
			length := most - 3 + random.IntN(4)
			if random.IntN(3) == 0 {
				length = random.IntN(2 * most)
			}
			if random.IntN(4) == 0 {
				length = most + 1 + random.IntN(10)
			}
			length = max(length, 60)
			start := fmt.Sprintf(`{"process":"A","id":"%d-%d`, i, line)
			text.WriteString(start + strings.Repeat("x", length-len(start)-2) + `"}` + "\n")
			line++
			if length > most && want == 0 {
				want = line
			}
		}
		content := text.String()
		if random.IntN(2) == 0 {
			content = strings.TrimSuffix(content, "\n")
		}
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(background, file, Options{Input: Native, Options: trace.Options{MaxLine: most}})
		var e *trace.Error
		if got := errors.As(err, &e); got != (want > 0) || got && e.Line != want {
			t.Errorf("%d lines, the first long one is %d: %v", line, want, err)
		}
	}
}
