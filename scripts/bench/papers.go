package main

// paperRow is a property of Sen and Garg's experiments (Partial Order Trace
// Analyzer for Distributed Programs, RV 2003, tables 1 to 3), with the seconds of
// their tool on a 1.4 GHz machine; "" where they give none.
type paperRow struct {
	model, property string
	processes       int
	paper           string
}

var paperRows = []paperRow{
	{"philosophers-mp", "progress", 10, "0.49"},
	{"philosophers-mp", "progress", 40, "18.1"},
	{"philosophers-mp", "progress", 100, "137.2"},
	{"philosophers-mp", "progress", 250, "965.3"},
	{"primary-secondary", "pair", 10, "0.9"},
	{"primary-secondary", "pair", 20, "4.07"},
	{"primary-secondary", "pair", 40, "70.66"},
	{"primary-secondary", "pair", 100, ""},
	{"giop", "replied", 10, "0.2"},
	{"giop", "replied", 40, "4.6"},
	{"giop", "replied", 120, "183.8"},
	{"giop", "replied", 250, "1761"},
	{"giop", "at-most-once", 40, "5.6"},
	{"giop", "at-most-once", 120, "520.6"},
	{"giop", "at-most-once", 250, ""},
	{"mutex", "mutex", 100, ""},
	{"mutex", "progress", 100, ""},
	{"mutex", "mutex", 250, ""},
	{"atmr", "renewed", 250, ""},
	{"atmr", "acknowledged", 250, ""},
	{"atmr", "sends", 250, ""},
	{"atmr", "exhausts", 250, ""},
}

// eventsEach is how many events a process has in the traces that are made.
const eventsEach = 100

// papers measures the properties on simulated traces of the same protocols.
func papers(b *bench) {
	b.head("protocol", "property", "processes:", "events:", "verdict", "engine",
		"seconds after reading:", "POTA 2003:")
	for _, r := range paperRows {
		// The seed is fixed: the same rows mean the same traces.
		trace := b.simulate(r.model, r.processes, eventsEach*r.processes, 1)
		file := b.properties(r.model, r.processes, r.property)
		for _, d := range b.reports("detect", "--json", "-f", file, trace) {
			b.row("%s | %s | %d | %d | %s | %s | %.4f | %s",
				r.model, r.property, r.processes, d.Stats.Events, d.Verdict, d.Engine, d.Elapsed/1000, r.paper)
		}
	}
}
