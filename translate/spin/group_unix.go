//go:build unix

package spin

import (
	"os/exec"
	"syscall"
)

// Group gives a program a process group of its own, all of which is killed when its
// time is up.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
