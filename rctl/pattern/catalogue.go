package pattern

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed catalogue.txt
var catalogue string

// All returns the patterns, in the order of the catalogue. Its beginning says what the lines are.
var All = sync.OnceValue(func() []Pattern {
	var all []Pattern
	for line := range strings.Lines(catalogue) {
		word, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text = strings.TrimSpace(text)
		p := new(Pattern) // the last one
		if len(all) > 0 {
			p = &all[len(all)-1]
		}
		fields := map[string]*string{
			"means": &p.Sentence, "formula": &p.Formula, "within": &p.Within, "mistake": &p.Mistake, "which": &p.Why,
		}
		switch word {
		case "", "#":
		case "pattern":
			name, places, _ := strings.Cut(text, ":")
			places, more := strings.CutSuffix(places, ",…")
			all = append(all, Pattern{Name: name, Params: arguments(places), More: more})
		case "example":
			p.Example = arguments(text)
		default:
			if field := fields[word]; field != nil {
				*field = text
			} else {
				p.Trace += line
			}
		}
	}
	return all
})
