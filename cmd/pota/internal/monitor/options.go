package monitor

import (
	"context"
	"io"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options configure a monitor.
type Options struct {
	Properties   []syntax.Property
	Variables    map[string]bool // that the properties name
	Format       *ingest.Format
	ExecutionKey string // names the execution of a line; "" where all lines are of one

	Paths    []string // as package tail takes them
	Stdin    io.Reader
	ToEnd    bool
	Listen   []receive.Address
	Received receive.Options // but for the handlers

	Declared bool // processes are declared before the first event
	SyncSize int
	Window   int // events that are kept
	Deadline time.Duration
	Idle     time.Duration // 0 for none of lines, and the default of spans
	Grace    time.Duration

	UntilFinal bool
	JSON       bool
	Quiet      bool
	Exec       string // the command that gets final answers; "" for none

	Log        string // the directory of the write-ahead log; "" for none
	Conditions []Condition

	Memory       int64 // bytes that the run may take
	EngineMemory int64 // and a decision of an execution of spans
}

// A Host is the process around a monitor.
type Host struct {
	// Write writes results.
	Write func(text []byte) error

	// Note reports an event, Error a mistake in an input.
	Note, Error func(text string)

	// Fail reports an error, and returns the status that the process deserves for it.
	Fail func(err error) exit.Status

	// Misfit is an error about the formula of a property.
	Misfit func(p syntax.Property, err error) error

	// Step runs work within the limits of the process, and reports whether it has returned: work
	// that does not heed its context is left running.
	Step func(work func(ctx context.Context) error) (returned bool, err error)
}

// A Condition must not change during the life of a log.
type Condition struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
