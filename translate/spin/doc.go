// Package spin decides formulas with the model checker SPIN: it writes a model in
// Promela (package promela), compiles and runs the checker that SPIN makes of it in a
// temporary folder, turns the trail of an error into evidence, and replays that. It
// needs the programs spin and gcc.
package spin
