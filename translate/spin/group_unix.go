//go:build unix

package spin

import (
	"os/exec"
	"syscall"
)

// Group gives a program a process group of its own. The whole group is killed when its
// time is up.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
