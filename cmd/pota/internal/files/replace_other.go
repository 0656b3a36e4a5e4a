//go:build !unix

package files

import (
	"io/fs"
	"os"
)

// replace writes path in place, since renameio replaces files only on Unix.
func replace(path string, _ fs.FileInfo) (pending, error) {
	f, err := os.Create(path)
	return inPlace{f}, err
}
