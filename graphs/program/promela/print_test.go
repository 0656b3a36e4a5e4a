package promela

import (
	"fmt"
	"strings"
)

// String returns the model in Promela: with its macros and inlines expanded, and
// without what was skipped.
func (m *Model) String() string {
	var b strings.Builder
	for _, set := range m.Mtypes {
		if len(set.Names) == 0 {
			continue
		}
		b.WriteString("mtype")
		if set.Name != "" {
			b.WriteString(":" + set.Name)
		}
		b.WriteString(" = {")
		for i := len(set.Names) - 1; i >= 0; i-- {
			b.WriteString(" " + set.Names[i])
		}
		b.WriteString(" }\n")
	}
	printed := make(map[*Struct]bool)
	for _, v := range m.Globals {
		printStruct(&b, v.Type, printed)
	}
	for _, p := range m.Procs {
		for _, v := range p.locals {
			printStruct(&b, v.Type, printed)
		}
	}
	for _, v := range m.Globals {
		fmt.Fprintf(&b, "%s;\n", v)
	}
	for _, p := range m.Procs {
		p.print(&b)
	}
	return b.String()
}

// printStruct prints a structure after those in it.
func printStruct(b *strings.Builder, t Type, printed map[*Struct]bool) {
	if t.Kind != Structure || printed[t.Struct] {
		return
	}
	printed[t.Struct] = true
	for _, f := range t.Struct.Fields {
		printStruct(b, f.Type, printed)
	}
	fmt.Fprintf(b, "typedef %s {\n", t.Struct.Name)
	for _, f := range t.Struct.Fields {
		fmt.Fprintf(b, "\t%s;\n", f)
	}
	b.WriteString("}\n")
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
		if s.Form == Declare {
			b.WriteString(s.Var.String())
		} else if len(s.Options) == 0 {
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

// String returns a type in Promela.
func (t Type) String() string {
	switch {
	case t.Kind == Structure:
		return t.Struct.Name
	case t.Kind == Symbol && t.Set.Name != "":
		return "mtype:" + t.Set.Name
	}
	// Other types have one name each, by which the parser knows them.
	for text, k := range kinds {
		if k == t.Kind {
			return text
		}
	}
	return ""
}

// String returns the declaration of v in Promela.
func (v *Variable) String() string {
	var b strings.Builder
	b.WriteString(v.Type.String() + " " + v.Name)
	if v.Type.Kind == Unsigned {
		fmt.Fprintf(&b, " : %d", v.Type.Bits)
	}
	if v.Length > 0 {
		fmt.Fprintf(&b, "[%d]", v.Length)
	}
	switch {
	case v.Chan != nil:
		fmt.Fprintf(&b, " = [%d] of { %s }", v.Chan.Capacity, joined(v.Chan.Types, ", "))
	// One value for all elements is written as it was: the parser fills up longer lists only.
	case v.Length > 0 && len(v.Init) > 1:
		b.WriteString(" = { " + list(v.Init) + " }")
	case v.Init != nil:
		b.WriteString(" = " + v.Init[0].String())
	}
	return b.String()
}
