package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/pota-project/pota/translate/spin"
)

// A Command is run by sh for each item, which it receives on its standard input.
type Command struct {
	Text    string
	Timeout time.Duration // how long one run may take
	Grace   time.Duration // how long to wait for the output of a run that has ended
}

// maxOutput is how many bytes of the output of a command are kept.
const maxOutput = 4 << 10

// Run runs the command, and returns why it failed. It kills the command when ctx is done.
func (c *Command) Run(ctx context.Context, input []byte) error {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	sh := exec.CommandContext(limited, "sh", "-c", c.Text)
	spin.Group(sh) // an interrupt from the keyboard ends only this program
	output := &prefix{max: maxOutput}
	sh.Stdin = bytes.NewReader(input)
	sh.Stdout = output
	sh.Stderr = output
	sh.WaitDelay = c.Grace
	err := sh.Run()
	text := strings.TrimSpace(output.String())
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("the command has ended, but a process that it started still holds its output: redirect that")
	case limited.Err() != nil:
		return fmt.Errorf("the command did not end within %s", c.Timeout)
	case text != "":
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// prefix keeps the first max bytes written to it, by one goroutine at a time, as package exec does.
type prefix struct {
	max int
	strings.Builder
}

func (p *prefix) Write(text []byte) (int, error) {
	p.Builder.Write(text[:min(len(text), p.max-p.Len())])
	return len(text), nil
}
