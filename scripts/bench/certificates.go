package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pota-project/pota/graphs/simulate"
)

// Protocols of pota simulate for any number of processes run with certifiedProcesses.
const (
	certifiedProcesses = 100
	certifiedEvents    = 100 * certifiedProcesses
)

// certificates measures certificates of the paper's question about the traces of rows, and about
// the same models with ten times the events, and of all properties of the protocols of pota
// simulate, with each fault and without. It counts the verdicts with a proof that pota verify
// accepts, and measures what it takes to decide, to decide and write certificates, and to verify.
func certificates(b *bench) {
	// A colon marks a column of numbers, as in bench.head.
	b.head("run", "fault", "properties:", "certified:", "not certified", "`detect`:",
		"with certificates:", "`verify`:", "bytes:")
	for _, r := range rows {
		b.certify(r.trace+" |", b.write("properties", "asked: "+formula(r.trace)+"\n"), r.path())
		file, trace := b.tenfold(r)
		b.certify(r.trace+", ten times the events |", file, trace)
	}
	for _, m := range simulate.Models() {
		// Protocols of a fixed number of processes run with that number.
		n := certifiedProcesses
		if m.MaxProcesses > 0 {
			n = m.MaxProcesses
		}
		// The empty fault stands for the protocol as it should be.
		for _, fault := range append([]simulate.Fault{{}}, m.Faults...) {
			var more []string
			if fault.Name != "" {
				more = []string{"--fault", fault.Name}
			}
			trace := b.simulate(m.Name, n, certifiedEvents, 1, more...)
			b.certify(fmt.Sprintf("%s, %d processes | %s", m.Name, n, fault.Name),
				b.properties(m.Name, n, ""), trace)
		}
	}
}

// certify writes the row of a file of properties on a trace.
func (b *bench) certify(what, file, trace string) {
	// Deciding twice, with and without, shows the cost of the certificates.
	all := b.file("all.cert")
	decide := b.measure("detect", "--timeout", shapeLimit, "-f", file, trace)
	with := b.measure("detect", "--timeout", shapeLimit, "--certificate", all, "-f", file, trace)
	verify := b.measure("verify", "--timeout", shapeLimit, all, trace)
	reports := b.reports("verify", "--timeout", shapeLimit, "--json", all, trace)
	if b.err != nil {
		return
	}

	// Properties without a proof are named, with what pota verify says of them.
	var missing []string
	for _, v := range reports {
		if v.Result != "certified" {
			missing = append(missing, v.Name+": "+v.Result)
		}
	}
	info, err := os.Stat(all)
	if err != nil {
		b.err = err
		return
	}
	b.row("%s | %d | %d | %s | %.2f | %.2f | %.2f | %d", what, len(reports), len(reports)-len(missing),
		strings.Join(missing, ", "), decide.cpu, with.cpu, verify.cpu, info.Size())
}
