package pnml

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/internal/diagram"
)

type (
	// An Error names an atom that cannot be expressed.
	Error = diagram.Error
	// An EmptyError says that the computation has no cut, and so no initial marking.
	EmptyError = diagram.EmptyError
)

// Write writes the net of c, and as a property f, which is resolved on c. The net has
// a command near its start, NET and PROPERTY being the names of the files. Errors are
// *EmptyError, *Error, or those of the writers.
//
// The time complexity of Write is O(|V| + |edges| + |f| · size of the atoms), where a
// formula below W or <-> counts twice.
func Write(net, property io.Writer, c *graphs.Computation, f *syntax.Formula) error {
	return write(net, property, c, f, usual)
}

func write(net, property io.Writer, c *graphs.Computation, f *syntax.Formula, most limits) error {
	store, err := diagram.NewStore(c)
	if err != nil {
		return err
	}
	n := newNet(c, store)
	t := translator{n, store, make(map[*syntax.Formula]*prop), most}
	p, err := t.formula(f)
	if err != nil {
		return err
	}
	if err := n.write(net, f); err != nil {
		return err
	}
	return writeProperty(property, f, p)
}

const declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic("this cannot happen, because a strings.Builder takes everything: " + err.Error())
	}
	return b.String()
}

// comment returns text as it may be written in a comment.
func comment(text string) string {
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "- -")
	}
	return escape(text)
}

func (n *net) write(w io.Writer, f *syntax.Formula) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, declaration)
	fmt.Fprint(b, "<!-- pota: run: verifypn -x 1 NET PROPERTY -->\n")
	fmt.Fprint(b, "<!-- pota: \"is satisfied\" means: holds -->\n")
	fmt.Fprintf(b, "<!-- %s -->\n", comment(f.String()))
	fmt.Fprint(b, `<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">`+"\n")
	fmt.Fprint(b, ` <net id="computation" type="http://www.pnml.org/version-2009/grammar/ptnet">`+"\n")
	fmt.Fprint(b, "  <name><text>computation</text></name>\n  <page id=\"page\">\n")
	for _, p := range n.places {
		marking := ""
		if p.marked {
			marking = "<initialMarking><text>1</text></initialMarking>"
		}
		fmt.Fprintf(b, "   <place id=\"%s\"><name><text>%s</text></name>%s</place>\n", p.id, escape(p.name), marking)
	}
	for _, t := range n.transitions {
		fmt.Fprintf(b, "   <transition id=\"%s\"><name><text>%s</text></name></transition>\n", t.id, escape(t.name))
	}
	arcs := 0
	arc := func(source, target string) {
		arcs++
		fmt.Fprintf(b, "   <arc id=\"a%d\" source=\"%s\" target=\"%s\"><inscription><text>1</text></inscription></arc>\n", arcs, source, target)
	}
	for _, t := range n.transitions {
		for _, p := range t.pre {
			arc(n.places[p].id, t.id)
		}
		for _, p := range t.post {
			arc(t.id, n.places[p].id)
		}
	}
	fmt.Fprint(b, "  </page>\n </net>\n</pnml>\n")
	return b.Flush()
}

func writeProperty(w io.Writer, f *syntax.Formula, p *prop) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, declaration)
	fmt.Fprint(b, `<property-set xmlns="http://mcc.lip6.fr/">`+"\n <property>\n")
	fmt.Fprintf(b, "  <id>pota</id>\n  <description>%s</description>\n  <formula>\n", escape(f.String()))
	var write func(p *prop, indent string)
	write = func(p *prop, indent string) {
		if len(p.sub) == 0 {
			fmt.Fprintf(b, "%s<%s>%s</%s>\n", indent, p.tag, p.text, p.tag)
			return
		}
		fmt.Fprintf(b, "%s<%s>\n", indent, p.tag)
		for _, s := range p.sub {
			write(s, indent+" ")
		}
		fmt.Fprintf(b, "%s</%s>\n", indent, p.tag)
	}
	write(p, "   ")
	fmt.Fprint(b, "  </formula>\n </property>\n</property-set>\n")
	return b.Flush()
}
