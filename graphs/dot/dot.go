// Package dot writes pictures of computations and slices for Graphviz.
//
// A process is a lane: its name and its events form one group, joined by heavy edges, and the names
// of all processes form one rank, in order. So clusters remain free for meta-events, since an event
// can be in only one cluster. Edges that may go against time do not affect the ranking. Title and
// legend form the label of the graph. Equal pictures give equal bytes.
//
// The tests of package draw use the same examples for both packages.
package dot

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/emicklei/dot"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
)

// Write writes p in the DOT language of Graphviz. It returns the errors of draw.Picture.Scene and
// of w.
func Write(w io.Writer, p draw.Picture) error {
	s, err := p.Scene()
	if err != nil {
		return err
	}
	// Ranks are columns, from left to right. newrank lets nodes in clusters share a rank with nodes
	// outside.
	root := dot.NewGraph(dot.Directed)
	root.ID("pota")
	root.Attrs("rankdir", "LR", "newrank", true, "nodesep", 0.35, "ranksep", 0.45, "fontname", font,
		"fontsize", 12, "labelloc", "b", "labeljust", "l", "label", caption(s))
	g := &graph{s: s, root: root, nodes: make(map[graphs.Event]dot.Node)}
	// Nodes come before edges, since edges refer to them. Events come before the ends of lanes, since
	// a lane ends at its last event.
	g.addProcesses()
	g.addEvents()
	g.addEnds()
	g.addFictitious()
	for i, group := range s.Meta {
		g.clearMeta(i, group)
	}
	// Events that happen together share a rank. Graphviz has ranks only within a subgraph.
	for i, sync := range p.Of.Syncs() {
		if !s.Shows(sync[0]) {
			continue
		}
		part := root.Subgraph(key("sync", i))
		part.Delete("label")
		for _, e := range sync {
			if n, ok := g.nodes[e]; ok {
				part.AddToSameRank("sync", n)
			}
		}
	}
	for i, l := range s.Links {
		g.addLink(i, l)
	}
	// The library does not report errors of a writer, so write to memory first.
	var buf bytes.Buffer
	g.root.Write(&buf)
	_, err = w.Write(buf.Bytes())
	return err
}

const font = "Helvetica"

// graph builds the Graphviz graph of a scene.
type graph struct {
	s     *draw.Scene
	root  *dot.Graph
	names []dot.Node // the names of processes, where lanes begin
	ends  []dot.Node // the ends of lanes
	nodes map[graphs.Event]dot.Node
}

// key returns an id that sorts like its number, since the library writes in order of ids.
// Ten digits are enough for any number of events.
func key(kind string, n int) string { return fmt.Sprintf("%s%010d", kind, n) }

// ranked returns a subgraph for nodes of one rank. It deletes the label, which Graphviz would
// inherit from the root.
func (g *graph) ranked(id, rank string) *dot.Graph {
	part := g.root.Subgraph(id)
	part.Delete("label")
	part.Attr("rank", rank)
	return part
}

// addProcesses adds the names of the processes, in one rank and in order.
func (g *graph) addProcesses() {
	// Invisible edges within a rank keep the lanes in order.
	column := g.ranked("names", "same")
	for p, name := range g.s.Of.Processes() {
		n := column.Node(key("process", p))
		n.Attrs("shape", "plain", "fontname", font, "group", key("lane", p),
			"label", quote(append([]string{name}, g.s.Initial(p)...)...))
		if p > 0 {
			column.Edge(g.names[p-1], n).Attr("style", "invis")
		}
		g.names = append(g.names, n)
	}
}

// addEvents adds the events, with those of meta-events in clusters, and the lanes.
func (g *graph) addEvents() {
	// Clusters draw a frame around the events of a meta-event.
	for i, group := range g.s.Meta {
		c := g.root.Subgraph(key("meta", i), dot.ClusterOption{})
		c.Attrs("label", quote(""), "style", "rounded,filled", "color", "#b7791f", "fillcolor",
			"#fef6e4")
		for _, e := range group {
			g.addEvent(c, e)
		}
	}
	// The edge from the previous node forms the lane; its weight keeps the lane straight.
	for _, e := range g.s.Events {
		if _, ok := g.nodes[e]; !ok {
			g.addEvent(g.root, e)
		}
		g.root.Edge(g.beside(e, -1, g.names), g.nodes[e]).Attrs(laneStyle...)
	}
}

// beside returns the node before or after e on its lane: an event or an end of the lane. Step is -1
// or 1.
func (g *graph) beside(e graphs.Event, step graphs.Event, ends []dot.Node) dot.Node {
	of := g.s.Of
	// Events of a process have consecutive numbers, so the neighbor on the lane is e plus or minus
	// one.
	if n, ok := g.nodes[e+step]; ok && of.Process(e+step) == of.Process(e) {
		return n
	}
	return ends[of.Process(e)]
}

