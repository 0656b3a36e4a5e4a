// Package modelcheck decides properties on all executions of a program: a model in Promela, or a
// model of package simulate.
//
// A Model is loaded as a program.Program. An engine explores its states: package crucial, or
// SPIN for models in Promela. A verdict comes with trails, the paths through the program that
// show it. Each is recorded as a trace (trail.go), so that verdicts on programs are presented,
// drawn and saved like those on traces.
package modelcheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/graphs/simulate"
)

// A Model names a program.
type Model struct {
	Name string // the name of a file in Promela, or of a model of package simulate

	// The fields below apply to models of package simulate.
	Processes int // used if it is among Given; the default is the model's least number
	Rounds    int
	Fault     string
	Seed      uint64

	Given []string // the names of the flags that were set explicitly
}

// Load reads the program. A file takes precedence over a model of package simulate with its name,
// because the model is also available from other folders.
func (m Model) Load(r *job.Run) (program.Program, error) {
	model, err := simulate.Lookup(m.Name)
	if err != nil || load.Exists(m.Name) {
		// A file fixes its own number of processes, so the flag would be ignored.
		if len(m.Given) > 0 {
			return nil, exit.Usagef("--%s is for the models that pota simulate --list prints: %s says itself what it does", m.Given[0], m.Name)
		}
		return Promela(r, m.Name)
	}
	// Without a round no event happens, and every safety property would hold.
	if m.Rounds < 1 {
		return nil, exit.Usagef("the number of rounds must be at least 1, not %d", m.Rounds)
	}
	// A model that never ends, or has too many processes, is a mistake in the flags.
	p, err := simulate.NewProgram(m.Config(model))
	if err != nil {
		return nil, exit.Usagef("%s", err)
	}
	return p, nil
}

// Config returns how a model is simulated.
func (m Model) Config(model *simulate.Model) simulate.Config {
	cfg := simulate.Config{
		Model:     model.Name,
		Processes: model.MinProcesses,
		Rounds:    m.Rounds,
		Seed:      m.Seed,
		Fault:     m.Fault,
	}
	// The flag has no default of its own, because each model has another least number.
	if slices.Contains(m.Given, "processes") {
		cfg.Processes = m.Processes
	}
	return cfg
}

// Promela reads a file in Promela, so that mistakes are found before the program is explored. It
// prints a note for each construct that pota ignores.
func Promela(r *job.Run, name string) (program.Program, error) {
	return job.Do(r, "reading "+name, func(context.Context) (program.Program, error) {
		m, err := promela.Read(name)
		if err != nil {
			return nil, err
		}
		// An ignored construct may change what the verdict means.
		for _, note := range m.Notes {
			fmt.Fprintf(r.Console.Err, "pota: %s: %s\n", note.Position, note.Msg)
		}
		return promela.Compile(m)
	})
}
