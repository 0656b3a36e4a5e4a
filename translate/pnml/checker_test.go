package pnml_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// What is in this file reads a net and a property as a tool would, knows nothing of
// computations, and decides the property by firing all transitions.

type document struct {
	XMLName xml.Name `xml:"http://www.pnml.org/version-2009/grammar/pnml pnml"`
	Net     struct {
		ID   string `xml:"id,attr"`
		Type string `xml:"type,attr"`
		Page struct {
			Places []struct {
				ID      string `xml:"id,attr"`
				Marking string `xml:"initialMarking>text"`
			} `xml:"place"`
			Transitions []struct {
				ID string `xml:"id,attr"`
			} `xml:"transition"`
			Arcs []struct {
				ID          string `xml:"id,attr"`
				Source      string `xml:"source,attr"`
				Target      string `xml:"target,attr"`
				Inscription string `xml:"inscription>text"`
			} `xml:"arc"`
		} `xml:"page"`
	} `xml:"net"`
}

type petri struct {
	place     map[string]int
	names     []string // of transitions
	pre, post [][]int
	initial   string // a marking: a byte for each place
}

func readNet(text string) (*petri, error) {
	var d document
	if err := decode(text, &d); err != nil {
		return nil, err
	}
	if d.Net.Type != "http://www.pnml.org/version-2009/grammar/ptnet" || d.Net.ID == "" {
		return nil, fmt.Errorf("net %q of type %q", d.Net.ID, d.Net.Type)
	}
	n := &petri{place: map[string]int{}}
	used := map[string]bool{d.Net.ID: true}
	fresh := func(id string) error {
		if id == "" || used[id] || strings.Trim(strings.ToLower(id), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return fmt.Errorf("id %q", id)
		}
		used[id] = true
		return nil
	}
	marking := []byte{}
	for _, p := range d.Net.Page.Places {
		if err := fresh(p.ID); err != nil {
			return nil, err
		}
		n.place[p.ID] = len(marking)
		k := 0
		if p.Marking != "" {
			var err error
			if k, err = strconv.Atoi(p.Marking); err != nil {
				return nil, err
			}
		}
		marking = append(marking, byte(k))
	}
	n.initial = string(marking)
	transition := map[string]int{}
	for _, t := range d.Net.Page.Transitions {
		if err := fresh(t.ID); err != nil {
			return nil, err
		}
		transition[t.ID] = len(n.names)
		n.names = append(n.names, t.ID)
	}
	n.pre, n.post = make([][]int, len(n.names)), make([][]int, len(n.names))
	for _, a := range d.Net.Page.Arcs {
		if err := fresh(a.ID); err != nil {
			return nil, err
		}
		p, fromPlace := n.place[a.Source]
		t, toTransition := transition[a.Target]
		list := n.pre
		if !fromPlace {
			p, fromPlace = n.place[a.Target]
			t, toTransition = transition[a.Source]
			list = n.post
		}
		if !fromPlace || !toTransition || a.Inscription != "1" || slices.Contains(list[t], p) {
			return nil, fmt.Errorf("arc %+v", a)
		}
		list[t] = append(list[t], p)
	}
	return n, nil
}

func decode(text string, into any) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	if err := d.Decode(into); err != nil {
		return err
	}
	if t, err := d.Token(); err != io.EOF {
		if data, ok := t.(xml.CharData); !ok || strings.TrimSpace(string(data)) != "" {
			return errors.New("text after the document")
		}
	}
	return nil
}

// graph is the reachability graph.
type graph struct {
	*petri
	markings []string
	succ     [][]int
	fired    [][]int // transitions fired before each marking, on some way to it
	index    map[string]int
}

// explore fails where a place gets a second token.
func (n *petri) explore() (*graph, error) {
	g := &graph{petri: n, index: map[string]int{n.initial: 0}, markings: []string{n.initial}, fired: [][]int{nil}}
	for i := 0; i < len(g.markings); i++ {
		g.succ = append(g.succ, nil)
		for t := range n.names {
			m := []byte(g.markings[i])
			if slices.ContainsFunc(n.pre[t], func(p int) bool { return m[p] == 0 }) {
				continue
			}
			for _, p := range n.pre[t] {
				m[p]--
			}
			for _, p := range n.post[t] {
				if m[p]++; m[p] > 1 {
					return nil, fmt.Errorf("place %d is not safe", p)
				}
			}
			j, ok := g.index[string(m)]
			if !ok {
				j = len(g.markings)
				g.index[string(m)] = j
				g.markings = append(g.markings, string(m))
				g.fired = append(g.fired, append(slices.Clone(g.fired[i]), t))
			}
			g.succ[i] = append(g.succ[i], j)
		}
	}
	return g, nil
}

