// Package start helps new users. Demo writes a folder of examples. Init prepares a folder of logs:
// it writes a mapping (how to read log lines as events) and properties (formulas with names).
package start

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/testdata"
)

// DemoFolder is the default folder for examples.
const DemoFolder = "pota-demo"

// Demo writes the files that README.md and the guides use to the directory testdata of a folder, as
// in the repository, and prints commands to try. If any file exists with other contents, it writes
// nothing and returns an error.
func Demo(r *job.Run, folder string) error {
	contents := make(map[string][]byte)
	var names []string
	// Check all files before writing the first, so that no partial result remains.
	err := fs.WalkDir(testdata.Examples, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.Join(folder, "testdata", filepath.FromSlash(path))
		names = append(names, name)
		contents[name], err = testdata.Examples.ReadFile(path)
		if err != nil {
			return err
		}
		old, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && !bytes.Equal(old, contents[name]) {
			err = exit.Usagef("%s is there, and is another file: name a folder that is empty, or new", name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, contents[name], 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.Console.Out, demoText, len(names), filepath.Join(folder, "testdata"), quoted(folder))
	return nil
}

// demoText is a format for the number of files and the folders.
//
//go:embed demo.txt
var demoText string
