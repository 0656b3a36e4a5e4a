//go:build !unix

package spin

import "os/exec"

// Group leaves killing a program to its context: there are no process groups.
func Group(*exec.Cmd) {}
