// Package frontier looks for where exact decision ends: it decides random formulas on random
// computations and prints how many of each kind were decided in time.
//
//	go test -timeout 0 -v ./scripts/frontier -run TestFrontier -args -each 30
//	go test -timeout 0 -v ./scripts/frontier -run TestProbes -args -probes
//	go test -timeout 0 -v ./scripts/frontier -run TestKnown -args -cases DIR
//
// The first decides 30 cases for each family of formulas and each number of processes, 750 in
// all. The second doubles the sizes of shapes until each ends, and the third decides the cases of
// DIR/index.jsonl and fails where a verdict is wrong. A case is drawn from -seed and its number
// alone: -only N beside the same -each draws case N again and prints its formula. Each case has
// -limit of time and 3 GiB of memory. Without these flags, tests compare verdicts on small
// computations with brute force.
package frontier
