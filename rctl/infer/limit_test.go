package infer

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A limited context is done when its error was asked for so many times.
type limited struct {
	context.Context
	left int
}

func (l *limited) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// When the time for candidates is over, the lists have the candidates found so far.
func TestLimitOfCandidates(t *testing.T) {
	good := []Run{lockRun(t, 1, true, false), lockRun(t, 2, true, false)}
	all := infers(t, good, nil)
	s := &search{opts: Options{Lines: 10, Timeout: time.Hour}, v: vocabularyOf(good), res: new(Result), names: make(map[string]int)}
	var err error
	if s.good, err = s.runs(t.Context(), good, true); err != nil {
		t.Fatal(err)
	}
	if err := s.find(t.Context(), &limited{t.Context(), 1000}); err != context.Canceled {
		t.Errorf("why this is not all: %v", err)
	}
	if n := s.res.Candidates; n == 0 || n >= all.Candidates {
		t.Errorf("%d of %d candidates", n, all.Candidates)
	}
	known := func(f *Finding) bool { return f.Template == "mutex" || f.Template == "unique" }
	if !slices.ContainsFunc(s.res.Held, known) {
		t.Errorf("held: %d lines", len(s.res.Held))
	}
}

// Half of the time is for candidates, if it is limited.
func TestHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		filling, end := half(ctx)
		defer end()
		time.Sleep(29 * time.Second)
		if filling.Err() != nil {
			t.Error("done after 29 of 60 s")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if filling.Err() == nil || ctx.Err() != nil {
			t.Errorf("after 31 of 60 s: %v, %v", filling.Err(), ctx.Err())
		}
		if unlimited, _ := half(t.Context()); unlimited != t.Context() {
			t.Error("there is no limit to divide")
		}
	})
}
