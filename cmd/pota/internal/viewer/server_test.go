package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl/syntax"
)

// newServer returns a server of an execution: P is in a section for a while, and so is Q, at the
// same time, or when P sends a message that it has left.
func newServer(t *testing.T, after bool) *server {
	t.Helper()
	var b graphs.Builder
	var left graphs.Handle
	for _, name := range []string{"P", "Q"} {
		p := b.Process(name)
		x := b.Variable(p, "in")
		b.Init(x, graphs.Boolean(false))
		enter := b.Event(p)
		if name == "Q" && after {
			b.Deliver(b.NewMessage("go on"), left, enter, -1)
		}
		left = b.Event(p)
		b.Set(x, enter, graphs.Boolean(true))
		b.Set(x, left, graphs.Boolean(false))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &server{
		run:        &job.Run{Context: t.Context(), Console: console.New(nil, io.Discard, io.Discard)},
		in:         new(load.Reader),
		hosts:      []string{"localhost:1"},
		executions: []format.Execution{{Computation: c}},
		page:       view.NewPage(true),
		opts:       ServeOptions{Timeout: time.Hour, MaxEvents: 10},
		answering:  make(chan struct{}, maxAnswering),
		deciding:   make(chan struct{}, 1),
	}
}

// property returns the property with a formula.
func property(t *testing.T, text string) syntax.Property {
	t.Helper()
	f, err := load.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return syntax.Property{Formula: f, Source: text}
}

// A property may use definitions, which its text alone does not have.
func TestDefinitions(t *testing.T) {
	v := newServer(t, true)
	p := property(t, "AG(!(in@P && in@Q))")
	p.Source = "never(both)"
	v.properties = []syntax.Property{p}
	for _, path := range []string{"/data", "/many"} {
		if got := get(v, path, url.Values{"formula": {p.Source}}); !strings.Contains(got, `"holds"`) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// about is a query about a formula that is always true.
func about(k int) url.Values { return url.Values{"formula": {fmt.Sprintf("%d >= 0", k)}} }

func yes(context.Context, *asked, url.Values) (any, error) { return "yes", nil }

// A question that nobody waits for any more ends. Until then others are answered, except one about
// the same formula, and one that is too many. These can be dropped while they wait.
func TestDroppedQuestions(t *testing.T) {
	v := newServer(t, false)
	asking, drop := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error)
	hold := func(k int) {
		_, err := v.ask(asking, func(ctx context.Context, _ *asked, _ url.Values) (any, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}, about(k))
		ended <- err
	}
	dropped, cancel := context.WithCancel(t.Context())
	cancel()
	for k := range maxAnswering {
		go hold(k)
		<-begun
		if _, err := v.ask(dropped, yes, about(k)); !errors.Is(err, context.Canceled) {
			t.Errorf("a dropped question waited for the same one and was answered: %v", err)
		}
		if k == maxAnswering-1 {
			break
		}
		if answer, err := v.ask(t.Context(), yes, about(10+k)); answer != "yes" || err != nil {
			t.Errorf("beside %d others: %v, %v", k+1, answer, err)
		}
	}
	if _, err := v.ask(dropped, yes, about(20)); !errors.Is(err, context.Canceled) {
		t.Errorf("a dropped question waited and was answered: %v", err)
	}
	drop()
	for range maxAnswering {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a question ended with %v", err)
		}
	}
	for k := range 30 {
		if answer, err := v.ask(t.Context(), yes, about(k)); answer != "yes" || err != nil {
			t.Errorf("%v, %v", answer, err)
		}
	}
	// What is half typed drops no answers.
	if _, err := v.ask(t.Context(), yes, url.Values{"formula": {"EF("}}); err == nil || len(v.asked) != maxAsked {
		t.Errorf("%v, and %d answers are kept", err, len(v.asked))
	}
}

// The page of another site gets no answers and makes no work. A link to the page may stand
// anywhere.
func TestOtherSites(t *testing.T) {
	v := newServer(t, false)
	for _, x := range []struct {
		path, site, origin string
		status             int
	}{
		{"/data", "", "", http.StatusOK},
		{"/data", "same-origin", "", http.StatusOK},
		{"/data", "none", "", http.StatusOK},
		{"/data", "", "http://localhost:1", http.StatusOK},
		{"/data", "cross-site", "", http.StatusForbidden},
		{"/data", "same-site", "", http.StatusForbidden},
		{"/data", "", "http://evil.example", http.StatusForbidden},
		{"/data", "", "null", http.StatusForbidden},
		{"/", "cross-site", "", http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:1"+x.path, nil)
		if x.site != "" {
			r.Header.Set("Sec-Fetch-Site", x.site)
		}
		if x.origin != "" {
			r.Header.Set("Origin", x.origin)
		}
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		if w.Code != x.status {
			t.Errorf("%+v: status %d: %s", x, w.Code, w.Body)
		}
		if answered := len(v.asked) > 0; x.path == "/data" && answered != (x.status == http.StatusOK) {
			t.Errorf("%+v: answered is %v", x, answered)
		}
		v.asked = nil
	}
}

// The page says why a verdict is what it is, in the words of the command line.
func TestReason(t *testing.T) {
	v := newServer(t, false)
	v.properties = []syntax.Property{property(t, "AG(!(in@P && in@Q))")}
	v.properties[0].Name = "mutex"
	after := newServer(t, true)
	answer, err := after.ask(t.Context(), after.data, url.Values{"formula": {"AG(!(in@P && in@Q))"}})
	if err != nil {
		t.Fatal(err)
	}
	r := answer.(*shown).Reason
	if len(r.Needed) != 1 || !slices.Equal(r.Closest, []int32{1, 0}) || !slices.Equal(r.Needed[0].Edge, []int32{1, 2}) ||
		!slices.Equal(r.Needed[0].Cut, []int32{1, 1}) || r.Needed[0].Text != "without it, fails at P:1 Q:1" {
		t.Errorf("%+v", r)
	}
	for formula, want := range map[string]string{
		"AG(!(in@P && in@Q))": `{"headline":"mutex fails: in is true at P and Q after 2 events",` +
			`"detail":"nothing orders P:2 (in: true → false) before Q:1 (in: false → true)",` +
			`"culprits":[0,2],"assumed":[],"missing":[[1,2]]}`,
		"EF(exists i: in@i)": `{"headline":"EF(exists i: in@i) holds: in is true at P after 1 event",` +
			`"detail":"with i = P","culprits":[0],"assumed":[]}`,
		"AF(!in@P)": `{"headline":"AF(!in@P) holds on all runs","detail":"","culprits":[],"assumed":[]}`,
	} {
		answer, err := v.ask(t.Context(), v.data, url.Values{"formula": {formula}})
		if err != nil {
			t.Fatal(err)
		}
		got := new(strings.Builder)
		e := json.NewEncoder(got)
		e.SetEscapeHTML(false)
		if err := e.Encode(answer.(*shown).Reason); err != nil || strings.TrimSpace(got.String()) != want {
			t.Errorf("%s: %s, %v", formula, got, err)
		}
	}
}
