//go:build unix

package main

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
)

// addressSpace returns how much more memory the program may map, if that is limited.
func addressSpace() (room int64, limited bool) {
	room = addressLimit()
	if room == math.MaxInt64 {
		return 0, false
	}
	if stat, err := os.ReadFile("/proc/self/statm"); err == nil {
		size, _, _ := bytes.Cut(stat, []byte(" "))
		if pages, err := strconv.ParseInt(string(size), 10, 64); err == nil {
			room -= pages * int64(os.Getpagesize())
		}
	}
	return max(room, 0), true
}

// addressLimit returns how many bytes the program may map in all, math.MaxInt64 where that
// is not limited.
func addressLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= 1<<60 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
