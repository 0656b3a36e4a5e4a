package promela

import "strings"

// A Model is the syntax tree of a program. Macros and inlines are expanded; for and select are
// written as loops, as SPIN does.
type Model struct {
	Mtypes  []*Mtype
	Globals []*Variable
	Procs   []*Proc
	Notes   []Note

	start Position // the position of the first token
}

// A Note is about something that is skipped.
type Note struct {
	Position
	Msg string
}

// A Proc is a proctype, or init.
type Proc struct {
	Position
	Name   string
	Active int // how many processes exist from the beginning
	Params []*Variable
	Body   []*Statement

	locals []*Variable // parameters, too
}

// A Struct is a type declared by typedef. Its fields lie one after the other, without padding.
type Struct struct {
	Name   string
	Fields []*Variable

	bytes   int // how many bytes it has in a state
	scalars int // structures in it count as their own
}

// An Mtype is a set of symbolic constants. The value of Names[i] is i+1.
type Mtype struct {
	Name  string // "" for declarations without a name, which all add to one set
	Names []string
}

// A Kind is a kind of types.
type Kind uint8

// SPIN's names and sizes: bit and bool have one bit, byte and pid 8, short 16, int 32.
const (
	Bit Kind = iota
	Bool
	Byte
	Pid
	Short
	Int
	Unsigned
	Symbol
	Chan
	Structure
)

// A Type is the type of a variable.
type Type struct {
	Kind   Kind
	Bits   int     // for Unsigned
	Struct *Struct // for Structure
	Set    *Mtype  // for Symbol
}

// A Variable is one that is declared, or a field of a structure.
type Variable struct {
	Position
	Name   string
	Type   Type
	Length int     // the length of an array; otherwise 0
	Init   []*Expr // one value or, for an array, one for each element
	Chan   *ChanInit
	Proc   *Proc // nil for a global variable

	// whether some statement assigns it; a channel that is never assigned is a constant
	assigned bool
	number   int // distinguishes local variables with the same name
	at       int // its offset in its structure, in the frame of its process, or in the state
	object   int // the number of its first object there
	channel  int // the number of its first channel there
}

// elements returns the number of elements of an array, and 1 for another variable.
func (v *Variable) elements() int { return max(v.Length, 1) }

// bytes returns how many bytes v has in a state.
func (v *Variable) bytes() int { return v.elements() * v.Type.width() }

// scalars returns how many numbers v consists of.
func (v *Variable) scalars() int { return v.elements() * v.Type.scalars() }

// A ChanInit says what a channel holds.
type ChanInit struct {
	Capacity int
	Types    []Type
}

// An Op says what an expression is.
type Op uint8

const (
	Number Op = iota
	Refer     // refers to a variable
	Eval      // in receives
	Ignore    // _ in receives and assignments
	// The operators on numbers, from here to Cond, are in one stretch: constant relies on that.
	Not // Sub[0]
	Negate
	Complement
	Or // Sub[0], Sub[1]
	And
	BitOr
	BitXor
	BitAnd
	Equal
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	ShiftLeft
	ShiftRight
	Add
	// Operands of operators are in Sub, from the left.
	Subtract
	Multiply
	Divide
	Modulo
	Cond // Sub[0] -> Sub[1] : Sub[2]
	Len  // the length of channel Ref
	Full
	Empty
	NotFull
	NotEmpty
	Poll // channel Ref ? [Sub]
	Run  // Proc(Sub)
	Timeout
	PidOf     // _pid
	Processes // _nr_pr
)

// constantAt returns a number that does not stand in the text.
func constantAt(at Position, value int) *Expr { return &Expr{Position: at, Value: value} }

// skipAt returns a statement that does nothing.
func skipAt(at Position, labels ...Label) *Statement {
	return &Statement{Position: at, Form: Condition, Expr: constantAt(at, 1), Labels: labels}
}

// An Expr is an expression with its operands in Sub.
type Expr struct {
	Position
	Op     Op
	Value  int
	Symbol string // the constant's name, or that of Proc
	Proc   *Proc  // for Run
	Ref    *Ref
	Random bool // Poll with ??
	Sub    []*Expr
}

// A Ref is a variable, an element or a field.
type Ref struct {
	Position
	Variable *Variable
	Index    *Expr
	Field    *Ref
}

// last returns the field that r ends in.
func (r *Ref) last() *Ref {
	for r.Field != nil {
		r = r.Field
	}
	return r
}

// A Form says what a statement is.
type Form uint8

const (
	Condition Form = iota // Expr
	Assign                // Ref = Expr
	Send                  // Ref ! Args
	Receive               // Ref ? Args
	If                    // Options
	Do
	Else
	Break
	Goto // Target
	Atomic
	DStep
	Block // Options[0]
	Assert
	Print
	Declare // Variable; executed as an assignment unless it stands at the beginning

	// The forms below come from the compiler and not from the text.
	join // where the options of If and Do meet
	stop // the end of a process
)

// A Statement is one that can be labelled.
type Statement struct {
	Position
	Form    Form
	Labels  []Label
	Expr    *Expr
	Ref     *Ref
	Args    []*Expr
	Sorted  bool // !!
	Random  bool // ??
	Keep    bool // ?<…>
	Options [][]*Statement
	Target  Label
	Text    string
	Var     *Variable
	initial bool // Declare at the beginning of a proctype
}

// A Label in an inline has the number of the call, since each call has its own labels. Otherwise Call
// is 0.
type Label struct {
	Position
	Name string
	Call int
}

// key is the label without its place, for maps.
func (l Label) key() Label { return Label{Name: l.Name, Call: l.Call} }

// special reports whether SPIN gives the label a meaning.
func (l Label) special() bool {
	// By the beginning of the name, since each label of a proctype has a name of its own.
	return strings.HasPrefix(l.Name, "end") || strings.HasPrefix(l.Name, "accept") ||
		strings.HasPrefix(l.Name, "progress")
}
