package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
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

// shapeLimit ends a run of one of shapes, which is unknown then.
const shapeLimit = "120s"

// manyShapes measures whole runs that decide shapes on random traces with fewer and with more
// messages, with reports of several kinds and with certificates, and that verify these: the
// least seconds of all cores, which a busy machine changes less, as multiples of those that
// reading takes.
func manyShapes(pota, dir string, runs, largest int) (string, error) {
	var b strings.Builder
	for _, events := range []int{1_000_000, 10_000_000} {
		if events > largest {
			break
		}
		for _, messages := range []float64{0.2, 0.3} {
			trace := filepath.Join(dir, "shapes.jsonl")
			cmd := exec.Command("go", "run", "./scripts/generate", "-events", strconv.Itoa(events), "-messages", fmt.Sprint(messages), "-o", trace)
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%w\n%s", err, out)
			}
			_, reading, err := least(runs, pota, "detect", "--quiet", "true", trace)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%d events, %.0f %% of them send; reading takes %.2f s.\n\n", events, 100*messages, reading)
			b.WriteString("| formula | verdict | text | `--json` | `--certificate` | `pota verify` | |\n|---|---|--:|--:|--:|--:|---|\n")
			for _, f := range shapes {
				if err := shapeRow(&b, pota, dir, trace, f, runs, reading); err != nil {
					return "", err
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

func shapeRow(b *strings.Builder, pota, dir, trace, f string, runs int, reading float64) error {
	certificate := filepath.Join(dir, "shapes.cert")
	fmt.Fprintf(b, "| `%s` |", strings.ReplaceAll(f, "|", `\|`))
	for i, args := range [][]string{
		{"detect", "--timeout", shapeLimit, f, trace},
		{"detect", "--timeout", shapeLimit, "--json", f, trace},
		{"detect", "--timeout", shapeLimit, "--certificate", certificate, f, trace},
		{"verify", "--timeout", shapeLimit, certificate, trace},
	} {
		_, cpu, status, err := measured(runs, pota, args...)
		if err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintf(b, " %s |", verdicts[status])
		}
		fmt.Fprintf(b, " %.1f |", cpu/reading)
		if args[0] == "verify" {
			fmt.Fprintf(b, " %s |\n", []string{"certified", "rejected", "", "recomputed"}[status])
		}
	}
	return nil
}
