package pnml

import (
	"io"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// WriteWithin is Write with other limits: of the runs of a decision diagram, and of the
// places that are named for an atom.
func WriteWithin(net, property io.Writer, c *graphs.Computation, f *syntax.Formula, runs, places int) error {
	return write(net, property, c, f, limits{runs, places})
}
