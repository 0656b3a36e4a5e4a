//go:build unix && !linux

package spin

import "syscall"

// endWithUs leaves a program to itself when this one is killed.
func endWithUs(*syscall.SysProcAttr) {}
