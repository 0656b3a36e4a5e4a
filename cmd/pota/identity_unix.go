//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// identity tells files apart, also while they are moved.
func identity(_ string, info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

// unlinked reports whether no path leads to an open file any more.
func unlinked(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}
