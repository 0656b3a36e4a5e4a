//go:build unix

package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// Killed again and again while files grow, connections are open and requests wait, pota watch
// tells of all executions what pota detect does.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and kills it")
	}
	*binary = filepath.Join(t.TempDir(), "pota")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", *binary, "github.com/pota-project/pota/cmd/pota").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kills := 3
	if graphtest.Rounds(t, 1) > 1 {
		kills = 200
	}
	var sum counts
	for i := uint64(0); sum.kills < kills; i++ {
		c := draw(rand.New(rand.NewPCG(1, i)), t.TempDir())
		if n := len(c.executions); c.kills == 0 || kills < 200 && (n < 5 || n > 20) {
			continue
		}
		if err := c.run(); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		sum.add(c.counts)
	}
	t.Log(sum)
}
