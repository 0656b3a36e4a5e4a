package timer_test

import (
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/timer"
)

// Timers end in the order of their times, and those of one moment in that of their starts, up to the last moment that
// there is.
func TestOrderOfEnds(t *testing.T) {
	const start, end = `0`, `9223372036.854775807`
	var p timer.Process[int]
	for i, at := range []string{end, `20`, end, `10`, `20`} {
		if err := p.Start(timer.Timer{Name: string(rune('a' + i)), At: at}, "e", start, time.Second, i); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	for _, e := range p.Rest() {
		got += e.Name
	}
	if got != "dbeac" {
		t.Errorf("they end in the order %s", got)
	}
}
