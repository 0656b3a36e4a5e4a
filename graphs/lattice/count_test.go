package lattice

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

var background = context.Background()

// Count is the number of cuts that exploration and brute force find.
func TestCountIsTheNumberOfCuts(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 2))
		c, l := random(r)
		want := int64(0)
		for _, cut := range l.Cuts {
			if l.Cuts[l.Initial].Within(cut) {
				want++
			}
		}
		got, err := Count(background, c, Limits{})
		if err != nil || got.Cmp(big.NewInt(want)) != 0 {
			t.Fatalf("seed %d: %v cuts (%v), not %d", seed, got, err, want)
		}
	}
}

// Larger computations, which brute force over tuples cannot count.
func TestCountIsTheNumberOfCutsExplored(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 50)) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := messages(r, 2+r.IntN(7), 10+r.IntN(50), 1+r.IntN(4))
		levels, err := Explore(background, c, Limits{Cuts: 300_000})
		if err != nil {
			continue
		}
		got, err := Count(background, c, Limits{})
		if err != nil || got.Cmp(big.NewInt(levels.Total())) != 0 {
			t.Fatalf("seed %d: %v cuts (%v), not %d", seed, got, err, levels.Total())
		}
	}
}

// messages returns n processes with m events that exchange messages and sometimes
// meet, one event in rate a send.
func messages(r *rand.Rand, n, m, rate int) *graphs.Computation {
	var b graphs.Builder
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
	}
	type sent struct {
		index int32
		by    graphs.Handle
	}
	inbox := make([][]sent, n)
	for range m {
		p := r.IntN(n)
		e := b.Event(p)
		switch {
		case len(inbox[p]) > 0 && r.IntN(2) == 0:
			b.Deliver(inbox[p][0].index, inbox[p][0].by, e, -1)
			inbox[p] = inbox[p][1:]
		case r.IntN(rate) == 0:
			q := r.IntN(n)
			inbox[q] = append(inbox[q], sent{b.NewMessage(""), e})
		case r.IntN(8) == 0:
			b.Sync(e, b.Event((p+1)%n))
		}
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because messages are received after they are sent: " + err.Error())
	}
	return c
}

// The numbers of cuts of the models of Kalyon et al., as other tools found them.
var knownCounts = map[string]string{
	"pet-2-1000-1": "5016", "pet-2-2000-1": "8566", "pet-2-5000-1": "22207", "pet-2-15000-1": "65536",
	"petn-5-1000-1": "5057", "petn-5-5000-1": "20602", "petn-10-1000-1": "188687", "petn-10-5000-1": "217292",
	"abp-2-500-1": "2329", "abp-2-1000-1": "10231", "abp-2-5000-1": "57827", "abp-2-50000-1": "748612",
	"phil-3-100-1": "1258", "phil-3-200-1": "2190", "phil-3-2000-1": "25799",
	"phil-5-100-1": "48835", "phil-5-200-1": "87159", "phil-5-500-1": "245177",
	"phil-10-100-1": "101542720", "phil-10-200-1": "445758856", "phil-10-500-1": "2500746371",
	"phil-10-200-2": "1561446574", "phil-10-2000-2": "17927182918", "rand-10-1000-1": "35999311439",
	"phil-20-1000-2": "5829687082264215211", // counted here first
}

