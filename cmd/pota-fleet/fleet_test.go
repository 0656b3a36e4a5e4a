package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/pota-project/pota/graphs/graphtest"
)

// asProgram is the environment variable that makes the test binary run as the program.
const asProgram = "POTA_FLEET_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	flag.Parse()
	beam.Init()
	dir, err := os.MkdirTemp("", "pota-fleet-") // for the files that Beam leaves
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// properties are the properties decided on the executions of scatter.
const properties = `two: EF((count i in "*": active@i) >= 3)
ok: AG(forall i: status@i != "error")
order: AG(forall i: active@i -> AF(!active@i))
`

// execution returns the spans of a random trace, one document each.
func execution(rng *rand.Rand, id int) []string {
	var docs []string
	n := 2 + rng.IntN(5)
	for i := range n {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf(`"parentSpanId":"%016x",`, 1+rng.IntN(i))
		}
		start := 1_700_000_000_000_000_000 + rng.Int64N(1000)*1000
		status := 1 + rng.IntN(10)/9
		docs = append(docs, fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s%d"}}]},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",%s"name":"op","kind":%d,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","status":{"code":%d}}]}]}]}`,
			rng.IntN(3), id+1, i+1, parent, 1+rng.IntN(3), start, start+rng.Int64N(500)*1000, status))
	}
	return docs
}

// scatter writes the spans of executions to files in one folder, some compressed, and each
// execution to a file of its own in another folder.
func scatter(t *testing.T, rng *rand.Rand, executions [][]string, files int, scattered, alone string) {
	t.Helper()
	texts := make([][]string, files)
	for i, docs := range executions {
		for _, doc := range docs {
			k := rng.IntN(files)
			texts[k] = append(texts[k], doc)
		}
		if alone != "" {
			write(t, filepath.Join(alone, fmt.Sprintf("%032x.json", i+1)), strings.Join(docs, "\n"))
		}
	}
	for i, lines := range texts {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		text := strings.Join(lines, "\n") + "\n"
		if i%3 == 0 {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, text)
			z.Close()
			text = b.String()
		}
		write(t, filepath.Join(scattered, fmt.Sprintf("%04d.jsonl", i)), text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func newJob(output string, inputs ...string) *job {
	return &job{
		Inputs: inputs, Output: output, Outputs: 3, MaxLine: 1 << 20,
		Properties: properties, MaxBytes: 1 << 20, MaxPieces: 1000, MaxMemory: 1 << 28, Timeout: time.Minute,
	}
}

func runJob(t *testing.T, j *job) {
	t.Helper()
	if err := beamx.Run(context.Background(), pipeline(j)); err != nil {
		t.Fatal(err)
	}
}

// content returns the output files of a folder.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	names, err := filepath.Glob(filepath.Join(folder, "[^.]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// verdictsOf returns the verdicts in lines of JSON, by trace and property.
func verdictsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var l struct{ Trace, Name, Formula, Verdict, Reason, Error string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		key := strings.TrimSuffix(filepath.Base(l.Trace), ".json") + " " + l.Name
		if all[key] != "" {
			t.Errorf("%s twice", key)
		}
		all[key] = l.Verdict
	}
	return all
}

func verdictLinesOf(all map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, verdictLines) {
			b.WriteString(all[name])
		}
	}
	return b.String()
}

