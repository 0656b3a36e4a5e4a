package promela

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program/programtest"
)

// A writer makes random models.
type writer struct {
	*rand.Rand
	depth  int
	loops  int
	labels int
	blocks int
	fixed  bool // within a d_step
}

// pick chooses a text.
func (w *writer) pick(texts ...string) string { return texts[w.IntN(len(texts))] }

func (w *writer) variable() string { return w.pick("a", "b", "s", "f", "x", "y", "arr[x & 1]", "p.v") }

func (w *writer) expression(depth int) string {
	if depth == 0 || w.IntN(4) == 0 {
		return w.pick(w.variable(), strconv.Itoa(w.IntN(4)), "_pid", "len(q)")
	}
	l, r := w.expression(depth-1), w.expression(depth-1)
	return w.pick(l+" + "+r, "("+l+") - "+r, l+" * 3", l+" & 3", "("+l+") ^ ("+r+")", "!("+l+")", "("+l+" < "+r+")",
		"("+l+" == "+r+")", "("+l+" && "+r+")", "("+l+" -> "+r+" : 1)", "("+l+") << 1", "("+l+") >> 1")
}

func (w *writer) condition() string {
	return w.pick("a < 3", "x != b", "f == 0", "true", "s >= x", "("+w.expression(1)+") > 0", "empty(q)", "nfull(q)", "q?[2,_]", "timeout", "y == 0")
}

func (w *writer) simple() string {
	if w.fixed {
		return w.variable() + " = " + w.expression(2)
	}
	switch w.IntN(12) {
	case 0:
		return "q!" + w.expression(1) + ",f"
	case 1:
		return w.pick("q?x,f", "q?2,_", "q??eval(y),f", "q?<x,y>")
	case 2:
		return w.pick("r!x + 1", "r!y", "r!2")
	case 3, 4:
		return w.pick("r?x", "r?2", "r?eval(y)", "r?a")
	case 5:
		return "q!!" + w.expression(1) + ",1"
	case 6, 7:
		return w.condition()
	case 8:
		return w.pick("skip", "x++", "y--", "d_step { a = b; b = x; x = a }", "atomic { _nr_pr < 5 -> run child(x) }")
	}
	return w.variable() + " = " + w.expression(2)
}

func (w *writer) sequence(n int) string {
	var list []string
	for range 1 + w.IntN(n) {
		list = append(list, w.statement())
	}
	return strings.Join(list, ";\n")
}

func (w *writer) statement() string {
	if w.depth == 0 {
		return w.simple()
	}
	w.depth--
	defer func() { w.depth++ }()
	options := func(exit string) string {
		text := ""
		for range 1 + w.IntN(2) {
			text += ":: " + w.pick(w.condition(), w.simple()) + ";\n" + w.sequence(2) + "\n"
		}
		return text + exit
	}
	switch w.IntN(9) {
	case 0, 1:
		return "if\n" + options(w.pick("", ":: else", ":: else; "+w.simple()+"\n")) + "\nfi"
	case 2:
		w.loops++
		defer func() { w.loops-- }()
		return "do\n" + options(w.pick(":: break", ":: x > 1; break", ":: else; break")) + "\nod"
	case 3:
		return "atomic { " + w.sequence(3) + " }"
	case 4:
		w.blocks++
		z := fmt.Sprintf("z%d", w.blocks)
		return "{ byte " + z + " = 2; " + w.sequence(2) + "; x = " + z + " }"
	case 5:
		if w.fixed {
			break
		}
		w.fixed = true
		defer func() { w.fixed = false }()
		return "d_step { " + w.simple() + "; if :: a > x -> " + w.simple() + " :: else -> skip fi }"
	case 6:
		w.labels++
		return fmt.Sprintf("a = a;\nl%d: %s;\nif :: %s; goto l%d :: skip fi", w.labels, w.simple(), w.condition(), 1+w.IntN(w.labels))
	}
	return w.simple()
}

func randomModel(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 21)), depth: 3}
	text := "typedef T { short v; bit w };\nbyte a = 3, b;\nshort s;\nbit f;\nbyte arr[2];\nT p;\nchan q = [2] of { byte, bit };\nchan r = [0] of { byte };\n" +
		"proctype child(byte x) { byte y; if :: " + w.condition() + " -> a = x :: r?y fi }\n"
	for i := range 2 + w.IntN(2) {
		w.labels = 0
		text += fmt.Sprintf("active proctype P%d() {\nbyte x, y = %d;\n%s\n}\n", i, i, w.sequence(4))
	}
	return text
}

// What actions of random models access is what they say, and random walks are runs of
// SPIN's.
func TestRandomModels(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("spin is not installed")
	}
	for seed := range uint64(graphtest.Rounds(t, 40)) {
		text := randomModel(seed)
		path := filepath.Join(t.TempDir(), "random.pml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		programtest.Conform(t, compile(t, path), 3, 40, seed)
		replay(t, spin, path, seed)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}
