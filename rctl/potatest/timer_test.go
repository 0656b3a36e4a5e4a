package potatest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl/potatest"
)

// A lease that nobody renews has ended when its holder goes on too late.
func TestTimer(t *testing.T) {
	rec := potatest.Record(t)
	synctest.Test(t, func(*testing.T) {
		node := rec.Process("node", record.Set("holds", false), record.Set("writes", false))
		node.Event(record.Set("holds", true), record.Timer("lease", 10*time.Second, record.Set("holds", false)))
		time.Sleep(11 * time.Second)
		node.Event(record.Set("writes", true))
	})
	_, said := watch(t, func(t testing.TB) {
		potatest.Check(t, rec, "ended: EF(!holds@node && writes@node)\nlease: AG(writes@node -> holds@node)")
	})
	const want = "fails: lease: AG(writes@node -> holds@node)"
	if !strings.Contains(said, want) || strings.Contains(said, "ended:") {
		t.Errorf("%s, want %s", said, want)
	}
}
