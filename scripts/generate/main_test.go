package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

func generate(t *testing.T, g generator, seed uint64) []byte {
	t.Helper()
	g.random = rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	if err := g.run(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGenerate(t *testing.T) {
	g := generator{processes: 10, events: 5000, messages: 0.2, enter: 0.1, leave: 0.3, numbers: 0.9}
	text := generate(t, g, 1)
	if !bytes.Equal(text, generate(t, g, 1)) {
		t.Error("two runs differ")
	}
	if bytes.Equal(text, generate(t, g, 2)) {
		t.Error("two seeds do not differ")
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), file, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.NumProcesses() != 10 || c.NumEvents() != 5000 || c.NumEdges() < 500 {
		t.Errorf("%d processes, %d events, %d edges", c.NumProcesses(), c.NumEvents(), c.NumEdges())
	}
}
