package choices

import (
	"fmt"
	"testing"
)

// TestAnother runs a program that meets more choices in some runs than in others.
func TestAnother(t *testing.T) {
	var c Choices
	for range 2 {
		got := ""
		for more := true; more; more = c.Another() {
			first := c.Of(2)
			got += fmt.Sprint(" ", first)
			if first == 1 {
				got += fmt.Sprint(c.Of(3), c.Of(1))
			}
		}
		if want := " 0 10 0 11 0 12 0"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
