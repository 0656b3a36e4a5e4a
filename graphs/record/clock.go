package record

import (
	"cmp"
	"slices"
	"strconv"
)

// clock is a vector clock: how many events of each process are known, in order of
// the names. A process with no known event has no entry.
type clock []count

type count struct {
	process string
	count   int
}

// with raises the entry of a process to at least n.
func (c clock) with(process string, n int) clock {
	i, found := slices.BinarySearchFunc(c, process,
		func(e count, name string) int { return cmp.Compare(e.process, name) })
	if found {
		c[i].count = max(c[i].count, n)
		return c
	}
	return slices.Insert(c, i, count{process, n})
}

// join raises the entries of c to at least those of d.
func (c clock) join(d clock) clock {
	for _, e := range d {
		c = c.with(e.process, e.count)
	}
	return c
}

// appendTo appends the clock as JSON.
func (c clock) appendTo(b []byte) []byte {
	b = append(b, '{')
	for i, e := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, e.process), ':')
		b = strconv.AppendInt(b, int64(e.count), 10)
	}
	return append(b, '}')
}
