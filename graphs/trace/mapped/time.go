package mapped

import "time"

// layouts are forms of a time that loggers have beside that of RFC 3339.
var layouts = []string{"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700"}

// timeText returns the time that a text is as JSON: a number, or a string as RFC 3339
// wants it; nil for what is neither.
func timeText(t []byte) []byte {
	s := scanner{text: t, end: len(t)}
	if len(t) > 0 && (t[0] == '-' || t[0]-'0' <= 9) && s.number() && s.at == s.end {
		return t
	}
	if _, err := time.Parse(time.RFC3339, string(t)); err == nil {
		return quoted(nil, t)
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, string(t)); err == nil {
			return at.AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
		}
	}
	return nil
}
