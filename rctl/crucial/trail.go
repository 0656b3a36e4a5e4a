package crucial

import "github.com/pota-project/pota/graphs/program"

// A Trail is a run that shows a verdict.
type Trail struct {
	Steps []program.Transition
}
