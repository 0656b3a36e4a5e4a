package spin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// ModelOptions says how SPIN checks a model.
type ModelOptions struct {
	Folder    string // the folder of files that the model includes
	MaxMemory int64  // how many bytes the checker may use; 0 is no limit
	Breadth   bool   // search breadth first, for formulas that a state refutes only
	// look for ever shorter trails (-i); when ctx is done, the last one counts, without its states
	Shorten bool
	// without partial order reduction, whose rules do not allow for formulas about variables of
	// processes: those are always decided without
	Whole bool
}

// A ModelResult is SPIN's answer for a formula on a model.
type ModelResult struct {
	Verdict rctl.Verdict
	Reason  string // why the verdict is Unknown
	States  int64  // stored
	// how many steps of processes the trail has that shows the verdict; 0 if there is none
	Steps int
}

// An InexpressibleError says why SPIN cannot decide a formula on a model.
type InexpressibleError struct{ Why string }

func (e *InexpressibleError) Error() string { return e.Why }

// CheckModel decides a formula on a model in Promela, given as text. The formula is resolved for the
// program that layout describes. SPIN itself makes the claim, from a formula of linear time: a
// deterministic formula for all runs says the same without its A (Maidl, The common fragment of CTL
// and LTL, 2000). Errors are *InexpressibleError, *MissingError and *FailedError; when ctx is done
// or the limit of memory is reached, the verdict is Unknown.
func CheckModel(ctx context.Context, text []byte, layout *program.Layout, f *syntax.Formula, opts ModelOptions) (r *ModelResult, err error) {
	if err := programs("spin", "gcc"); err != nil {
		return nil, err
	}
	w := &writer{layout: layout, renamed: make(map[string]bool)}
	with, negated, err := w.model(text, f)
	if err != nil {
		return nil, err
	}
	flags := []string{"-O2"}
	for _, option := range []struct {
		flag string
		set  bool
	}{{"-DBFS", opts.Breadth}, {"-DREACH", opts.Shorten}, {"-DNOREDUCE", opts.Whole || w.locals}} {
		if option.set {
			flags = append(flags, option.flag)
		}
	}
	err = inFolder(ctx, string(with), func(dir string) error {
		folder, err := filepath.Abs(opts.Folder)
		if err == nil {
			err = os.Symlink(folder, filepath.Join(dir, includes))
		}
		if err == nil {
			err = build(ctx, dir, []string{"-a", "-E-I" + includes, modelFile}, flags, opts.MaxMemory)
		}
		for _, depth := range depths {
			if err == nil && (r == nil || r.Reason == tooDeep) {
				r, err = runTo(ctx, depth, dir, opts)
			}
		}
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return &ModelResult{Reason: "the time limit was reached"}, nil
	case err == nil && negated && r.Verdict != rctl.Unknown:
		r.Verdict = r.Verdict.Not()
	}
	return r, err
}

// includes is the name of the model's folder while SPIN runs, because SPIN starts its preprocessor by
// a shell.
const includes = "includes"

// depths are how many steps a search may go down; the second is for those that the first is not
// enough for. The checker allocates the room for them before it begins, and that for the second, 600
// MB, takes longer than most searches.
var depths = [...]int{100_000, 10_000_000}

// model returns a model with a claim for a formula, and says if the claim is negated. In formulas,
// SPIN takes some words for operators. So the preprocessor renames things of the model with such a
// name, or with a name that begins like a label of acceptance.
func (w *writer) model(text []byte, f *syntax.Formula) (with []byte, negated bool, err error) {
	for _, label := range acceptance().FindAllString(string(text), -1) {
		w.renamed[label] = true
	}
	claim, negated, err := w.claim(f)
	claim = fmt.Sprintf("ltl %s { %s }\n", claimName, claim)
	for _, word := range slices.Sorted(maps.Keys(w.renamed)) {
		with = fmt.Appendf(with, "#define %s %s%s\n", word, rename, word)
		claim = fmt.Sprintf("#undef %s\n", word) + claim
	}
	return fmt.Appendf(with, "%s\n%s", text, claim), negated, err
}

// claimName distinguishes the claim from the model's own claims.
const claimName = "pota"

// runTo runs the checker, down to a depth.
func runTo(ctx context.Context, depth int, dir string, opts ModelOptions) (*ModelResult, error) {
	args := []string{"-N", claimName, fmt.Sprintf("-m%d", depth)}
	if !opts.Breadth {
		args = append(args, "-a")
	}
	// The checker goes on after an error, with the trail as the new limit of depth.
	if opts.Shorten {
		args = append(args, "-i")
	}
	path := filepath.Join(dir, trailFile)
	_ = os.Remove(path) // the trail of the search before, if it has one
	out, err := command(ctx, dir, "./pan", args...)
	if ctx.Err() != nil {
		if n, err := movers(path); opts.Shorten && err == nil {
			return &ModelResult{Verdict: rctl.Fails, Steps: n}, nil
		}
		return nil, ctx.Err()
	}
	said, ok := read(out)
	if !ok {
		return nil, failed("pan", out, err)
	}
	r := &ModelResult{Verdict: rctl.Holds, Reason: said.reason, States: said.states}
	switch {
	case r.Reason != "":
		r.Verdict = rctl.Unknown
	case said.found && undefined().MatchString(out):
		r.Verdict, r.Reason = rctl.Unknown, "the model does what Promela leaves undefined"
	case said.found:
		r.Verdict = rctl.Fails
		if r.Steps, err = movers(path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// movers returns how many steps of processes a trail has.
func movers(path string) (n int, err error) {
	pids, err := trail(path)
	for _, pid := range pids {
		if pid > 0 { // 0 is the claim
			n++
		}
	}
	return n, err
}

// undefined matches errors of the checker that are not about the claim.
var undefined = lazy.Regexp(`pan:\d+: (indexing|division|block in d_step|modulo)`)

// claim returns f, or its negation if negated is set, as a formula of linear time.
func (w *writer) claim(f *syntax.Formula) (text string, negated bool, err error) {
	n := syntax.NNF(f)
	if text, ok := w.linear(n); ok {
		return text, false, w.err
	}
	if text, ok := w.linear(syntax.NNF(syntax.Not(f))); ok {
		return text, true, w.err
	}
	return "", false, &InexpressibleError{"SPIN decides formulas of linear time only, such as AG p, AF p, A[p U q], AG(p -> AF q) and their negations, not " + f.String()}
}

// A writer writes formulas for SPIN.
type writer struct {
	layout  *program.Layout
	renamed map[string]bool // words that the model has as names
	locals  bool            // a formula is about a variable of a process
	err     error
}

// linear returns a formula in negation normal form without its A, in parentheses. It returns
// ok = false if that might mean something else.
func (w *writer) linear(f *syntax.Formula) (text string, ok bool) {
	var parts []string
	temporal := 0
	for _, sub := range f.Sub {
		part, ok := w.linear(sub)
		if !ok {
			return "", false
		}
		parts = append(parts, part)
		if !syntax.IsPropositional(sub) {
			temporal++
		}
	}
	switch {
	case f.Op == syntax.OpTrue:
		text = "1"
	case f.Op == syntax.OpFalse:
		text = "0"
	case f.Op == syntax.OpAtom:
		text = w.atom(f.Expr)
	case f.Op == syntax.OpNot:
		text = "!" + parts[0]
	case f.Op == syntax.OpAnd:
		text = strings.Join(parts, " && ")
	case f.Op == syntax.OpOr && temporal <= 1:
		text = strings.Join(parts, " || ")
	case f.Op == syntax.OpAG:
		text = "[] " + parts[0]
	case f.Op == syntax.OpAF && temporal == 0:
		text = "<> " + parts[0]
	case infix[f.Op] != "" && temporal == 0:
		text = strings.Join(parts, infix[f.Op])
	default:
		return "", false
	}
	return "(" + text + ")", true
}

var infix = map[syntax.Op]string{syntax.OpAU: " U ", syntax.OpAW: " W ", syntax.OpAR: " V "}

// atom returns a comparison.
func (w *writer) atom(e *syntax.Expr) string {
	if e.Op != syntax.ExprCompare {
		return w.term(e)
	}
	var parts []string
	for i, rel := range e.Rel {
		x, y := e.Args[i], e.Args[i+1]
		if y.Op == syntax.ExprVar && y.Text == program.At {
			x, y = y, x
		}
		if x.Op != syntax.ExprVar || x.Text != program.At || y.Op != syntax.ExprString {
			parts = append(parts, w.term(x)+" "+rel.String()+" "+w.term(y))
			continue
		}
		at := w.process(x.Owner) + "@" + w.name(y.Text)
		if rel == syntax.NotEqual {
			at = "!(" + at + ")"
		}
		parts = append(parts, at)
	}
	return strings.Join(parts, " && ")
}

var element = lazy.Regexp(`\.(\d+)`)

// term returns an expression.
func (w *writer) term(e *syntax.Expr) string {
	switch e.Op {
	case syntax.ExprNumber:
		return strconv.FormatInt(e.Int, 10)
	case syntax.ExprBool:
		return strconv.FormatBool(e.Bool)
	case syntax.ExprString:
		return w.name(e.Text)
	case syntax.ExprVar:
		name := element().ReplaceAllString(w.name(e.Text), "[$1]")
		if e.Owner == graphs.Shared {
			return name
		}
		w.locals = true
		return w.process(e.Owner) + ":" + name
	case syntax.ExprNeg:
		return "(-" + w.term(e.Args[0]) + ")"
	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul:
		sign := map[syntax.ExprOp]string{syntax.ExprAdd: " + ", syntax.ExprSub: " - ", syntax.ExprMul: " * "}[e.Op]
		return "(" + w.term(e.Args[0]) + sign + w.term(e.Args[1]) + ")"
	}
	w.err = &InexpressibleError{"SPIN has no aggregates: " + e.String()}
	return ""
}

// acceptance matches labels that make each run that comes by for ever one that the checker
// looks for, whatever the claim is.
var acceptance = lazy.Regexp(`\baccept\w*`)

// words are those, and what SPIN's formulas take for operators.
var words = lazy.Regexp(`\b(accept\w*|always|eventually|until|stronguntil|weakuntil|release|next|implies|equivalent|[UVWX])\b`)

// rename is the prefix for names of the model that are such a word.
const rename = "pota_"

// name returns a name of the model as written in a claim.
func (w *writer) name(text string) string {
	return words().ReplaceAllStringFunc(text, func(word string) string {
		w.renamed[word] = true
		return rename + word
	})
}

// process returns the name of a process: its type if no other has it, or type[pid].
func (w *writer) process(p int) string {
	name, pid, several := strings.Cut(w.layout.Processes[p].Name, ":")
	if several {
		return w.name(name) + "[" + pid + "]"
	}
	return w.name(name)
}
