package arguments

import (
	"os"
	"path/filepath"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
)

// A Target is a file to be written that a flag names, "" for none.
type Target struct{ Flag, Path string }

// CheckTargets refuses files to be written that are among the inputs, that two flags name, or
// that cannot be written: now, and not when hours of work are to be saved.
func CheckTargets(set *files.Set, inputs []string, targets []Target) error {
	for i, t := range targets {
		flag, path := t.Flag, t.Path
		switch {
		// Results go to standard output anyway.
		case path == "" || flag == "output" && path == "-":
			continue
		case path == "-":
			return exit.Usagef("--%s needs the name of a file: standard output has the verdicts", flag)
		}
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			continue // a device or a pipe, whose reader would see that it is opened
		}
		for _, other := range targets[:i] {
			if files.Same(path, other.Path) {
				return exit.Usagef("--%s and --%s name the same file, %s: each needs its own", other.Flag, flag, path)
			}
		}
		for _, input := range inputs {
			if err == nil && (files.Same(path, input) || files.Same(filepath.Dir(path), input)) {
				return exit.Usagef("--%s %s would overwrite what is read: name another file", flag, path)
			}
		}
		if err := set.Check(path); err != nil {
			return err
		}
	}
	return nil
}
