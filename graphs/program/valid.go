package program

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Valid returns the first error in a layout, or nil if it has none.
func (l *Layout) Valid() error {
	seen := make(map[string]bool)
	for i, p := range l.Processes {
		if p.Name == "" || seen[p.Name] {
			return fmt.Errorf("the name %q of process %d is empty or not its own", p.Name, i)
		}
		seen[p.Name] = true
		labels := make(map[string]bool)
		for _, at := range p.Locations {
			for _, label := range at.Labels {
				if labels[label] {
					return fmt.Errorf("process %s has the label %s twice", p.Name, label)
				}
				labels[label] = true
			}
		}
	}
	declared := make(map[string]bool)
	for _, v := range l.Variables {
		owned := fmt.Sprintf("%s@%d", v.Name, v.Process)
		switch {
		case v.Process != graphs.Shared && (v.Process < 0 || v.Process >= len(l.Processes)):
			return fmt.Errorf("variable %s belongs to process %d, which does not exist", v.Name, v.Process)
		case v.Process != graphs.Shared && v.Name == At:
			return fmt.Errorf("variable %s of %s has the name of the location", v.Name,
				l.Processes[v.Process].Name)
		case declared[owned]:
			return fmt.Errorf("variable %s is declared twice", v.Name)
		case v.Kind == graphs.NoKind:
			return fmt.Errorf("variable %s has no kind", v.Name)
		case !l.objects(v.Objects):
			return fmt.Errorf("variable %s has objects out of order or out of range", v.Name)
		}
		declared[owned] = true
	}
	for i, a := range l.Actions {
		switch {
		case a.Process < 0 || a.Process >= len(l.Processes):
			return fmt.Errorf("action %d belongs to process %d, which does not exist", i, a.Process)
		case !within(append([]int{a.From}, a.To...), len(l.Processes[a.Process].Locations)) ||
			!slices.IsSorted(a.To):
			return fmt.Errorf("action %d has locations out of order or out of range", i)
		case !l.objects(a.Reads) || !l.objects(a.Writes) || !l.objects(a.Awaits):
			return fmt.Errorf("action %d has objects out of order or out of range", i)
		case a.Meets < 0 || a.Channel < 0 || a.Meets > 0 && a.Channel > 0:
			return fmt.Errorf("action %d uses two channels", i)
		}
	}
	return nil
}

// At is the name of a variable that each process with labels has without declaring it: the first
// label of its location.
const At = "at"

func (l *Layout) objects(list []int) bool {
	return slices.IsSorted(list) && within(list, l.Objects)
}

func within(list []int, n int) bool {
	return !slices.ContainsFunc(list, func(x int) bool { return x < 0 || x >= n })
}
