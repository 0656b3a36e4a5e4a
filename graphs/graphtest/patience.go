package graphtest

import "context"

// A Patience is a context that is done after it was asked so many times whether it is, and
// counts on: what looks at it every so many steps ends after as many on any machine.
type Patience struct {
	context.Context
	Most, Asked int
}

// Err implements [context.Context].
func (p *Patience) Err() error {
	if p.Asked++; p.Asked > p.Most {
		return context.DeadlineExceeded
	}
	return nil
}
