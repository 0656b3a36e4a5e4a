package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// spanOf is a request with one span of three in an execution: its root, or a child of that.
func spanOf(execution, span int) string {
	parent := ""
	if span > 0 {
		parent = `"parentSpanId":"0000000000000001",`
	}
	return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",%s"name":"s","startTimeUnixNano":"%d","endTimeUnixNano":"%d"}]}]}]}`, execution+1, span+1, parent, 10+span, 20-span)
}

// Killed at any moment, a watch loses no span that it has acknowledged: every execution is
// decided whole, and told once but where it says that it may have been told before.
func TestJournalOfSpans(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	executions := 4 * graphtest.Rounds(t, 10)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	journal := t.TempDir()
	var out, errs bytes.Buffer
	properties := filepath.Join(journal, "properties")
	if err := os.WriteFile(properties, []byte(`clean: AG(forall i: status@i != "error")`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	start := func(more ...string) *exec.Cmd {
		c := exec.Command("pota", append([]string{"watch", "--json", "--grace", "300ms", "-f", properties, "--journal", journal, "--listen", "http://" + at}, more...)...)
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	send := func(text string) bool {
		reply, err := http.Post("http://"+at+"/v1/traces", "application/json", strings.NewReader(text))
		if err != nil {
			return false
		}
		reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	}
	c := start()
	kill := 1 + r.IntN(10) // while this span is sent
	for sent := 0; sent < 3*executions; sent++ {
		accepted := func() bool { return send(spanOf(sent/3, 2-sent%3)) }
		final := sent == 3*(executions-1)
		if final || sent == kill {
			killed := make(chan error)
			go func() { killed <- c.Process.Kill() }()
			send(spanOf(sent/3, 2-sent%3)) // before, at or after the kill
			if err := <-killed; err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // it was killed
			if final {   // the last run ends when it has decided all
				c = start("--until-final")
			} else {
				c = start()
			}
			kill = sent + 1 + r.IntN(10)
		}
		graphtest.Await(t, "the span is accepted", accepted)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v, %s", err, &errs)
	}
	told := make(map[string]int)
	for _, a := range answersOf(t, out.Bytes()) {
		if a.Verdict != "holds" || a.Events != 6 {
			t.Errorf("%+v: spans were lost\n%s", a, &errs)
		}
		if told[a.Execution]++; told[a.Execution] > 1 && !a.Repeated {
			t.Errorf("%s was told twice", a.Execution)
		}
	}
	if len(told) != executions {
		t.Errorf("%d of %d executions were decided\n%s", len(told), executions, &errs)
	}
}

// An interruption while a document waits for room is no error.
// Executions are looked at when it is time, however much else arrives in between.
