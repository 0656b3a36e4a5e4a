package symbols

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A table gives each word the number of its first appearance, as a map would.
func TestSymbols(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 60)) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s Table
		wild := r.IntN(2) // whether words have great numbers
		for range 2 {     // the second time after clear
			numbers := make(map[string]int32)
			prefixes := []string{"m", "", "P", "a-", "m1", "x", "日"}[:1+r.IntN(7)]
			if r.IntN(2) == 0 {
				for p := range r.IntN(2 * maxSeries) {
					prefixes = append(prefixes, fmt.Sprint("P", p, "."))
				}
			}
			words := 2000
			if seed%8 == 0 {
				words = 1 << 14
			}
			for range words {
				word := prefixes[r.IntN(len(prefixes))]
				switch r.IntN(7 + 2*wild) {
				case 0:
				case 2:
					word += strings.Repeat("long", r.IntN(9)) + fmt.Sprint(r.IntN(50)) + "."
				case 1:
					word += fmt.Sprintf("%03d", r.IntN(50))
				case 7:
					word += fmt.Sprint(r.IntN(1 << 40))
				case 8:
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
	words := 0
	for i, p := range s.pages {
		if !slices.IsSorted(p.end) || len(p.end) == 0 || int(p.end[len(p.end)-1]) != len(p.text) || i < len(s.pages)-1 && len(p.end) != pageWords {
			return fmt.Errorf("(1) page %d ends %d of %d bytes", i, p.end, len(p.text))
		}
		words += len(p.end)
	}
	if words != s.count {
		return fmt.Errorf("(1) %d words on %d pages, not %d", words, len(s.pages), s.count)
	}
	places := make([]int, s.Len()) // of each word, in series and slots
	taken := 0
	for _, at := range s.slots {
		if at.number == 0 {
			continue
		}
		word := s.At(int32(at.number - 1))
		if k := slotOf(word); at.bits != k.bits || at.size != k.size || s.slot(word, &k).number != at.number {
			return fmt.Errorf("(2) the slot of %q is another", word)
		}
		taken++
		places[at.number-1]++
		if _, _, ok := split(word); ok && !s.mixed {
			return fmt.Errorf("(3) %q is in no series", word)
		}
	}
	if taken != s.hashed || 8*taken > 5*len(s.slots) {
		return fmt.Errorf("(2) %d of %d slots are taken, not %d", taken, len(s.slots), s.hashed)
	}
	if s.mixed && len(s.series) > 0 {
		return fmt.Errorf("(3) a mixed table has series")
	}
	for i, r := range s.series {
		if s.prefixes.Find(r.prefix) != int32(i) {
			return fmt.Errorf("(3) the prefix %q has another number", r.prefix)
		}
		for v, at := range r.numbers.All() {
			n := *at
			if n == 0 {
				continue
			}
			places[n-1]++
			if word := string(s.At(int32(n - 1))); word != fmt.Sprint(string(r.prefix), v) {
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
