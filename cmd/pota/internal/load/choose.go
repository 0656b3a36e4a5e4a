package load

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/rctl/report"
)

// Choice names the traces to decide on.
type Choice struct {
	Paths []string     // files, directories and patterns
	List  string       // a file that lists more, one path per line; "-" for standard input, "" for none
	Part  *report.Part // restricts the traces to one shard, unless nil
}

// ParsePart reads the value of --shard. It returns nil for "".
func ParsePart(text string) (*report.Part, error) {
	if text == "" {
		return nil, nil
	}
	p, err := report.ParsePart(text)
	if err != nil {
		return nil, exit.Usagef("--shard: %v", err)
	}
	return &p, nil
}

// has reports whether a path belongs to the shard of the choice. The shard of a path is the SHA-256
// of the path as given, modulo the number of shards. So adding or removing a trace does not move
// any other, and the machines of a build need not agree on a list.
func (c Choice) has(path string) bool {
	if c.Part == nil {
		return true
	}
	// Any good hash works, but it must be the same everywhere and forever.
	sum := sha256.Sum256([]byte(path))
	return binary.BigEndian.Uint64(sum[:])%uint64(c.Part.Of) == uint64(c.Part.Index)
}

// Traces returns the paths of the traces, in the order of the results: first those from arguments,
// then those from the list.
func Traces(r *job.Run, c Choice) ([]string, error) {
	args, err := Glob(c.Paths)
	if err != nil {
		return nil, err
	}
	paths := slices.DeleteFunc(args, func(path string) bool { return !c.has(path) })
	if c.List == "" {
		return paths, nil
	}
	// Standard input can be read only once.
	if c.List == "-" && slices.Contains(c.Paths, "-") {
		return nil, exit.Usagef("standard input cannot be both a trace and the list of --traces-from")
	}

	err = r.Try("reading the list of traces", func(ctx context.Context) error {
		in := r.Console.In
		if c.List != "-" {
			f, err := os.Open(c.List)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		lines := bufio.NewScanner(in)
		for lines.Scan() && ctx.Err() == nil {
			// Ignore blanks and empty lines, which editors leave behind.
			if path := strings.TrimSpace(lines.Text()); path != "" && c.has(path) {
				paths = append(paths, path)
			}
		}
		return errors.Join(lines.Err(), ctx.Err())
	})
	return paths, err
}

// Glob replaces each pattern of path/filepath by the files that match it, in order. Shells do the
// same, but not for quoted patterns, and not on Windows. A pattern that is the name of a file
// stands for that file.
func Glob(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		// If a file has this name, the user means it.
		if !strings.ContainsAny(path, "*?[") || Exists(path) {
			all = append(all, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, fmt.Errorf("%s: no such file, and as a pattern it is malformed: each [ needs a ]", path)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no such file, and as a pattern it matches none", path)
		}
		all = append(all, found...)
	}
	return all, nil
}

// Exists reports whether a file or directory is at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
