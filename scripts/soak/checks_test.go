//go:build linux

package soak

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// Each check notices a program that does what it is not to do, and only that. A script that
// mentions out is a command with -o.
func TestChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: what is found is run again to be sure, which takes long")
	}
	*slack = 300 * time.Millisecond
	for _, test := range []struct{ want, script string }{
		{"", `echo new >out`},
		{"", `echo '{"a":1}'`},
		{"", `echo "pota: wrong" >&2; exit 2`},
		{"", `echo "pota: the time is over, and out stays" >&2; exit 3`},
		{"status", `exit 4`},
		{"status", `exit 2`},
		{"status", `kill -SEGV $$`},
		{"crash", `printf 'panic: x\n\ngoroutine 1 [running]:\n' >&2; exit 2`},
		{"text", `printf 'a\033[31m'`},
		{"text", `printf '\302\233x'`},
		{"text", `printf '\342\200\256x'`},
		{"text", `printf 'a\n ::error::x' >&2; exit 2`},
		{"text", `printf 'a ##[error]x' >&2; exit 2`},
		{"results", `echo "no object"`},
		{"results", `echo new >out; echo done`},
		{"time", `sleep 1`},
		{"memory", `printf -v x '%150000000s'; sleep 0.1`},
		{"output", `true # and out stays`},
		{"output", `echo half >out; echo "pota: wrong" >&2; exit 2`},
		{"left", `echo new >out; echo x >.out123`},
		{"left", `mkdir "$TMPDIR/x"`},
	} {
		*cases.Binary = filepath.Join(t.TempDir(), "pota")
		if err := os.WriteFile(*cases.Binary, []byte("#!/bin/bash\n"+test.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		c := &testCase{args: []string{"stats", "--json", "trace"}, files: map[string][]byte{"trace": []byte("x")}, limit: 10 * time.Second, memory: 1 << 20}
		if strings.Contains(test.script, "out") {
			c.args = []string{"slice", "--format", "html", "-o", output, "trace"}
		}
		if test.want == "time" {
			c.limit = time.Millisecond
		}
		r := &runner{dir: filepath.Join(t.TempDir(), "case"), ends: make(map[string][5]int)}
		got := ""
		if f := r.confirmed(c); f != nil {
			got = f.kind
		}
		if got != test.want {
			t.Errorf("%s: found %q, want %q", test.script, got, test.want)
		}
	}
}

// What is found is made smaller without losing it.
func TestSmaller(t *testing.T) {
	*cases.Binary = filepath.Join(t.TempDir(), "pota")
	script := "#!/bin/sh\nfor f; do :; done\ngrep -q needle \"$f\" && exit 9\necho fine\n"
	if err := os.WriteFile(*cases.Binary, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("hay\n", 100)
	c := &testCase{args: []string{"stats", "--json", "--input", "native", "trace"}, files: map[string][]byte{"trace": []byte(text + "a needle here\n" + text), "other": nil}}
	r := &runner{dir: filepath.Join(t.TempDir(), "case"), ends: make(map[string][5]int)}
	f := r.confirmed(c)
	if f == nil {
		t.Fatal("nothing is found")
	}
	c, f = r.smaller(c, f)
	if f.kind != "status" || c.String() != "pota stats trace" || string(c.files["trace"]) != "needle" || len(c.files) != 1 {
		t.Errorf("%s: %s with %q", f.kind, c, c.files)
	}
}

// Seed and number decide a case.
func TestSeed(t *testing.T) {
	s := &samples{traces: []sample{simple}, mappings: [][]byte{[]byte(`{"process":"/p"}`)}, orders: [][]byte{[]byte("x")}, formulas: []string{"EF(x == 1)"},
		models: []model{{[]byte("init { skip }"), []string{"EF(true)"}}}, results: [][][]byte{{[]byte("{}")}}}
	for i := range 30 {
		var cases [2]*testCase
		for k := range cases {
			cases[k] = (&generator{rand.New(rand.NewPCG(1, uint64(i))), s}).draw()
		}
		a, b := cases[0], cases[1]
		if a.String() != b.String() || len(a.files) != len(b.files) {
			t.Fatalf("%s\n%s", a, b)
		}
		for name, text := range a.files {
			if !bytes.Equal(text, b.files[name]) {
				t.Fatalf("%s: %s differs", a, name)
			}
		}
	}
}
