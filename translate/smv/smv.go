package smv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/internal/ident"
)

// Options say how to write a model.
type Options struct {
	// Limit bounds the size of the decision diagram of an atom; 0 is a million runs.
	Limit int
	// Alone reports whether the model comes without an order of variables.
	Alone bool
}

const (
	// small is how large the diagram of an atom may be before sums are preferred.
	small = 1 << 12
	large = 1 << 20
)

// An Error names an atom that cannot be expressed, and says why.
type Error struct {
	Atom   string
	Pos    int // byte offset of the atom in the formula
	Reason string
}

func (e *Error) Error() string { return e.Atom + " cannot be translated: " + e.Reason }

// ErrEmpty says that the computation has no cut, and so no initial state.
var ErrEmpty = errors.New("the computation has no consistent cut")

// Write writes the model of c and f, resolved in the scope of c. The first line has a
// command: FILE stands for the name of the file, and FILE.ord, if the model is not
// alone, for the file that WriteOrder writes. Errors are ErrEmpty, *Error, or those of w.
//
// The time complexity of Write is O(n² + |V| + |edges| + |f| · size of the atoms),
// where a formula below W counts twice.
func Write(w io.Writer, c *graphs.Computation, f *syntax.Formula, opts Options) error {
	if opts.Limit == 0 {
		opts.Limit = large
	}
	m, err := newModel(w, c, opts)
	if err != nil {
		return err
	}
	spec, err := m.formula(f)
	if err != nil {
		return err
	}
	m.header(f, opts.Alone)
	m.declare()
	m.constrain()
	m.move()
	m.printf("\nCTLSPEC %s;\n", spec)
	return m.w.Flush()
}

// WriteOrder writes the order of variables that the model of c is fast with, in the
// format of NuSMV's option -i: process by process, the most significant bit first.
func WriteOrder(w io.Writer, c *graphs.Computation) error {
	m, err := newModel(w, c, Options{})
	if err != nil {
		return err
	}
	for _, p := range m.moving {
		for bit := m.width(p) - 1; bit >= 0; bit-- {
			m.printf("%s.%d\n", m.counter(p), bit)
		}
	}
	return m.w.Flush()
}

// A model is under construction until it has been written.
type model struct {
	w        *bufio.Writer
	comp     *graphs.Computation
	limit    int
	moving   []int // processes with a counter
	store    *diagram.Store
	defines  []define
	nodes    map[*diagram.Node]string
	terms    map[term]string
	formulas map[*syntax.Formula]string
}

// A define is a line of the section DEFINE; without a name it is a comment.
type define struct{ name, text string }

// newModel returns an empty model of c. Processes without events between the initial
// and the final cut get no counter.
func newModel(w io.Writer, c *graphs.Computation, opts Options) (*model, error) {
	if c.Empty() {
		return nil, ErrEmpty
	}
	m := &model{
		w: bufio.NewWriter(w), comp: c, limit: opts.Limit, store: diagram.NewStore(context.Background(), c, nil),
		nodes: make(map[*diagram.Node]string), terms: make(map[term]string), formulas: make(map[*syntax.Formula]string),
	}
	for p := range c.NumProcesses() {
		if c.Initial()[p] < c.Final()[p] {
			m.moving = append(m.moving, p)
		}
	}
	if len(m.moving) == 0 {
		m.moving = []int{0} // a model has a variable
	}
	return m, nil
}

func (m *model) printf(format string, args ...any) { fmt.Fprintf(m.w, format, args...) }

// counter returns the name of the counter of a process.
func (m *model) counter(p int) string { return "n_" + ident.Mangle(m.comp.Processes()[p]) }

// width returns the number of bits of the counter of p.
func (m *model) width(p int) int { return max(1, bits.Len32(uint32(m.comp.Final()[p]))) }

// count returns k as a word like the counter of p.
func (m *model) count(p, k int) string { return word(m.width(p), int64(k)) }

func word(width int, k int64) string { return fmt.Sprintf("0ud%d_%d", width, k) }

// header writes how to run the model and what its counters stand for.
func (m *model) header(f *syntax.Formula, alone bool) {
	options, order := "-i FILE.ord ", "FILE.ord is the order of variables, and can be left out"
	if alone {
		options, order = "", "pota translate -o FILE writes an order of variables, too, with which they are faster"
	}
	m.printf("-- pota: run: NuSMV -dcx %sFILE\n", options)
	m.printf("-- pota: \"is true\" means: holds\n")
	m.printf("-- nuXmv takes the same options; %s.\n", order)
	m.printf("-- %s\n", comment(f.String()))
	for p, name := range m.comp.Processes() {
		from, to := int(m.comp.Initial()[p]), int(m.comp.Final()[p])
		if !slices.Contains(m.moving, p) {
			m.printf("-- process %s stays at %d\n", comment(name), from)
			continue
		}
		m.printf("-- %s is process %s, from %d to %d of its events\n", m.counter(p), comment(name),
			from, to)
		for k := from + 1; k <= to; k++ {
			e := m.comp.Event(p, k)
			if label := m.comp.Label(e); label != "" {
				m.printf("--   %d: %s, %s\n", k, comment(m.comp.ID(e)), comment(label))
			} else if m.comp.HasID(e) {
				m.printf("--   %d: %s\n", k, comment(m.comp.ID(e)))
			}
		}
	}
	m.printf("MODULE main\n")
}

