package simulate

import (
	"fmt"
	"strings"
)

// An UnknownModelError says that there is no model of a name.
type UnknownModelError struct {
	Name   string
	Near   string // the model that was meant, "" if none is near
	Models []string
}

// Error names the nearest model, or all.
func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("there is no model %q; ", e.Name) + meant(e.Near, "the models", e.Models)
}

// meant names what was meant, or all that there are.
func meant(near, what string, all []string) string {
	if near != "" {
		return "did you mean " + near + "?"
	}
	return what + " are " + strings.Join(all, ", ")
}

// An UnknownFaultError says that a model has no fault of a name.
type UnknownFaultError struct {
	Model *Model
	Name  string
	Near  string // the fault that was meant, "" if none is near
}

// Error names the nearest fault of the model, or all.
func (e *UnknownFaultError) Error() string {
	var names []string
	for _, f := range e.Model.Faults {
		names = append(names, f.Name)
	}
	return fmt.Sprintf("%s has no fault %q; ", e.Model.Name, e.Name) +
		meant(e.Near, "its faults", names)
}

// A SizeError says that a model cannot run with so many processes or events.
type SizeError struct {
	Model  *Model
	Config Config
	Most   int // processes of a Program; 0 where that is not the reason
}

// Error names the bound that the configuration breaks.
func (e *SizeError) Error() string {
	m, n := e.Model, e.Config.Processes
	switch {
	case e.Most > 0:
		return fmt.Sprintf("all runs of %s can be looked at with at most %d processes, not %d",
			m.Name, e.Most, n)
	case n < m.MinProcesses && m.MaxProcesses == m.MinProcesses, m.MaxProcesses > 0 &&
		n > m.MaxProcesses:
		return fmt.Sprintf("%s must have %d processes, not %d", m.Name, m.MaxProcesses, n)
	case n < m.MinProcesses:
		return fmt.Sprintf("%s must have at least %d processes, not %d", m.Name, m.MinProcesses, n)
	}
	return fmt.Sprintf("the number of events must be at least 0, not %d", e.Config.Events)
}

// An EndlessError says that there is no Program of a model.
type EndlessError struct{ Model *Model }

// Error lists the models that have a Program.
func (e *EndlessError) Error() string {
	var finite []string
	for _, m := range Models() {
		if !m.endless {
			finite = append(finite, m.Name)
		}
	}
	return fmt.Sprintf("the processes of %s have no finite state; those that have are %s",
		e.Model.Name, strings.Join(finite, ", "))
}
