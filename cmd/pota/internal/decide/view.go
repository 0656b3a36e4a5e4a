package decide

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
)

// PrepareViews creates the folder for pages; it does nothing for "". The folder must not be a
// trace, since its files would be read as logs.
func PrepareViews(dir string, traces []string) error {
	if dir == "" {
		return nil
	}
	for _, path := range traces {
		if files.Same(dir, path) {
			return exit.Usagef("--view %s would write pages into a trace: name another folder", dir)
		}
	}
	return os.MkdirAll(dir, 0o777)
}

// view writes a page about a verdict that is a failure or is shown by a run. For a formula about
// data, the page is about the first binding that decides the verdict.
func (d *decider) view(k execution, r *present.Record) {
	if d.opts.View == "" || r.Err != nil || r.Verdict != rctl.Fails.String() && len(r.Runs) == 0 {
		return
	}
	only := d.opts.Binding
	if load.OnClocks(r.Property.Formula, k.Execution) { // its page is about the whole trace
		only = nil
	}
	SaveView(d.opts.View, r, func(path string) error {
		return d.opts.Page(d.run, path, only, &load.Question{
			Execution: k.Execution,
			Assumed:   d.in.Assumptions(r.Property.Formula),
			Property:  r.Property,
		})
	})
}

// SaveView writes the page about a verdict to a folder, and records its path. If it cannot be
// written, only that record has the error.
func SaveView(dir string, r *present.Record, save func(path string) error) {
	// The name is the same in each run, and different for each verdict.
	name := filepath.Base(r.Subject.Trace) + "-" + r.Property.Name
	sum := sha256.Sum256([]byte(r.Subject.Trace + "\x00" + cmp.Or(r.Property.Name, r.Property.Source)))
	name = unusual().ReplaceAllString(name[:min(len(name), 60)], "_")
	path := filepath.Join(dir, fmt.Sprintf("%s-%x.html", name, sum[:4]))
	switch err := save(path); {
	case err == nil:
		r.View = path
	// The verdict is known, even if there is no time for a picture of it.
	case !failure.IsLimit(err):
		r.Err = fmt.Errorf("--view: %w", err) // it names the file
	}
}

// unusual matches characters that file names should not contain.
var unusual = lazy.Regexp(`[^A-Za-z0-9._-]+|^\.`)