// command builds the command pota.
func command(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pota")
	build := exec.Command("go", "build", "-o", path, "./cmd/pota")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestFleet: executions whose spans are shuffled over files get the verdicts that pota detect gives
// each alone, in any order of files, reproducibly, and also after the first run was killed.
func TestFleet(t *testing.T) {
	count, files := 300, 20
	if os.Getenv("POTA_FULL") != "" {
		count, files = 20_000, 200
	}
	rng := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	var executions [][]string
	for i := range count {
		executions = append(executions, execution(rng, i))
	}
	scattered, again, alone := filepath.Join(dir, "scattered"), filepath.Join(dir, "again"), filepath.Join(dir, "alone")
	scatter(t, rng, executions, files, scattered, alone)
	scatter(t, rng, executions, files/2, again, "")
	write(t, filepath.Join(dir, "properties"), properties)

	detect := exec.Command(command(t), "detect", "-f", filepath.Join(dir, "properties"), "--shard", "0/1", "--json", filepath.Join(alone, "*.json"))
	out, _ := detect.Output() // some properties fail
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := verdictsOf(t, strings.Join(lines[:len(lines)-1], "\n"))
	if len(want) != 3*count {
		t.Fatalf("%d verdicts of pota detect", len(want))
	}
	seen := make(map[string]int)
	for _, v := range want {
		seen[v]++
	}
	t.Log(seen)

	first := filepath.Join(dir, "first")
	runJob(t, newJob(first, filepath.Join(scattered, "*")))
	outputs := content(t, first)
	if got := verdictsOf(t, verdictLinesOf(outputs)); !maps.Equal(got, want) {
		t.Fatalf("verdicts differ: %d, want %d", len(got), len(want))
	}
	if totals := outputs[totalsFile]; !strings.Contains(totals, fmt.Sprintf(`{"counted":"executions","number":%d}`, count)) {
		t.Errorf("totals: %s", totals)
	}

	names, _ := filepath.Glob(filepath.Join(scattered, "*"))
	slices.Reverse(names)
	second := filepath.Join(dir, "second")
	runJob(t, newJob(second, names...))
	if !maps.Equal(content(t, second), outputs) {
		t.Error("files in another order make other outputs")
	}
	third := filepath.Join(dir, "third")
	runJob(t, newJob(third, filepath.Join(again, "*")))
	if got := verdictsOf(t, verdictLinesOf(content(t, third))); !maps.Equal(got, want) {
		t.Error("spans in other files have other verdicts")
	}

	killed := filepath.Join(dir, "killed")
	args := []string{"-f", filepath.Join(dir, "properties"), "--output", killed, "--outputs", "3", "--certificates", filepath.Join(scattered, "*")}
	program := func() *exec.Cmd {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), asProgram+"=1")
		return c
	}
	c := program()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	graphtest.Await(t, "the program writes a part of its output", func() bool {
		done, _ := filepath.Glob(filepath.Join(killed, "traces", "*"))
		return len(done) > 0
	})
	_ = c.Process.Kill() // it may have ended
	_ = c.Wait()         // it was killed
	t.Logf("killed with %d of %d outputs", len(content(t, killed)), len(outputs)+3)
	c = program()
	if out, err := c.Output(); err == nil || c.ProcessState.ExitCode() != someFails || !bytes.HasPrefix(out, fmt.Appendf(nil, "%d executions, ", count)) {
		t.Fatalf("%v: %s", err, out)
	}
	whole := content(t, killed)
	for name, text := range outputs {
		if whole[name] != text {
			t.Errorf("%s is another after a run that was killed", name)
		}
	}
	if claims := verdictsOf(t, content(t, killed)["certificates-00000-of-00003.jsonl"]); len(claims) == 0 {
		t.Error("no certificates")
	}
}

// TestFormats: executions of several formats, unreadable input, and executions that are too large.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	in := func(name, text string) { write(t, filepath.Join(dir, "in", name), text) }
	in("otlp.jsonl", execution(rand.New(rand.NewPCG(1, 1)), 0)[0]+"\n"+`{"resourceSpans":[{"scopeSpans":`+"\n")
	in("zipkin.json", `[{"traceId":"2","id":"1","name":"op","timestamp":1,"duration":2}]`)
	in("jaeger.json", `{"data":[{"traceID":"3","spans":[{"traceID":"3","spanID":"1","operationName":"op","startTime":1,"duration":2,"processID":"p1"}],"processes":{"p1":{"serviceName":"s"}}}]}`)
	in("native.jsonl", `{"run":"a","process":"P","init":{"active":false,"status":""}}
{"run":"b","process":"P","init":{"active":false,"status":""}}
{"run":"a","process":"P","set":{"active":true}}
{"process":"P"}
{"run":"b","process":"P","recv":"nothing"}
{"run":"c","process":"P"}
`)
	var large strings.Builder
	for range 2000 {
		large.WriteString(`{"run":"large","process":"P"}` + "\n")
	}
	in("more.jsonl", large.String())
	j := newJob(filepath.Join(dir, "out"), filepath.Join(dir, "in", "*"))
	j.Key = "run"
	j.Outputs = 1
	runJob(t, j)
	all := content(t, j.Output)
	got := verdictsOf(t, all["verdicts-00000-of-00001.jsonl"])
	want := map[string]string{
		"00000000000000000000000000000001 two": "fails", "2 two": "fails", "3 two": "fails", "a two": "fails",
		"a order": "fails", "large two": "unknown", "b ": "", "c two": "",
	}
	for key, verdict := range want {
		if v, ok := got[key]; v != verdict || !ok {
			t.Errorf("%s: %q, want %q", key, v, verdict)
		}
	}
	for _, text := range []string{"more than 1000 pieces", "there is no variable active"} {
		if !strings.Contains(all["verdicts-00000-of-00001.jsonl"], text) {
			t.Errorf("%s is not told", text)
		}
	}
	for _, text := range []string{`otlp.jsonl:2"`, `native.jsonl:4"`, `native.jsonl:5"`} {
		if !strings.Contains(all["dead-00000-of-00001.jsonl"], text) {
			t.Errorf("%s is no dead letter:\n%s", text, all["dead-00000-of-00001.jsonl"])
		}
	}
	if n := strings.Count(all["dead-00000-of-00001.jsonl"], "\n"); n != 3 {
		t.Errorf("%d dead letters", n)
	}
	var b strings.Builder
	status, err := summary(context.Background(), j, &b)
	if err != nil || status != badInput || !strings.Contains(b.String(), "7 executions") || !strings.Contains(b.String(), "2 bad lines, 0 pieces too late; 1 executions refused, 1 too large") {
		t.Errorf("%d %v %s", status, err, b.String())
	}
}

