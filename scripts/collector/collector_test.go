// Package collector sends spans to pota watch by the exporters of the OpenTelemetry Collector
// itself, over gRPC and HTTP, as a collector does that is told to export to it. It is a module
// of its own, because nothing else needs what these depend on.
package collector

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// executions is how many traces each exporter sends. Every third has an error.
const executions = 300

func TestCollector(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pota")
	build := exec.Command("go", "build", "-o", program, "./cmd/pota")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for scheme, of := range map[string]exporter.Factory{"grpc": otlpexporter.NewFactory(), "http": otlphttpexporter.NewFactory()} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			watched := watch(t, program, scheme)
			e := start(t, of, watched.address)
			for i := range executions { // two exports each, the root's the last
				for _, span := range []byte{2, 1} {
					if err := e.ConsumeTraces(t.Context(), traces(i, span)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := e.Shutdown(t.Context()); err != nil { // sends what is in its queue
				t.Fatal(err)
			}
			verdicts := watched.verdicts(t, executions)
			for i := range executions {
				want := "holds"
				if i%3 == 0 {
					want = "fails"
				}
				if got := verdicts[id(i).String()]; got != want {
					t.Errorf("execution %d: %q, want %s", i, got, want)
				}
			}
		})
	}
}

// start starts an exporter with the configuration that a user would write.
func start(t *testing.T, of exporter.Factory, address string) exporter.Traces {
	t.Helper()
	config := of.CreateDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"endpoint": address, "tls": map[string]any{"insecure": true}}).Unmarshal(config)
	if err != nil {
		t.Fatal(err)
	}
	e, err := of.CreateTraces(t.Context(), exportertest.NewNopSettings(of.Type()), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	return e
}

func id(execution int) (id pcommon.TraceID) {
	copy(id[:], fmt.Sprintf("%016d", execution+1))
	return id
}

// traces returns one of the two spans of an execution: 1, its root, or 2, the root's child,
// which every third time ends with an error.
func traces(execution int, span byte) ptrace.Traces {
	all := ptrace.NewTraces()
	r := all.ResourceSpans().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	s := r.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(id(execution))
	s.SetSpanID(pcommon.SpanID{span})
	s.SetName(fmt.Sprint("step", span))
	begun := time.Date(2026, 1, 1, 0, 0, execution, int(span), time.UTC)
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(begun))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(begun.Add(time.Second / time.Duration(span))))
	if span > 1 {
		s.SetParentSpanID(pcommon.SpanID{1})
		if execution%3 == 0 {
			s.Status().SetCode(ptrace.StatusCodeError)
		}
	}
	return all
}

// A watched is a running pota watch.
type watched struct {
	command *exec.Cmd
	address string
	answers *bufio.Scanner
}

func watch(t *testing.T, program, scheme string) *watched {
	t.Helper()
	properties := filepath.Join(t.TempDir(), "properties")
	if err := os.WriteFile(properties, []byte("clean: AG(forall i: status@i != \"error\")\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := &watched{command: exec.Command(program, "watch", "--json", "--grace", "300ms", "--log-format", "json",
		"-f", properties, "--listen", scheme+"://127.0.0.1:0")}
	out, err := w.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := w.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.command.Process.Kill() }) // it may have ended
	w.answers = bufio.NewScanner(out)
	lines := bufio.NewScanner(told)
	for w.address == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "127.0.0.1:"); ok {
			port := rest[:strings.IndexFunc(rest+"\"", func(r rune) bool { return r < '0' || r > '9' })]
			w.address = "127.0.0.1:" + port
		}
	}
	if w.address == "" {
		t.Fatalf("it does not say where it listens, but %q", lines.Text())
	}
	if scheme == "http" {
		w.address = "http://" + w.address
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return w
}

// verdicts returns those of n executions and ends the run.
func (w *watched) verdicts(t *testing.T, n int) map[string]string {
	t.Helper()
	const patience = 5 * time.Minute // a run that takes longer hangs, however slow the machine
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	context.AfterFunc(ctx, func() { w.command.Process.Signal(syscall.SIGTERM) }) // it may have ended
	all := make(map[string]string)
	for len(all) < n && w.answers.Scan() {
		var a struct{ Execution, Verdict string }
		if err := json.Unmarshal(w.answers.Bytes(), &a); err != nil {
			t.Fatalf("%v: %s", err, w.answers.Text())
		}
		all[a.Execution] = a.Verdict
	}
	return all
}
