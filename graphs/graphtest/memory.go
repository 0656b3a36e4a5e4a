package graphtest

// Memory returns how many bytes a test may take, or allocate, where n are enough without the race
// detector. That keeps the history of each word, and the least stack of a goroutine is larger.
func Memory(n int64) int64 {
	if raceDetector {
		return 10 * n
	}
	return n
}
