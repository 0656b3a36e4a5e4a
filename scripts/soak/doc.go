// Package soak gives the program random hostile input through every command, and checks its behaviour
// rather than its answers: nothing crashes, lies about its exit status, outlives or outgrows its
// limits, obeys its input, or leaves something behind.
//
//	go test -timeout 0 ./scripts/soak -run TestSoak -args -for 20m
//	go test -timeout 0 ./scripts/soak -run TestSoak -args -seed 7 -case 4711
//
// A case is a command with files of its own: a trace of any format, mutated; formulas, mappings and
// files of causality, random or mutated; random limits; sometimes a signal after a random time. Seed
// and number decide a case; -case repeats one. What is checked:
//
//	status    the exit status is 0, 1, 2 or 3, and there is a message with 2 and 3
//	crash     no panic, no stack trace of goroutines, no message about a bug
//	text      nothing that a terminal, or a log of continuous integration, would obey
//	results   standard output has what the format promises, and nothing else
//	time      at most the limit, a tenth more, and -slack; two seconds after a signal
//	memory    at most the limit and 100 MB, as the system counts
//	output    the file of -o is whole when the command is done, and untouched otherwise
//	left      no other file is left, neither beside the input nor among temporary files
//
// A finding is repeated, made smaller, and kept with its files in a folder of its own below
// -keep; the command is printed. What exceeds a limit of time or memory has to do so three
// times. Of findings that look the same, the first is kept. Without -for or
// -case, tests check the checks alone.
package soak
