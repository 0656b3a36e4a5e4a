package rctl

import "testing"

// A projection takes n passes over the trace, which is more than what is decided without one takes:
// no engine that needs it is asked before the minimum cuts of flow.
func TestPlanOrder(t *testing.T) {
	for _, c := range candidates {
		if c.projected {
			t.Fatalf("%v is asked before flow", c.engine)
		}
		if c.engine == Flow {
			return
		}
	}
}
