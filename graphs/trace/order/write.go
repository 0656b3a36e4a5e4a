package order

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// Write writes edges as the lines of an order file, each after comments: note returns the text
// about edge i, and head is a text about all, "" for none. Read and Apply add the edges to c again,
// where no two events have one id. Errors are those of w.
func Write(w io.Writer, c *graphs.Computation, edges []graphs.Edge, head string, note func(i int) string) error {
	out := bufio.NewWriter(w)
	comment := func(text string) {
		for line := range strings.Lines(text) {
			fmt.Fprintf(out, "# %s\n", graphs.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	comment(head)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i, e := range edges {
		comment(note(i))
		line := struct {
			Edge [2]string `json:"edge"`
		}{[2]string{c.ID(e.From), c.ID(e.To)}}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
