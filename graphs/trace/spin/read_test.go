package spin_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/spin"
	"github.com/pota-project/pota/rctl/rctltest"
)

const samples = "../../../testdata/traces/spin/"

var (
	update = flag.Bool("update", false, "rewrite the native traces in testdata")
	models = map[string][]string{"mutex": {"-n2"}, "ring": {"-n1"}, "rendezvous": {"-n1", "-w"}}
)

func read(path string, opts trace.Options) (*graphs.Computation, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return spin.Read(context.Background(), source, opts)
}

func readText(t *testing.T, text string) (*graphs.Computation, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.out")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return read(name, trace.Options{Names: true})
}

// The samples as native traces.
func TestSamples(t *testing.T) {
	for name := range models {
		c, err := read(samples+name+".out", trace.Options{Names: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got bytes.Buffer
		if err := native.Write(&got, c, nil); err != nil {
			t.Fatal(err)
		}
		file := samples + name + ".jsonl"
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s is read as\n%s", name, got.String())
		}
	}
}

// The samples are the output of SPIN.
func TestSpin(t *testing.T) {
	program, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("spin is not installed")
	}
	for name, more := range models {
		run := exec.Command(program, append(append([]string{"-p", "-g", "-l", "-r", "-s"}, more...), name+".pml")...)
		run.Dir = samples
		got, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(samples + name + ".out")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: spin prints\n%s", name, got)
		}
	}
}

// Properties that the samples show beyond the one order in which they were simulated: in that of
// mutex, no two processes were in their critical sections at once.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		sample, formula string
		want            bool
	}{
		{"mutex", `EF(cs@"user:0" == 1 && cs@"user:1" == 1)`, true},
		{"mutex", `AG(cs@"user:0" == 1 -> flag.0 == 1)`, true},
		{"mutex", `AF(rounds@"user:0" == 2 && flag.0 == 0 && flag.1 == 0)`, true},
		{"ring", `AG((count i in "node:*": work@i == 1) <= 1)`, true},
		{"ring", `EF(done == 6 && work@"node:3" == 0)`, true},
		{"ring", `EF(token@"node:1" == 4 && token@"node:2" == 1)`, false},
		{"rendezvous", `AG(best >= 1) && EF(best == 9) && AG(collected <= 3)`, true},
		{"rendezvous", `AG(mode == "stop" -> collected == 3)`, true},
		{"rendezvous", `EF(n@"worker:1" == 3 && n@"worker:2" == 2)`, true},
		{"rendezvous", `AG(i@"init:0" <= 0 -> n@"worker:1" + n@"worker:2" == 0)`, true},
	} {
		c, err := read(samples+test.sample+".out", trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := rctltest.Resolve(c, test.formula)
		if err != nil {
			t.Fatalf("%s: %v", test.formula, err)
		}
		l := graphtest.NewLattice(c)
		if got := rctltest.Holds(l, f)[l.Initial]; got != test.want {
			t.Errorf("%s: %s: %v", test.sample, test.formula, got)
		}
	}
}

// describe lists the edges between processes, ties, and variables.
func describe(c *graphs.Computation) []string {
	var lines []string
	for e := graphs.Event(1); e < c.Top(); e++ {
		for _, f := range c.Preds(e) {
			lines = append(lines, c.ID(f)+" before "+c.ID(e))
		}
	}
	for _, v := range c.Variables() {
		line := v.Name
		if v.Process != graphs.Shared {
			line += "@" + c.Processes()[v.Process]
		}
		line += " " + v.Init.String()
		for i := range v.Len() {
			line += fmt.Sprintf(", %s by %s", v.Value(i), c.ID(v.Event(i)))
		}
		lines = append(lines, line)
	}
	for _, m := range c.Messages() {
		if m.Recv == graphs.Bottom {
			lines = append(lines, fmt.Sprintf("%s is sent to %d", c.ID(m.Send), m.To))
		}
	}
	return lines
}

