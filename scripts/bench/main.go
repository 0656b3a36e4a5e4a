// Bench measures pota and writes the tables of RESULTS.md, between their marks, and what
// benchstat says of the Go benchmarks into benchstat.txt, both beside this file.
//
//	go run ./scripts/bench                    print the tables
//	go run ./scripts/bench -only processes    print one of them
//	go run ./scripts/bench -write             write them into the files
//
// RESULTS.md says what each table shows. Figures are of whole runs of the program on
// simulated traces and on the traces in testdata, with the figures of other tools beside.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
)

// tables are what can be measured, by name.
var tables = []struct {
	name string
	make func(*bench)
}{
	{"models", models},
	{"papers", papers},
	{"reading", reading},
	{"growth", growth},
	{"processes", manyProcesses},
	{"data", data},
	{"clocks", byClocks},
	{"shapes", manyShapes},
	{"benchstat", micro},
}

func main() {
	write := flag.Bool("write", false,
		"write the tables into scripts/bench/RESULTS.md and benchstat.txt")
	only := flag.String("only", "", "make only that table, of a mark in RESULTS.md or benchstat")
	runs := flag.Int("runs", 5, "runs of each command; the best counts")
	largest := flag.Int("largest", 10_000_000, "events of the largest random trace")
	flag.Parse()
	if err := run(*only, *runs, *largest, *write); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run makes the tables, or the only one of a name, and prints or writes them.
func run(only string, runs, largest int, write bool) error {
	// Traces take gigabytes, so they go when the tables are made.
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	made := false
	for _, table := range tables {
		if only != "" && only != table.name {
			continue
		}
		made = true
		// A table begins without what an earlier one has written.
		b := &bench{dir: dir, runs: runs, largest: largest}
		b.pota = b.file("pota")
		// Built for each table, so that the program is the tree as it is.
		b.run("", "go", "build", "-o", b.pota, "./cmd/pota")
		table.make(b)
		if b.err != nil {
			return b.err
		}

		switch {
		case !write:
			fmt.Printf("%s\n", b)
		case table.name == "benchstat":
			err = os.WriteFile("scripts/bench/benchstat.txt", []byte(b.String()), 0o644)
		default:
			err = replace("scripts/bench/RESULTS.md", table.name, b.String())
		}
		if err != nil {
			return err
		}
	}
	if !made {
		return fmt.Errorf("there is no table %q", only)
	}
	return nil
}

// replace puts a table between its marks in a file.
func replace(path, name, table string) error {
	begin := []byte("<!-- begin of " + name + ", by scripts/bench -->\n")
	// Marks are comments of HTML, invisible in the rendered text.
	end := []byte("<!-- end of " + name + " -->\n")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(text, begin)
	_, after, closed := bytes.Cut(rest, end)
	// Without both marks, text of the document could be lost.
	if !found || !closed {
		return fmt.Errorf("%s has no marks for the table of %s", path, name)
	}
	text = slices.Concat(before, begin, []byte("\n"+table+"\n"), end, after)
	return os.WriteFile(path, text, 0o644)
}
