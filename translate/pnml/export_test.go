package pnml

import (
	"io"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// WriteSums is Write with decision diagrams of a few runs only, so that all other
// atoms are written as sums.
func WriteSums(net, property io.Writer, c *graphs.Computation, f *syntax.Formula) error {
	return write(net, property, c, f, limits{6, usual.references})
}
