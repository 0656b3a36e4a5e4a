package present

import (
	"testing"
	"time"
)

// Bounds are written as people write them, and say exactly which are meant.
func TestBounds(t *testing.T) {
	for _, test := range []struct {
		bound        time.Duration
		within, from string
	}{
		{7*time.Millisecond - 1, "less than 7ms", "from 6.999999ms"},
		{7 * time.Millisecond, "7ms", "from 7ms"},
		{7*time.Millisecond + 1, "7.000001ms", "beyond 7ms"},
		{2*time.Minute - 1, "less than 2m", "from 1m59.999999999s"},
		{15161, "15.161µs", "beyond 15.16µs"},
		{15159, "less than 15.16µs", "from 15.159µs"},
		{0, "0s", "from 0s"},
		{1, "1ns", "beyond 0s"},
		{1<<63 - 1, "2562047h47m16.854775807s", "from 2562047h47m16.854775807s"},
	} {
		if got := Within(int64(test.bound)); got != test.within {
			t.Errorf("%d: within %s, want %s", test.bound, got, test.within)
		}
		if got := from(int64(test.bound)); got != test.from {
			t.Errorf("%d: %s, want %s", test.bound, got, test.from)
		}
	}
}
