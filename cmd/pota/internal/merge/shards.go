package merge

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/report"
)

// shards are the parts of the traces that the results are about.
type shards struct {
	first *report.Shard // nil if the results are not of shards
	place string        // where it is
	part  report.Part
	found map[int]bool
}

// add adds the last line of a shard. All shards must be parts of the same.
func (s *shards) add(place string, l *report.Shard) error {
	p, err := report.ParsePart(l.Shard)
	if err != nil {
		return err
	}
	// The first shard says how the traces were divided.
	if s.first == nil {
		*s = shards{first: l, place: place, part: p, found: make(map[int]bool)}
	}
	switch {
	case p.Of != s.part.Of:
		return fmt.Errorf("%s: shard %s cannot be joined with shard %s of %s: the traces were divided in another way", place, p, s.part, s.place)
	// Verdicts on other properties would make the whole look complete.
	case !slices.Equal(l.Properties, s.first.Properties):
		return fmt.Errorf("%s: shard %s decided other properties than shard %s of %s", place, p, s.part, s.place)
	}
	s.found[p.Index] = true
	return nil
}

// maxListed bounds the missing shards that are named.
const maxListed = 10

// report reports the shards that were not found. Then the whole is undecided, whatever the others
// say: a lost shard must not look like success.
func (s *shards) report(r *job.Run) {
	// Without shards there are 0.
	var missing []string
	for i := range s.part.Of {
		if !s.found[i] {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	verb := "are"
	switch len(missing) {
	case 0:
		return
	case 1:
		verb = "is"
	}
	list := graphs.List(missing, maxListed)
	fmt.Fprintf(r.Console.Err, "pota: %d of %d shards %s missing: %s\n", len(missing), s.part.Of, verb, list)
	r.Worsen(exit.Undecided)
}
