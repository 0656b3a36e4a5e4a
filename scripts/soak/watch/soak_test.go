//go:build unix

package watch

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

var jumps = flag.Bool("jumps", false, "build it with a clock that is set all the while, forth and back")

// Random cases find nothing, as long as -for asks.
func TestSoak(t *testing.T) {
	if !cases.Wanted() {
		t.Skip("-args -for says how long to try cases, -case which one")
	}
	cases.Fail(cases.Find(t.TempDir(), func(path string) error { return build(path, *jumps) }))
	var sum counts
	for number, r := range cases.All() {
		c := draw(r, filepath.Join(t.TempDir(), "case"))
		if err := os.MkdirAll(c.dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := c.run(); err != nil {
			to := filepath.Join(*cases.Keep, fmt.Sprintf("watch-%d-%d", *cases.Seed, number))
			t.Errorf("-seed %d -case %d: %v, kept in %s", *cases.Seed, number, err, to)
			cases.Fail(os.MkdirAll(*cases.Keep, 0o777))
			cases.Fail(exec.Command("cp", "-r", c.dir, to).Run())
		}
		sum.add(c.counts)
		cases.Fail(os.RemoveAll(c.dir))
	}
	t.Logf("seed %d: %s", *cases.Seed, sum)
}
