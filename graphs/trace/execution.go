package trace

import "github.com/pota-project/pota/graphs"

// An Execution is what a reader finds in a source that may hold several.
type Execution struct {
	Name        string // tells it from the others of the source; "" where there is only one
	Computation *graphs.Computation
}