func benchTraces(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/traces/bench/*.jsonl.gz")
	if err != nil || len(files) != len(knownCounts) {
		t.Fatalf("%d traces (%v), not %d", len(files), err, len(knownCounts))
	}
	return files
}

func readTrace(t testing.TB, file string) (string, *graphs.Computation) {
	c, err := native.ReadFile(background, file, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), c
}

func TestCountKnown(t *testing.T) {
	for _, file := range benchTraces(t) {
		name, c := readTrace(t, file)
		got, err := Count(background, c, Limits{})
		if err != nil || got.String() != knownCounts[name] {
			t.Errorf("%s: %v cuts (%v), not %s", name, got, err, knownCounts[name])
		}
	}
}

func TestExploreKnown(t *testing.T) {
	for _, file := range benchTraces(t) {
		name, c := readTrace(t, file)
		want := knownCounts[name]
		if len(want) > 6 {
			continue
		}
		levels, err := Explore(background, c, Limits{})
		if err != nil || fmt.Sprint(levels.Total()) != want {
			t.Errorf("%s: %v (%v), not %s", name, levels, err, want)
		}
	}
}

// Independent processes multiply: here to more than 128 bits.
func TestCountOfManyProcesses(t *testing.T) {
	var b graphs.Builder
	want := big.NewInt(1)
	var last graphs.Handle
	for p := range 200 {
		b.Process(fmt.Sprintf("P%d", p))
		for range 6 {
			last = b.Event(p)
		}
		want.Mul(want, big.NewInt(7))
	}
	first := b.Event(b.Process("P200"))
	b.Order(last, first) // 6·1 + 1·2 instead of 7·2
	want.Div(want, big.NewInt(7)).Mul(want, big.NewInt(8))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Count(background, c, Limits{}); err != nil || got.Cmp(want) != 0 {
		t.Errorf("%v cuts (%v), not %v", got, err, want)
	}
}

func TestNaturals(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	draw := func() natural {
		n := natural{small: r.Uint64() >> r.IntN(64)}
		if r.IntN(4) == 0 {
			n = natural{wide: new(big.Int).Lsh(n.big(), uint(r.IntN(100)))}
		}
		return n
	}
	for range 100_000 {
		a, b := draw(), draw()
		if got, want := a.plus(b).big(), new(big.Int).Add(a.big(), b.big()); got.Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v", a.big(), b.big(), got)
		}
		if got, want := a.times(b).big(), new(big.Int).Mul(a.big(), b.big()); got.Cmp(want) != 0 {
			t.Fatalf("%v * %v = %v", a.big(), b.big(), got)
		}
	}
}

// large is a computation that nothing here can count or explore to the end.
func large() *graphs.Computation {
	return messages(rand.New(rand.NewPCG(5, 5)), 40, 20000, 2)
}

func TestLimits(t *testing.T) {
	c := large()
	count := func(ctx context.Context, lim Limits) error {
		_, err := Count(ctx, c, lim)
		return err
	}
	explore := func(ctx context.Context, lim Limits) error {
		_, err := Explore(ctx, c, lim)
		return err
	}
	cancelled, cancel := context.WithCancel(background)
	cancel()
	for _, x := range []struct {
		name   string
		run    func(context.Context, Limits) error
		lim    Limits
		reason string
	}{
		{"Count", count, Limits{Cuts: 20_000}, "more than 20,000 intermediate states"},
		{"Count", count, Limits{Bytes: 1_000_000}, "more than 1,000,000 bytes of memory"},
		{"Count", count, Limits{Steps: 100_000}, "more than 100,000 steps"},
		{"Explore", explore, Limits{Cuts: 20_000}, "more than 20,000 cuts"},
		{"Explore", explore, Limits{Bytes: 1_000_000}, "more than 1,000,000 bytes of memory"},
	} {
		var limit *LimitError
		if err := x.run(background, x.lim); !errors.As(err, &limit) || limit.Reason != x.reason {
			t.Errorf("%s within %v: %v, not %q", x.name, x.lim, err, x.reason)
		}
		if err := x.run(cancelled, Limits{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cancelled: %v", x.name, err)
		}
	}
	// The context is checked before there are 20,000 cuts: by Count several times, and once for
	// each process that it ranks.
	for _, x := range []struct {
		name string
		run  func(context.Context, Limits) error
		most int
	}{{"Count", count, c.NumProcesses() + 5}, {"Explore", explore, 0}} {
		patience := &graphtest.Patience{Context: background, Most: x.most}
		if err := x.run(patience, Limits{Cuts: 20_000}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, after asking %d times", x.name, err, patience.Asked)
		}
	}
	if got := tooMany(1234567, "cuts").Error(); got != "lattice: more than 1,234,567 cuts" {
		t.Error(got)
	}
}

// The limit on cuts is exact: a lattice of that size passes.
func TestLimitOfCutsIsExact(t *testing.T) {
	_, c := readTrace(t, "../../testdata/traces/bench/phil-3-100-1.jsonl.gz")
	if _, err := Explore(background, c, Limits{Cuts: 1258}); err != nil {
		t.Error(err)
	}
	if _, err := Explore(background, c, Limits{Cuts: 1257}); err == nil {
		t.Error("1258 cuts within a limit of 1257")
	}
}

func BenchmarkCount(b *testing.B) {
	for _, file := range benchTraces(b) {
		name, c := readTrace(b, file)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Count(background, c, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkExplore(b *testing.B) {
	for _, name := range []string{"petn-10-5000-1", "phil-5-500-1", "abp-2-50000-1"} {
		_, c := readTrace(b, "../../testdata/traces/bench/"+name+".jsonl.gz")
		b.Run(name, func(b *testing.B) {
			cuts := int64(0)
			for b.Loop() {
				levels, err := Explore(background, c, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				cuts += levels.Total()
				for k := range levels.NumLevels() {
					levels.Successors(k, func(int, []int32) {})
				}
			}
			b.ReportMetric(float64(cuts)/b.Elapsed().Seconds(), "cuts/s")
		})
	}
}

// path returns n processes of one event each; all but each k-th receive a message from
// the process before.
func path(n, k int) *graphs.Computation {
	var b graphs.Builder
	var last graphs.Handle
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		e := b.Event(p)
		if p%k != 0 {
			b.Deliver(b.NewMessage(""), last, e, -1)
		}
		last = e
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because messages are received after they are sent: " + err.Error())
	}
	return c
}

// Many processes take no longer than their parts do, and a large part ends with the context.
func TestManyProcesses(t *testing.T) {
	const n = 20_000
	got, err := Count(background, path(n, 2), Limits{Steps: 4 * n})
	if want := new(big.Int).Exp(big.NewInt(3), big.NewInt(n/2), nil); err != nil || got.Cmp(want) != 0 {
		t.Errorf("%d processes in pairs: %v", n, err)
	}
	large := path(n, n)
	patience := &graphtest.Patience{Context: background, Most: 5}
	if _, err = Count(patience, large, Limits{}); !errors.Is(err, context.DeadlineExceeded) || patience.Asked != patience.Most+1 {
		t.Errorf("%d processes in a row: %v, after asking %d times", n, err, patience.Asked)
	}
	if _, err := Count(background, large, Limits{Bytes: 1 << 20}); !is[*LimitError](err) {
		t.Errorf("%d processes in a row in a megabyte: %v", n, err)
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
