package promela

import (
	"testing"

	"github.com/pota-project/pota/graphs/program"
)

// Going to the successors of a state, as a search does; the time is that of one
// transition.
func BenchmarkSuccessors(b *testing.B) {
	for _, path := range []string{examples + "peterson.pml", examples + "giop.pml", beem + "peterson.7.pm", beem + "phils.6.pm", beem + "needham.4.pm"} {
		b.Run(path, func(b *testing.B) {
			m, err := Read(path)
			if err != nil {
				b.Skip(err)
			}
			p, err := Compile(m)
			if err != nil {
				b.Fatal(err)
			}
			queue := [][]byte{p.Initial(nil)}
			seen := map[string]bool{}
			var list []program.Transition
			var next []byte
			b.ReportAllocs()
			done := 0
			for i := 0; done < b.N; i++ {
				s := queue[i%len(queue)]
				list = list[:0]
				for q := range p.slots {
					list = p.Enabled(s, q, list)
				}
				for _, x := range list {
					next, _ = p.Apply(s, x, next[:0])
					if len(queue) < 1000 && !seen[string(next)] {
						seen[string(next)] = true
						queue = append(queue, append([]byte(nil), next...))
					}
				}
				done += len(list)
			}
		})
	}
}
