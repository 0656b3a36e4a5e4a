//go:build unix

package soak

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// Random cases find nothing, as long as -for asks. Each new kind of finding is made smaller, and
// the rest is counted.
func TestSoak(t *testing.T) {
	if !cases.Wanted() {
		t.Skip("-args -for says how long to try cases, -case which one")
	}
	cases.Fail(cases.Find(t.TempDir(), func(path string) error { return cases.Build(path) }))
	samples, err := readSamples(filepath.Join("..", "..", "testdata"))
	cases.Fail(err)
	r := &runner{dir: filepath.Join(t.TempDir(), "case"), ends: make(map[string][5]int)}
	g := &generator{samples: samples}
	begun := time.Now()
	found := make(map[string]int)
	for number, random := range cases.All() {
		g.Rand = random
		c := g.draw()
		f := r.confirmed(c)
		if f == nil {
			continue
		}
		found[f.key()]++
		// Making findings smaller takes long, so only the first of a kind is.
		if found[f.key()] > 1 {
			continue
		}
		c, f = r.smaller(c, f)
		to := filepath.Join(*cases.Keep, fmt.Sprintf("%s-%d-%d", f.kind, *cases.Seed, number))
		cases.Fail(c.write(to))
		t.Errorf("-seed %d -case %d after %s: %s: %s\n\tcd %s; %s", *cases.Seed, number,
			time.Since(begun).Round(time.Second), f.kind, f.text, to, c)
	}
	t.Logf("seed %d: findings by kind: %v\n%s", *cases.Seed, found, r)
}
