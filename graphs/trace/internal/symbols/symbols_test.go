package symbols

import (
	"fmt"
	"math/rand/v2"
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
			if s.Len() != len(numbers) {
				t.Fatalf("seed %d: %d words, want %d", seed, s.Len(), len(numbers))
			}
			s.Clear()
		}
	}
}
