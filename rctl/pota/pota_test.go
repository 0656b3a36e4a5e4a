package pota_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/pota"
)

// A certificate says how its trace was read, as those of the command do.
func TestAssumed(t *testing.T) {
	const mapping = "../../testdata/traces/homemade/shop.json"
	text, err := os.ReadFile(mapping)
	if err != nil {
		t.Fatal(err)
	}
	k := pota.Checker{Certify: true, Read: format.Options{Map: mapping, Options: trace.Options{AllowTruncated: true}}}
	results, err := k.Check(t.Context(), "../../testdata/traces/homemade/shop.log", `EF(sold@web > 0)`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("--map %x", sha256.Sum256(text)), "--allow-truncated true"}
	if got := results[0].Certificate.Assumed; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
