// Package choices goes through all combinations of choices that a program makes one after the
// other, by running it again and again.
//
// # Definitions
//
// A run of the program asks for a choice with Of, wherever it has several ways to go on. How many
// choices it meets, and of how many ways, may depend on those before. The first run takes way 0 of
// each. Another begins the next combination, in the order of the numbers of a counter: the last
// choice that has another way takes it, and those after it begin again. In
//
//	for more := true; more; more = c.Another() {
//		run(&c) // asks c.Of(2), and if that is 1, c.Of(3)
//	}
//
// the combinations are 0, 1 0, 1 1 and 1 2.
package choices

// Choices are those of one run. The zero value begins with the first combination.
type Choices struct {
	ways  []choice
	asked int // in this run
}

// A choice is the way that was chosen, a number below of.
type choice struct{ way, of int }

// Of chooses one of n ways, a number below n.
func (c *Choices) Of(n int) int {
	if c.asked == len(c.ways) {
		c.ways = append(c.ways, choice{of: n})
	}
	c.asked++
	return c.ways[c.asked-1].way
}

// Another begins the next combination, and reports whether there is one. After the last it begins
// with the first again.
func (c *Choices) Another() bool {
	c.asked = 0
	for n := len(c.ways); n > 0; n-- {
		last := &c.ways[n-1]
		if last.way++; last.way < last.of {
			return true
		}
		c.ways = c.ways[:n-1]
	}
	return false
}
