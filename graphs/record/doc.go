// Package record writes the trace of a running Go program.
package record
