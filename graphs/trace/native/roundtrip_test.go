package native

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
)

var background = context.Background()

// readText reads a trace from a file with that text.
func readText(t testing.TB, text string, opts trace.Options) (*graphs.Computation, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return ReadFile(background, file, opts)
}

// inexpressible is the one thing that a computation has and the format has not.
const inexpressible = "which the native format cannot say"

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	read, written := 0, 0
	n := graphtest.Rounds(t, 200)
	for range n {
		c := graphtest.Random(r, graphtest.DefaultConfig)
		var first bytes.Buffer
		if err := Write(&first, c, nil); err != nil {
			if strings.Contains(err.Error(), inexpressible) {
				continue
			}
			t.Fatal(err)
		}
		written++
		if err := os.WriteFile(file, first.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := ReadFile(background, file, trace.Options{Names: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, first.Bytes())
		}
		if want, got := describe(c), describe(d); want != got {
			t.Fatalf("wrote\n%s\n%s", first.Bytes(), differ(want, got))
		}
		var second bytes.Buffer
		if err := Write(&second, d, nil); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatal(differ(first.String(), second.String()))
		}
		read++
	}
	if read < n/2 {
		t.Errorf("only %d of %d computations could be written", read, written)
	}
}

func TestWriteAddedEdges(t *testing.T) {
	c, err := ReadFile(background, "../../../testdata/figure1.jsonl", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e1, _ := c.Lookup("e1")
	var b bytes.Buffer
	if err := Write(&b, c, []graphs.Edge{{From: e1, To: graphs.Bottom}, {From: c.Top(), To: e1 + 2}}); err != nil {
		t.Fatal(err)
	}
	d, err := readText(t, b.String(), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Initial().Equal(graphs.Cut{1, 1}) || !d.Final().Equal(graphs.Cut{2, 3}) {
		t.Errorf("cuts from %v to %v", d.Initial(), d.Final())
	}
}

func TestWriteStrings(t *testing.T) {
	for _, s := range []string{"", "a b", `"\/`, "\x00\x1f\x7f\n\r\t\b\f", "⊥⊤ é 𝄞", "\u2028\u2029<&>"} {
		var b graphs.Builder
		p := b.Process(s)
		v := b.Variable(p, s)
		b.Init(v, graphs.Str(s))
		h := b.Event(p)
		b.SetLabel(h, s+"!")
		b.Set(v, h, graphs.Str(s+s))
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, c, nil); err != nil {
			t.Fatal(err)
		}
		d, err := readText(t, out.String(), trace.Options{Names: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if want, got := describe(c), describe(d); want != got {
			t.Error(differ(want, got))
		}
	}
}

// What happened before what within a sync is written, too.
func TestWriteOrderInSync(t *testing.T) {
	c, err := readText(t, `{"shared":{"t":0}}
{"process":"P","id":"p","sync":"s","set":{"t":1}}
{"process":"Q","id":"q","after":"p","sync":"s","set":{"t":2}}`, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	d, err := readText(t, b.String(), trace.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if want, got := describe(c), describe(d); want != got {
		t.Error(differ(want, got))
	}
}