// steps makes an output of statements, "pid statement"; it copies rows that start with a tab.
func steps(rows ...string) string {
	var b strings.Builder
	b.WriteString("  0:\tproc  - (:root:) creates proc  0 (P)\n  0:\tproc  - (:root:) creates proc  1 (Q)\n  0:\tproc  - (:root:) creates proc  2 (R)\n")
	n := 0
	for _, row := range rows {
		if row[0] == '\t' {
			b.WriteString("\t" + row + "\n")
			continue
		}
		pid, text, _ := strings.Cut(row, " ")
		switch verb, rest, _ := strings.Cut(text, " "); verb {
		case "Send", "Recv", "[Recv]", "Sent":
			step := n + 1
			if verb == "Sent" {
				step = n
			}
			fmt.Fprintf(&b, " %d:\tproc  %s (%s:1) x y.pml:7 %s %s\n", step, pid, string("PQR"[pid[0]-'0']), verb, rest)
		case "hidden":
			n++
		case "same": // in the same step as the previous statement
			fmt.Fprintf(&b, " %d:\tproc  %s (%s:1) x y.pml:7 (state 3)\t[%s]\n", n, pid, string("PQR"[pid[0]-'0']), rest)
		default:
			n++
			fmt.Fprintf(&b, " %d:\tproc  %s (%s:1) x y.pml:7 (state 3)\t[%s]\n", n, pid, string("PQR"[pid[0]-'0']), text)
		}
	}
	return b.String()
}

