package rctl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/rctltest"
)

// All tests here use several cores at once.
func init() { alone = 0 }

// A result is the same to the byte on any number of cores.
func TestCores(t *testing.T) {
	n := graphtest.Rounds(t, 500)
	for i := range n {
		r := rand.New(rand.NewPCG(67, uint64(i)))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 12 + r.IntN(12), Kinds: graphtest.AllKinds})
		if c.Empty() {
			continue
		}
		text := enginetest.Nested(r, c, 1+r.IntN(4))
		switch r.IntN(3) {
		case 0:
			for range 1 + r.IntN(4) {
				text += []string{" && ", " || "}[i%2] + enginetest.Nested(r, c, 1+r.IntN(3))
			}
		case 1:
			text = rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{})
		}
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Evidence: r.IntN(4) > 0, NoProjection: r.IntN(2) == 0, MaxMemory: []int64{0, 1 << 8, 1 << 30}[r.IntN(3)]}
		want := ""
		opts.evidenceSteps = []int64{8, 1 << 10}[r.IntN(2)]
		for _, opts.Cores = range []int{1, 2, 5} {
			res, err := Check(context.Background(), c, f, opts)
			if err != nil {
				t.Fatalf("case %d: %s: %v", i, text, err)
			}
			if got := fmt.Sprintln(res.Verdict, res.Reason, res.Engine, res.Class.Fragment) + printed(res.Evidence); opts.Cores == 1 {
				want = got
			} else if got != want {
				t.Fatalf("case %d: %s on %d cores:\n%sand on one\n%s", i, text, opts.Cores, got, want)
			}
		}
	}
}

// Nor does it depend on what else the machine does, where a search for a shorter run is given
// up: a random satisfiable formula has no least cut that is soon proven to be one.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	const variables, clauses = 120, 460
	c, text := enginetest.Clauses(rand.New(rand.NewPCG(1, 1)), variables, clauses)
	f, err := rctltest.Resolve(c, "EF("+text+")")
	if err != nil {
		t.Fatal(err)
	}
	check := func(cores int) string {
		res, err := Check(t.Context(), c, f, Options{Evidence: true, Cores: cores})
		if err != nil {
			t.Fatal(err)
		}
		if res.Evidence == nil || !res.Evidence.MaybeShorter {
			t.Fatalf("%s, and the run is the shortest", res.Verdict)
		}
		return printed(res.Evidence)
	}
	quiet := check(1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}
	if loaded := check(2); loaded != quiet {
		t.Errorf("under load\n%son a quiet machine\n%s", loaded, quiet)
	}
}

func printed(e *Evidence) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, e.Formula, e.Start, e.Cut, e.Run, e.Whole, e.MaybeShorter)
	for _, child := range e.Children {
		b.WriteString(printed(child))
	}
	return b.String()
}

func testChecker(ctx context.Context, cores int) *checker {
	c := graphtest.Random(rand.New(rand.NewPCG(1, 1)), graphtest.DefaultConfig)
	return newChecker(ctx, c, regular.NewMemo(), Options{Cores: cores})
}

// Several decisions are made at a time, their answers are used in order, and what is
// not reached is ended.
func TestEach(t *testing.T) {
	k := testChecker(t.Context(), 2)
	second, third, ended := make(chan bool), make(chan bool), make(chan bool)
	var order []int
	for i, a := range k.each(5, func(k *checker, i int) engine.Answer {
		switch i {
		case 1:
			close(second)
			<-third // which begins before this ends
			k.used = IST
		case 2:
			<-second
			close(third)
			k.used = Explicit
		case 3:
			k.fail(context.DeadlineExceeded)
			return engine.Undecided("not used")
		case 4:
			<-k.Ctx.Done()
			close(ended)
		}
		return engine.Answer{Verdict: Holds}
	}) {
		if order = append(order, i); i == 1 && k.used != IST {
			t.Errorf("%s was used by then", k.used)
		}
		if i == 2 {
			break
		}
		if a.Verdict != Holds {
			t.Errorf("%d: %s", i, a.Verdict)
		}
	}
	if fmt.Sprint(order) != "[0 1 2]" || k.used != Explicit || k.failure() != nil {
		t.Errorf("%v by %s: %v", order, k.used, k.failure())
	}
	<-ended
}

// What is ended for want of memory is decided in its turn.
func TestTight(t *testing.T) {
	k := testChecker(t.Context(), 2)
	k.Bytes = 1
	runtime.GC() // what is freed meanwhile would make up for what is taken
	for i, a := range k.each(2, func(of *checker, i int) engine.Answer {
		if of == k {
			return engine.Answer{Verdict: Holds}
		}
		kept := make([]byte, 16<<20)
		<-of.Ctx.Done()
		runtime.KeepAlive(kept)
		return engine.Undecided("out of memory")
	}) {
		if a.Verdict != Holds {
			t.Errorf("%d: %s: %s", i, a.Verdict, a.Reason)
		}
	}
}

// At a limit of time a verdict that was reached ahead of its turn counts.
func TestAtLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k := testChecker(ctx, 2)
	rest := k.fork(func(k *checker) engine.Answer {
		k.used = IST
		return engine.Answer{Verdict: Fails}
	})
	if a := k.atLimit(engine.Undecided("late"), rest); a.Verdict != Unknown {
		t.Errorf("%s before it was decided", a.Verdict)
	}
	rest.begin()
	cancel()
	k.fail(ctx.Err())
	if a := k.atLimit(engine.Undecided("late"), rest); a.Verdict != Fails || k.failure() != nil || k.used != IST {
		t.Errorf("%s by %s: %v", a.Verdict, k.used, k.failure())
	}
	if a := k.atLimit(engine.Answer{Verdict: Holds}, rest); a.Verdict != Holds {
		t.Errorf("%s, not what was decided in turn", a.Verdict)
	}
}

// What has not begun when it would be its turn never begins.
func TestSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := testChecker(t.Context(), 2)
		begun := make(chan bool)
		f := k.soon(func(*checker) engine.Answer {
			close(begun)
			return engine.Answer{Verdict: Holds}
		})
		<-begun
		if a, ok := k.use(f); !ok || a.Verdict != Holds {
			t.Errorf("%s, %t", a.Verdict, ok)
		}

		k.cores.take() // the only one
		f = k.soon(func(*checker) engine.Answer { t.Error("begun without a core"); return engine.Answer{} })
		time.Sleep(alone + 1)
		synctest.Wait()
		if !f.begun.CompareAndSwap(false, true) {
			t.Error("begun without a core")
		}
	})
}

// The steps of a decision ahead of its turn are those of whoever uses it, once it does.
func TestStepsOfForks(t *testing.T) {
	k := testChecker(effort.Counted(t.Context()), 2)
	f := k.fork(func(k *checker) engine.Answer {
		_ = effort.Spend(k.Ctx, 7) // there is no limit
		return engine.Answer{Verdict: Holds}
	})
	f.begin()
	if n := effort.Spent(k.Ctx); n != 0 {
		t.Errorf("%d steps before it is used", n)
	}
	if _, ok := k.use(f); !ok || effort.Spent(k.Ctx) != 7 {
		t.Errorf("used %t, %d steps", ok, effort.Spent(k.Ctx))
	}
}
