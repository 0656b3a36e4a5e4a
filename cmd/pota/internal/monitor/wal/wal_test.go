package wal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// recovered opens the log in a directory, and returns its records.
func recovered(t *testing.T, dir string) (l *Log, records []string, torn int64, err error) {
	t.Helper()
	l, err = Open(dir)
	if err != nil {
		return nil, nil, 0, err
	}
	torn, err = l.Recover(func(r Record) error {
		records = append(records, fmt.Sprintf("%d %d %s", r.Seq, r.Type, r.Data))
		return nil
	})
	if err != nil {
		l.Close()
	}
	return l, records, torn, err
}

func commit(t *testing.T, l *Log, records ...string) {
	t.Helper()
	for i, r := range records {
		l.Append(uint8(i), []byte(r[:len(r)/2]), []byte(r[len(r)/2:]))
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
}

// What was committed is there again, in order, and what was not is not.
func TestRecover(t *testing.T) {
	dir := t.TempDir()
	l, records, _, err := recovered(t, dir)
	if err != nil || len(records) > 0 {
		t.Fatal(records, err)
	}
	commit(t, l, "one", "two", "")
	commit(t, l)
	commit(t, l, "three")
	if got, want := l.Size(), int64(4*headSize+len("onetwothree")); got != want || l.Next() != 4 {
		t.Errorf("%d bytes up to record %d, not %d", got, l.Next(), want)
	}
	if l.Append(0, []byte("four")); l.Pending() != headSize+4 || l.Next() != 5 {
		t.Fatal(l.Pending(), l.Next())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, records, torn, err := recovered(t, dir)
	if want := []string{"0 0 one", "1 1 two", "2 2 ", "3 0 three"}; err != nil || torn != 0 || !slices.Equal(records, want) {
		t.Fatal(records, torn, err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	err = l.Rewrite(func(add func(uint8, ...[]byte)) error {
		return l.Read(func(r Record) error {
			if r.Seq%2 > 0 {
				add(r.Type, r.Data)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, l, "five")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, records, _, err = recovered(t, dir)
	if want := []string{"4 1 two", "5 0 three", "6 0 five"}; err != nil || !slices.Equal(records, want) {
		t.Fatal(records, err)
	}
	if err := l.Remove(); err != nil {
		t.Fatal(err)
	}
	l, records, _, err = recovered(t, dir)
	if err != nil || len(records) > 0 {
		t.Fatal(records, err)
	}
	l.Close()
}

// A commit that did not finish is cut off, wherever it ended.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, l, "one")
	whole, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	end := len(whole)
	commit(t, l, "two", "three")
	longer, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for cut := end; cut < len(longer); cut++ {
		text := append(slices.Clone(whole), longer[end:cut]...) // the marker is that of the first commit
		if err := os.WriteFile(l.path(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, records, torn, err := recovered(t, dir)
		if err != nil || len(records) > 2 || records[0] != "0 0 one" || (torn == 0) != (cut == end || len(records) == 2 && cut == end+headSize+3) {
			t.Fatal(cut-end, records, torn, err)
		}
		commit(t, l, "more")
		l.Close()
		if l, after, _, err := recovered(t, dir); err != nil || len(after) != len(records)+1 {
			t.Fatal(cut-end, after, err)
		} else {
			l.Close()
		}
	}
}

// A whole record of a commit that did not finish is committed by the recovery: it is not cut off silently later.
func TestTornTwice(t *testing.T) {
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	commit(t, l, "one")
	l.Close()
	longer, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	copy(longer, header) // which does not know of the commit
	if err := os.WriteFile(l.path(), longer, 0o600); err != nil {
		t.Fatal(err)
	}
	l, records, torn, err := recovered(t, dir)
	if len(records) != 1 || torn != 0 || err != nil {
		t.Fatal(records, torn, err)
	}
	l.Close()
	if err := os.Truncate(l.path(), int64(len(longer))-1); err != nil {
		t.Fatal(err)
	}
	if _, records, _, err = recovered(t, dir); !errors.Is(err, ErrDamaged) {
		t.Errorf("%d records, %v", len(records), err)
	}
}

// A file that is too short for the header, or does not begin with the magic, is no log.
func TestHeader(t *testing.T) {
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	whole, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(whole)
	other[0]++
	for _, text := range [][]byte{nil, whole[:headerSize-1], other} {
		if err := os.WriteFile(l.path(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

// A log that is removed or replaced while it is used takes no commit, and is not rewritten.
func TestRemoved(t *testing.T) {
	for name, harm := range map[string]func(l *Log) error{
		"directory": func(l *Log) error { return os.RemoveAll(l.dir) },
		"file":      func(l *Log) error { return os.Remove(l.path()) },
		"replaced": func(l *Log) error {
			return errors.Join(os.Rename(l.path(), l.path()+".old"), os.WriteFile(l.path(), nil, 0o600))
		},
	} {
		l, _, _, err := recovered(t, filepath.Join(t.TempDir(), "wal"))
		if err != nil {
			t.Fatal(err)
		}
		commit(t, l, "one")
		if err := harm(l); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			l.Append(0, []byte("two"))
			if err := l.Commit(); !errors.Is(err, ErrRemoved) {
				t.Errorf("%s: %v", name, err)
			}
			_ = os.Rename(l.path()+".old", l.path()) // too late: it may have missed a commit
		}
		l.Close()

		if l, _, _, err = recovered(t, filepath.Join(t.TempDir(), "wal")); err != nil {
			t.Fatal(err)
		}
		commit(t, l, "one")
		if err := harm(l); err != nil {
			t.Fatal(err)
		}
		nothing := func(func(uint8, ...[]byte)) error { return nil }
		if err := l.Rewrite(nothing); !errors.Is(err, ErrRemoved) {
			t.Errorf("%s: rewritten: %v", name, err)
		}
		l.Close()
	}
}

// damage damages a file at random: flips bits, cuts, zeroes or copies pages and records. It reports
// whether anything changed.
func damage(r *rand.Rand, text []byte) (damaged []byte) {
	const page = 512
	out := slices.Clone(text)
	at, n := r.IntN(len(out)), 1+r.IntN(2*page)
	switch r.IntN(5) {
	case 0:
		for range 1 + r.IntN(3) {
			out[r.IntN(len(out))] ^= 1 << r.IntN(8)
		}
	case 1:
		out = out[:at]
	case 2:
		clear(out[at:min(len(out), at+n)])
	case 3: // a page over another
		from, to := r.IntN(len(out)/page)*page, r.IntN(len(out)/page)*page
		copy(out[to:min(len(out), to+page)], text[from:])
	case 4: // a piece twice, or left out
		end := min(len(out), at+n)
		if r.IntN(2) == 0 {
			out = append(slices.Clone(text[:end]), text[at:]...)
		} else {
			out = append(slices.Clone(text[:at]), text[end:]...)
		}
	}
	return out
}

// Of logs that are damaged at random, each is refused, or has all that was committed.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		commit(t, l, fmt.Sprint("record ", i), string(bytes.Repeat([]byte{byte(i)}, r.IntN(200))))
	}
	l.Close()
	whole, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	_, want, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range 400 {
		dir := t.TempDir()
		text := damage(r, whole)
		if err := os.WriteFile(filepath.Join(dir, "log"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, got, _, err := recovered(t, dir)
		switch {
		case errors.Is(err, ErrDamaged):
			refused++
			continue
		case err != nil:
			t.Fatal(err)
		case !slices.Equal(got, want):
			t.Errorf("log %d: %d records of %d", i, len(got), len(want))
		}
		l.Close()
	}
	t.Log(refused, "refused")
}

// A record in the place of another is noticed by its number: its checksum is right.
func TestMoved(t *testing.T) {
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, l, "one", "two")
	l.Close()
	text, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	second := headerSize + headSize + len("one")
	copy(text[headerSize:second], text[second:])
	if err := os.WriteFile(l.path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, records, _, err := recovered(t, dir); !errors.Is(err, ErrDamaged) || len(records) > 0 {
		t.Errorf("%q, %v", records, err)
	}
}

// A length that the file has no room for is no reason to ask for the memory.
func TestLengthBeyondFile(t *testing.T) {
	dir := t.TempDir()
	l, _, _, err := recovered(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, l, "one")
	l.Close()
	text, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	text[headerSize] = 0x30 // 805 million bytes
	if err := os.WriteFile(l.path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, _, err := recovered(t, dir); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100e6 {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
}
