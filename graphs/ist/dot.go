package ist

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteDOT writes the nodes of a as a Graphviz graph, each with the name of its
// variable; edges to the same node are one.
func (s *Store) WriteDOT(w io.Writer, a Set, names []string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph {\n\trankdir=LR;")
	number := map[Set]int{}
	s.walk(a, func(b Set) { number[b] = len(number) })
	s.walk(a, func(b Set) {
		if b == end {
			fmt.Fprintf(out, "\tn%d [shape=doublecircle, label=\"\"];\n", number[b])
			return
		}
		fmt.Fprintf(out, "\tn%d [shape=circle, label=%s];\n", number[b], quote(names[s.node(b).level]))
		s.writeEdges(out, b, number)
	})
	fmt.Fprintln(out, "}")
	return out.Flush()
}

func (s *Store) writeEdges(out io.Writer, b Set, number map[Set]int) {
	var order []Set
	labels := map[Set][]string{}
	lo := int32(0)
	for _, i := range s.intervals(b) {
		if i.To != Empty {
			if labels[i.To] == nil {
				order = append(order, i.To)
			}
			label := strconv.Itoa(int(lo))
			if lo < i.Hi {
				label += "–" + strconv.Itoa(int(i.Hi))
			}
			labels[i.To] = append(labels[i.To], label)
		}
		lo = i.Hi + 1
	}
	for _, to := range order {
		fmt.Fprintf(out, "\tn%d -> n%d [label=%s];\n", number[b], number[to], quote(strings.Join(labels[to], ", ")))
	}
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
