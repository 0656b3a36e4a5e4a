package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// mixed adds to an error of reading a directory what its files look like, where they are of
// several kinds. f is the format of the trace, nil if unknown.
func mixed(ctx context.Context, source *trace.Source, f *format, err error) error {
	var known *trace.Error
	// Only a directory mixes kinds, and only an error of its content is explained that way.
	if !source.Directory() || !errors.As(err, &known) {
		return err
	}
	const most = 1000 // files that are looked at
	files := source.Files()
	names := make(map[string][]string)
	var kinds []string
	for _, file := range files[:min(len(files), most)] {
		if ctx.Err() != nil {
			return err
		}
		kind := kindOf(file, f)
		if names[kind] == nil {
			kinds = append(kinds, kind)
		}
		// Base names, as all files are of one directory.
		names[kind] = append(names[kind], filepath.Base(file))
	}

	if len(kinds) < 2 {
		return err
	}
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s (%s)", graphs.List(names[kind], 5), kind))
	}
	// A copy: the error of the reader may be kept by others.
	e := *known
	e.Msg += "; the directory holds files of several kinds: " + strings.Join(parts, ", ") +
		": it must hold a log for each process of one execution and nothing else, or be read with a mapping that says which files are logs"
	e.Err = err
	return &e
}

// kindOf returns what a file looks like.
func kindOf(file string, f *format) string {
	const unknown = "not a trace"
	source, err := trace.Open(file)
	if err != nil {
		return unknown
	}
	defer source.Close()
	// 16 KB show the kind of one file; the files of a directory may be many.
	head, err := source.Head(16 << 10)
	switch {
	case err != nil || len(bytes.TrimSpace(head)) == 0:
		return unknown
	// A mapping decides alone which files are logs of its kind.
	case f != nil && f.mapping != nil:
		if f.mapping.Detect(head) {
			return "as the mapping says"
		}
		return unknown
	}

	f = recognise(head)
	switch {
	case f == nil:
		return unknown
	case f.mapping != nil:
		return f.mapping.Name
	case f.perhaps:
		return "JSON"
	}
	return f.Name
}
