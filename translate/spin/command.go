package spin

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// programs checks that all programs are installed.
func programs(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return &MissingError{name}
		}
	}
	return nil
}

// command runs a program in a folder and returns what it printed. When ctx is done
// the program is killed, with all that it started.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	group(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return out.String(), err
}
