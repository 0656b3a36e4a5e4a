// Package potatest checks temporal properties in Go tests. A test records the events of a
// concurrent or distributed system, and the package decides each property over every order of
// events that the recorded causality allows, not only the order that the test happened to see.
//
//	func TestMutex(t *testing.T) {
//		rec := potatest.Record(t)
//		runSystem(rec.Recorder) // records with rec.Process("n1") and so on, see graphs/record
//		potatest.Check(t, rec,
//			"mutex: AG(forall i != j: !(cs@i && cs@j))",
//			"AF(exists i: cs@i)")
//	}
//
// A property is a CTL formula (package rctl/syntax), preceded by a name and a colon if it has
// a name. The test fails if a property fails. The message shows the shortest counterexample, and
// the trace is kept for inspection with the command pota. The test also fails if a property is
// not decided within the limits of a Checker. A verdict that says little (package vacuity), or
// that may be due to causality missing from the trace, is logged.
//
// All this works in tests, benchmarks and fuzz targets, with any number of goroutines
// recording, and under the race detector.
package potatest
