//go:build unix

package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// Where the clock is set all the while, executions end by silence when they have been silent, those of
// spans when their grace is over, deadlines pass in their time, and nothing waits for a time that is not:
// before the program is killed and after.
func TestClock(t *testing.T) {
	if graphtest.Rounds(t, 1) == 1 {
		t.Skip("builds all of the program anew")
	}
	const (
		idle     = 2 * time.Second
		deadline = time.Second
		grace    = 1500 * time.Millisecond
		absurd   = 30 * time.Minute // shorter than what the clock is set by
	)
	*cases.Binary = filepath.Join(t.TempDir(), "pota")
	if err := build(*cases.Binary, true); err != nil {
		t.Fatal(err)
	}
	c := &testCase{dir: t.TempDir()}
	const properties = "answered: AG(n@A == 1 -> AF n@B == 1)\n"
	if err := c.write("properties", properties); err != nil {
		t.Fatal(err)
	}
	s := &server{testCase: c, args: []string{"watch", "--json", "-f", c.path("properties"), "--journal", c.path("journal"), "--execution-key", "s",
		"--idle", idle.String(), "--deadline", deadline.String(), "--grace", grace.String(), "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0", "--listen", "grpc://127.0.0.1:0"}}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	line := func(text string) {
		t.Helper()
		if answer, err := s.request(fmt.Sprintf(`{"s":"x",%s}`+"\n", text)); err != nil || answer.Lines != 1 {
			t.Fatalf("%v, %v", answer, err)
		}
		lines++
	}
	type told struct {
		Execution, Verdict, Ended string
		Final                     bool
		Events                    int64
		Obligations               []struct {
			AgeMS float64 `json:"age_ms"`
		}
	}
	var all []told
	look := func() {
		t.Helper()
		text, err := os.ReadFile(s.path("answers"))
		if err != nil {
			t.Fatal(err)
		}
		all = nil
		for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
			var x told
			if err := json.Unmarshal(line, &x); err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
	}
	waits := func(of string, begun time.Time, least time.Duration) told {
		t.Helper()
		var over told
		graphtest.Await(t, of+" is over", func() bool {
			look()
			for _, x := range all {
				if x.Execution == of && x.Final {
					over = x
					return true
				}
			}
			return false
		})
		if took := time.Since(begun); took < least {
			t.Errorf("%+v after %s", over, took)
		}
		return over
	}
	rhythm := time.NewTicker(50 * time.Millisecond) // the interval between lines
	defer rhythm.Stop()
	line(`"process":"A","init":{"n":0}`)
	line(`"process":"B","init":{"n":0}`)
	line(`"process":"A","set":{"n":1}`)
	for look(); len(all) == 0; look() {
		<-rhythm.C
		line(`"process":"A","set":{"n":1}`)
		response, err := http.Get("http://" + s.address("http") + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it has been read
		_, lag, ok := strings.Cut(string(text), "\npota_lag_seconds ")
		lag, _, _ = strings.Cut(lag, "\n")
		if waits, bad := strconv.ParseFloat(lag, 64); err != nil || !ok || bad != nil || waits < 0 || waits > absurd.Seconds() {
			t.Errorf("/metrics: a line waits for %q: %v", lag, err)
		}
	}
	if len(all) != 1 || all[0].Final || len(all[0].Obligations) != 1 {
		t.Fatalf("want one obligation that is overdue, got %v", all)
	}
	if age := all[0].Obligations[0].AgeMS; age < float64(deadline.Milliseconds()) || age > float64(absurd.Milliseconds()) {
		t.Errorf("it is overdue after %v ms", age)
	}
	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
	silent := time.Now()
	for begun := silent; time.Since(begun) < idle; <-rhythm.C {
		silent = time.Now()
		line(`"process":"A","set":{"n":1}`)
	}
	s.export(export(map[string]any{"traceId": fmt.Sprintf("%032x", 1), "spanId": fmt.Sprintf("%016x", 1), "name": "root", "startTimeUnixNano": "1", "endTimeUnixNano": "2"}))
	waits(fmt.Sprintf("%032x", 1), silent, grace)
	if x := waits("x", silent, idle); x.Ended != "silent for "+idle.String() || x.Verdict != "fails" || x.Events != int64(lines-2) {
		t.Errorf("%+v of %d lines", x, lines)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
