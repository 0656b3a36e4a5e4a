//go:build !unix

package files

import (
	"io/fs"
	"os"
)

// replace writes path in place: renameio replaces files on Unix alone.
func replace(path string, _ fs.FileInfo) (pending, error) {
	f, err := os.Create(path)
	return inPlace{f}, err
}
