package main

import (
	"fmt"
	"os"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/pattern"
)

// fieldsRead is a formula without data that reads the same fields, by properties of a shop: what reading
// costs that they need.
var fieldsRead = [][2]string{
	{"answered", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"at-most-1", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"charge", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"in-time", `exists e in events(op == "none" && req == "none"): e.time > 0s`},
	{"within", `exists e in events(op == "none" && req == "none"): e.time > 0s`},
	{"no-stale", `AG(op@s0 == "" || key@s0 == "" || version@s0 == 0 || true)`},
	{"not-before", `AG(op@s0 == "" || req@s0 == "" || true)`},
	{"one-holder", `AG(op@s0 == "" || lease@s0 == "" || true)`},
	{"fifo", `AG(key@s0 == "" || version@s0 == 0 || true)`},
	{"race", `AG(op@s0 == "" || key@s0 == "" || true)`},
}

// data measures properties for every request, key and lease: whole runs, as multiples of runs that read the
// same fields, with as many ids as requests and with ten; and how the cost grows with the events.
func data(b *bench) {
	properties := b.write("shop.properties", graphtest.ShopProperties)
	shop := func(name string, s graphtest.Shop) string {
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
	requests := min(b.largest, 1_000_000) / 10
	many := shop("many.jsonl", graphtest.Shop{Services: 20, Requests: requests})
	few := shop("few.jsonl", graphtest.Shop{Services: 20, Requests: requests, IDs: 10})
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
		b.row("`%s` | %.2f s, %.0f MB | %.2f | %.1f | %.0f | %.1f | %s", f[0], read.cpu,
			read.peak/1e6, m.cpu, m.cpu/read.cpu, m.peak/1e6, m.peak/read.peak, ten)
	}
	diagram := b.write("shop.mmd",
		"sequenceDiagram\nparticipant F as s*\nparticipant A as s?*\nF->>A: /^a/\nA->>F: /^b/\n")
	read := b.measure("detect", "--quiet", fieldsRead[0][1], many)
	m := b.measure("conform", "--quiet", "--spec", diagram, "--each", "req", many)
	b.row("`pota conform --each req` | %.2f s, %.0f MB | %.2f | %.1f | %.0f | %.1f | ", read.cpu,
		read.peak/1e6, m.cpu, m.cpu/read.cpu, m.peak/1e6, m.peak/read.peak)
	b.WriteString("\n")

	var sizes []int
	for n := 10_000; n <= b.largest; n *= 10 {
		sizes = append(sizes, n)
	}
	b.head(append(append([]string{"seconds for … events"}, numbers(sizes)...), "exponent:")...)
	growing := []string{"answered", "not-before", "one-holder", "charge"}
	times := make([][]float64, len(growing))
	for _, n := range sizes {
		trace := shop("shop.jsonl", graphtest.Shop{Services: 20, Requests: n / 10})
		for i, name := range growing {
			times[i] = append(times[i], b.best(1, b.pota, "detect", "--quiet", "-f", properties, "--property", name, trace).cpu)
		}
	}
	for i, name := range growing {
		row := "`" + name + "`"
		for _, t := range times[i] {
			row += fmt.Sprintf(" | %.3f", t)
		}
		b.row("%s | %.2f", row, slope(sizes, times[i]))
	}
}