type node struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
	Sub     []node `xml:",any"`
}

func readProperty(text string) (*node, error) {
	var set struct {
		XMLName  xml.Name `xml:"http://mcc.lip6.fr/ property-set"`
		Property []struct {
			ID          string `xml:"id"`
			Description string `xml:"description"`
			Formula     node   `xml:"formula"`
		} `xml:"property"`
	}
	if err := decode(text, &set); err != nil {
		return nil, err
	}
	if len(set.Property) != 1 || set.Property[0].ID == "" || len(set.Property[0].Formula.Sub) != 1 {
		return nil, errors.New("not one property")
	}
	return &set.Property[0].Formula.Sub[0], nil
}

// holds decides a property at all markings; paths are maximal, and finite.
func (g *graph) holds(p *node) []bool {
	n := len(g.markings)
	tag := p.XMLName.Local
	operands := func(want int) []*node {
		if len(p.Sub) != want && (want >= 0 || len(p.Sub) < -want) {
			panic(fmt.Sprintf("%s of %d", tag, len(p.Sub)))
		}
		var all []*node
		for i := range p.Sub {
			all = append(all, &p.Sub[i])
		}
		return all
	}
	result := make([]bool, n)
	switch tag {
	case "negation":
		for i, b := range g.holds(operands(1)[0]) {
			result[i] = !b
		}
		return result
	case "conjunction", "disjunction":
		for k, sub := range operands(-2) {
			for i, b := range g.holds(sub) {
				result[i] = b && (k == 0 || result[i] || tag == "disjunction") || tag == "disjunction" && result[i]
			}
		}
		return result
	case "integer-le":
		x, y := g.count(operands(2)[0]), g.count(operands(2)[1])
		for i := range result {
			result[i] = x[i] <= y[i]
		}
		return result
	case "exists-path", "all-paths":
		return g.paths(tag == "exists-path", operands(1)[0])
	}
	panic("element " + tag)
}

func (g *graph) paths(some bool, p *node) []bool {
	only := func(p *node, tag string) []bool {
		if len(p.Sub) != 1 || tag != "" && p.XMLName.Local != tag {
			panic(fmt.Sprintf("%s with %d operands for %s", p.XMLName.Local, len(p.Sub), tag))
		}
		return g.holds(&p.Sub[0])
	}
	tag := p.XMLName.Local
	var before, reach []bool
	switch tag {
	case "next", "finally", "globally":
		reach = only(p, "")
	case "until":
		if len(p.Sub) != 2 {
			panic("until")
		}
		before, reach = only(&p.Sub[0], "before"), only(&p.Sub[1], "reach")
	default:
		panic("path " + tag)
	}
	result := make([]bool, len(g.markings))
	done := make([]bool, len(g.markings))
	ahead := func(i int, of func(j int) bool) bool {
		for _, j := range g.succ[i] {
			if of(j) == some {
				return some
			}
		}
		return !some
	}
	var at func(i int) bool
	at = func(i int) bool {
		if done[i] {
			return result[i]
		}
		dead := len(g.succ[i]) == 0
		var b bool
		switch tag {
		case "next":
			b = ahead(i, func(j int) bool { return reach[j] })
		case "finally":
			b = reach[i] || !dead && ahead(i, at)
		case "globally":
			b = reach[i] && (dead || ahead(i, at))
		case "until":
			b = reach[i] || before[i] && !dead && ahead(i, at)
		}
		done[i], result[i] = true, b
		return b
	}
	for i := range result {
		at(i)
	}
	return result
}

func (g *graph) count(p *node) []int {
	counts := make([]int, len(g.markings))
	switch p.XMLName.Local {
	case "integer-constant":
		k, err := strconv.Atoi(p.Text)
		if err != nil || k < 0 {
			panic("constant " + p.Text)
		}
		for i := range counts {
			counts[i] = k
		}
		return counts
	case "tokens-count":
		if len(p.Sub) == 0 {
			panic("no places")
		}
		seen := map[string]bool{}
		for _, sub := range p.Sub {
			at, ok := g.place[sub.Text]
			if sub.XMLName.Local != "place" || !ok || seen[sub.Text] {
				panic("place " + sub.Text)
			}
			seen[sub.Text] = true
			for i, m := range g.markings {
				counts[i] += int(m[at])
			}
		}
		return counts
	}
	panic("number " + p.XMLName.Local)
}
