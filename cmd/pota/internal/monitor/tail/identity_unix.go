//go:build unix

package tail

import (
	"fmt"
	"os"
	"syscall"
)

// identity identifies a file, even after it is moved.
func identity(_ string, info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}
