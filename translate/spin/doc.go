// Package spin decides formulas with the model checker SPIN: it writes a model in
// Promela (package promela), compiles and runs the checker that SPIN makes of it in a
// temporary folder, turns the trail of an error into evidence, and replays that. It
// needs the programs spin and gcc.
//
// # The slice in place of the computation
//
// Where a formula is EF p or AG p, and p has no temporal operator, SPIN may check the
// slice for p (for !p) rather than the computation. This is case 3 of POTA (Sen and
// Garg, RV 2003, section 3). It is sound: the slice has every cut that satisfies p,
// whether it is lean or not; its cuts are cuts of the computation, where p has the same
// truth; and all of them are on some run of the slice, as all cuts of the computation
// are on some run of its own. So one of them satisfies p in the slice if and only if
// one does in the computation. For other operators it is not sound, because a run of
// the slice is not a run of the computation: it takes several events at once, and
// passes over cuts that p excludes. Nothing else is sliced.
package spin
