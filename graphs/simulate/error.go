package simulate

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs/internal/nearmiss"
)

// An UnknownModelError says that there is no model of a name.
type UnknownModelError struct{ Name string }

// Error names the nearest model, or all.
func (e *UnknownModelError) Error() string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	return fmt.Sprintf("there is no model %q; %s", e.Name, meant(e.Name, "the models", names))
}

// An UnknownFaultError says that a model has no fault of a name.
type UnknownFaultError struct {
	Model *Model
	Name  string
}

// Error names the nearest fault of the model, or all.
func (e *UnknownFaultError) Error() string {
	names := make([]string, len(e.Model.Faults))
	for i, f := range e.Model.Faults {
		names[i] = f.Name
	}
	return fmt.Sprintf("%s has no fault %q; %s", e.Model.Name, e.Name, meant(e.Name, "its faults", names))
}

// meant names the one that is near to a name, or all that there are.
func meant(name, what string, all []string) string {
	if near := nearmiss.Find(name, all); near != "" {
		return "did you mean " + near + "?"
	}
	return what + " are " + strings.Join(all, ", ")
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
