//go:build unix

package watch

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// jumping replaces what package time makes of the clocks of the system: four times a second the one that
// tells the time of day is set, forth and back, by up to three years. The other goes on.
const (
	steady  = "sec, nsec, mono := runtimeNow()\n"
	jumping = steady + "\tsec += [...]int64{0, 86400, -3600, 30, -100000000, 2, 5000000, -1}[mono/250000000%8]\n"
)

// build builds the program, where jumps is set so that its clock jumps.
func build(binary string, jumps bool) error {
	if !jumps {
		return cases.Build(binary)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Count(string(text), steady) != 1 {
		return fmt.Errorf("%s does not read the clocks in the one way that can be replaced", path)
	}
	dir, err := os.MkdirTemp("", "pota-clock-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // the system removes it some time
	replaced, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	names, err := json.Marshal(map[string]any{"Replace": map[string]string{path: replaced}})
	if err != nil {
		return err
	}
	for file, text := range map[string]string{replaced: strings.Replace(string(text), steady, jumping, 1), overlay: string(names)} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return cases.Build(binary, "-overlay", overlay)
}
