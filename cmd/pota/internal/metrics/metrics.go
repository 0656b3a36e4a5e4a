// Package metrics holds counters and gauges, and writes them in the text format that
// Prometheus scrapes.
//
// # Definitions
//
// A family has a name, a help text, a type and at most one label. It has a metric for each value of
// the label, or a single metric without a label. A counter only grows; a gauge is set. The format
// is version 0.0.4 of https://prometheus.io/docs/instrumenting/exposition_formats. Families are in
// the order of their names, and the metrics of each in the order of their label values, so that
// equal states give equal bytes.
package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Set holds the families of a program. The zero Set is empty. All methods of a set, its families
// and its metrics are safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	families map[string]*Family // by name
}

// A Family holds the metrics with one name.
type Family struct {
	set     *Set
	head    string // its help and type lines
	label   string // the name of the label; "" for none
	metrics map[string]*Metric
}

// A Metric is a number.
type Metric struct {
	set   *Set
	value float64
}

// Counter adds a family of counters, one for each value of a label. Without a label, there is one
// counter, Of("").
func (s *Set) Counter(label, name, help string) *Family { return s.add(label, name, help, "counter") }

// Gauge adds a family of gauges in the same way.
func (s *Set) Gauge(label, name, help string) *Family { return s.add(label, name, help, "gauge") }

func (s *Set) add(label, name, help, kind string) *Family {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Family{
		set:     s,
		head:    fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind),
		label:   label,
		metrics: make(map[string]*Metric),
	}
	if s.families == nil {
		s.families = make(map[string]*Family)
	}
	s.families[name] = f
	return f
}

// Of returns the metric for a label value. A metric is written only once Of has been called for it.
func (f *Family) Of(value string) *Metric {
	f.set.mu.Lock()
	defer f.set.mu.Unlock()
	m := f.metrics[value]
	if m == nil {
		m = &Metric{set: f.set}
		f.metrics[value] = m
	}
	return m
}

// Add adds n to a metric. For a counter, n must not be negative.
func (m *Metric) Add(n float64) {
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	m.value += n
}

// Set sets a gauge.
func (m *Metric) Set(value float64) {
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	m.value = value
}

// escaped escapes label values as the format requires.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// ServeHTTP implements http.Handler. It responds with all metrics in the text format, in time
// O(metrics log metrics).
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	s.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(s.families)) {
		f := s.families[name]
		if len(f.metrics) == 0 {
			continue // the format has no families without metrics
		}
		b.WriteString(f.head)
		for _, value := range slices.Sorted(maps.Keys(f.metrics)) {
			b.WriteString(name)
			if f.label != "" {
				fmt.Fprintf(&b, `{%s="%s"}`, f.label, escaped.Replace(value))
			}
			fmt.Fprintf(&b, " %v\n", f.metrics[value].value)
		}
	}
	s.mu.Unlock() // a slow reader must not block updates

	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}
