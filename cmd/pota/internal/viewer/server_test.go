package viewer

import (
	"context"
	"errors"
	"io"
	"net/url"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/job"
)

// A question that nobody waits for any more ends, and lets the next one be answered; it does not
// wait for its turn, either.
func TestDroppedQuestions(t *testing.T) {
	c := console.New(nil, io.Discard, io.Discard)
	v := &server{run: &job.Run{Context: t.Context(), Console: c}, turn: make(chan struct{}, 1)}
	asking, drop := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := v.ask(asking, func(ctx context.Context, _ url.Values) (any, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		}, nil)
		ended <- err
	}()
	<-begun

	dropped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.ask(dropped, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a dropped question waited and was answered: %v", err)
	}
	drop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the first question ended with %v", err)
	}
	answer, err := v.ask(t.Context(), func(context.Context, url.Values) (any, error) { return "yes", nil }, nil)
	if answer != "yes" || err != nil {
		t.Errorf("%v, %v", answer, err)
	}
}
