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
	"time"

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
	os.WriteFile(properties, []byte(`clean: AG(forall i: status@i != "error")`+"\n"), 0o666) //nolint:errcheck // the run tells
	start := func(more ...string) *exec.Cmd {
		c := exec.Command("pota", append([]string{"watch", "--json", "--grace", "300ms", "-f", properties, "--journal", journal, "--listen", "http://" + at}, more...)...)
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	send := func(text string) bool {
		client := http.Client{Timeout: 2 * time.Second}
		reply, err := client.Post("http://"+at+"/v1/traces", "application/json", strings.NewReader(text))
		if err != nil {
			return false
		}
		reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	}
	c := start()
	sent := 0
	var kill time.Time // soon after a span was taken
	last := false      // run, which ends when it has decided all
	for deadline := time.Now().Add(20 * time.Second); sent < 3*executions && time.Now().Before(deadline); {
		if final := sent == 3*(executions-1); !last && (final || !kill.IsZero() && time.Now().After(kill)) {
			c.Process.Kill() //nolint:errcheck // it may have ended
			c.Wait()         //nolint:errcheck // it was killed
			if last = final; last {
				c = start("--until-final")
			} else {
				c = start()
			}
			kill = time.Time{}
		}
		if send(spanOf(sent/3, 2-sent%3)) {
			if sent++; kill.IsZero() {
				kill = time.Now().Add(time.Duration(r.IntN(100)) * time.Millisecond)
			}
		} else {
			time.Sleep(5 * time.Millisecond)
		}
	}
	if sent < 3*executions {
		c.Process.Kill() //nolint:errcheck // its end is waited for
	}
	if err := c.Wait(); sent < 3*executions || err != nil {
		t.Fatalf("%d of %d spans were sent: %v, %s", sent, 3*executions, err, &errs)
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
