package metrics

import (
	"math"
	"net/http/httptest"
	"testing"
)

func TestText(t *testing.T) {
	var s Set
	size := s.Gauge("", "b_bytes", "How large it is.").Of("")
	answers := s.Counter("verdict", "c_answers_total", "Answers.")
	s.Gauge("property", "a_unused", "A family without metrics is not written.")
	events := s.Counter("", "a_events_total", "Events.").Of("")
	events.Add(1)
	events.Add(2)
	size.Set(2.5)
	size.Set(1e9)
	answers.Of("holds").Add(7)
	answers.Of(`a "b" \ ` + "\n").Add(math.Inf(1))
	answers.Of("fails").Add(0)
	answers.Of("holds").Add(1)

	w := httptest.NewRecorder()
	s.ServeHTTP(w, nil)
	const want = `# HELP a_events_total Events.
# TYPE a_events_total counter
a_events_total 3
# HELP b_bytes How large it is.
# TYPE b_bytes gauge
b_bytes 1e+09
# HELP c_answers_total Answers.
# TYPE c_answers_total counter
c_answers_total{verdict="a \"b\" \\ \n"} +Inf
c_answers_total{verdict="fails"} 0
c_answers_total{verdict="holds"} 8
`
	if got := w.Body.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the type is %s", kind)
	}
}
