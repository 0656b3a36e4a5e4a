//go:build unix

package soak

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"
)

// smaller makes a case smaller while the finding stays the same: without flags, with shorter files,
// then with shorter arguments.
func (r *runner) smaller(c *testCase, f *finding) (*testCase, *finding) {
	until := time.Now().Add(*shrink)
	// try keeps a change if the smaller case has a finding of the same kind.
	try := func(change func(c *testCase)) bool {
		if time.Now().After(until) {
			return false
		}
		d := *c
		d.args, d.files = slices.Clone(c.args), maps.Clone(c.files)
		change(&d)
		if g := r.confirmed(&d); g != nil && g.key() == f.key() {
			c, f = &d, g
			return true
		}
		return false
	}
	for _, n := range []int{2, 1} { // a flag with its value, or without one
		for i := 1; i+n <= len(c.args); i++ {
			for i+n <= len(c.args) && strings.HasPrefix(c.args[i], "-") && c.args[i] != "-o" &&
				!(n == 2 && strings.HasPrefix(c.args[i+1], "-")) &&
				try(func(d *testCase) { d.args = slices.Delete(d.args, i, i+n) }) {
			}
		}
	}
	names := slices.Sorted(maps.Keys(c.files))
	for _, name := range names {
		// Whole files first, then lines, then bytes.
		if !try(func(d *testCase) { delete(d.files, name) }) {
			shorter(bytes.SplitAfter(c.files[name], []byte("\n")), until, func(text []byte) bool {
				return try(func(d *testCase) { d.files[name] = text })
			})
			shorter(single(c.files[name]), until, func(text []byte) bool {
				return try(func(d *testCase) { d.files[name] = text })
			})
		}
	}
	for i := 1; i < len(c.args); i++ {
		if len(c.args[i]) > 8 {
			shorter(single([]byte(c.args[i])), until, func(text []byte) bool {
				return try(func(d *testCase) { d.args[i] = string(text) })
			})
		}
	}
	return c, f
}

// single splits a text into its bytes.
func single(text []byte) [][]byte {
	parts := make([][]byte, len(text))
	for i := range text {
		parts[i] = text[i : i+1]
	}
	return parts
}

// shorter leaves out parts, the larger half first, while try accepts the rest and there is time.
func shorter(parts [][]byte, until time.Time, try func([]byte) bool) {
	const smallest = 64 // times that the size is halved
	for size, k := len(parts)/2, 0; size > 0 && k < smallest; size, k = size/2, k+1 {
		for i := 0; i+size <= len(parts) && time.Now().Before(until); {
			left := slices.Concat(parts[:i], parts[i+size:])
			// Halves, quarters and so on: what is not needed goes in a logarithm of tries.
			if try(bytes.Join(left, nil)) {
				parts = left
			} else {
				i += size
			}
		}
	}
}
