package format

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// TestSame reads traces again and again, with few and with many processors, and writes
// the same bytes each time.
func TestSame(t *testing.T) {
	longest := int64(20<<10) * int64(graphtest.Rounds(t, 5))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	files, err := filepath.Glob(testdata + "traces/*/*")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	read := func(file string) []byte {
		all, err := Read(background, file, Options{Options: trace.Options{Names: true}})
		if err != nil {
			return []byte(err.Error())
		}
		var b bytes.Buffer
		for _, e := range all {
			b.WriteString(e.Name + " " + e.Format + "\n")
			if err := native.Write(&b, e.Computation, nil); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		return b.Bytes()
	}
	for _, file := range files {
		if strings.Contains(file, "/bench/") {
			continue // native, and long
		}
		if info, err := os.Stat(file); err != nil || info.Size() > longest {
			continue
		}
		want := read(file)
		for _, n := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(n)
			if got := read(file); !bytes.Equal(got, want) {
				t.Fatalf("%s: got\n%.2000s\nwant\n%.2000s", file, got, want)
			}
		}
	}
}
