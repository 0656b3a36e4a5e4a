package span

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// names numbers the names of variables.
type names struct {
	wanted  map[string]bool // nil for all
	numbers map[string]int32
	ofKey   map[string]int32 // the number of the variable of an attribute
	text    []string
	keep    []bool
}

// The numbers of the built-in variables.
const (
	activeName int32 = iota
	kindName
	operationName
	statusName
	messageName
	eventName
	serviceName
	startedName
	endedName
	durationName
	builtin
)

// builtins are the built-in variables by number.
var builtins = [builtin]struct {
	name string
	kind graphs.Kind
}{
	activeName:    {"active", graphs.Bool},
	kindName:      {"kind", graphs.String},
	operationName: {"operation", graphs.String},
	statusName:    {"status", graphs.String},
	messageName:   {"status.message", graphs.String},
	eventName:     {"event", graphs.String},
	serviceName:   {"service", graphs.String},
	startedName:   {"started", graphs.Number},
	endedName:     {"ended", graphs.Number},
	durationName:  {"duration", graphs.Number},
}

func newNames(wanted map[string]bool) names {
	n := names{wanted: wanted, numbers: make(map[string]int32), ofKey: make(map[string]int32)}
	for _, b := range builtins {
		n.number(b.name)
	}
	return n
}

func (n *names) number(name string) int32 {
	i, ok := n.numbers[name]
	if !ok {
		i = int32(len(n.text))
		n.numbers[name] = i
		n.text = append(n.text, name)
		n.keep = append(n.keep, n.wanted == nil || n.wanted[name])
	}
	return i
}

// attribute returns a as an assignment; a value that is not kept is one of its kind.
func (n *names) attribute(a Attribute) attribute {
	i, ok := n.ofKey[a.Key]
	if !ok {
		name := trace.VariableName(a.Key)
		if b, ok := n.numbers[name]; ok && b < builtin {
			name = "attribute." + name
		}
		i = n.number(name)
		n.ofKey[a.Key] = i
	}
	if !n.keep[i] {
		return attribute{i, graphs.Zero(a.Value.Kind)}
	}
	return attribute{i, a.Value}
}
