// Package rctltest writes random formulas of RCTL+ and decides formulas by brute force: it is the
// reference for testing engines, monitors and translations.
//
// # Definitions
//
// A random formula speaks about the variables, processes and channels of a computation
// ([graphtest.Random]). A [Fragment] restricts its operators.
//
// # The twin
//
// [Holds] evaluates a formula at every cut of a lattice ([graphtest.Lattice]), from the last cut to
// the first, by the definition of runs. Expressions are evaluated with exact rational arithmetic
// over values found by replaying the assignments. The twin shares no code with the engines. It takes
// O(|f|·steps) time on a lattice, and building the lattice takes O(cuts²·n), so computations have to
// be small.
package rctltest
