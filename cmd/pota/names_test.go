package main

import (
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

// Names of the packages below, as tests use them.
const (
	allHold   = exit.AllHold
	someFails = exit.SomeFails
	badInput  = exit.BadInput
	undecided = exit.Undecided
)

func isFile(path string) bool { return load.Exists(path) }

func mapOf[T any](from []T, of func(T) string) []string {
	var to []string
	for _, x := range from {
		to = append(to, of(x))
	}
	return to
}

type status = exit.Status
