package main

import (
	"fmt"
	"strconv"
	"strings"
)

// shapes are formulas of many kinds on random traces of 100 processes.
var shapes = []string{
	`EF(forall i: cs@i)`,
	`AG(EF(forall i: cs@i))`,
	`EG(forall i in "P1?": x@i <= 9)`,
	`AF(exists i: cs@i)`,
	`AF(forall i: cs@i)`,
	`EG(exists i: !cs@i)`,
	`AG(forall i != j: !(cs@i && cs@j))`,
	`AG(cs@P0 -> AF(cs@P1))`,
	`AG(cs@P0 -> E[!cs@P1 U cs@P2])`,
	`A[!cs@P0 U cs@P1]`,
	`E[x@P0 <= 8 U cs@P1 && cs@P2 && cs@P3]`,
	`E[cs@P1 R x@P0 <= 9]`,
	`EF((count i: cs@i) >= 50)`,
	`AG((count i: cs@i) <= 90)`,
	`EF((sum i: x@i) == 500)`,
	`AG((sum i: x@i) <= 899)`,
	`EF((max i: x@i) - (min i: x@i) <= 1)`,
	`AG(AF(cs@P0 && cs@P1))`,
	`EF(AG(x@P0 == 3 || x@P1 == 4))`,
	`AG(EF(cs@P0 || cs@P1))`,
	`EF(x@P0 + x@P1 == 2 * x@P2)`,
	`EF(x@P0 == x@P1 && x@P1 == x@P2 && x@P3 != x@P4)`,
	`AG((cs@P0 || cs@P1 || cs@P2) -> (cs@P3 || cs@P4 || !cs@P5))`,
	`AG(EX true || !EX true)`,
	`EG(EF(cs@P0 && cs@P1) || AG !cs@P2)`,
	`AG(transit(P0, P1) <= 3)`,
	`forall i: AG(x@i >= 0 && EF(cs@i))`,
	`AG(exists i: !cs@i)`,
	`E[(exists i: cs@i) U (forall i in "P1?": cs@i)]`,
	`EF((cs@P0 || cs@P1) && (cs@P2 || cs@P3) && (cs@P4 || cs@P5) && (cs@P6 || cs@P7))`,
	`AG((cs@P0 -> EG !cs@P1) && (cs@P2 -> AF cs@P3))`,
}

// shapeLimit ends a run of one of shapes: its verdict is unknown then.
const shapeLimit = "120s"

// manyShapes measures runs that decide shapes on random traces with fewer and with more messages,
// with reports of several kinds and with certificates, and that verify these: the seconds of all
// cores, as multiples of what reading takes.
func manyShapes(b *bench) {
	for _, events := range []int{1_000_000, 10_000_000} {
		if events > b.largest {
			break
		}
		for _, messages := range []float64{0.2, 0.3} {
			trace := b.file("shapes.jsonl")
			b.run("", "go", "run", "./scripts/generate", "-events", strconv.Itoa(events),
				"-messages", fmt.Sprint(messages), "-o", trace)
			reading := b.measure("detect", "--quiet", "true", trace).cpu
			fmt.Fprintf(b, "%d events, %.0f %% of them send; reading takes %.2f s.\n\n", events,
				100*messages, reading)
			b.head("formula", "verdict", "text:", "`--json`:", "`--certificate`:", "`pota verify`:",
				"")
			for _, f := range shapes {
				certificate := b.file("shapes.cert")
				text := b.measure("detect", "--timeout", shapeLimit, f, trace)
				json := b.measure("detect", "--timeout", shapeLimit, "--json", f, trace)
				with := b.measure("detect", "--timeout", shapeLimit, "--certificate", certificate,
					f, trace)
				verify := b.measure("verify", "--timeout", shapeLimit, certificate, trace)
				b.row("`%s` | %s | %.1f | %.1f | %.1f | %.1f | %s", strings.ReplaceAll(f, "|", `\|`), text.verdict,
					text.cpu/reading, json.cpu/reading, with.cpu/reading, verify.cpu/reading, verified[verify.verdict])
			}
			b.WriteString("\n")
		}
	}
}
