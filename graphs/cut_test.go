package graphs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// Cuts with Join, Meet and Within are a distributive lattice.
func TestCutsAreADistributiveLattice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	draw := func() graphs.Cut { return graphs.Cut{r.Int32N(3), r.Int32N(3), r.Int32N(3)} }
	for range 100_000 {
		c, d, e := draw(), draw(), draw()
		before := [3]graphs.Cut{c.Clone(), d.Clone(), e.Clone()}
		for law, holds := range map[string]bool{
			"order is reflexive":                c.Within(c),
			"order is antisymmetric":            !(c.Within(d) && d.Within(c)) || c.Equal(d),
			"order is transitive":               !(c.Within(d) && d.Within(e)) || c.Within(e),
			"Within is Join":                    c.Within(d) == c.Join(d).Equal(d),
			"Within is Meet":                    c.Within(d) == c.Meet(d).Equal(c),
			"Join commutes":                     c.Join(d).Equal(d.Join(c)),
			"Meet commutes":                     c.Meet(d).Equal(d.Meet(c)),
			"Join is associative":               c.Join(d.Join(e)).Equal(c.Join(d).Join(e)),
			"Meet is associative":               c.Meet(d.Meet(e)).Equal(c.Meet(d).Meet(e)),
			"Join absorbs":                      c.Join(c.Meet(d)).Equal(c),
			"Meet absorbs":                      c.Meet(c.Join(d)).Equal(c),
			"Meet distributes":                  c.Meet(d.Join(e)).Equal(c.Meet(d).Join(c.Meet(e))),
			"Join distributes":                  c.Join(d.Meet(e)).Equal(c.Join(d).Meet(c.Join(e))),
			"Size is modular":                   c.Size()+d.Size() == c.Join(d).Size()+c.Meet(d).Size(),
			"a strict subset is smaller":        !c.Within(d) || c.Equal(d) || c.Size() < d.Size(),
			"operations leave their operands":   c.Equal(before[0]) && d.Equal(before[1]) && e.Equal(before[2]),
			"Equal tells apart what Size tells": c.Size() == d.Size() || !c.Equal(d),
		} {
			if !holds {
				t.Fatalf("%s: not for %v, %v, %v", law, c, d, e)
			}
		}
	}
}

func TestCloneIsIndependent(t *testing.T) {
	c := graphs.Cut{1, 2}
	d := c.Clone()
	d[0] = 5
	if c[0] != 1 {
		t.Error("a change of the clone changes the cut")
	}
}
