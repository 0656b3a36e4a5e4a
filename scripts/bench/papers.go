package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

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
func papers(pota, dir string) (string, error) {
	var b strings.Builder
	b.WriteString("| protocol | property | processes | events | verdict | engine | seconds after reading | POTA 2003 |\n")
	b.WriteString("|---|---|--:|--:|---|---|--:|--:|\n")
	for _, r := range paperRows {
		trace := filepath.Join(dir, "paper.jsonl")
		n := strconv.Itoa(r.processes)
		made := exec.Command(pota, "simulate", r.model, "--processes", n, "--events", strconv.Itoa(eventsEach*r.processes), "--seed", "1", "-o", trace)
		if out, err := made.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		properties, err := exec.Command(pota, "simulate", r.model, "--processes", n, "--properties").Output()
		if err != nil {
			return "", err
		}
		file := filepath.Join(dir, "paper.properties")
		if err := os.WriteFile(file, only(string(properties), r.property), 0o600); err != nil {
			return "", err
		}
		reports, err := detect(pota, file, trace)
		if err != nil {
			return "", err
		}
		d := reports[0]
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %.4f | %s |\n",
			r.model, r.property, r.processes, d.Stats.Events, d.Verdict, d.Engine, d.Elapsed/1000, r.paper)
	}
	return b.String(), nil
}

// only returns the line of a property file that has the property of that name.
func only(properties, name string) []byte {
	for line := range strings.Lines(properties) {
		if strings.HasPrefix(line, name+":") {
			return []byte(line)
		}
	}
	return nil
}