// TestLate: a piece of an execution that an earlier run has decided is a dead letter, and so is a
// span whose trace id is spelled differently; other executions are decided.
func TestLate(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 5))
	write(t, filepath.Join(dir, "first", "spans.jsonl"), strings.Join(execution(rng, 0), "\n"))
	write(t, filepath.Join(dir, "first", "lines.jsonl"), `{"run":"a","process":"P"}`)
	write(t, filepath.Join(dir, "second", "spans.jsonl"), strings.Join(execution(rng, 1), "\n"))
	write(t, filepath.Join(dir, "second", "zipkin.json"), `[{"traceId":"1","id":"1","name":"op","timestamp":1,"duration":2}]`)
	write(t, filepath.Join(dir, "second", "lines.jsonl"), `{"run":"b","process":"P"}`+"\n"+strings.Repeat(`{"run":"a","process":"P"}`+"\n", 12))
	j := newJob(filepath.Join(dir, "out"), filepath.Join(dir, "first", "*"))
	j.Key, j.Properties = "run", "some: EF true\n"
	runJob(t, j)
	next := newJob(filepath.Join(dir, "next"), filepath.Join(dir, "second", "*"))
	next.Key, next.Properties, next.Outputs = j.Key, j.Properties, 1
	next.MaxPieces = 10 // a has more pieces
	next.Decided = filepath.Join(j.Output, "verdicts-*")
	runJob(t, next)
	all := content(t, next.Output)
	want := map[string]string{"00000000000000000000000000000002 some": "holds", "b some": "holds"}
	if got := verdictsOf(t, all["verdicts-00000-of-00001.jsonl"]); !maps.Equal(got, want) {
		t.Errorf("verdicts: %v", got)
	}
	dead := all["dead-00000-of-00001.jsonl"]
	for _, text := range []string{`zipkin.json:1"`, `lines.jsonl:2"`, "execution \\\"a\\\" was decided before", `"text":"{`} {
		if !strings.Contains(dead, text) {
			t.Errorf("%s is not told:\n%s", text, dead)
		}
	}
	var b strings.Builder
	status, err := summary(t.Context(), next, &b)
	if err != nil || status != badInput || !strings.Contains(b.String(), "2 executions, ") || !strings.Contains(b.String(), " 12 pieces too late") {
		t.Errorf("%d %v %s", status, err, b.String())
	}
}

// TestPortable: the pipeline can be sent to a runner in another process: every function is
// registered, and the keys of groups use coders that all runners support.
func TestPortable(t *testing.T) {
	j := newJob("out", "in")
	j.Decided = "verdicts"
	p := pipeline(j)
	e, err := vet.Evaluate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if e.RequiresRegistrations() || !e.AllExported() {
		t.Errorf("functions that are not registered or exported:\n%s", e.Bytes())
	}
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	all, err := graphx.Marshal(edges, &graphx.Options{Environment: &pipepb.Environment{}})
	if err != nil {
		t.Fatal(err)
	}
	parts := all.GetComponents()
	urn := func(coder string) string { return parts.GetCoders()[coder].GetSpec().GetUrn() }
	known := []string{"kv", "string_utf8", "bytes", "varint", "iterable", "global_window", "length_prefix", "windowed_value"}
	for id, c := range parts.GetCoders() {
		payload, _ := base64.StdEncoding.DecodeString(string(c.GetSpec().GetPayload()))
		whole := bytes.Contains(payload, []byte("coderx.encVarInt")) // the SDK's own, of counts
		name := strings.TrimSuffix(strings.TrimPrefix(urn(id), "beam:coder:"), ":v1")
		if !slices.Contains(known, name) && !whole {
			t.Errorf("coder %s is %s %s", id, urn(id), payload)
		}
	}
	grouped := 0
	for _, x := range parts.GetTransforms() {
		if x.GetSpec().GetUrn() != graphx.URNGBK {
			continue
		}
		for _, in := range x.GetInputs() {
			grouped++
			coder := parts.GetCoders()[parts.GetPcollections()[in].GetCoderId()]
			key := urn(coder.GetComponentCoderIds()[0])
			if key != "beam:coder:string_utf8:v1" && !strings.HasPrefix(x.GetUniqueName(), "Reshuffle") {
				t.Errorf("%s groups by %s", x.GetUniqueName(), key)
			}
		}
	}
	if grouped < 2 {
		t.Errorf("%d groupings", grouped)
	}
}
