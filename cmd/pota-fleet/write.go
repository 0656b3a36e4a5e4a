package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// writeFn writes an output: its lines, sorted.
type writeFn struct{ Output string }

// ProcessElement sorts the lines, because the runner delivers them in any order. They are cloned:
// Beam may use their memory again.
func (f *writeFn) ProcessElement(ctx context.Context, name string, values func(*[]byte) bool) error {
	var lines [][]byte
	var line []byte
	for values(&line) {
		if len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	var text []byte
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	return writeFile(ctx, f.Output, name, text)
}

// writeFile writes a file in a folder. It has either its old content or all of the new: a
// local file is written beside it and takes its place, an object is there when it is closed.
func writeFile(ctx context.Context, folder, name string, text []byte) error {
	folder = strings.TrimSuffix(folder, "/")
	to := folder + "/" + name
	fs, err := filesystem.New(ctx, to)
	if err != nil {
		return err
	}
	defer fs.Close()
	// Object stores replace an object at once.
	if strings.Contains(to, "://") {
		return filesystem.Write(ctx, fs, to, text)
	}
	// A random name: a bundle that is tried again must not meet its first attempt.
	beside := path.Dir(to) + "/." + path.Base(to) + "." + rand.Text()
	if err := filesystem.Write(ctx, fs, beside, text); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, beside, to)
}
