package flow

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// bounds are the numbers from low to high, both included.
type bounds struct{ low, high int64 }

func (b bounds) has(x int64) bool { return b.low <= x && x <= b.high }

// noLimit is greater than any sum, and small enough for sums to be added to it.
const noLimit = 1 << 62

// ranges are disjoint ranges of numbers in increasing order, with at least one number between two.
type ranges []bounds

// everything is the range of all numbers.
var everything = ranges{{-noLimit, noLimit}}

func (r ranges) has(x int64) bool {
	return slices.ContainsFunc(r, func(b bounds) bool { return b.has(x) })
}

// related returns the numbers x with x rel k.
func related(rel syntax.Relop, k int64) ranges {
	switch rel {
	case syntax.NotEqual:
		return ranges{{k, k}}.not()
	case syntax.Less:
		return ranges{{-noLimit, k - 1}}
	case syntax.LessEqual:
		return ranges{{-noLimit, k}}
	case syntax.Equal:
		return ranges{{k, k}}
	case syntax.GreaterEqual:
		return ranges{{k, noLimit}}
	}
	return ranges{{k + 1, noLimit}}
}

// not returns the numbers that are in none of the ranges.
func (r ranges) not() ranges {
	var gaps ranges
	low := int64(-noLimit)
	for _, b := range r {
		if b.low > low {
			gaps = append(gaps, bounds{low, b.low - 1})
		}
		if b.high == noLimit {
			return gaps
		}
		low = b.high + 1
	}
	return append(gaps, bounds{low, noLimit})
}

// and returns the numbers that are in ranges of both.
func (r ranges) and(s ranges) ranges {
	var both ranges
	for _, a := range r {
		for _, b := range s {
			if low, high := max(a.low, b.low), min(a.high, b.high); low <= high {
				both = append(both, bounds{low, high})
			}
		}
	}
	return both
}

// plus returns the ranges moved by a number.
func (r ranges) plus(x int64) ranges {
	moved := slices.Clone(r)
	for i := range moved {
		if moved[i].low != -noLimit {
			moved[i].low += x
		}
		if moved[i].high != noLimit {
			moved[i].high += x
		}
	}
	return moved
}

// possible narrows ranges to the values that the sum can have, and joins two ranges if the
// sum has no value between them.
func (r ranges) possible(t *tally) ranges {
	first, divisor := t.weight[graphs.Bottom], t.divisor()
	var all ranges
	for _, b := range r {
		if divisor > 0 && b.low != -noLimit {
			b.low += mod(first-b.low, divisor)
		}
		if divisor > 0 && b.high != noLimit {
			b.high -= mod(b.high-first, divisor)
		}
		n := len(all)
		switch {
		case b.low > b.high:
		case n > 0 && b.low-all[n-1].high <= divisor:
			all[n-1].high = b.high
		default:
			all = append(all, b)
		}
	}
	return all
}

// around returns the least and the greatest number that can be reached from x, a number in a range,
// by steps of at most the given size that stay within the ranges, and whether all numbers between
// the two are in the ranges.
func (r ranges) around(x, step int64) (b bounds, whole bool) {
	i := slices.IndexFunc(r, func(b bounds) bool { return b.has(x) })
	if i < 0 {
		return b, false
	}
	low, high := i, i
	for low > 0 && r[low].low-r[low-1].high <= step {
		low--
	}
	for high+1 < len(r) && r[high+1].low-r[high].high <= step {
		high++
	}
	return bounds{r[low].low, r[high].high}, low == high
}

// enough returns how great the sum must be to reach the last of the ranges or, if sign is -1, how
// great the negated sum must be to reach the first. It returns ok = false if every sum is great
// enough.
func (r ranges) enough(sign int64) (x int64, ok bool) {
	x = r[len(r)-1].low
	if sign < 0 {
		x = -r[0].high
	}
	return min(max(x, -2*largestTotal), 2*largestTotal), x != -noLimit
}

// gap returns the least difference between a number of r and one of s.
func (r ranges) gap(s ranges) int64 {
	least := int64(noLimit)
	for _, a := range r {
		for _, b := range s {
			least = min(least, max(0, a.low-b.high, b.low-a.high))
		}
	}
	return least
}

// mod returns the nonnegative remainder of x divided by d.
func mod(x, d int64) int64 { return (x%d + d) % d }
