package syntax

import "slices"

// Op is the operator at the root of a Formula.
type Op uint8

// The operators of a formula.
const (
	OpTrue    Op = iota // true
	OpFalse             // false
	OpAtom              // Expr, a Boolean expression: a variable or a comparison
	OpNot               // !Sub[0]
	OpAnd               // Sub[0] && Sub[1] && … (two or more)
	OpOr                // Sub[0] || Sub[1] || … (two or more)
	OpImplies           // Sub[0] -> Sub[1]
	OpIff               // Sub[0] <-> Sub[1]
	OpEX                // EX Sub[0]
	OpAX                // AX Sub[0]
	OpEF                // EF Sub[0]
	OpAF                // AF Sub[0]
	OpEG                // EG Sub[0]
	OpAG                // AG Sub[0]
	OpEU                // E[Sub[0] U Sub[1]]
	OpAU                // A[Sub[0] U Sub[1]]
	OpER                // E[Sub[0] R Sub[1]]
	OpAR                // A[Sub[0] R Sub[1]]
	OpEW                // E[Sub[0] W Sub[1]]
	OpAW                // A[Sub[0] W Sub[1]]
	OpForall            // forall Quant: Sub[0]
	OpExists            // exists Quant: Sub[0]
)

// A Formula is a CTL formula over the lattice of consistent cuts. Formulas are
// immutable once built and may share subformulas.
type Formula struct {
	Op    Op
	Sub   []*Formula  // the operands; Op determines how many
	Expr  *Expr       // the expression of an OpAtom
	Quant *Quantifier // the quantifier of an OpForall or OpExists
	// how near a bound on time was to the other truth value; set on the OpTrue or OpFalse that
	// Resolve computes from the bound
	margin *Margin
	// the byte offset in the source of this formula's operator (of its first byte for OpAtom)
	Pos int
	src *source // the text that Pos refers to; set at the root by Parse and Resolve
}

// New returns the formula of an operator and its operands, at a byte offset of the source.
func New(op Op, pos int, sub ...*Formula) *Formula { return &Formula{Op: op, Sub: sub, Pos: pos} }

// AsAtom returns the atom of a Boolean expression.
func AsAtom(e *Expr) *Formula { return &Formula{Op: OpAtom, Expr: e, Pos: e.Pos} }

// A Quantifier binds names to processes, to values or to events: forall i, j / exists i != j in
// {P1, P2} / forall i having cs / forall r in values(req) / exists e in events(op == "recv").
// The quantifier of an aggregate has one name, or the names of a tuple.
type Quantifier struct {
	Names    []Name
	Distinct bool   // whether the names are joined by "!=": pairwise different processes
	Domain   []Name // the processes listed in braces; nil if there is no list
	Glob     string // a glob over process names; "" if there is none
	Having   []Name // the variables that processes must have
	Data     *Data  // the domain of values or events; nil for processes
}

// A Name is an identifier or quoted process name with its byte offset in the source.
type Name struct {
	Text string
	Pos  int
}

// hasName reports whether a list of names has one with the given text.
func hasName(names []Name, text string) bool {
	return slices.ContainsFunc(names, func(n Name) bool { return n.Text == text })
}

// String returns the name in the syntax of formulas.
func (n Name) String() string { return nameText(n.Text) }

// ExprOp is the operator at the root of an Expr.
type ExprOp uint8

// The operators of an expression.
const (
	ExprNumber  ExprOp = iota // Int or, when IsFloat, Float
	ExprString                // Text
	ExprBool                  // Bool
	ExprVar                   // Text, the variable's name, and Owner
	ExprNeg                   // -Args[0]
	ExprAdd                   // Args[0] + Args[1]
	ExprSub                   // Args[0] - Args[1]
	ExprMul                   // Args[0] * Args[1]
	ExprTransit               // transit(From, To)
	ExprCompare               // Args[0] Rel[0] Args[1] Rel[1] Args[2] …
	ExprSum                   // sum Quant: Term
	ExprCount                 // count Quant: Form
	ExprMin                   // min Quant: Term
	ExprMax                   // max Quant: Term

	ExprOnce   // once(Conds[0])@Process: an event that satisfies the condition has happened
	ExprEvents // events(Conds[0])@Process: how many such events have happened
	// between(Conds[0], Conds[1])@Process: the first has happened, and since then not the other
	ExprBetween
	ExprKnows    // knows Process: Conds[0] holds at all cuts with the process in its state
	ExprHappened // Event: the event has happened
	ExprBefore   // Event before Other
	ExprOf       // Event.Text: the value that the event assigns to a field, or its time
	ExprValue    // Text: a name bound to a value
	ExprField    // Text: the value that the event of a condition assigns to a field
	ExprOwn      // @Text: the process, label, id or time of the event of a condition
	ExprHas      // has(Text): the event of a condition assigns to the field, or has a time

	ExprWithin   // AF[Rel Args[0]] Conds[0]; it exists only while an ExprResponse is parsed
	ExprResponse // AG(Conds[0] -> AF[Rel Args[0]] Conds[1])
	ExprTogether // EF[Rel Args[0]] Conds[0]
	ExprLasts    // Conds[0] lasts Rel Args[0]
)

