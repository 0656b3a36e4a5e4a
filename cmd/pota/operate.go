package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/metrics"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/rctl"
)

// operateFlags are for who operates a run that lasts.
func operateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "exec", Usage: "run `COMMAND` by sh for each final answer, which it gets in JSON on its standard input"},
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "tell what is no answer as `FORMAT`: text or json"},
	}
}

// operate begins what the flags ask for.
func (w *watch) operate() error {
	switch format := w.cli.String("log-format"); format {
	case "text":
	case "json":
		w.log = slog.New(slog.NewJSONHandler(w.err, nil))
	default:
		return unknown("format of logs", format, "text", "json")
	}
	w.meter = newMeter()
	w.refusals.note, w.refusals.more = w.note, "%d more of what was refused"
	w.mistakes.note, w.mistakes.more = func(format string, args ...any) { w.say(slog.LevelError, fmt.Sprintf(format, args...)) }, w.refusals.more
	if command := w.cli.String("exec"); command != "" {
		w.hook = newHook(command, w.note)
	}
	return nil
}

// sparing tells notes of which there can be any number: mostRefusals in each timeOfRefusals, and
// then how many more there were. Several goroutines may use it.
type sparing struct {
	note func(format string, args ...any)
	more string // begins what tells that there were more: "%d more of "

	mu    sync.Mutex
	begun time.Time
	count int // since then
}

const (
	mostRefusals   = 100
	timeOfRefusals = time.Minute
)

func (s *sparing) tell(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.begun) > timeOfRefusals {
		s.rest()
		s.begun = time.Now()
	}
	if s.count++; s.count <= mostRefusals {
		s.note(format, args...)
	}
}

// end tells how many notes have been left out.
func (s *sparing) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest()
}

func (s *sparing) rest() {
	if left := s.count - mostRefusals; left > 0 {
		s.note(s.more+" is not told: %d are in %s", left, mostRefusals, timeOfRefusals)
	}
	s.count = 0
}

// A meter has the metrics of a run. The run sets those that depend on its state when asked.
type meter struct {
	metrics.Set
	asked chan chan struct{}
	begun time.Time
	since atomic.Int64 // from begun, when the oldest undecided line came, in nanoseconds, 0 for none

	events, refused         *metrics.Metric
	window, lag, bytes      *metrics.Metric
	executions, obligations *metrics.Family
	answers, spans          *metrics.Family
}

func newMeter() *meter {
	m := &meter{asked: make(chan chan struct{}), begun: time.Now().Add(-1)}
	m.events = m.Counter("pota_events_total", "Events ingested from lines.")
	m.refused = m.Counter("pota_lines_refused_total", "Lines refused with an error.")
	m.window = m.Gauge("pota_window_events", "Events held in memory.")
	m.lag = m.Gauge("pota_lag_seconds", "Age of the oldest line that is not decided, in seconds.")
	m.bytes = m.Gauge("pota_spans_bytes", "Memory used by the spans of open executions, in bytes.")
	m.executions = m.GaugeBy("of", "pota_open_executions", "Open executions, by input: lines or spans.")
	m.obligations = m.GaugeBy("property", "pota_open_obligations", "Open obligations, by property.")
	m.answers = m.CounterBy("verdict", "pota_answers_total", "Answers, by verdict.")
	m.spans = m.CounterBy("outcome", "pota_spans_total", "Spans received, by outcome.")
	for _, verdict := range []string{"open", rctl.Fails.String(), rctl.Holds.String(), rctl.Unknown.String()} {
		m.answers.Of(verdict)
	}
	m.received(spans.Outcome{})
	return m
}

// waits notes that a line waits to be decided since some time, zero for none.
func (m *meter) waits(since time.Time) {
	if since.IsZero() {
		m.since.Store(0)
		return
	}
	m.since.Store(int64(since.Sub(m.begun)))
}

// received counts spans.
func (m *meter) received(out spans.Outcome) {
	for name, n := range map[string]int{"taken": out.Taken, "invalid": out.Invalid, "again": out.Again, "late": out.Late} {
		m.spans.Of(name).Add(float64(n))
	}
}

// measure sets what the run knows. The time complexity of measure is O(executions).
func (w *watch) measure() {
	m := w.meter
	window, open := 0, make([]int, len(w.properties))
	for e := range w.executions.All {
		window += e.Kept()
		for i := range open {
			for _, o := range e.Obligations(i) {
				open[i] += 1 + o.More
			}
		}
	}
	m.window.Set(float64(window))
	for i, n := range open {
		m.obligations.Of(w.about(i).Property).Set(float64(n))
	}
	executions, bytes := 0, 0
	if w.spans != nil {
		executions, bytes = w.spans.Len()
	}
	m.executions.Of("spans").Set(float64(executions))
	m.executions.Of("lines").Set(float64(w.executions.Len()))
	m.bytes.Set(float64(bytes))
}

// handler returns what answers with all that is measured.
func (m *meter) handler(ctx context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lag := time.Duration(0) // now, as all that came may be decided when the run has time to answer
		if since := m.since.Load(); since > 0 {
			lag = time.Since(m.begun) - time.Duration(since)
		}
		m.lag.Set(lag.Seconds())
		measured := make(chan struct{})
		select {
		case m.asked <- measured:
			<-measured
		case <-time.After(timeToFinish): // it is deciding
		case <-ctx.Done():
		}
		m.ServeHTTP(w, r)
	})
}
