//go:build unix

package infer

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
)

func TestZMem(t *testing.T) {
	if os.Getenv("MEM") == "" {
		t.Skip()
	}
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	all, err := format.Read(t.Context(), "run", format.Options{From: bytes.NewReader(steps(1, 100, 300_000)), Options: trace.Options{Names: true, Places: true}})
	if err != nil {
		t.Fatal(err)
	}
	r := Run{Name: "run", Computation: all[0].Computation}
	before := heap()
	v := vocabularyOf([]Run{r})
	s := &search{opts: Options{Timeout: 1e9}, v: v, res: new(Result)}
	k, err := s.survey(t.Context(), r, true)
	after := heap()
	fmt.Println("read", before, "surveyed", after, len(v.literals), err)
	runtime.KeepAlive(k)
}