// IsAggregate reports whether the operator is sum, count, min or max.
func (op ExprOp) IsAggregate() bool { return op >= ExprSum && op <= ExprMax }

// isFormula reports whether an expression with the operator is a formula, which cannot be an
// operand of arithmetic or of a comparison.
func (op ExprOp) isFormula() bool {
	switch op {
	case ExprCompare, ExprOnce, ExprBetween, ExprKnows, ExprHappened, ExprBefore, ExprHas:
		return true
	}
	return op.isBounded()
}

// Relop is a relational operator.
type Relop uint8

// The relational operators.
const (
	Less Relop = iota
	LessEqual
	Equal
	NotEqual
	GreaterEqual
	Greater
)

// relops holds the text of each relational operator, and whether it holds if the left side is
// less than, equal to or greater than the right side.
var relops = [...]struct {
	text                 string
	less, equal, greater bool
}{
	Less: {"<", true, false, false}, LessEqual: {"<=", true, true, false}, Equal: {"==", false, true, false},
	NotEqual: {"!=", true, false, true}, GreaterEqual: {">=", false, true, true}, Greater: {">", false, false, true},
}

// String returns the operator in the syntax of formulas.
func (op Relop) String() string { return relops[op].text }

// Relates reports whether x op y, given the order cmp.Compare(x, y).
func (op Relop) Relates(order int) bool {
	r := &relops[op]
	return order < 0 && r.less || order == 0 && r.equal || order > 0 && r.greater
}

// Mirrored returns the operator with the sides exchanged: x op y is y
// op.Mirrored() x.
func (op Relop) Mirrored() Relop {
	switch op {
	case Equal, NotEqual:
		return op
	}
	return Greater - op
}

// An Expr is an expression over the variables of a cut.
type Expr struct {
	Op      ExprOp
	IsFloat bool
	Bool    bool
	Type    Type // the type of the value; set by Resolve
	// the quantifier over several names, OpForall or OpExists, that this comparison of a count
	// replaces; otherwise OpTrue
	For   Op
	Args  []*Expr
	Rel   []Relop // one fewer than Args for ExprCompare, one for ExprWithin to ExprLasts
	Text  string  // a string, name, field or property; for ExprNumber, a duration as written
	Int   int64
	Float float64

	// Process is the owner as written (x@P1); its Text is "" for a bare
	// variable.
	Process Name

	// Owner, set by Resolve, is the number of the process that has the
	// variable, or Shared.
	Owner int

	// the byte offset in the source of the expression's first byte (of the operator for
	// binary operators)
	Pos int

	// Parts that few expressions have. Copies of an expression share them.
	*Aggregate // ExprSum, ExprCount, ExprMin, ExprMax
	*Channel   // ExprTransit
	*Past      // ExprOnce to ExprOf, ExprWithin to ExprLasts
}

// newExpr returns an unresolved expression.
func newExpr(op ExprOp, pos int, args ...*Expr) *Expr {
	return &Expr{Op: op, Args: args, Owner: Unresolved, Pos: pos}
}

// ComparesTwo reports whether e is a comparison with one relational operator.
func (e *Expr) ComparesTwo() bool { return e.Op == ExprCompare && len(e.Rel) == 1 }

// An Aggregate holds the quantifier and the body of an aggregate as written; Resolve replaces
// names bound further out by their meanings.
type Aggregate struct {
	Quant *Quantifier
	Term  *Expr    // the body of ExprSum, ExprMin and ExprMax
	Form  *Formula // the body of ExprCount, without temporal operators

	// Sub, set by Resolve, has the instances of the body of ExprCount, one for each
	// binding. The instances of other aggregates are Args.
	Sub []*Formula
}

// Counted returns the instances of the formula that a count counts, nil for other
// expressions and before Resolve.
func (e *Expr) Counted() []*Formula {
	if e.Aggregate == nil {
		return nil
	}
	return e.Sub
}

// A Channel is the pair of processes between which transit counts messages.
type Channel struct {
	From, To     Name
	FromID, ToID int // the numbers of the processes; set by Resolve
}

// Shared is the Owner of a shared variable, and Unresolved that of any variable before Resolve.
const (
	Shared     = -1
	Unresolved = -2
)

// Type is the type of an expression's value.
type Type uint8

// The types of values.
const (
	UnknownType Type = iota
	NumberType
	BoolType
	StringType
)

// A Scope gives Resolve access to the names of a computation.
type Scope interface {
	// Processes lists the names of the processes in order; a process's
	// number is its index.
	Processes() []string
	// LookupProcess returns the number of the process of that name.
	LookupProcess(name string) (int, bool)
	// Variable returns the type of a variable of a process (or of a shared
	// variable, for Shared) and whether the process has it.
	Variable(process int, name string) (Type, bool)
	// Owners lists the processes with a variable of that name, in order. Shared comes first.
	Owners(name string) []int
	// VariableNames lists every variable name once, in a fixed order.
	VariableNames() []string
}
