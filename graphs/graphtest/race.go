//go:build race

package graphtest

const raceDetector = true
