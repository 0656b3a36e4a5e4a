//go:build unix

package watch

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// Killed again and again while files grow, connections are open and requests wait, pota watch
// tells of all executions what pota detect does; also where its clock is set all the while.
func TestKilled(t *testing.T) {
	if !graphtest.Thorough() {
		t.Skip("builds the program and kills it: CI and -full do")
	}
	kills, binaries := 3, []string{filepath.Join(t.TempDir(), "pota")}
	if graphtest.Rounds(t, 1) > 1 {
		kills, binaries = 200, append(binaries, filepath.Join(t.TempDir(), "pota-jumps"))
	}
	for i, path := range binaries {
		if err := build(path, i > 0); err != nil {
			t.Fatal(err)
		}
	}
	var sum counts
	for i := uint64(0); sum.kills < kills; i++ {
		c := draw(rand.New(rand.NewPCG(1, i)), t.TempDir())
		if n := len(c.executions); c.kills == 0 || kills < 200 && (n < 5 || n > 20) {
			continue
		}
		*cases.Binary = binaries[i%uint64(len(binaries))]
		if err := c.run(); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		sum.add(c.counts)
	}
	t.Log(sum)
}

// counts are what came of cases.
type counts struct{ executions, events, answers, kills, repeated, again int }

func (c *counts) add(d counts) {
	c.executions += d.executions
	c.events += d.events
	c.answers += d.answers
	c.kills += d.kills
	c.repeated += d.repeated
	c.again += d.again
}

func (c counts) String() string {
	return fmt.Sprintf("%d executions, %d events, %d answers, %d kills, %d answers marked as repeated, %d lines sent again", c.executions, c.events, c.answers, c.kills, c.repeated, c.again)
}
