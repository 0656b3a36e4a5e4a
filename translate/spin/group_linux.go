package spin

import "syscall"

// endWithUs has a program killed when this one ends, however that is.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