// comment returns text on one line and in ASCII.
func comment(text string) string {
	quoted := strconv.QuoteToASCII(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// declare writes the counters, the definitions and the initial state.
func (m *model) declare() {
	m.printf("\nVAR\n")
	for _, p := range m.moving {
		m.printf("  %s : unsigned word[%d];\n", m.counter(p), m.width(p))
	}
	m.printf("\nDEFINE\n")
	m.printf("  final := %s;\n", m.is(m.comp.Final()))
	for _, d := range m.defines {
		if d.name == "" {
			m.printf("  -- %s\n", d.text)
		} else {
			m.printf("  %s := %s;\n", d.name, d.text)
		}
	}
	m.printf("\nINIT %s;\n", m.is(m.comp.Initial()))
}

// is says that the state is a cut.
func (m *model) is(cut graphs.Cut) string {
	var parts []string
	for _, p := range m.moving {
		parts = append(parts, fmt.Sprintf("%s = %s", m.counter(p), m.count(p, int(cut[p]))))
	}
	return join("&", parts)
}

// constrain writes the invariants that leave only consistent cuts.
func (m *model) constrain() {
	c := m.comp
	m.printf("\n-- between the initial and the final cut\n")
	for _, p := range m.moving {
		from, to := int(c.Initial()[p]), int(c.Final()[p])
		if from > 0 {
			m.printf("INVAR %s >= %s;\n", m.counter(p), m.count(p, from))
		}
		if to < 1<<m.width(p)-1 {
			m.printf("INVAR %s <= %s;\n", m.counter(p), m.count(p, to))
		}
	}
	m.printf("\n-- every cut with the second event has the first\n")
	for _, p := range m.moving {
		for k := int(c.Initial()[p]) + 1; k <= int(c.Final()[p]); k++ {
			f := c.Event(p, k)
			for _, e := range c.Preds(f) {
				if !c.Has(c.Initial(), e) {
					m.printf("INVAR %s -> %s; -- %s, %s\n", m.happened(f), m.happened(e),
						comment(c.ID(e)), comment(c.ID(f)))
				}
			}
		}
	}
}

// happened says that e, an event of the final cut but not of the initial one, has
// happened.
func (m *model) happened(e graphs.Event) string {
	p := m.comp.Process(e)
	return fmt.Sprintf("%s >= %s", m.counter(p), m.count(p, m.comp.Position(e)))
}

// move writes the steps.
func (m *model) move() {
	c := m.comp
	var steps []string
	for _, p := range m.moving {
		if c.Initial()[p] == c.Final()[p] {
			continue
		}
		parts := []string{
			fmt.Sprintf("%s < %s", m.counter(p), m.count(p, int(c.Final()[p]))),
			m.next(p, m.counter(p)+" + "+m.count(p, 1)),
		}
		steps = append(steps, m.step(parts, map[int]bool{p: true}))
	}
	for _, p := range m.moving {
		for k := int(c.Initial()[p]) + 1; k <= int(c.Final()[p]); k++ {
			e := c.Event(p, k)
			if step := c.Step(e); len(step) > 1 && step[0] == e {
				steps = append(steps, m.together(step))
			}
		}
	}
	steps = append(steps, m.step([]string{"final"}, nil))
	m.printf("\n-- a step executes one meta-event; only the final cut is followed by itself\n")
	m.printf("TRANS\n  %s;\n", strings.Join(steps, "\n  | "))
}

// next says what the counter of a process is after a step.
func (m *model) next(p int, value string) string {
	return fmt.Sprintf("next(%s) = %s", m.counter(p), value)
}

// step is a step with some parts that leaves the counters of all processes but some as they are.
func (m *model) step(parts []string, moved map[int]bool) string {
	for _, p := range m.moving {
		if !moved[p] {
			parts = append(parts, m.next(p, m.counter(p)))
		}
	}
	return "(" + join("&", parts) + ")"
}

// together is the step of a meta-event of several events, listed process by process.
func (m *model) together(step []graphs.Event) string {
	c := m.comp
	var parts []string
	moved := make(map[int]bool)
	for i, e := range step {
		p := c.Process(e)
		if !moved[p] {
			moved[p] = true
			parts = append(parts, fmt.Sprintf("%s = %s", m.counter(p), m.count(p, c.Position(e)-1)))
		}
		if i+1 == len(step) || c.Process(step[i+1]) != p {
			parts = append(parts, m.next(p, m.count(p, c.Position(e))))
		}
	}
	return m.step(parts, moved)
}

// join joins texts by an operator; many are put in parentheses as a balanced tree,
// because what reads them is recursive.
func join(op string, parts []string) string {
	const most = 64
	for len(parts) > most {
		var groups []string
		for chunk := range slices.Chunk(parts, most) {
			groups = append(groups, "("+strings.Join(chunk, " "+op+" ")+")")
		}
		parts = groups
	}
	return strings.Join(parts, " "+op+" ")
}
