package slice

// MaxOutside is for tests to change.
var MaxOutside = &maxOutside

// LooksAhead reports whether the search for a cut outside s is that of slices that look ahead.
func (s *Slice) LooksAhead() bool { return len(s.needs) > 0 || len(s.ahead) > 0 }
