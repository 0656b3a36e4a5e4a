// Package programtest makes random small programs for tests, and a check of what a front end says
// of the accesses of its actions.
package programtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns a random program as a model in Promela, of up to some thousand states. Its
// processes P0, P1, … have locations L0, L1, … and a variable x each, and share the variables a and
// b, a buffered channel q and a rendezvous channel r. Values are 0 to 2. Some have sequences during
// which one process holds the program, and actions that wait for all others.
func Random(r *rand.Rand) string {
	w := &writer{Rand: r, holds: r.IntN(3) == 0, waits: r.IntN(5) == 0}
	var b strings.Builder
	b.WriteString("byte a, b;\nchan q = [2] of { byte };\nchan r = [0] of { byte };\n")
	for i := range 2 + r.IntN(3) {
		fmt.Fprintf(&b, "active proctype P%d() {\n\tbyte x;\n", i)
		n := 2 + r.IntN(3)
		for at := range n {
			// Two labels of one location, as a model may have them.
			fmt.Fprintf(&b, "L%d:\nM%d:\n\tif\n", at, at)
			// Some locations have no action, so that processes block.
			actions := min(r.IntN(4), 2)
			if actions == 0 {
				b.WriteString("\t:: false\n")
			}
			for range actions {
				// Mostly in a circle, so that all locations are reached.
				to := (at + 1) % n
				if r.IntN(4) == 0 {
					to = r.IntN(n)
				}
				fmt.Fprintf(&b, "\t:: %s; goto L%d\n", w.action(), to)
			}
			// The last location may be the end of the process.
			if at == n-1 && r.IntN(4) == 0 {
				b.WriteString("\t:: skip\n")
			}
			b.WriteString("\tfi;\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// A writer writes the actions of a model.
type writer struct {
	*rand.Rand
	holds, waits bool
}

// variable chooses one. Most accesses are to shared variables, so that actions conflict.
func (w *writer) variable() string { return []string{"x", "a", "b", "a", "b"}[w.IntN(5)] }

// action writes a statement: an exchange of a message, or a guard with assignments as one step, or
// as several that others may not interrupt.
func (w *writer) action() string {
	switch w.IntN(7) {
	case 0:
		return "q!x"
	case 1:
		return "q?x"
	case 2:
		return []string{"r!x", "r!1", "r?x", "r?1", "d_step { r?x; " + w.change() + " }"}[w.IntN(5)]
	}
	guard := "true"
	switch {
	case w.waits && w.IntN(5) == 0:
		guard = "timeout"
	case w.IntN(2) == 0:
		guard = fmt.Sprintf("%s %s %d", w.variable(), []string{"==", "!=", "!="}[w.IntN(3)], w.IntN(3))
	}
	text := guard
	for range w.IntN(3) {
		text += "; " + w.change()
	}
	switch {
	case w.holds && w.IntN(3) == 0:
		return "atomic { " + text + "; " + w.change() + " }"
	case text == guard:
		return guard
	}
	return "d_step { " + text + " }"
}

// change writes an assignment. One of several takes what an earlier one has made.
func (w *writer) change() string {
	v, value := w.variable(), fmt.Sprint(w.IntN(3))
	if w.IntN(4) == 0 {
		value = w.variable()
	}
	if w.IntN(2) == 0 {
		return fmt.Sprintf("%s = (%s + %s) %% 3", v, v, value)
	}
	return v + " = " + value
}
