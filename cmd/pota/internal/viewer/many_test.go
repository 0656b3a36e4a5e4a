package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/syntax"
)

// get answers a request of the page.
func get(v *server, path string, query url.Values) string {
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost:1"+path+"?"+query.Encode(), nil))
	return w.Body.String()
}

// What fails comes first, whatever the order of traces and formulas, with a link to its page.
func TestMany(t *testing.T) {
	v := newServer(t, true)
	v.executions[0].Name = "ordered"
	bad := newServer(t, false).executions[0]
	bad.Name = "bad <b>"
	v.executions = append(v.executions, bad)
	v.properties = []syntax.Property{property(t, "AG(!(in@P && in@Q))"), property(t, "EF(out@P)")}
	var got struct{ Rows []row }
	if err := json.Unmarshal([]byte(get(v, "/many", nil)), &got); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range got.Rows {
		rows = append(rows, r.Name+" "+r.Verdict+" "+strings.SplitN(r.Headline, "\n", 2)[0])
	}
	want := "bad <b> fails AG(!(in@P && in@Q)) fails: in is true at P and Q after 2 events\n" +
		"ordered error formula:1:4: there is no variable out (the only variable of P is in)\n" +
		"bad <b> error formula:1:4: there is no variable out (the only variable of P is in)\n" +
		"ordered holds AG(!(in@P && in@Q)) holds on all runs"
	if text := strings.Join(rows, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	page := get(v, "/all", url.Values{"formula": {"AG(!(in@P && in@Q))"}})
	link := `<td>bad &lt;b&gt;</td><td><a href="/#f=AG%28%21%28in%40P&#43;%26%26&#43;in%40Q%29%29&amp;trace=1">`
	if !strings.Contains(page, link) || !strings.Contains(page, "<h1>pota: 2 verdicts</h1>") {
		t.Error(page)
	}
	few := get(v, "/many", url.Values{"most": {"1"}})
	if strings.Count(few, `"trace":`) != 1 || !strings.Contains(few, `"all":4`) || !strings.Contains(few, `"verdict":"fails"`) {
		t.Error(few)
	}
	// When time has run out, verdicts that are known are there, and the others later.
	v.opts.Timeout = time.Nanosecond
	late := get(v, "/many", url.Values{"formula": {"EF(in@Q)"}, "most": {"1"}})
	if strings.Count(late, `"verdict":"open"`) != 1 || !strings.Contains(late, `"open":2`) {
		t.Error(late)
	}
	if data := get(v, "/data", url.Values{"formula": {"EF(in@Q)"}}); !strings.Contains(data, "the time limit of 1ns was reached") {
		t.Error(data)
	}
	if known := get(v, "/many", nil); !strings.Contains(known, `"open":0`) {
		t.Error(known)
	}
	v.opts.Timeout = time.Hour
	if later := get(v, "/many", url.Values{"formula": {"EF(in@Q)"}}); strings.Count(later, `"verdict":"holds"`) != 2 {
		t.Error(later)
	}
}

// What depends on clocks is not known, as pota detect says, in the list and on the page.
func TestClocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clocks.jsonl")
	text := `{"process":"P","set":{"x":1},"time":"2026-01-01T00:00:00.000Z"}` + "\n" +
		`{"process":"Q","set":{"y":1},"time":"2026-01-01T00:00:00.010Z"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		"AG(x@P == 1 -> AF[<= 12ms] y@Q == 1)":                                             "unknown",
		"AG(x@P == 1 -> AF[<= 40ms] y@Q == 1)":                                             "holds",
		"AG(x@P == 1 -> AF[<= 12ms] y@Q == 2)":                                             "fails",
		"forall a in events(x == 1): exists b in events(y == 1): b.time - a.time <= 12ms":  "unknown",
		"forall a in events(x == 1): exists b in events(y == 1): b.time - a.time <= 40ms":  "holds",
		"forall a in events(x == 1): exists b in events(y == 1): b.time - a.time <= -40ms": "fails",
	} {
		v := newServer(t, false)
		in, err := load.New(v.run, load.Options{Skew: "20ms", MaxLine: "1MiB", TimeUnit: "ms", Silent: true}, load.Want{Names: true, Times: true})
		if err != nil {
			t.Fatal(err)
		}
		if v.executions, err = in.Read(v.run, path); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/many", "/data"} {
			got := get(v, path, url.Values{"formula": {formula}})
			if !strings.Contains(got, `"verdict":"`+want+`"`) || strings.Contains(got, `"binding"`) {
				t.Errorf("%s: %s: not %s: %s", path, formula, want, got)
			}
			if path == "/data" && want == "unknown" && !strings.Contains(got, `"runs":[]`) {
				t.Errorf("%s: a run shows what is unknown: %s", formula, got)
			}
		}
	}
}

// stopper calls a function when something is written.
type stopper func()

func (s stopper) Write(text []byte) (int, error) {
	s()
	return len(text), nil
}

// Pages show events by time, so they take the unit of times that are numbers, also where clocks are
// believed and no formula compares times.
func TestUnit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "numbers.jsonl")
	text := `{"process":"P","time":1000}` + "\n" + `{"process":"Q","time":1010}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	read := load.Options{MaxLine: "1MiB", TimeUnit: "ms", UnitGiven: true, Silent: true}
	var page bytes.Buffer
	run := &job.Run{Context: t.Context(), Console: console.New(nil, &page, io.Discard)}
	err := Draw(run, Drawing{Trace: path, Format: html, By: "causality", Read: read})
	run.Flush(run.Console)
	if err != nil || !strings.Contains(page.String(), `"clock":[0,10]`) {
		t.Errorf("%v: %s", err, page.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	run = &job.Run{Context: ctx, Console: console.New(nil, stopper(stop), io.Discard)}
	if err := Serve(run, ServeOptions{Traces: []string{path}, Read: read}); err != nil {
		t.Error(err)
	}
}

// Of a formula about data, each binding that decides has a row, and can be asked about.
func TestBindings(t *testing.T) {
	v := newServer(t, false)
	var b graphs.Builder
	p := b.Process("P")
	op, req := b.Variable(p, "op"), b.Variable(p, "req")
	b.Init(op, graphs.Str(""))
	b.Init(req, graphs.Str(""))
	for _, r := range []string{"r1", "r2", "r1", "r3"} {
		e := b.Event(p)
		b.Set(op, e, graphs.Str("do"))
		b.Set(req, e, graphs.Str(r))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	v.executions = []format.Execution{{Name: "t", Computation: c}}
	formula := url.Values{"formula": {`forall r in values(req): AG(events(op == "do" && req == r) >= 2 || EF(events(op == "do" && req == r) >= 2))`}}
	var got struct{ Rows []row }
	text := get(v, "/many", formula)
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Rows) < 2 || got.Rows[1].Binding == nil {
		t.Fatal(text, err)
	}
	for _, r := range got.Rows[1:] {
		formula["binding"] = r.Binding
		if data := get(v, "/data", formula); !strings.Contains(data, `"binding":["`+r.Binding[0]+`"]`) {
			t.Errorf("%v: %s", r.Binding, data)
		}
	}
	if n := len(v.asked); n != len(got.Rows)-1 {
		t.Errorf("%d bindings are kept", n)
	}
	// What is wrong with a formula is said once, above its place.
	for text, want := range map[string]string{
		"forall r in values(req): AG(none@P == r)": `{"error":"formula:1:29: there is no variable none (`,
		"AG(none@P == 1)":                          `{"error":"formula:1:4: there is no variable none (`,
	} {
		if data := get(v, "/data", url.Values{"formula": {text}}); !strings.HasPrefix(data, want) || strings.Count(data, text) != 1 {
			t.Errorf("%s: %s", text, data)
		}
	}
	formula["binding"] = []string{"q=r1"}
	if data := get(v, "/data", formula); !strings.HasPrefix(data, `{"error":"q=r1 chooses nothing: `) {
		t.Error(data)
	}
}
