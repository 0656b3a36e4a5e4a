package main

import (
	_ "embed" // the formulas
	"fmt"
	"strings"
)

// shapes.txt has formulas of many kinds, one a line, for random traces of 100 processes.
//
//go:embed shapes.txt
var shapes string

// shapeLimit ends a run of one of shapes: its verdict is unknown then.
const shapeLimit = "120s"

// manyShapes measures runs that decide shapes on random traces, with reports of several kinds and
// with certificates, and that verify these: the seconds of all cores, as multiples of what reading
// takes.
func manyShapes(b *bench) {
	for _, events := range []int{1_000_000, 10_000_000} {
		if events > b.largest {
			break
		}
		trace := b.simulate("random", 100, events)
		reading := b.measure("detect", "--quiet", "true", trace).cpu
		fmt.Fprintf(b, "%d events; reading takes %.2f s.\n\n", events, reading)
		b.head("formula", "verdict", "text:", "`--json`:", "`--certificate`:", "`pota verify`:", "")
		certificate := b.file("shapes.cert")
		for f := range strings.Lines(shapes) {
			f = strings.TrimSpace(f)
			text := b.measure("detect", "--timeout", shapeLimit, f, trace)
			json := b.measure("detect", "--timeout", shapeLimit, "--json", f, trace)
			with := b.measure("detect", "--timeout", shapeLimit, "--certificate", certificate, f, trace)
			verify := b.measure("verify", "--timeout", shapeLimit, certificate, trace)
			b.row("`%s` | %s | %.1f | %.1f | %.1f | %.1f | %s", strings.ReplaceAll(f, "|", `\|`), text.verdict,
				text.cpu/reading, json.cpu/reading, with.cpu/reading, verify.cpu/reading, verified[verify.verdict])
		}
		b.WriteString("\n")
	}
}