func TestCausality(t *testing.T) {
	for _, test := range []struct {
		name string
		text string
		want []string
	}{
		{"reads and writes", steps("0 x = 1", "\tx = 1", "1 (x>0)", "2 (x>0)", "0 x = (x+1)", "\tx = 2", "1 y = 1", "\ty = 1"), []string{
			"Q:1:1 before P:0:2", "R:2:1 before P:0:2", "P:0:1 before Q:1:1", "P:0:1 before R:2:1",
			"x 0, 1 by P:0:1, 2 by P:0:2", "y 0, 1 by Q:1:2",
		}},
		{"writes of the same value", steps("0 x = 1", "\tx = 1", "1 x = 1", "2 z = x"), []string{
			"P:0:1 before Q:1:1", "Q:1:1 before R:2:1", "x 0, 1 by P:0:1",
		}},
		{"elements", steps("0 a[_pid] = 1", "\ta[0] = 1", "\ta[1] = 5", "1 a[(2-_pid)] = 3", "\ta[0] = 1", "\ta[1] = 3", "2 (a[0]==1)", "2 (a[i]==1)"), []string{
			"P:0:1 before R:2:1", "P:0:1 before R:2:2", "Q:1:1 before R:2:2",
			"a.0 0, 1 by P:0:1", "a.1 5, 3 by Q:1:1",
		}},
		{"an element that is not known", steps("0 a[i] = 1", "\ta[0] = 0", "\ta[1] = 1", "1 (a[0]==0)"), []string{
			"P:0:1 before Q:1:1", "a.0 0", "a.1 0, 1 by P:0:1",
		}},
		{"locals that hide globals", steps("0 x = 1", "\tx = 1", "1 x = 2", "\tQ(1):x = 2", "2 (x==1)", "1 a[x] = 4", "\ta[2] = 4"), []string{
			"P:0:1 before R:2:1", "x 0, 1 by P:0:1", "a.2 0, 4 by Q:1:2", "x@Q:1 0, 2 by Q:1:1",
		}},
		{"structures", steps("0 r.f[0] = 1", "1 (r.g==0)", "2 l.f = 1", "\tR(2):l.f = 1", "\tR(2):l.g = 7"), []string{
			"P:0:1 before Q:1:1", "l.f@R:2 0, 1 by R:2:1", "l.g@R:2 7",
		}},
		{"strings and other types", steps("0 m = red", "\tm = red", "1 m = 0", "\tm = 0", "1 b = 1", "\tb = 1"), []string{
			"P:0:1 before Q:1:1", `m "", "red" by P:0:1, "0" by Q:1:1`, "b 0, 1 by Q:1:2",
		}},
		{"queues", steps("0 Send 1\t-> queue 1 (c)", "0 c!1", "2 Send 2\t-> queue 1 (c)", "2 c!2", "1 Recv 1\t<- queue 1 (c)", "1 c?v",
			"\tQ(1):v = 1", "1 Recv 2\t<- queue 1 (c)", "1 c?_", "2 Send 3\t-> queue 1 (c)", "2 c!3"), []string{
			"P:0:1 before Q:1:1", "R:2:1 before Q:1:2", "v@Q:1 0, 1 by Q:1:1", "R:2:2 is sent to 1",
		}},
		{"receives out of order", steps("0 Send 1,2\t-> queue 1 (c)", "0 c!1,2", "0 Send 2,2\t-> queue 1 (c)", "0 c!2,2", "1 Recv 2,2\t<- queue 1 (d)", "1 d??2,v",
			"2 Recv 1,2\t<- queue 1 (c)", "2 c?_,x", "\tx = 2", "1 (x==2)"), []string{
			"P:0:2 before Q:1:1", "R:2:1 before Q:1:2", "P:0:1 before R:2:1", "x 0, 2 by R:2:1",
		}},
		{"looks", steps("0 Send 1\t-> queue 3 (c[2])", "0 c[2]!1", "1 (len(c[2])>0)", "2 (nfull(d)&&x)", "2 [Recv] 1\t<- queue 3 (c[2])", "2 c[2]?<k>",
			"1 Recv 1\t<- queue 3 (c[2])", "1 c[2]?_", "2 (c[2]?[1])"), []string{
			"P:0:1 before Q:1:1", "P:0:1 before Q:1:2", "R:2:2 before Q:1:2", "Q:1:1 before R:2:1", "P:0:1 before R:2:1", "P:0:1 before R:2:2", "Q:1:2 before R:2:3",
			"P:0:1 before R:2:3", "R:2:1 before Q:1:2", // an unknown queue
		}},
		{"a rendezvous", steps("2 y = 1", "\ty = 1", "0 c!y", "1 same c?x", "0 Sent 1\t-> queue 1 (c)", "1 Recv 1\t<- queue 1 (c)", "\tx = 1", "2 (x==1)"), []string{
			"Q:1:1 before P:0:1", "R:2:1 before P:0:1", "P:0:1 before Q:1:1", "Q:1:1 before R:2:2",
			"x 0, 1 by Q:1:1", "y 0, 1 by R:2:1",
		}},
		{"else", steps("0 x = 1", "\tx = 1", "0 y = 1", "\ty = 1", "2 Send 1\t-> queue 1 (c)", "2 c!1", "1 else", "0 y = 2", "\ty = 2", "2 (y==1)", "1 skip"), []string{
			"Q:1:1 before P:0:3", "P:0:1 before Q:1:1", "P:0:2 before Q:1:1", "R:2:1 before Q:1:1", "P:0:3 before R:2:2",
			"x 0, 1 by P:0:1", "y 0, 1 by P:0:2, 2 by P:0:3", "R:2:1 is sent to -1",
		}},
		{"a fence", steps("0 (1)", "1 (1)", "2 (timeout)", "0 (1)", "0 (1)", "1 (P[0]:x==1)"), []string{
			"R:2:1 before P:0:2", "P:0:3 before Q:1:2", "R:2:1 before Q:1:2", "P:0:1 before R:2:1", "Q:1:1 before R:2:1",
		}},
		{"a d_step", steps("0 z = 1", "\tz = 1", "\tx = 7", "\tz = 2", "0 hidden", "1 y = 1", "\ty = 1", "0 (1)"), []string{
			"Q:1:1 before P:0:2", "P:0:1 before Q:1:1", "z 0, 1 by P:0:1, 2 by Q:1:1", "x 0, 7 by Q:1:1", "y 0, 1 by Q:1:1",
		}},
		{"a d_step with -w", steps("0 z = 1", "\tx = 5", "\ty = 0", "\tz = 1", "\tx = 7", "\ty = 0", "\tz = 1", "0 hidden", "1 y = 1", "\tx = 7", "\ty = 1", "\tz = 1"), []string{
			"P:0:1 before Q:1:1", "x 5, 7 by Q:1:1", "y 0, 1 by Q:1:1", "z 0, 1 by P:0:1",
		}},
		{"a d_step at first", "\t\tx = 1\n" + steps("1 hidden", "0 y = 1", "\ty = 1"), []string{"x 0, 1 by P:0:1", "y 0, 1 by P:0:1"}},
		{"a change that the statement does not tell", steps("0 c_code1", "\tx = 1", "1 (1)", "2 s(3)", "\tx = 2", "1 x = 2"), []string{
			"P:0:1 before Q:1:1", "R:2:1 before Q:1:2", "P:0:1 before R:2:1", "x 1, 2 by R:2:1",
		}},
	} {
		c, err := readText(t, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got, want := describe(c), slices.Clone(test.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot\n\t%s\nwant\n\t%s", test.name, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
}

func TestProcesses(t *testing.T) {
	c, err := readText(t, "  0:\tproc  - (:root:) creates proc  0 (:init:)\nStarting P with pid 1\n"+
		"  1:\tproc  0 (:init::1) creates proc  1 (P)\n  1:\tproc  0 (:init::1) a.pml:3 (state 1)\t[(run P())]\n"+
		"no line end  2:\tproc  1 (P:1) a.pml:1 (state 1)\t[printf('x = 1\\n')]\n  2:\tproc  1 (P:1)      terminates\n"+
		"  3:\tproc  - (never_0:1) a.pml:9 (state 1)\t[(1)]\r\n"+
		"  4:\tproc  0 (:init::1) creates proc  1 (P)\n  4:\tproc  0 (:init::1) a.pml:3 (state 2)\t[p = run P()]\n\t\t:init:(0):p = 1\n"+
		"  5:\tproc  1 (P:1) a.pml:1 (state 1)\t[skip]\n"+
		"#processes: 2\n\t\tx = 1\n  5:\tproc  1 (P:1) a.pml:1 (state 1)\n3 processes created\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"init:0:1 before P:1:1", "init:0:2 before P:1#2:1", "x 0", "p@init:0 0, 1 by init:0:2"}
	if got := describe(c); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := c.Label(c.Event(1, 1)); got != `printf('x = 1\n') (a.pml:1)` {
		t.Errorf("%q", got)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "x.out: no statement of a process: this is not the output of spin -p -g -l -r -s"},
		{steps("0 c!1"), "x.out:4: c!1 without a line that tells the queue: run spin with -r and -s, too"},
		{steps("0 (1)", "1 c[0]?x"), "x.out:5: c[0]?x without a line that tells the queue: run spin with -r and -s, too"},
		{steps("0 Recv 1\t<- queue 1 (c)", "0 c?1"), "x.out:4: 1 is received from queue 1 (c), where no such message is"},
	} {
		_, err := readText(t, test.text)
		var e *trace.Error
		if !errors.As(err, &e) || filepath.Base(err.Error()) != test.want && !strings.HasSuffix(err.Error(), "/"+test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := read(t.TempDir(), trace.Options{}); err == nil {
		t.Error("a directory is read")
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		steps("0 (1)"): true,
		"Starting P with pid 1\nhello   1:\tproc  0 (:init::1) creates proc  1 (P)\n": true,
		"":                                     false,
		"{\"process\":\"P\"}\n":                false,
		"P {\"P\":1}\nevent 1: proc 0 (x) y\n": false,
	} {
		if got := spin.Detect([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestVariables(t *testing.T) {
	c, err := read(samples+"mutex.out", trace.Options{Variables: map[string]bool{"cs": true}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Variable(0, "cs").Skipped() || !c.Variable(0, "rounds").Skipped() || c.Variable(graphs.Shared, "flag.0").Skipped() {
		t.Error("other variables are kept than asked for")
	}
	if c.Label(c.Event(0, 1)) != "" {
		t.Error("labels are kept")
	}
}

func FuzzRead(f *testing.F) {
	for name := range models {
		text, err := os.ReadFile(samples + name + ".out")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text[:len(text)/3]))
	}
	f.Add(steps("0 a[i].b = (x->y:1)", "\ta[0] = 1", "2 (len(c["))
	f.Add(steps("0 Recv 1\t<- queue 1 (c)", "1 c?<eval(x),y>"))
	for _, text := range []string{"a[", "a.", "a[].b = run", "c!", "c??eval", "c?<", "(c?[", "a[-(1%0)] = len(", "(", "x =", "run", "len(len(c))"} {
		f.Add(steps("0 "+text, "1 (1)", "0 "+text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readText(t, text)
		var e *trace.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%T: %v", err, err)
		}
		if err == nil && c.NumEvents() == 0 {
			t.Error("no events")
		}
	})
}
