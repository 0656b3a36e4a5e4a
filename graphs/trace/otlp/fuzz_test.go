package otlp

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pota-project/pota/graphs/trace/internal/span/spantest"
)

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(files + "otlp2jaeger-in.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(hotrod(f)[:4<<10])
	r := rand.New(rand.NewPCG(31, 32))
	for i := range 40 {
		m := &maker{r: r, wrong: []int{0, 40}[i%2]}
		f.Add([]byte(m.document()))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) >= 4 && (text[0] == 0x1f && text[1] == 0x8b || string(text[:4]) == "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		Detect(text)
		spantest.Reader(Read).Check(t, dir, text)
	})
}

// TestCuts cuts off real and random documents.
func TestCuts(t *testing.T) {
	spantest.Reader(Read).CheckCuts(t, hotrod(t), 7919)
	text, err := os.ReadFile(files + "otlp2jaeger-in.json")
	if err != nil {
		t.Fatal(err)
	}
	spantest.Reader(Read).CheckCuts(t, text, 3)
}
