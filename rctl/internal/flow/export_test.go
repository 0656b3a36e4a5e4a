package flow

// Windows are so small, and so few, for a time.
func SetWindows(smallest, fewest int) (reset func()) {
	window, least := smallestWindow, fewestWindows
	smallestWindow, fewestWindows = smallest, fewest
	return func() { smallestWindow, fewestWindows = window, least }
}
