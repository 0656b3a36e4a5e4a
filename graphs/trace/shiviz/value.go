package shiviz

import (
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// parseValue returns the value of a text: a number, a boolean or a string.
func parseValue(text string) graphs.Value {
	switch text {
	case "TRUE":
		return graphs.Boolean(true)
	case "FALSE":
		return graphs.Boolean(false)
	}
	if v := trace.ParseValue(text); v.Kind != graphs.String {
		return v
	}
	return graphs.Str(unquote(text))
}

// ownEntry returns the entry for host of a TLA+ function or record. It returns all other text
// unchanged, including a function without that entry.
func ownEntry(text, host string) string {
	var separator, arrow string
	switch {
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
		separator, arrow = "@@", ":>"
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		separator, arrow = ",", "|->"
	default:
		return text
	}

	inner := text[1 : len(text)-1]
	for _, entry := range split(inner, separator) {
		parts := split(entry, arrow)
		if len(parts) < 2 {
			return text
		}
		if unquote(strings.TrimSpace(parts[0])) == host {
			_, value, _ := strings.Cut(entry, arrow)
			return strings.TrimSpace(value)
		}
	}

	return text
}

// split cuts a TLA+ expression at each separator outside brackets and strings.
func split(text, separator string) []string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "|->") && depth > 0, strings.HasPrefix(text[i:], ":>") && depth > 0:
			i++
		case strings.HasPrefix(text[i:], "<<"):
			depth++
			i++
		case strings.HasPrefix(text[i:], ">>"):
			depth--
			i++
		case b == '(' || b == '[' || b == '{':
			depth++
		case b == ')' || b == ']' || b == '}':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], separator):
			parts = append(parts, text[from:i])
			i += len(separator) - 1
			from = i + 1
		}
	}

	return append(parts, text[from:])
}