// The colours are those of package draw on a light background.
var eventStyle = [...][]any{
	draw.EventMark:    {"style", "rounded,filled", "color", "#1f2328", "fillcolor", "#ffffff"},
	draw.ForcedMark:   {"style", "rounded,filled", "color", "#57606a", "fillcolor", "#d0d7de"},
	draw.ExcludedMark: {"style", "rounded,dashed", "color", "#8a929c", "fontcolor", "#8a929c"},
}

var laneStyle = []any{"weight", 100, "color", "#9aa3ad", "arrowhead", "none"}

const insideColour = "#b4e6bf"

// addEvent adds the node of an event to a subgraph.
func (g *graph) addEvent(part *dot.Graph, e graphs.Event) {
	of := g.s.Of
	id := of.ID(e)
	if k := g.s.Place(e); k != "" {
		id = k + ". " + id
	}
	lines := append([]string{id}, g.s.Assignments(e)...)
	if text := of.Label(e); text != "" {
		lines = append(lines, "“"+text+"”")
	}
	n := part.Node(key("event", int(e)))
	n.Attrs("shape", "box", "fontname", font, "fontsize", 12, "height", 0.3, "width", 0.4, "margin",
		"0.08,0.04",
		"group", key("lane", of.Process(e)), "label", quote(lines...))
	n.Attrs(eventStyle[g.s.Status(e)]...)
	if g.s.Inside(e) {
		n.Attrs("style", "rounded,filled", "fillcolor", insideColour)
	}
	g.nodes[e] = n
}

// addEnds adds the ends of the lanes, in one rank and in order like the names, so that lanes keep
// their order when they pass through clusters.
func (g *graph) addEnds() {
	of := g.s.Of
	column := g.ranked("ends", "same")
	for p := range of.Processes() {
		n := column.Node(key("end", p))
		n.Attrs("shape", "point", "style", "invis", "group", key("lane", p), "label", quote(""))
		if p > 0 {
			column.Edge(g.ends[p-1], n).Attr("style", "invis")
		}
		g.ends = append(g.ends, n)
		// A lane ends after the last event that is shown, or after the name.
		last, ok := g.names[p], false
		// Events may be hidden, so the last one of the process need not be shown.
		for k := of.Len(p); k > 0 && !ok; k-- {
			if e, shown := g.nodes[of.Event(p, k)]; shown {
				last, ok = e, true
			}
		}
		g.root.Edge(last, n).Attrs(laneStyle...)
	}
}

// clearMeta keeps other events on the lanes of a meta-event out of its ranks: events before it
// precede all of its events, and events after it follow all of them.
func (g *graph) clearMeta(i int, group []graphs.Event) {
	point := func(kind string) dot.Node {
		n := g.root.Node(key(kind, i))
		n.Attrs("shape", "point", "style", "invis", "label", quote(""))
		return n
	}
	// Graphviz aligns nodes along heavy edges. Invisible edges of weight 0 only order the ranks.
	invisible := func(from, to dot.Node) {
		g.root.Edge(from, to).Attrs("style", "invis", "weight", 0)
	}
	of := g.s.Of
	// The meta-event lies between two invisible points, and other events of its lanes lie outside.
	enter, leave := point("enter"), point("leave")
	for k, e := range group {
		p := of.Process(e)
		if k == 0 || of.Process(group[k-1]) != p {
			invisible(g.beside(e, -1, g.names), enter)
			invisible(enter, g.nodes[e])
		}
		if k == len(group)-1 || of.Process(group[k+1]) != p {
			invisible(g.nodes[e], leave)
			invisible(leave, g.beside(e, 1, g.ends))
		}
	}
}

// addFictitious adds ⊥ and ⊤ before and after all events, if links use them.
func (g *graph) addFictitious() {
	add := func(e graphs.Event) bool {
		if !g.s.Uses(e) {
			return false
		}
		g.nodes[e] = g.root.Node(key("event", int(e)))
		g.nodes[e].Attrs("shape", "plaintext", "fontname", font, "fontsize", 18, "label",
			quote(g.s.Of.ID(e)))
		return true
	}
	if add(graphs.Bottom) {
		for _, n := range g.names {
			g.root.Edge(g.nodes[graphs.Bottom], n).Attr("style", "invis")
		}
	}
	if top := g.s.Of.Top(); add(top) {
		for _, n := range g.ends {
			g.root.Edge(n, g.nodes[top]).Attr("style", "invis")
		}
	}
}

