//go:build !unix

package main

import "os"

// addressSpace returns how much more memory the program may map, if that is limited.
func addressSpace() (room int64, limited bool) { return 0, false }

// supervise returns the standard error: nothing limits address space.
func supervise() (stderr *os.File, tell func(doing string)) { return os.Stderr, nil }
