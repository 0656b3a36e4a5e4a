//go:build !unix

package spin

import "os/exec"

// group leaves killing a program to its context: there are no process groups.
func group(*exec.Cmd) {}
