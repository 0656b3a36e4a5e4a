// Package syntax defines the language of formulas: CTL over the consistent cuts of a distributed
// computation. It parses, prints and resolves formulas, and classifies them by sublogic.
//
// # Definitions
//
// A cut of a computation is a set of its events closed under causality: with every event it
// contains all events that happened before it. A step from a cut to another executes one enabled
// event. A run from a cut extends to the final cut, the set of all events; runs are finite. An
// atom is a Boolean expression over the values that the variables have after the events of a
// cut, and over the number of messages in transit. E quantifies over some run from a cut, A
// over all of them:
//
//	EX f        f after some event              AX f        f after every event
//	EF f        f at some cut of some run       AF f        f at some cut of every run
//	EG f        f at all cuts of some run       AG f        f at all cuts of every run
//	E[f U g]    some run has a cut with g, and f at every cut before it
//	E[f R g]    some run has g up to and including the first cut with f, or for ever
//	E[f W g]    E[f U g], or f for ever
//
// and A[ ] in the same way for all runs. At the final cut EX f is false, AX f is
// true, EF, AF, EG, AG f are f, [f U g] and [f R g] are g, and [f W g] is f || g.
//
// # Grammar
//
//	formula    = implies { "<->" implies }
//	implies    = or [ "->" implies ]
//	or         = and { ("||" | "or") and }
//	and        = unary { ("&&" | "and") unary }
//	unary      = ("!" | "not" | "EF" | "AF" | "EG" | "AG" | "EX" | "AX") unary
//	           | ("E" | "A") "[" formula ("U" | "R" | "W") formula "]"
//	           | ("forall" | "exists") names [ "in" domain ] [ "having" vars ] ":" formula
//	           | "(" formula ")" | comparison | variable | "true" | "false"
//	           | ("once" "(" condition ")" [ "@" process ] | "between" "(" condition "," condition ")" "@" process)
//	           | event | event "before" event | "knows" process ":" formula
//	names      = name { "," name } | name "!=" name { "!=" name } | "(" name { "," name } ")"
//	domain     = "{" process { "," process } "}" | pattern | "events" "(" condition ")"
//	           | "values" "(" field { "," field } [ "where" condition ] ")"
//	vars       = (name | string) { "," (name | string) }
//	comparison = sum relop sum { relop sum }
//	relop      = "<" | "<=" | "==" | "=" | "!=" | ">=" | ">"
//	sum        = term { ("+" | "-") term }
//	term       = factor { "*" factor }
//	factor     = number | string | "true" | "false" | variable | "-" factor | "(" sum ")"
//	           | "transit" "(" process "," process ")"
//	           | "events" "(" condition ")" [ "@" process ] | event "." field | duration
//	           | ("sum" | "min" | "max") name [ "in" domain ] [ "having" vars ] ":" sum
//	           | "count" name [ "in" domain ] [ "having" vars ] ":" formula     without temporal operators
//	variable   = (name | string | "len" "(" name ")") [ "@" process ]    a string only with its process
//	process    = name | string
//	condition  = formula over fields, "has" "(" field ")", "@process" "@label" "@id" "@time" and bound names
//	field      = name | string
//	definition = "define" name [ "(" name { "," name } ")" ] "=" formula
//
// A name starts with a letter or _, continues with letters, digits, _ and points, and does
// not end with a point. Strings and numbers are those of JSON; a whole number that fits into
// 64 bits is exact. A pattern is a string with * for any text and ? for any character.
// Comments run from # to the end of the line. The parser also accepts ¬ ∧ ∨ → ↔ ≤ ≥ ≠.
//
// Names joined by != stand for different processes. The variables after having restrict the
// processes to those with all of them. The formula after the colon of a quantifier extends as
// far right as possible, and so does the body of an aggregate: (count i: cs@i) >= 2 says that
// two or more are in the section. Without the parentheses, count i: cs@i >= 2 means the same
// where a formula is expected, and (count i: x@i >= 2) counts the processes at which x is at
// least 2. The sum over no process is 0. The words true, false, not, and, or, forall, exists
// and EF to AX can name variables only in quotes. All others can: E and A are operators only
// before a bracket; U, R and W only after a whole formula within one; transit and len only
// before a parenthesis; sum, count, min and max only before a name.
//
// # From text to atoms
//
// Parse reads a formula, or ParseProperties a file of them. Resolve relates it to a
// computation: it expands quantifiers and aggregates and finds the owner of every variable.
// NNF pushes negations down to the atoms. Classify names the fragment; Split, Invert and
// RegularPart take the regular atoms apart. The method String prints a canonical form that
// Parse reads back as an equal formula.
//
// # Fragments
//
// A predicate is regular if the cuts that satisfy it are closed under union
// and intersection. The atoms known to be regular are the predicates of one
// chain, bounds on a channel, and differences of two variables that never
// decrease; && keeps regularity, and so do EF, EG and AG (Sen and Garg,
// Detecting Temporal Logic Predicates in Distributed Programs Using Computation
// Slicing, OPODIS 2003), E[p U q] where q includes p, and E[q R p] (Kashyap and
// Garg, Producing Short Counterexamples Using Crucial Events, CAV 2008). RCTL is
// what can be built of the atoms, &&, EF, EG and AG; RCTL+CETL has the untils
// in addition; RCTL+ is RCTL with || and negated atoms.
//
// Sen and Garg require negations to be directly above atoms. Here a fragment contains a
// formula if it contains its negation normal form, or that of its negation, as both are
// decided together.
package syntax