// Edges that may lead backwards in time must not move events, so they are not constraints.
var linkStyle = [...][]any{
	draw.MessageMark: {"color", "#0b5cad", "fontcolor", "#0b5cad"},
	draw.TransitMark: {"color", "#0b5cad", "fontcolor", "#0b5cad", "style", "dotted", "arrowhead",
		"tee"},
	draw.CausalMark:  {"color", "#8a929c"},
	draw.SyncMark:    {"color", "#7a3fc0:#7a3fc0", "arrowhead", "none", "constraint", false},
	draw.GeneralMark: {"color", "#0a7068", "constraint", false},
	draw.AddedMark:   {"color", "#c9420b", "style", "dashed", "constraint", false},
	draw.MissingMark: {"color", "#cf222e", "style", "dashed", "penwidth", 2},
}

// addLink adds the edge of link i. A message that is never received leads to an invisible node.
func (g *graph) addLink(i int, l draw.Link) {
	from, to := g.nodes[l.From], g.nodes[l.To]
	// The arrow needs a node to end at.
	if l.Kind == draw.TransitMark {
		to = g.root.Node(key("transit", i))
		to.Attrs("shape", "point", "style", "invis", "label", quote(""))
	}
	// An edge to ⊥ or from ⊤ goes against time. Reverse it and its arrow, so that ranks follow time.
	var edge dot.Edge
	if l.To == graphs.Bottom && l.Kind >= draw.GeneralMark || l.From == g.s.Of.Top() {
		edge = g.root.Edge(to, from).Attr("dir", "back") // the edge goes with time
	} else {
		edge = g.root.Edge(from, to)
	}
	edge.Attrs(linkStyle[l.Kind]...)
	if l.Kind == draw.MissingMark && l.Name != "" {
		edge.Attr("tooltip", quote(l.Name))
	}
	if l.Kind <= draw.TransitMark {
		edge.Attrs("fontname", font, "fontsize", 11, "label", quote(l.Name))
	}
}

// quote returns a label of several lines as a quoted string of Graphviz, in which a backslash
// begins an escape sequence and an ampersand an HTML entity.
func quote(lines ...string) dot.Literal {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString(`\n`)
		}
		// Control characters become visible, so names cannot alter the picture.
		b.WriteString(escapeQuoted.Replace(graphs.Printable(line)))
	}
	b.WriteByte('"')
	return dot.Literal(b.String())
}

var (
	escapeQuoted = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "&", "&amp;")
	escapeHTML   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

// sample shows a mark by three monospaced characters.
type sample struct{ colour, text string }

var samples = [...]sample{
	draw.EventMark:    {"#1f2328", " ▢ "},
	draw.ForcedMark:   {"#9aa3ad", " ■ "},
	draw.ExcludedMark: {"#8a929c", " ▢ "},
	draw.MessageMark:  {"#0b5cad", "──▶"},
	draw.TransitMark:  {"#0b5cad", "··┤"},
	draw.CausalMark:   {"#8a929c", "──▶"},
	draw.SyncMark:     {"#7a3fc0", "═══"},
	draw.GeneralMark:  {"#0a7068", "──▶"},
	draw.AddedMark:    {"#c9420b", "╌╌▶"},
	draw.MissingMark:  {"#cf222e", "╌╌▶"},
	draw.MetaMark:     {"#b7791f", " ▭ "},
	draw.BottomMark:   {"#1f2328", " ⊥ "},
	draw.TopMark:      {"#1f2328", " ⊤ "},
	draw.CutMark:      {"#1a7f37", " ■ "},
	draw.RunMark:      {"#1f2328", "1. "},
	draw.HiddenMark:   {"#1f2328", " … "},
}

// caption returns the label of the graph: the lines of the caption, then those of the legend.
func caption(s *draw.Scene) any {
	var rows strings.Builder
	row := func(html string) { rows.WriteString(`<TR><TD ALIGN="LEFT">` + html + `</TD></TR>`) }
	for i, text := range s.Caption() {
		text = escapeHTML.Replace(graphs.Printable(strings.Join(strings.Fields(text), " ")))
		if i == 0 && s.Title != "" {
			text = `<FONT POINT-SIZE="15">` + text + `</FONT>`
		}
		row(text)
	}
	// Samples use a monospaced font, so that the texts are aligned.
	for _, e := range s.Legend() {
		m := samples[e.Mark]
		row(`<FONT FACE="Courier" COLOR="` + m.colour + `">` + m.text + `</FONT>  ` + e.Text)
	}
	if rows.Len() == 0 {
		return quote("")
	}
	return dot.HTML(`<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">` + rows.String() +
		`</TABLE>`)
}
