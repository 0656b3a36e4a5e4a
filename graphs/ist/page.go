package ist

// edgePages holds the intervals of nodes, each node's together, and never moves them: a page holds
// many short lists, or one long one.
type edgePages struct {
	list  [][]Interval
	used  int // of the last page
	bytes int64
}

const (
	edgeBits = 13
	edgeLen  = 1 << edgeBits
)

// growth returns how many bytes it takes to add a list of n intervals.
func (p *edgePages) growth(n int) int64 {
	if len(p.list) > 0 && p.used+n <= len(p.list[len(p.list)-1]) {
		return 0
	}
	return int64(max(n, edgeLen)) * 8
}

// add keeps a copy of list and returns where.
func (p *edgePages) add(list []Interval) uint32 {
	if g := p.growth(len(list)); g > 0 {
		p.bytes += g
		p.list = append(p.list, make([]Interval, g/8))
		p.used = 0
	}
	page := len(p.list) - 1
	at := uint32(page)<<edgeBits | uint32(p.used)
	copy(p.list[page][p.used:], list)
	p.used += len(list)
	if p.used >= edgeLen {
		p.used = len(p.list[page])
	}
	return at
}
