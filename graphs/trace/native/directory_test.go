package native

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
)

// A directory may hold a log for each of very many processes: the cost of a file in addition to its
// text is small, and does not grow with their number.
func TestManyFiles(t *testing.T) {
	dir, n := t.TempDir(), graphtest.Rounds(t, 2000)
	for i := range n {
		var b bytes.Buffer
		fmt.Fprintf(&b, `{"process":"p%d","init":{"x":0}}`+"\n", i)
		if i > 0 {
			fmt.Fprintf(&b, `{"process":"p%d","recv":"m%d"}`+"\n", i, i)
		}
		fmt.Fprintf(&b, `{"process":"p%d","set":{"x":%d},"send":"m%d"}`+"\n", i, i, i+1)
		text, suffix := b.Bytes(), ""
		if i%100 == 0 {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			_, _ = w.Write(text) // a bytes.Buffer takes everything
			_ = w.Close()
			text, suffix = z.Bytes(), ".gz"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%08d%s", i, suffix)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := ReadFile(context.Background(), dir, trace.Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if c.NumProcesses() != n || c.NumEvents() != 2*n-1 || c.NumMessages() != n {
		t.Errorf("%d processes, %d events, %d messages", c.NumProcesses(), c.NumEvents(), c.NumMessages())
	}
	each := int64(after.TotalAlloc-before.TotalAlloc) / int64(n)
	if t.Log(each, "bytes allocated for a file"); each > graphtest.Memory(20_000) {
		t.Errorf("%d bytes allocated for a file", each)
	}
}
