package graphs

// A Place is where a trace tells of an event. The zero Place is nowhere.
type Place struct {
	File   string
	Line   int    // from 1, 0 where it is not known
	Record string // what there tells of the event, such as a span; "" for the line
}

// places has the place of each event, by handle while a computation is being built.
type places struct {
	texts  []string // files and records, "" first
	number map[string]int32
	at     []place // nil where no place is known
}

type place struct{ file, record, line int32 }

// set notes the place of e.
func (p *places) set(e Event, at Place) {
	for len(p.at) <= int(e) {
		p.at = append(p.at, place{})
	}
	p.at[e] = place{p.text(at.File), p.text(at.Record), int32(at.Line)}
}

// text returns the number of a text.
func (p *places) text(s string) int32 {
	if s == "" {
		return 0
	}
	n, ok := p.number[s]
	if !ok {
		if p.number == nil {
			p.number, p.texts = make(map[string]int32), []string{""}
		}
		n = int32(len(p.texts))
		p.number[s], p.texts = n, append(p.texts, s)
	}
	return n
}

// moved returns the places by event, where now they are by handle.
func (p *places) moved(c *Computation, event func(Handle) Event) places {
	if p.at == nil {
		return places{}
	}
	return places{texts: p.texts, at: moved(p.at, c, event)}
}

// Place returns where the trace tells of e, nowhere where that was not asked of its
// reader, or is not known.
func (c *Computation) Place(e Event) Place {
	if c.places.at == nil || c.places.at[e].file == 0 {
		return Place{}
	}
	at := c.places.at[e]
	return Place{c.places.texts[at.file], int(at.line), c.places.texts[at.record]}
}
