package main

import (
	"fmt"
	"os"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/pattern"
)

// readTimes is a formula that reads times and decides nothing.
const readTimes = `exists e in events(op == "none" && req == "none"): e.time > 0s`

// fieldsRead is a formula without data that reads the same fields, by properties of a shop: what
// reading costs that they need.
var fieldsRead = [][2]string{
	{"answered", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"at-most-1", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"charge", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"in-time", readTimes},
	{"within", readTimes},
	{"no-stale", `AG(op@s0 == "" || key@s0 == "" || version@s0 == 0 || true)`},
	{"not-before", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"one-holder", `AG(op@s0 == "" || lease@s0 == "" || true)`},
	{"fifo", `AG(key@s0 == "" || version@s0 == 0 || true)`},
	{"race", `AG(op@s0 == "" || key@s0 == "" || true)`},
}

// data measures properties for every request, key and lease: whole runs, as multiples of runs that
// read the same fields, with as many ids as requests and with ten; and how the cost grows with the
// events.
func data(b *bench) {
	properties := b.write("shop.properties", graphtest.ShopProperties)
	requests := min(b.largest, 1_000_000) / 10
	many := b.shop("many.jsonl", graphtest.Shop{Services: 20, Requests: requests})
	few := b.shop("few.jsonl", graphtest.Shop{Services: 20, Requests: requests, IDs: 10})
	b.head("property of "+fmt.Sprint(requests)+" requests", "reading:", "s:", "times reading:",
		"MB:", "times reading:", "ten ids, s:")
	all, err := pattern.Formulas().ParseProperties(graphtest.ShopProperties)
	if err != nil {
		b.err = err
		return
	}
	for _, f := range fieldsRead {
		read := b.measure("detect", "--quiet", f[1], many)
		m := b.measure("detect", "--quiet", "-f", properties, "--property", f[0], many)
		ten := "refused"
		for _, p := range all {
			if p.Name == f[0] && p.Formula.Quant.Data.Fields != nil && f[0] != "race" {
				ten = fmt.Sprintf("%.2f",
					b.measure("detect", "--quiet", "-f", properties, "--property", f[0], few).cpu)
			}
		}
		b.multiples(f[0], read, m, ten)
	}
	diagram := b.write("shop.mmd",
		"sequenceDiagram\nparticipant F as s*\nparticipant A as s?*\nF->>A: /^a/\nA->>F: /^b/\n")
	read := b.measure("detect", "--quiet", fieldsRead[0][1], many)
	m := b.measure("conform", "--quiet", "--spec", diagram, "--each", "req", many)
	b.multiples("pota conform --each req", read, m, "")
	b.WriteString("\n")

	var sizes []int
	for n := 10_000; n <= b.largest; n *= 10 {
		sizes = append(sizes, n)
	}
	growing := []string{"answered", "not-before", "one-holder", "charge"}
	times := make([][]float64, len(growing))
	for _, n := range sizes {
		trace := b.shop("shop.jsonl", graphtest.Shop{Services: 20, Requests: n / 10})
		for i, name := range growing {
			times[i] = append(times[i], b.best(1, b.pota, "detect", "--quiet", "-f", properties, "--property", name, trace).cpu)
		}
	}
	b.slopes("events", growing, sizes, times)
}

// multiples writes the row of a run, with its figures as multiples of those of reading.
func (b *bench) multiples(name string, read, m measure, ten string) {
	b.row("`%s` | %.2f s, %.0f MB | %.2f | %.1f | %.0f | %.1f | %s", name, read.cpu, read.peak/1e6,
		m.cpu, m.cpu/read.cpu, m.peak/1e6, m.peak/read.peak, ten)
}

// shop writes the trace of a shop and returns its path.
func (b *bench) shop(name string, s graphtest.Shop) string {
	out, err := os.Create(b.file(name))
	if err == nil {
		err = s.Write(out)
		out.Close()
	}
	if b.err == nil {
		b.err = err
	}
	return b.file(name)
}

// byClocks measures what clocks order in a shop, and say of its times: whole runs that decide
// nothing, beside those that only read the trace.
func byClocks(b *bench) {
	requests := min(b.largest, 1_000_000) / 10
	b.head("clocks", "reading:", "s:", "times reading more:", "MB:")
	for _, row := range []struct {
		name  string
		shop  graphtest.Shop
		plain string // flag of a run without the clocks
		flags []string
	}{
		{"`--skew 1ms`", graphtest.Shop{}, "--quiet", []string{"--skew", "1ms"}},
		{"`--skew 10ms`", graphtest.Shop{}, "--quiet", []string{"--skew", "10ms"}},
		{"intervals of 10 ms", graphtest.Shop{Error: 10 * time.Millisecond}, "--quiet", []string{"--skew", "0s"}},
		{"`--clock-offset auto`", graphtest.Shop{}, "--quiet", []string{"--clock-offset", "auto"}},
		{"five shared clocks", graphtest.Shop{Hosts: 5}, "--no-shared-clock", nil},
	} {
		row.shop.Services, row.shop.Requests = 20, requests
		trace := b.shop("clocks.jsonl", row.shop)
		read := b.measure("detect", "--quiet", row.plain, readTimes, trace)
		m := b.measure(append([]string{"detect", "--quiet", readTimes, trace}, row.flags...)...)
		b.row("%s | %.2f s, %.0f MB | %.2f | %.2f | %.0f", row.name, read.cpu, read.peak/1e6, m.cpu,
			m.cpu/read.cpu-1, m.peak/1e6)
	}
}
