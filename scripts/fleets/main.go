// Command fleets measures cmd/pota-fleet on its own runner beside pota detect --jobs, on random
// executions whose spans lie scattered over files, and what memory the largest execution takes.
//
//	go run ./scripts/fleets                              20,000 executions in 200 files
//	go run ./scripts/fleets -executions 2000 -lines 0    fewer, and nothing on memory
//
// It builds both commands and prints tables in Markdown. Seconds are those of the clock and
// those of processors; on a busy machine, only the latter say something.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// properties are decided on each execution: a count, an invariant, and a response.
const properties = `two: EF((count i in "*": active@i) >= 3)
ok: AG(forall i: status@i != "error")
order: AG(forall i: active@i -> AF(!active@i))
`

func main() {
	var b bench
	flag.IntVar(&b.executions, "executions", 20_000, "executions")
	flag.IntVar(&b.files, "files", 200, "files that their spans are scattered over")
	flag.IntVar(&b.lines, "lines", 400_000, "lines of the largest execution whose memory is measured, 0 for none")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "fleets:", err)
		os.Exit(1)
	}
}

type bench struct {
	executions, files, lines int
	dir                      string
	events                   int
}

func (b *bench) run() (err error) {
	if b.dir, err = os.MkdirTemp("", "pota-fleets-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for name, folder := range map[string]string{"pota": filepath.Join("cmd", "pota"), "pota-fleet": filepath.Join("cmd", "pota-fleet")} {
		c := exec.Command("go", "build", "-trimpath", "-o", b.path(name), ".")
		c.Dir, c.Stderr = folder, os.Stderr
		if err := c.Run(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(b.path("properties"), []byte(properties), 0o666); err != nil {
		return err
	}
	if err := b.scatter(); err != nil {
		return err
	}
	fmt.Printf("%d executions of %d events in %d files, three properties:\n\n", b.executions, b.events, b.files)
	fmt.Println("| command | cores | s | s of processor | executions/s | events/s | events/s and core | MiB |\n|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, cores := range []int{1, 2} {
		if err := b.row(cores, "pota-fleet", "-f", b.path("properties"), "--output", b.path("out"), b.path("scattered", "*")); err != nil {
			return err
		}
		if err := b.row(cores, "pota", "detect", "-f", b.path("properties"), "--jobs", fmt.Sprint(cores), "--json", "-o", b.path("detect.jsonl"), b.path("alone", "*")); err != nil {
			return err
		}
	}
	if b.lines > 0 {
		return b.memory()
	}
	return nil
}

func (b *bench) path(names ...string) string {
	return filepath.Join(append([]string{b.dir}, names...)...)
}

// row measures a command.
func (b *bench) row(cores int, name string, args ...string) error {
	m, err := b.measure(cores, name, args...)
	if err != nil {
		return err
	}
	s := m.wall.Seconds()
	fmt.Printf("| %s | %d | %.1f | %.1f | %.0f | %.0f | %.0f | %d |\n", name, cores, s, m.processor.Seconds(),
		float64(b.executions)/s, float64(b.events)/s, float64(b.events)/m.processor.Seconds(), m.bytes>>20)
	return nil
}

// A measurement is of one run of a command.
type measurement struct {
	wall, processor time.Duration
	bytes           int64 // resident at most
}

// measure runs a command, which may find that properties fail.
func (b *bench) measure(cores int, name string, args ...string) (m measurement, err error) {
	c := exec.Command(b.path(name), args...)
	c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	begun := time.Now()
	out, err := c.CombinedOutput()
	m.wall = time.Since(begun)
	if c.ProcessState == nil {
		return m, err
	}
	if status := c.ProcessState.ExitCode(); status != 0 && status != 1 {
		return m, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	m.processor = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	m.bytes = c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return m, nil
}

// scatter writes the spans of random executions to files, and each execution to one of its
// own.
func (b *bench) scatter() error {
	rng := rand.New(rand.NewPCG(1, 1))
	texts := make([]strings.Builder, b.files)
	for i := range b.executions {
		docs := execution(rng, i)
		b.events += 2 * len(docs) // a span begins and ends
		for _, doc := range docs {
			texts[rng.IntN(b.files)].WriteString(doc + "\n")
		}
		if err := b.write(strings.Join(docs, "\n"), "alone", fmt.Sprintf("%08d.json", i)); err != nil {
			return err
		}
	}
	for i := range texts {
		if err := b.write(texts[i].String(), "scattered", fmt.Sprintf("%04d.jsonl", i)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) write(text string, names ...string) error {
	path := b.path(names...)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// execution returns the spans of a random trace, a document each.
func execution(rng *rand.Rand, id int) []string {
	var docs []string
	for i := range 2 + rng.IntN(5) {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf(`"parentSpanId":"%016x",`, 1+rng.IntN(i))
		}
		start := 1_700_000_000_000_000_000 + rng.Int64N(1000)*1000
		docs = append(docs, fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s%d"}}]},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",%s"name":"op","kind":%d,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","status":{"code":%d}}]}]}]}`,
			rng.IntN(3), id+1, i+1, parent, 1+rng.IntN(3), start, start+rng.Int64N(500)*1000, 1+rng.IntN(10)/9))
	}
	return docs
}

// memory measures what the largest execution takes: one of lines in the native format.
func (b *bench) memory() error {
	fmt.Println("\n| lines of one execution | MiB of text | s of processor | MiB | times the text |\n|--:|--:|--:|--:|--:|")
	if err := b.write("ok: AG(x@P0 >= 0)\n", "property"); err != nil {
		return err
	}
	for n := 1000; n <= b.lines; n = grown(n, b.lines) {
		f, err := os.Create(b.path("large.jsonl"))
		if err != nil {
			return err
		}
		w := bufio.NewWriter(f)
		for i := range n {
			fmt.Fprintf(w, `{"run":"a","process":"P%d","set":{"x":%d}}`+"\n", i%10, i%100)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		size, err := f.Seek(0, 1)
		f.Close()
		if err != nil {
			return err
		}
		m, err := b.measure(2, "pota-fleet", "-f", b.path("property"), "--output", b.path("out"), "--execution-key", "run", b.path("large.jsonl"))
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %.1f | %.1f | %d | %.0f |\n", n, float64(size)/(1<<20), m.processor.Seconds(), m.bytes>>20, float64(m.bytes)/float64(size))
	}
	return nil
}

// grown is the next number of lines to measure: ten times as many, and in the end the most.
func grown(n, most int) int {
	if n < most && 10*n > most {
		return most
	}
	return 10 * n
}
