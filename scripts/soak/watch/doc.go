// Package watch has the tests of pota watch under duress: random executions are sent to it through
// every input, while it is killed and started again, flooded with garbage and left alone by clients
// that vanish. Each of its answers must be that of pota detect.
//
//	go test -timeout 0 ./scripts/soak/watch -run TestSoak -args -for 20m
//	go test -timeout 0 ./scripts/soak/watch -run TestSoak -args -seed 7 -case 11
//	go test -timeout 0 ./scripts/soak/watch -run TestSoak -args -jumps
//
// A case is a run of pota watch with a journal, a limit of memory and random executions. Each
// comes by a file that grows and is rotated, in a directory; by connections of TCP, one for each
// process; by requests of HTTP; or as spans. Beside them there are clients that send garbage,
// that say nothing, and that vanish in the middle of a line. In some cases the program is killed
// at random moments, and started again; a sender without an acknowledgement sends its lines again.
// The checks:
//
//	answers   each property of an execution that has ended has one answer, but for those marked as
//	          repeated: the verdict of pota detect on the whole execution
//	status    the exit status is 0, 1 or 3, that of the worst answer, and no more than 5 s after SIGTERM
//	crash     no panic, and nothing but notes on standard error
//	memory    at most the limit and 100 MB, as the system counts
//	health    /healthz answers at the end, and /metrics counts
//
// Seed and number decide the input, though not when it arrives. The folder of a finding is kept.
// Without -for or -case, CI and -full run the cases of TestKilled.
package watch
