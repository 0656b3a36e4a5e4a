//go:build unix

package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// addressSpace returns how much more memory the program may map, if that is limited.
func addressSpace() (room int64, limited bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= 1<<60 {
		return 0, false
	}
	room = int64(limit.Cur)
	if stat, err := os.ReadFile("/proc/self/statm"); err == nil {
		size, _, _ := bytes.Cut(stat, []byte(" "))
		if pages, err := strconv.ParseInt(string(size), 10, 64); err == nil {
			room -= pages * int64(os.Getpagesize())
		}
	}
	return max(room, 0), true
}
