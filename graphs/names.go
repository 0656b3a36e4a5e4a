package graphs

// names is an array of strings, one for each event, most of them perhaps empty,
// in one block of bytes.
type names struct {
	off  []uint32 // nil when all are empty
	text []byte
}

func (n names) at(e Event) string {
	if n.off == nil {
		return ""
	}
	return string(n.text[n.off[e]:n.off[e+1]])
}
