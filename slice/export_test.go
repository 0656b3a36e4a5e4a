package slice

// MostOutside is for tests to change.
var MostOutside = &mostOutside
