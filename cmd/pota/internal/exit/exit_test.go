package exit_test

import (
	"errors"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
)

// Worst is commutative, and follows one order from harmless to grave.
func TestWorst(t *testing.T) {
	order := []exit.Status{exit.AllHold, exit.SomeFails, exit.Undecided, exit.BadInput}
	for i, harmless := range order {
		for _, grave := range order[i:] {
			if a, b := exit.Worst(harmless, grave), exit.Worst(grave, harmless); a != grave || b != grave {
				t.Errorf("the worst of %d and %d is %d or %d", harmless, grave, a, b)
			}
		}
	}
}

// Scripts test the numbers.
func TestNumbers(t *testing.T) {
	for want, status := range []exit.Status{exit.AllHold, exit.SomeFails, exit.BadInput, exit.Undecided} {
		if int(status) != want {
			t.Errorf("the status %d should be %d", status, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	err := exit.Unknown("engine", "warp", "slice", "flow", "sat")
	const want = `there is no engine "warp"; there are slice, flow and sat`
	if _, usage := errors.AsType[*exit.UsageError](err); !usage || err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
