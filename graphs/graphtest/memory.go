package graphtest

// Memory returns how many bytes a test may take, or allocate, where n are enough on an idle
// machine. Where cores are busy, garbage stays longer. The race detector keeps the history of each
// word, and the least stack of a goroutine is larger with it.
func Memory(n int64) int64 {
	if raceDetector {
		return 10 * n
	}
	return 2 * n
}
