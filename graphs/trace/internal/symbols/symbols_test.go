package symbols

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A table gives each word the number of its first appearance, as a map would.
func TestSymbols(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 60)) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s Table
		for range 2 { // the second time after clear
			numbers := make(map[string]int32)
			prefixes := []string{"m", "", "P", "a-", "m1", "x", "日"}[:1+r.IntN(7)]
			for range 2000 {
				word := prefixes[r.IntN(len(prefixes))]
				switch r.IntN(8) {
				case 0:
				case 1:
					word += fmt.Sprintf("%03d", r.IntN(50))
				case 2:
					word += fmt.Sprint(r.IntN(1 << 40))
				case 3:
					word += fmt.Sprint(r.IntN(5000))
				default:
					word += fmt.Sprint(r.IntN(len(numbers) + 5))
				}
				want, ok := numbers[word]
				if got := s.Find([]byte(word)); !ok && got != -1 || ok && got != want {
					t.Fatalf("seed %d: found %q as %d, want %d, %v", seed, word, got, want, ok)
				}
				if !ok {
					want = int32(len(numbers))
					numbers[word] = want
				}
				if got := s.Intern([]byte(word)); got != want || string(s.At(got)) != word {
					t.Fatalf("seed %d: %q has number %d, want %d", seed, word, got, want)
				}
			}
			if err := s.valid(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if s.Len() != len(numbers) {
				t.Fatalf("seed %d: %d words, want %d", seed, s.Len(), len(numbers))
			}
			s.Clear()
		}
	}
}

// valid checks the invariants of a table.
func (s *Table) valid() error {
	if !slices.IsSorted(s.end) || len(s.end) > 0 && int(s.end[len(s.end)-1]) != len(s.text) {
		return fmt.Errorf("(1) ends %d of %d bytes", s.end, len(s.text))
	}
	places := make([]int, s.Len()) // of each word, in series and slots
	taken := 0
	for _, slot := range s.slots {
		if slot == 0 {
			continue
		}
		n := number(slot)
		if slot-uint64(n) != hash(s.At(int32(n-1))) {
			return fmt.Errorf("(2) the hash of %q is another", s.At(int32(n-1)))
		}
		taken++
		places[n-1]++
		if prefix, _, ok := split(s.At(int32(n - 1))); ok && slices.ContainsFunc(s.series, func(r series) bool { return r.prefix == string(prefix) && !r.closed }) {
			return fmt.Errorf("(3) the series of %q is open", s.At(int32(n-1)))
		}
	}
	if taken != s.hashed || 4*taken > 3*len(s.slots) {
		return fmt.Errorf("(2) %d of %d slots are taken, not %d", taken, len(s.slots), s.hashed)
	}
	for _, r := range s.series {
		for v, n := range r.numbers {
			if n == 0 {
				continue
			}
			places[n-1]++
			if word := string(s.At(int32(n - 1))); word != fmt.Sprint(r.prefix, v) {
				return fmt.Errorf("(3) %q is number %d of the series %q", word, v, r.prefix)
			}
		}
	}
	for i, n := range places {
		if n != 1 {
			return fmt.Errorf("(3) %q is in %d places", s.At(int32(i)), n)
		}
	}
	return nil
}
