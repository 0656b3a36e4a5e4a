package budget

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
)

// Engines that work at a time share the memory that the heap leaves.
func TestShareOfMemory(t *testing.T) {
	const room = 400 << 20
	held := make([]byte, room/2)
	b := New(Limits{Memory: memoryUsed() + room})
	defer b.End()
	one, four := b.Memory(1), b.Memory(4)
	if one > b.Bytes()-int64(len(held)) || one < room/10 || four > one/3 || four < one/5 {
		t.Errorf("of %d MB one engine may take %d MB, each of four %d MB", b.Bytes()>>20, one>>20, four>>20)
	}
	full := New(Limits{Memory: 1})
	defer full.End()
	if got := full.Memory(1); got != 1 {
		t.Errorf("where nothing is left an engine may take %d bytes, and 0 would be no limit", got)
	}
	runtime.KeepAlive(held)
}

// A budget bounds the memory of the runtime while it lasts.
func TestRuntimeLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	b := New(Limits{Memory: 800 << 30})
	if during := debug.SetMemoryLimit(-1); during != 700<<30 {
		t.Errorf("%d during a budget", during)
	}
	b.End()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("%d before, %d after", before, after)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1000000": 1e6, "17B": 17, "1kb": 1e3, "512MB": 512e6, "2gb": 2e9, "1TB": 1e12,
		"1K": 1 << 10, "1.5M": 3 << 19, " 4 GiB ": 4 << 30, "1t": 1 << 40, "3KiB": 3 << 10, "1TiB": 1 << 40, "1MiB": 1 << 20, "1G": 1 << 30,
	} {
		if got, err := ParseSize("--max-memory", text); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1", "1PB", "1 GB GB", "NaN", "1e30", "five", "4611686018427390000"} {
		_, err := ParseSize("--max-memory", text)
		if _, usage := errors.AsType[*exit.UsageError](err); !usage {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := Available(); n <= 0 || n == math.MaxInt64 {
		t.Errorf("%d bytes available", n)
	}
}
