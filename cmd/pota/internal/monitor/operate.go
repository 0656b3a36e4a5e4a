package monitor

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/metrics"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/rctl"
)

// limited limits the rate of notes to maxNotes in each notesInterval, and counts the rest. Several
// goroutines may use it.
type limited struct {
	note func(text string)
	more string // the format for the number of notes left out: "%d more …"

	mu    sync.Mutex
	begun time.Time // when the interval began
	count int       // how many notes there have been since then
}

const (
	maxNotes      = 100
	notesInterval = time.Minute
)

// report writes a note, or only counts it if there were too many.
func (l *limited) report(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The interval begins with a note, so a quiet run keeps no timer.
	if time.Since(l.begun) > notesInterval {
		l.rest()
		l.begun = time.Now()
	}
	if l.count++; l.count <= maxNotes {
		l.note(fmt.Sprintf(format, args...))
	}
}

// end notes how many notes have been left out.
func (l *limited) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest()
}

// rest notes how many notes were left out of the current interval, and resets the count. The caller holds mu.
func (l *limited) rest() {
	if left := l.count - maxNotes; left > 0 {
		l.note(fmt.Sprintf(l.more+" are not listed: at most %d are in %s", left, maxNotes, notesInterval))
	}
	l.count = 0
}

// pace measures how fast events arrive.
type pace struct {
	at     time.Time // when text was last called
	events int64     // how many events there were at that time
}

// text returns a line with the number of events so far, how many have arrived per second, what is open, and for how
// long the oldest undecided line has been waiting. Waiting is when that line arrived; zero if there is none.
func (p *pace) text(now time.Time, events int64, open string, waiting time.Time) string {
	rate := float64(events-p.events) / max(now.Sub(p.at), time.Millisecond).Seconds()
	*p = pace{now, events}
	text := fmt.Sprintf("%d events, %.0f a second, %s", events, rate, open)
	if !waiting.IsZero() {
		text += fmt.Sprintf(", %.1f s behind", now.Sub(waiting).Seconds())
	}
	return text
}

// A meter has the metrics of a run. The run sets the gauges when they are requested.
type meter struct {
	metrics.Set
	asked chan chan struct{}
	// When the oldest undecided line arrived; nil or zero if there is none.
	since atomic.Pointer[time.Time]

	events, refused         *metrics.Metric
	window, lag, bytes      *metrics.Metric
	executions, obligations *metrics.Family
	answers, spans          *metrics.Family
}

// newMeter names the metrics of a run.
func newMeter() *meter {
	m := &meter{asked: make(chan chan struct{})}
	m.events = m.Counter("", "pota_events_total", "Events ingested from lines.").Of("")
	m.refused = m.Counter("", "pota_lines_refused_total", "Lines refused with an error.").Of("")
	m.window = m.Gauge("", "pota_window_events", "Events held in memory.").Of("")
	m.lag = m.Gauge("", "pota_lag_seconds", "Age of the oldest line that is not decided, in seconds.").Of("")
	m.bytes = m.Gauge("", "pota_spans_bytes", "Memory used by the spans of open executions, in bytes.").Of("")
	m.executions = m.Gauge("of", "pota_open_executions", "Open executions, by input: lines or spans.")
	m.obligations = m.Gauge("property", "pota_open_obligations", "Open obligations, by property.")
	m.answers = m.Counter("verdict", "pota_answers_total", "Answers, by verdict.")
	m.spans = m.Counter("outcome", "pota_spans_total", "Spans received, by outcome.")
	// All series exist from the beginning, so that rates can be computed.
	for _, verdict := range []string{openVerdict, rctl.Fails.String(), rctl.Holds.String(), rctl.Unknown.String()} {
		m.answers.Of(verdict)
	}
	m.received(spans.Outcome{})
	return m
}

// waits records since when the oldest undecided line has been waiting; zero if there is none.
func (m *meter) waits(since time.Time) { m.since.Store(&since) }

// received counts spans.
func (m *meter) received(out spans.Outcome) {
	counts := map[string]int{"taken": out.Taken, "invalid": out.Invalid, "again": out.Again, "late": out.Late}
	for name, n := range counts {
		m.spans.Of(name).Add(float64(n))
	}
}

// metricsPatience is how long a request waits for a run that is busy deciding.
const metricsPatience = time.Second

// handler returns the handler that serves all metrics.
func (m *meter) handler(ctx context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The lag is read first: by the time the run answers, all lines may be decided, and the lag would be 0.
		lag := time.Duration(0)
		if since := m.since.Load(); since != nil && !since.IsZero() {
			lag = time.Since(*since)
		}
		m.lag.Set(lag.Seconds())
		measured := make(chan struct{})
		select {
		case m.asked <- measured:
			<-measured
		// In this case the gauges are those of the last request.
		case <-time.After(metricsPatience):
		case <-ctx.Done():
		}
		m.ServeHTTP(w, r)
	})
}
