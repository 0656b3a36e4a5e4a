// Package metrics holds counters and gauges, and writes them in the text format that
// Prometheus scrapes.
//
// # Definitions
//
// A family has a name, a help text, a type and perhaps one label; it has a metric for each
// value of that label, or a single one. A counter only grows, a gauge is set. The format is
// version 0.0.4 of https://prometheus.io/docs/instrumenting/exposition_formats: families in
// the order of their names, and the metrics of each in the order of their label values, so
// that equal states give equal bytes.
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

// A Set is the families of a program. All methods of a set, its families and its metrics are
// safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	families []*Family // by name
}

// A Family is the metrics of one name.
type Family struct {
	set              *Set
	name, help, kind string
	label            string // "" for none
	metrics          map[string]*Metric
}

// A Metric is a number.
type Metric struct {
	set   *Set
	value float64
}

// Counter adds a counter.
func (s *Set) Counter(name, help string) *Metric { return s.CounterBy("", name, help).Of("") }

// Gauge adds a gauge.
func (s *Set) Gauge(name, help string) *Metric { return s.GaugeBy("", name, help).Of("") }

// CounterBy adds a family of counters, one for each value of a label.
func (s *Set) CounterBy(label, name, help string) *Family { return s.add(label, name, help, "counter") }

// GaugeBy adds a family of gauges, one for each value of a label.
func (s *Set) GaugeBy(label, name, help string) *Family { return s.add(label, name, help, "gauge") }

func (s *Set) add(label, name, help, kind string) *Family {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Family{
		set:     s,
		name:    name,
		help:    help,
		kind:    kind,
		label:   label,
		metrics: make(map[string]*Metric),
	}
	i, exists := slices.BinarySearchFunc(s.families, name, func(f *Family, name string) int {
		return strings.Compare(f.name, name)
	})
	if exists {
		panic("this cannot happen, because a program names each family once: " + name)
	}
	s.families = slices.Insert(s.families, i, f)
	return f
}

// Of returns the metric of a label value. A metric that nobody has asked for is not written.
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

// Add adds to a metric. A counter takes no negative number.
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

// escaped are the characters that the format escapes in help texts and label values.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// ServeHTTP implements http.Handler: it answers with all metrics.
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(s.text())
}

// text returns all metrics in the text format. The time complexity of text is
// O(metrics log metrics).
func (s *Set) text() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b bytes.Buffer
	for _, f := range s.families {
		if len(f.metrics) == 0 {
			continue // the format has no families without metrics
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, value := range slices.Sorted(maps.Keys(f.metrics)) {
			b.WriteString(f.name)
			if f.label != "" {
				fmt.Fprintf(&b, `{%s="%s"}`, f.label, escaped.Replace(value))
			}
			fmt.Fprintf(&b, " %v\n", f.metrics[value].value)
		}
	}
	return b.Bytes()
}
