// Package potatest checks temporal properties in Go tests: record what a concurrent
// or distributed system does, and have each property decided over every order of
// events that the recorded causality allows, not only the order that the test
// happened to see.
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
// a name. A property that fails makes the test fail. The message is the shortest run against
// it, and the trace is kept for a look with the command pota. A property that is not decided
// within the limits of a Checker makes the test fail too. One that holds for a reason that
// says little (package vacuity), or that may hold because of causality that is not in the
// trace, is logged.
//
// All this works in tests, benchmarks and fuzz targets, with any number of goroutines
// recording, and under the race detector.
package potatest
