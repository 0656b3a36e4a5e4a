package pota_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/pota"
)

// Spans of one machine are ordered by its clock without any option: of two lock services, that which
// grants the lock twice is found, and the other one is not blamed.
func TestSpansOfOneClock(t *testing.T) {
	const overlap = `AG(forall i != j in "*/critical#*": !(active@i && active@j))`
	for name, want := range map[string]pota.Verdict{"shop": pota.Fails, "shopfixed": pota.Holds} {
		for _, form := range []string{".otlp.jsonl.gz", ".stdout.json.gz"} {
			results, err := pota.Check(t.Context(), "../../testdata/traces/otel-go/"+name+form, overlap)
			if err != nil {
				t.Fatal(err)
			}
			if results[0].Verdict != want {
				t.Errorf("%s%s: %s", name, form, results[0].Verdict)
			}
		}
	}
}

// spans is what the test reads of a document of spans itself.
type spans struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				TraceID, Name                      string
				StartTimeUnixNano, EndTimeUnixNano string
				Attributes                         []struct {
					Key   string
					Value struct{ StringValue string }
				}
			}
		}
	}
}

// The calls of HotROD to Redis, each of a driver, last at most 50 ms, and some longer than 20 ms: those whose spans
// say so, driver by driver.
func TestRedisCallsByDriver(t *testing.T) {
	const file = "../../testdata/traces/otlp/hotrod-4dispatch.otlp.jsonl.gz"
	longest := make(map[string]map[string]time.Duration) // by driver and trace
	for text := range strings.Lines(string(graphtest.Uncompressed(t, file))) {
		var document spans
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		for _, r := range document.ResourceSpans {
			for _, scope := range r.ScopeSpans {
				for _, s := range scope.Spans {
					for _, a := range s.Attributes {
						if a.Key != "param.driverID" {
							continue
						}
						begin, _ := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
						end, _ := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
						driver := a.Value.StringValue
						if longest[driver] == nil {
							longest[driver] = make(map[string]time.Duration)
						}
						longest[driver][s.TraceID] = max(longest[driver][s.TraceID], time.Duration(end-begin))
					}
				}
			}
		}
	}
	if len(longest) < 20 {
		t.Fatal(len(longest), "drivers")
	}

	fails := 0
	for _, bound := range []time.Duration{20 * time.Millisecond, 30 * time.Millisecond, 50 * time.Millisecond} {
		var formulas []string
		var drivers []string
		for driver := range longest {
			drivers = append(drivers, driver)
			formulas = append(formulas, fmt.Sprintf(`forall c in events(param.driverID == %q && event == "end"): c.duration <= %s`, driver, bound))
		}
		results, err := pota.Check(t.Context(), file, formulas...)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			_, trace, _ := strings.Cut(r.Execution, "#")
			driver := drivers[i%len(drivers)]
			want := pota.Holds
			if longest[driver][trace] > bound {
				want = pota.Fails
				fails++
			}
			if r.Verdict != want || bound == 50*time.Millisecond && want == pota.Fails {
				t.Errorf("%s: %s %s", trace, r.Property.Source, r.Verdict)
			}
		}
	}
	if fails == 0 {
		t.Error("no call took longer than 20 ms")
	}

	// All drivers at once.
	results, err := pota.Check(t.Context(), file,
		`forall d in values(param.driverID): forall c in events(param.driverID == d && event == "end"): c.duration <= 50ms`)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Verdict != pota.Holds {
			t.Error(r)
		}
	}
}
