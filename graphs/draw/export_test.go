package draw

// Hash is hash, for tests.
var Hash = hash
