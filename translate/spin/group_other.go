//go:build !unix

package spin

import "os/exec"

// group leaves it to the context to kill a program: there are no process groups.
func group(*exec.Cmd) {}
