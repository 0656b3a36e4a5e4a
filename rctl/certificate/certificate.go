package certificate

import (
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Version is that of the rules.
const Version = 1

// A Certificate claims a verdict on a formula at the initial cut of a trace, and says
// why. It is a line of JSON.
type Certificate struct {
	Version   int      `json:"certificate"`
	Trace     string   `json:"trace"`  // its name
	SHA256    string   `json:"sha256"` // of its bytes, as they were read
	Execution string   `json:"execution,omitempty"`
	Reader    string   `json:"reader"`            // the format
	Assumed   []string `json:"assumed,omitempty"` // what was added to the trace, or is known to be missing in it
	Name      string   `json:"name,omitempty"`
	Formula   string   `json:"formula"`          // as it was written
	Verdict   string   `json:"verdict"`          // holds or fails
	Engine    string   `json:"engine,omitempty"` // that decided, where there is no proof
	Proof     *Proof   `json:"proof"`
}

// A Proof names the rule by which a formula holds at a cut, and what the rule needs. It is
// nil for what the values at the cut decide. Processes count from 0, events of a process
// from 1.
type Proof struct {
	Rule  string            `json:"rule"`
	Which int               `json:"which,omitempty"` // operand, from 0
	Cut   []int32           `json:"cut,omitempty"`   // how many events of each process
	Run   [][2]int32        `json:"run,omitempty"`   // process, number of steps
	At    [][]int32         `json:"at,omitempty"`    // places: process, event
	Ties  map[int][][]int32 `json:"ties,omitempty"`  // by ID of the node: pairs of places, or one
	Flow  [][]int64         `json:"flow,omitempty"`  // of a place, to a place, an amount
	Of    []*Proof          `json:"of,omitempty"`
}

// A Rejection says which rule a proof breaks, of what, and why.
type Rejection struct {
	Rule string
	Of   *Node
	Why  string
}

func (r *Rejection) Error() string {
	return fmt.Sprintf("rule %q does not show that %s: %s", r.Rule, r.Of, r.Why)
}

// A Checker checks proofs about one formula on one computation.
type Checker struct {
	// Say takes the argument, a line for each rule, as fmt.Printf does; among the operands
	// are nodes, cuts and events. It is nil for none.
	Say func(format string, args ...any)

	ctx   context.Context
	comp  *graphs.Computation
	final graphs.Cut

	root, falsehood *Node
	nodes           int
	done            map[*syntax.Formula]*Node
	atoms           map[*syntax.Expr]*Node
	variables       map[*graphs.Variable]*source

	ties  map[int][][]int32 // of the proof by rule region
	todo  []graphs.Event
	steps int
}

// New returns a checker for a formula as it was parsed. The error says that it does not
// fit the computation, or that ctx is done; the checker stops soon after that, too.
func New(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (k *Checker, err error) {
	if f, err = syntax.Resolve(ctx, f, scope.Of(c)); err != nil {
		return nil, err
	}
	defer catch(&err)
	k = &Checker{
		ctx: ctx, comp: c, final: c.Final(),
		done: make(map[*syntax.Formula]*Node), atoms: make(map[*syntax.Expr]*Node), variables: make(map[*graphs.Variable]*source),
	}
	k.constant(false)
	k.root = k.form(f)
	return k, nil
}

// Root returns the node that holds if the formula has the verdict.
func (k *Checker) Root(holds bool) *Node {
	if holds {
		return k.root
	}
	return k.root.Not
}

// Check checks that the formula of the checker has the verdict of a certificate. The error
// is a *Rejection, or that of the context.
func (k *Checker) Check(c *Certificate) (err error) {
	defer catch(&err)
	k.require(c.Version == Version && (c.Verdict == "holds" || c.Verdict == "fails") && !k.comp.Empty(), k.root, &Proof{Rule: "certificate"},
		"the rules are those of version %d, for verdicts on computations with a cut", Version)
	return k.Prove(k.Root(c.Verdict == "holds"), k.comp.Initial(), c.Proof)
}

// Prove checks that n holds at a consistent cut.
func (k *Checker) Prove(n *Node, c graphs.Cut, p *Proof) (err error) {
	defer catch(&err)
	k.prove(n, c, p)
	return nil
}

// Never checks that no cut between two satisfies n.
func (k *Checker) Never(n *Node, low, high graphs.Cut, p *Proof) (err error) {
	defer catch(&err)
	k.ties = nil
	k.never(n, low, high, p, 0)
	return nil
}

// A stop is how the checker panics once there is an error, which catch returns.
type stop struct{ err error }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case stop:
		*err = r.err
	default:
		panic(r)
	}
}

// require stops the checker where a rule does not apply.
func (k *Checker) require(ok bool, n *Node, p *Proof, format string, args ...any) {
	if !ok {
		panic(stop{&Rejection{p.Rule, n, fmt.Sprintf(format, args...)}})
	}
}

// work stops the checker soon after its context is done.
func (k *Checker) work() {
	if k.steps++; k.steps%4096 == 0 && k.ctx.Err() != nil {
		panic(stop{k.ctx.Err()})
	}
}

func (k *Checker) say(format string, args ...any) {
	if k.Say != nil {
		k.Say(format, args...)
	}
}

// event returns the event at a place that a proof names.
func (k *Checker) event(at []int32, n *Node, p *Proof) graphs.Event {
	k.require(len(at) == 2 && at[0] >= 0 && int(at[0]) < len(k.final) && at[1] >= 1 && at[1] <= k.final[at[0]], n, p, "there is no event at %v", at)
	return k.comp.Event(int(at[0]), int(at[1]))
}

// isCut reports whether c is a cut: it has all that its events need.
func (k *Checker) isCut(c graphs.Cut) bool {
	ok := len(c) == len(k.final) && k.comp.Initial().Within(c) && c.Within(k.final)
	for p := 0; ok && p < len(c); p++ {
		for i := k.comp.Initial()[p] + 1; ok && i <= c[p]; i++ {
			ok = k.closed(c, k.comp.Event(p, int(i)))
		}
	}
	return ok
}

// closed reports whether c has all events from which an edge leads to e.
func (k *Checker) closed(c graphs.Cut, e graphs.Event) bool {
	return !slices.ContainsFunc(k.comp.Preds(e), func(f graphs.Event) bool { return !k.has(c, f) })
}

func (k *Checker) has(c graphs.Cut, e graphs.Event) bool {
	return int32(k.comp.Position(e)) <= c[k.comp.Process(e)]
}

// advance adds e and all that it needs to a cut. It reports whether that stays within
// high; if it does not, the cut is of no more use.
func (k *Checker) advance(c graphs.Cut, e graphs.Event, high graphs.Cut) bool {
	k.todo = append(k.todo[:0], e)
	for len(k.todo) > 0 {
		e := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		p := k.comp.Process(e)
		from, to := c[p]+1, int32(k.comp.Position(e))
		if from > to {
			continue
		}
		if k.work(); to > high[p] {
			return false
		}
		c[p] = to
		for i := from; i <= to; i++ {
			for _, f := range k.comp.Preds(k.comp.Event(p, int(i))) {
				if !k.has(c, f) {
					k.todo = append(k.todo, f)
				}
			}
		}
	}
	return true
}
