package main

import (
	_ "embed" // the figures of the paper
	"strconv"
)

// papers.csv has a row for each property of Sen and Garg's experiments (Partial Order Trace
// Analyzer for Distributed Programs, RV 2003, tables 1 to 3), with the seconds of their tool on a
// 1.4 GHz machine; "" where they give none.
//
//go:embed papers.csv
var papersText string

// eventsEach is how many events a process has in the traces that are made.
const eventsEach = 100

// papers measures the properties on simulated traces of the same protocols.
func papers(b *bench) {
	b.head("protocol", "property", "processes:", "events:", "verdict", "engine",
		"seconds after reading:", "POTA 2003:")
	for _, r := range parsed(papersText) {
		model, property := r[0], r[1]
		n, err := strconv.Atoi(r[2])
		if err != nil {
			panic("this cannot happen, because the third column has numbers: " + err.Error())
		}
		trace := b.simulate(model, n, eventsEach*n)
		file := b.property(model, n, property)
		for _, d := range b.reports("detect", "--json", "-f", file, trace) {
			b.row("%s | %s | %d | %d | %s | %s | %.4f | %s",
				model, property, n, d.Stats.Events, d.Verdict, d.Engine, d.Elapsed/1000, r[3])
		}
	}
}
