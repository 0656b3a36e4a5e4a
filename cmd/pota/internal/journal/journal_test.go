package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of the past as many pieces are kept as are needed, the last ones, also when the journal is opened again.
func TestPast(t *testing.T) {
	dir := t.TempDir()
	const most = 10
	all := ""
	for run, pieces := range []string{"", "aaaa bbb cccc dddd", "e", "", "ffffffffffff", "ggg"} {
		j, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		err = j.Past(func(piece []byte) { got += string(piece) })
		if err != nil || len(got) < min(most, len(all)) || len(got) > 2*most+2 || !strings.HasSuffix(all, got) {
			t.Errorf("run %d: %q of %q is left, %v", run, got, all, err)
		}
		for _, piece := range strings.Fields(pieces) {
			all += piece
			if err := j.Checkpoint(nothing[string], nothing[uint64], &Commit{Past: []byte(piece), MostPast: most}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func nothing[K any](func(K, []byte) bool) {}

// It does not matter who removes a journal.
func TestRemove(t *testing.T) {
	for _, before := range []bool{false, true} {
		dir := t.TempDir()
		j, err := Open(dir, nil)
		if err == nil && before {
			err = os.Remove(filepath.Join(dir, "journal"))
		}
		if err == nil {
			err = j.Remove()
		}
		left, bad := os.ReadDir(dir)
		if err != nil || bad != nil || len(left) > 0 {
			t.Error(err, bad, left)
		}
	}
}

// A journal that was cut off anywhere is refused.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, nil)
	for range 3 {
		if err == nil {
			err = j.Commit(&Commit{Records: make([]byte, 50_000)})
		}
	}
	if err == nil {
		err = j.Close()
	}
	path := filepath.Join(dir, "journal")
	whole, bad := os.ReadFile(path)
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	for size := 1; size < 150_000; size += 3000 {
		os.Remove(path) //nolint:errcheck // the next file has a lock of its own
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, nil); err == nil || !strings.HasPrefix(err.Error(), "the journal in "+dir+" cannot be opened: ") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
