// Package modelcheck decides properties on all executions of a program: a model in Promela, or a
// model of package simulate.
//
// A Model is loaded as a program.Program. An engine explores its states: package crucial, or
// SPIN for models in Promela. A verdict comes with trails, the paths through the program that
// show it. Each is recorded as a trace (trail.go), so that verdicts on programs are presented,
// drawn and saved as those on traces are.
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
	Name string // of a file in Promela, or of a model of package simulate

	// Of a model of package simulate:
	Processes int // if it is among Given, else as few as the model has
	Rounds    int
	Fault     string
	Seed      uint64

	Given []string // which flags set these
}

// Load reads the program. A file is preferred: a model of the same name can be had from elsewhere.
func (m Model) Load(r *job.Run) (program.Program, error) {
	model, err := simulate.Lookup(m.Name)
	if err != nil || load.Exists(m.Name) {
		// A file says itself how many processes there are, so the flag would be ignored.
		if len(m.Given) > 0 {
			return nil, exit.Usagef("--%s is for the models that pota simulate --list prints: %s says itself what it does", m.Given[0], m.Name)
		}
		return Promela(r, m.Name)
	}
	// Without a round nothing happens, and every safety property would hold.
	if m.Rounds < 1 {
		return nil, exit.Usagef("the number of rounds must be at least 1, not %d", m.Rounds)
	}
	// A model that never ends, or has too many processes, is a mistake of the flags.
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

// Promela reads a file in Promela: mistakes are found before anything is explored. What pota does
// not look at in it is noted.
func Promela(r *job.Run, name string) (program.Program, error) {
	return job.Do(r, "reading "+name, func(context.Context) (program.Program, error) {
		m, err := promela.Read(name)
		if err != nil {
			return nil, err
		}
		// A construct that is not looked at may change what the verdict means.
		for _, note := range m.Notes {
			fmt.Fprintf(r.Console.Err, "pota: %s: %s\n", note.Position, note.Msg)
		}
		return promela.Compile(m)
	})
}
