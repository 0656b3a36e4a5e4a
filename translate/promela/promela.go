package promela

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options says how to translate.
type Options struct {
	// NoSlices keeps slices out of the formula. A formula without an equivalent in LTL
	// is an error then.
	NoSlices bool
}

// A Model is a computation and a formula in Promela. Its text begins with two
// lines that scripts can rely on: how to run it, FILE standing for the name of the
// file, and what an error means that pan reports.
type Model struct {
	Formula *syntax.Formula // in negation normal form
	Witness bool            // an error means that Formula holds; else that it fails
	Cycles  bool            // errors may be acceptance cycles
	Compile []string        // flags for gcc, that for optimization first
	Run     []string        // flags for pan

	*translator
	claim *path
}

// A translator makes a model.
type translator struct {
	ctx       context.Context
	comp      *graphs.Computation
	slices    bool
	store     *diagram.Store
	visible   map[graphs.Event]bool
	watched   []bool // by process: whether some step that it takes part in is visible
	known     map[string]*proposition
	props     []*proposition
	processes []process
}

// An InexpressibleError says that a formula has no equivalent that a never claim
// can state, because of a subformula.
type InexpressibleError struct {
	Formula *syntax.Formula // the subformula, in negation normal form
	Next    bool            // because it speaks of the next cut
}

func (e *InexpressibleError) Error() string {
	why := "has no known equivalent in LTL, and no lean slice"
	if e.Next {
		why = "counts steps, which SPIN's partial-order reduction does not preserve"
	}
	return fmt.Sprintf("%s %s; --to smv can express it", e.Formula, why)
}

// A LimitError says that a computation or formula is larger than SPIN accepts.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

// maxProcesses is how many processes SPIN can run in addition to a never claim.
const maxProcesses = 254

// Translate makes a model of c and f, resolved in the scope of c. Errors are
// rctl.ErrEmpty, *InexpressibleError, *LimitError, values that were not read, and ctx's
// own.
//
// It tries, in this order, the negation of f and f itself without slices, and then both
// with slices for what has no equivalent. The time complexity of Translate is
// O(|V|+|edges|+|f|·text), text being the length of a proposition written out.
func Translate(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Model, error) {
	if c.Empty() {
		return nil, rctl.ErrEmpty
	}
	f = syntax.NNF(f)
	isNext := func(g *syntax.Formula) bool { return g.Op == syntax.OpEX || g.Op == syntax.OpAX }
	if g := syntax.Find(f, isNext); g != nil {
		return nil, &InexpressibleError{Formula: g, Next: true}
	}
	var reasons [2]error
	for _, slices := range []bool{false, true} {
		if slices && opts.NoSlices {
			break
		}
		for i, g := range []*syntax.Formula{syntax.NNF(syntax.Not(f)), f} {
			t := &translator{
				ctx: ctx, comp: c, slices: slices, store: diagram.NewStore(ctx, c, nil),
				visible: make(map[graphs.Event]bool), watched: make([]bool, c.NumProcesses()), known: make(map[string]*proposition),
			}
			claim, err := t.path(g)
			if err == nil && claim.op == pathNow && !syntax.IsPropositional(f) {
				// A slice for all of it would leave nothing to SPIN.
				err = &InexpressibleError{Formula: g}
			}
			var none *InexpressibleError
			if errors.As(err, &none) {
				reasons[i] = err
				continue
			}
			if err != nil {
				return nil, err
			}
			return t.model(f, claim, i == 1)
		}
	}
	var none *InexpressibleError
	if errors.As(reasons[0], &none) && f.Op.IsTemporal() && !syntax.IsExistential(f) {
		return nil, &InexpressibleError{Formula: syntax.NNF(syntax.Not(none.Formula))}
	}
	return nil, reasons[1]
}

// model returns the model for a claim, with the flags that its checker needs.
func (t *translator) model(f *syntax.Formula, claim *path, witness bool) (*Model, error) {
	t.processes = t.makeProcesses()
	if n := len(t.processes); n > maxProcesses {
		return nil, &LimitError{fmt.Sprintf("SPIN runs at most %d processes, but %d processes of the trace have events", maxProcesses, n)}
	}
	m := &Model{Formula: f, Witness: witness, translator: t, claim: claim}
	m.Cycles = newClaim(claim).cycles
	t.markVisible()
	m.Compile = []string{t.optimization()}
	if !m.Cycles {
		m.Compile = append(m.Compile, "-DSAFETY")
	}
	if size := 256 + 40*len(t.processes); size > 1024 {
		m.Compile = append(m.Compile, fmt.Sprintf("-DVECTORSZ=%d", size))
	}
	if m.Cycles {
		m.Run = append(m.Run, "-a")
	}
	// Each step may take a change of place, and the claim moves in between; the
	// second search for cycles goes as deep as the first.
	depth := 100
	for _, p := range t.processes {
		depth += 8 * len(p.steps)
	}
	m.Run = append(m.Run, "-n", fmt.Sprintf("-m%d", max(depth, 10000)))
	return m, nil
}

// optimization returns gcc's flag. The time to optimize the guards grows faster than
// the guards, and soon exceeds the time saved: for 1261 edges between two processes,
// -O2 takes 7 s, -O1 1.2 s and -O0 0.4 s.
func (t *translator) optimization() string {
	edges := 0
	for _, p := range t.processes {
		for _, s := range p.steps {
			edges += len(s.needs)
		}
	}
	switch {
	case edges > 3000:
		return "-O0"
	case edges > 500:
		return "-O1"
	}
	return "-O2"
}

// String returns the text of the model.
func (m *Model) String() string {
	var b strings.Builder
	meaning := "fails"
	if m.Witness {
		meaning = "holds"
	}
	fmt.Fprintf(&b, "/* pota: run: spin -a FILE && gcc %s -o pan pan.c && ./pan %s */\n",
		strings.Join(m.Compile, " "), strings.Join(m.Run, " "))
	fmt.Fprintf(&b, "/* pota: errors mean: %s */\n\n", meaning)
	fmt.Fprintf(&b, "/* formula: %s */\n\n", remark(m.Formula.String()))
	m.declare(&b)
	b.WriteString("\n")
	for _, p := range m.props {
		fmt.Fprintf(&b, "/* %s */\n#define %s %s\n", remark(p.says), p.name, "("+p.text+")")
	}
	b.WriteString("\n")
	for _, p := range m.processes {
		m.write(&b, p)
	}
	if len(m.processes) == 0 {
		b.WriteString("/* nothing happens */\nactive proctype nothing()\n{\nend: false\n}\n\n")
	}
	fmt.Fprintf(&b, "/* some run has: %s */\n", m.claim)
	newClaim(m.claim).write(&b)
	return b.String()
}

// Write translates c and f and writes the model; see Translate.
func Write(ctx context.Context, w io.Writer, c *graphs.Computation, f *syntax.Formula, opts Options) error {
	m, err := Translate(ctx, c, f, opts)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, m.String())
	return err
}

// remark makes text fit for a comment.
func remark(text string) string {
	for _, c := range text {
		if c < ' ' || c > '~' {
			text = strings.Trim(strconv.QuoteToASCII(text), `"`)
			break
		}
	}
	return strings.NewReplacer("*/", `*\/`, "/*", `/\*`).Replace(text)
}
