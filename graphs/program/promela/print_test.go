package promela

import (
	"fmt"
	"strings"
)

// String returns the model in Promela: with its macros and inlines expanded, and
// without what was read over.
func (m *Model) String() string {
	var b strings.Builder
	for _, unit := range m.units {
		switch u := unit.(type) {
		case *Mtype:
			b.WriteString("mtype")
			if u.Name != "" {
				b.WriteString(":" + u.Name)
			}
			b.WriteString(" = {")
			for i := len(u.Names) - 1; i >= 0; i-- {
				b.WriteString(" " + u.Names[i])
			}
			b.WriteString(" }\n")
		case *Struct:
			fmt.Fprintf(&b, "typedef %s {\n", u.Name)
			for _, f := range u.Fields {
				fmt.Fprintf(&b, "\t%s;\n", f)
			}
			b.WriteString("}\n")
		case *Variable:
			fmt.Fprintf(&b, "%s;\n", u)
		case *Proc:
			u.print(&b)
		}
	}
	return b.String()
}

func (p *Proc) print(b *strings.Builder) {
	if p.Name == "init" {
		b.WriteString("init {\n")
	} else {
		if p.Active > 0 {
			fmt.Fprintf(b, "active [%d] ", p.Active)
		}
		var params []string
		for _, v := range p.Params {
			params = append(params, v.String())
		}
		fmt.Fprintf(b, "proctype %s(%s) {\n", p.Name, strings.Join(params, "; "))
	}
	printBlock(b, p.Body, 1)
	b.WriteString("}\n")
}

func printBlock(b *strings.Builder, list []*Statement, depth int) {
	indent := strings.Repeat("\t", depth)
	for i, s := range list {
		b.WriteString(indent)
		for _, l := range s.Labels {
			b.WriteString(l.String() + ": ")
		}
		if len(s.Options) == 0 {
			b.WriteString(s.String())
		} else {
			b.WriteString(openings[s.Form] + "\n")
			for _, o := range s.Options {
				if s.Form == If || s.Form == Do {
					b.WriteString(indent + "::\n")
				}
				printBlock(b, o, depth+1)
			}
			b.WriteString(indent + closings[s.Form])
		}
		if i < len(list)-1 {
			b.WriteString(";")
		}
		b.WriteString("\n")
	}
}
