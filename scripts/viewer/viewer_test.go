//go:build browser

package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	printed "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A stage is what all tests use: the command and the browser.
type stage struct {
	*testing.T
	pota    string
	browser *browser
}

// All tests share a browser, which takes a while to start.
func TestViewer(t *testing.T) {
	if chromium() == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no chromium; scripts/test installs it")
		}
		t.Skip("NOT TESTED: there is no chromium, so the viewer is not looked at (apt-get install chromium)")
	}
	b, err := open(interrupted, filepath.Join(temporary, "browser"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	// Each test opens tabs of its own, so none sees what another has done. They run beside each other: a
	// page mostly waits for the next frame.
	for _, test := range []struct {
		name  string
		run   func(*stage)
		short bool // whether it runs with -short
	}{
		{"walk", walk, true},
		{"ask", ask, true},
		{"truth", truth, false},
		{"sizes", sizes, false},
		{"names", names, false},
		{"slices", slicing, false},
		{"take", take, false},
		{"groups", grouping, false},
		{"compare", comparing, false},
		{"touch", touch, false},
		{"places", places, false},
		{"facts", facts, false},
		{"labels", labels, false},
		{"defects", defects, true},
		{"pictures", drawPictures, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && !test.short {
				t.Skip("-short: a browser takes long")
			}
			t.Parallel()
			test.run(&stage{t, command(t), b})
		})
	}
}

// TestMain removes what tests have built, and ends what they have started, also where the run is
// interrupted.
func TestMain(m *testing.M) {
	var err error
	temporary, err = os.MkdirTemp("", "viewer")
	if err == nil {
		err = os.Setenv("TMPDIR", temporary) // a browser that is killed leaves a socket
	}
	if err != nil {
		panic(err)
	}
	var stop context.CancelFunc
	interrupted, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := m.Run()
	stop()
	_ = os.RemoveAll(temporary) // the system removes it some time
	os.Exit(status)
}

// built builds the command once for all tests.
var built = sync.OnceValues(func() (string, error) { return build(temporary) })

var (
	temporary   string          // a directory
	interrupted context.Context // is done when the run is interrupted: the browser and servers end, and tests fail
)

// command returns the path of the command.
func command(t *testing.T) string {
	t.Helper()
	pota, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return pota
}

// write writes a computation to a file.
func (s *stage) write(c *graphs.Computation) string {
	s.Helper()
	path := filepath.Join(s.TempDir(), "trace.jsonl")
	f, err := os.Create(path)
	if err == nil {
		err = native.Write(f, c, nil)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		s.Fatal(err)
	}
	return path
}

// draw shows the page that pota draw writes.
func (s *stage) draw(args ...string) *page {
	s.Helper()
	path := filepath.Join(s.TempDir(), "page.html")
	out, err := exec.Command(s.pota, append([]string{"draw", "--format", "html", "-o", path}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	return s.show("file://" + path)
}

// conform shows the page of a trace that does not conform to a diagram.
func (s *stage) conform(args ...string) *page {
	s.Helper()
	dir := s.TempDir()
	out, _ := exec.Command(s.pota, append([]string{"conform", "--view", dir}, args...)...).CombinedOutput() // status 1
	pages, _ := filepath.Glob(filepath.Join(dir, "*.html"))                                                 // the pattern is right
	if len(pages) != 1 {
		s.Fatalf("%q: %s", pages, out)
	}
	return s.show("file://" + pages[0])
}

// serve shows the page of a server, which ends with the test.
func (s *stage) serve(args ...string) *page {
	s.Helper()
	server := exec.CommandContext(interrupted, s.pota, append([]string{"serve"}, args...)...)
	url, err := serve(server)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = server.Process.Kill() // it has ended where the run was interrupted
		_ = server.Wait()         // it was killed
	})
	return s.show(url)
}

// show shows an address, and fails if the page complains before the test ends.
func (s *stage) show(url string) *page {
	s.Helper()
	p, err := s.browser.show(url)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		p.close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.complaints {
			s.Errorf("the page complains: %s", text)
		}
	})
	return p
}

// again shows the address of a page in another tab. To reload the page would not do: where it has
// just changed its own address, chromedp takes that for the end of the loading.
func (s *stage) again(p *page) *page {
	s.Helper()
	return s.show(eval[string](s, p, "location.href"))
}

// do does things with a page.
func (s *stage) do(p *page, actions ...chromedp.Action) {
	s.Helper()
	if err := p.run(actions...); err != nil {
		s.Fatal(err)
	}
}

// eval evaluates an expression in a page; %s in it are arguments as JSON.
func eval[T any](s *stage, p *page, expression string, args ...any) T {
	s.Helper()
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			s.Fatal(err)
		}
		expression = strings.Replace(expression, "%s", string(text), 1)
	}
	var result T
	s.do(p, chromedp.Evaluate(expression, &result))
	return result
}

// awaits is eval for a promise.
func awaits[T any](s *stage, p *page, expression string) T {
	s.Helper()
	var result T
	s.do(p, chromedp.Evaluate(expression, &result, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return result
}

// text returns what a person reads.
func (s *stage) text(p *page, id string) string {
	s.Helper()
	return eval[string](s, p, "document.getElementById(%s).innerText", id)
}

func (s *stage) reads(p *page, id string, texts ...string) {
	s.Helper()
	got := s.text(p, id)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			s.Errorf("%s reads %q, without %q", id, got, want)
		}
	}
}

// accessible fails for each rule of axe-core that the page breaks.
func (s *stage) accessible(p *page) {
	s.Helper()
	if eval[bool](s, p, "window.axe === undefined") {
		axe := string(graphtest.Uncompressed(s, filepath.Join("testdata", "axe.min.js.gz")))
		s.do(p, chromedp.Evaluate(axe+"; 0", nil))
	}
	for _, v := range awaits[[]string](s, p, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("\n")))`) {
		s.Errorf("axe-core: %s", v)
	}
}

// everywhere looks at a page in dark colours and on a phone, too.
func (s *stage) everywhere(p *page) {
	s.Helper()
	s.accessible(p)
	s.do(p, dark(true))
	s.size(p, phone)
	if eval[bool](s, p, "pota.twin !== null") {
		s.settle(p, "pota.twin")
	}
	s.accessible(p)
	if over := eval[int](s, p, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		s.Errorf("the page is %d pixels too wide for a phone", over)
	}
}

// seen is what a page says at a cut.
type seen struct {
	Truth   []int      `json:"truth"`
	Enabled []string   `json:"enabled"`
	Values  [][]string `json:"values"` // process, variable, value
}

const lookAt = `(cuts => cuts.map(counts => {
	const { model } = pota, cut = model.processes.map(p => counts[p.number] - p.before);
	pota.goTo(cut);
	if (String(pota.cut) !== String(cut)) throw new Error("at " + pota.cut + ", not " + cut);
	return {
		truth: pota.truth.map(t => t.at(pota.place)), enabled: pota.enabled.map(e => model.name(e)),
		values: pota.data.variables.map(v => [v.process < 0 ? "" : model.processes[v.process].name, v.name, model.value(v, cut)]),
	};
}))(%s)`

// place is what a page says at a place of a run.
type place struct {
	Cut   string `json:"cut"`
	Truth []int  `json:"truth"`
}

// What the page says of random cuts is what brute force says: the truth of each part, the
// enabled events, the values, how events are ordered.
func truth(s *stage) {
	r := rand.New(rand.NewPCG(16, 1))
	type question struct {
		c       *graphs.Computation
		formula string
	}
	var all []question
	var paths []string
	for len(all) < graphtest.RoundsUpTo(s, 10, 200) {
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 16, Kinds: graphtest.AllKinds &^ (graphtest.Overtaking | graphtest.Unreceived)})
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 3})
		if _, err := rctltest.Resolve(c, text); err == nil && c.NumEvents() > 0 {
			all, paths = append(all, question{c, text}), append(paths, s.write(c))
		}
	}
	p := s.serve(paths...)
	looked, unknown, parts := 0, 0, 0
	for k, q := range all {
		if !awaits[bool](s, p, fmt.Sprintf("pota.open({ trace: %d, formula: %q })", k, q.formula)) {
			s.Fatalf("%s is not decided", q.formula)
		}
		l := graphtest.NewLattice(q.c)
		holds := make(map[int][]bool)
		for k, part := range eval[[]string](s, p, "pota.data.parts.map(part => part.text)") {
			if f, err := rctltest.Resolve(q.c, part); err == nil { // no name in it is bound further out
				holds[k] = rctltest.Holds(l, f)
			}
		}
		if holds[0] == nil {
			s.Fatalf("%s is shown as something else", q.formula)
		}
		var cuts []graphs.Cut
		for range 10 {
			cuts = append(cuts, l.Cuts[r.IntN(len(l.Cuts))])
		}
		for i, got := range eval[[]seen](s, p, lookAt, cuts) {
			at := l.Index(cuts[i])
			looked++
			for k, truth := range holds {
				parts++
				switch {
				case got.Truth[k] == 2:
					unknown++
				case (got.Truth[k] == 1) != truth[at]:
					s.Errorf("%s: part %d is %d at %v, not %t", q.formula, k, got.Truth[k], cuts[i], truth[at])
				}
			}
			same(s, q.c, cuts[i], q.c.AllEvents(), got)
		}
		// So it says along each run.
		for _, got := range eval[[]place](s, p, `pota.data.runs.flatMap((run, k) => {
			pota.showRun(k);
			return Array.from({ length: pota.walk.length + 1 }, (_, i) => ({
				cut: pota.model.counts(pota.model.after(pota.walk.slice(0, i))), truth: pota.truth.map(t => t.at(i)),
			}));
		})`) {
			cut, ok := view.ParseCounts(q.c, got.Cut)
			if !ok {
				s.Fatalf("a run passes through %s", got.Cut)
			}
			for k, truth := range holds {
				if got.Truth[k] != 2 && (got.Truth[k] == 1) != truth[l.Index(cut)] {
					s.Errorf("%s: part %d is %d at %v, not %t", q.formula, k, got.Truth[k], cut, truth[l.Index(cut)])
				}
			}
		}
		ordered(s, q.c, p)
	}
	s.Logf("%d cuts, %d parts, %d of them to be asked", looked, parts, unknown)
	if unknown > parts/3 {
		s.Errorf("too little is known")
	}
}

// same compares enabled events and values at a cut of a window, which ends at high.
func same(s *stage, c *graphs.Computation, cut, high graphs.Cut, got seen) {
	s.Helper()
	var enabled []string
	for p := range c.NumProcesses() {
		if k := int(cut[p]) + 1; k <= int(high[p]) && c.Enabled(cut, c.Event(p, k)) {
			if id := graphs.Printable(c.ID(c.Step(c.Event(p, k))[0])); !slices.Contains(enabled, id) {
				enabled = append(enabled, id)
			}
		}
	}
	if !slices.Equal(enabled, got.Enabled) {
		s.Errorf("enabled at %v: %q, not %q", cut, got.Enabled, enabled)
	}
	for _, v := range got.Values {
		owner := graphs.Shared
		for p, name := range c.Processes() {
			if v[0] == graphs.Printable(name) {
				owner = p
			}
		}
		if x := c.Variable(owner, v[1]); x == nil || graphs.Printable(x.At(c, cut).String()) != v[2] {
			s.Errorf("%s of %q is %s at %v", v[1], v[0], v[2], cut)
		}
	}
}

// ordered compares how random events of the window are ordered, and checks the paths between
// them.
func ordered(s *stage, c *graphs.Computation, p *page) {
	s.Helper()
	type position [2]int // process, and number there
	type answer struct {
		Pair     []position `json:"pair"`
		Relation string     `json:"relation"`
		Path     []position `json:"path"`
	}
	event := func(at position) graphs.Event { return c.Event(at[0], at[1]) }
	needs := func(e, f graphs.Event) bool { // every cut with f has e, as far as general edges to ⊥ and ⊤ do not say so
		cut := c.NoEvents()
		c.Advance(cut, f)
		return c.Has(cut, e)
	}
	for _, got := range eval[[]answer](s, p, `Array.from({ length: 20 }, () => {
		const { model } = pota, at = e => [model.processes[model.process[e]].number, model.processes[model.process[e]].before + model.place(e)];
		const [e, f] = [0, 0].map(() => Math.floor(Math.random() * model.length)), path = model.path(e, f);
		const relation = model.step(e).includes(f) ? "together" : path ? "before" : model.path(f, e) ? "after" : "concurrent";
		return { pair: [at(e), at(f)], relation, path: path && path.map(at) };
	})`) {
		e, f := event(got.Pair[0]), event(got.Pair[1])
		want := "concurrent"
		switch {
		case c.SameStep(e, f):
			want = "together"
		case needs(e, f):
			want = "before"
		case needs(f, e):
			want = "after"
		}
		if got.Relation != want {
			s.Errorf("%d is %s %d, not %s", e, got.Relation, f, want)
		}
		if (got.Path != nil) != needs(e, f) {
			s.Errorf("path from %d to %d: %v", e, f, got.Path)
		}
		for k := 1; k < len(got.Path); k++ {
			a, b := event(got.Path[k-1]), event(got.Path[k])
			if !(a+1 == b && c.Process(a) == c.Process(b)) && !slices.Contains(c.Preds(b), a) && !c.SameStep(a, b) {
				s.Errorf("%d does not need %d", b, a)
			}
		}
	}
}

// set gives a control a value, as a person would.
func (s *stage) set(p *page, id, value, event string) {
	s.Helper()
	eval[bool](s, p, "((control, value, event) => { control.value = value; return control.dispatchEvent(new Event(event)); })(document.getElementById(%s), %s, %s)", id, value, event)
}

// press types keys into the page.
func (s *stage) press(p *page, keys ...string) {
	s.Helper()
	for _, key := range keys {
		s.do(p, chromedp.KeyEvent(key))
	}
}

const lock = "../../testdata/lock.jsonl"

// A person walks by keys, by clicks and by dragging the line of the cut.
func walk(s *stage) {
	// What engines say along each of several runs is in the page, and is not taken for another.
	nested := s.draw("../../testdata/figure1.jsonl", "AG(x == 2 -> AF(y == 1 && EX(y == 2)))")
	if got := eval[string](s, nested, `pota.showRun(1), pota.data.parts.flatMap((part, k) => part.rule === "asked" ? [pota.walk.map((_, i) => pota.truth[k].at(i)).join("")] : []).join(" ")`); got != "000011 111000 011110" {
		s.Errorf("along the second run: %s", got)
	}
	plain := s.draw(lock)
	s.settle(plain, "pota")
	s.press(plain, kb.ArrowRight, kb.ArrowRight)
	s.reads(plain, "state", "Cut of 2 of 9 events")
	p := s.draw(lock, "AG(!(holds@A && holds@B))")
	s.reads(p, "state", "Cut of 7 of 9 events", "A:2 B:2 locks:3", "Step 7 of 7", "holds@B", "a3", "b3")
	s.reads(p, "tree", "✗ AG !(holds@A && holds@B)", "✓ holds@A")
	s.press(p, kb.Home)
	s.reads(p, "state", "no event has happened")
	s.reads(p, "tree", "✓ !(holds@A && holds@B)", "✗ AG")
	s.press(p, "n")
	s.reads(p, "state", "A:2", "holds: false → true")
	s.press(p, kb.ArrowLeft, kb.ArrowLeft, kb.ArrowRight)
	s.reads(p, "state", "Step 3 of 7")
	s.press(p, kb.End, kb.ArrowRight)
	s.reads(p, "state", "off the run", "A:3")
	s.reads(p, "status", "a3 of A: holds: true → false")
	s.press(p, "r", kb.Home)

	click := func(event string, options ...chromedp.MouseOption) {
		s.Helper()
		s.click(p, "pota", event, options...)
	}
	s.press(p, "f") // unfolded
	click("b1")
	s.reads(p, "state", "Chosen: b1", "Let it happen", "no event has happened")
	s.execute(p, "pota", "b1") // off the run
	s.reads(p, "state", "Cut of 1 of 9", "B:1", "off the run")
	click("b2")
	s.reads(p, "state", "Chosen: b2", "receives “b may” from locks")
	click("a1", chromedp.ButtonModifiers(8))
	s.reads(p, "state", "a1 happens before b2, by this path", "l1", "l3")
	click("a3", chromedp.ButtonModifiers(8))
	s.reads(p, "state", "b2 and a3 are concurrent")
	s.press(p, kb.Enter)
	s.reads(p, "state", "A:1 B:2 locks:3") // the least cut with b2
	s.press(p, kb.Escape, kb.ArrowDown, kb.ArrowUp)
	s.reads(p, "state", "Chosen:")

	s.press(p, kb.Home)
	s.drag(p, 1, s.at(p, "pota", "b2")[0]+12)
	s.reads(p, "state", "A:1 B:2 locks:3") // consistent

	s.set(p, "search", "process:locks", "input")
	s.do(p, chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.KeyEvent(kb.Enter))
	s.reads(p, "matches", "3 found")
	s.reads(p, "state", "Chosen: l")
	for search, want := range map[string]string{"holds=true": "2 found", "LETS GO": "1 found", "nothing like it": "0 found"} {
		eval[any](s, p, "pota.find(%s)", search)
		s.reads(p, "matches", want)
	}
	s.press(p, kb.Escape)
	s.press(p, "t", "+", "-", "t", "f")
	s.do(p, chromedp.Click(`[data-part="3"]`))
	eval[any](s, p, "pota.lanes.hide(0), pota.lanes.pin(1), pota.lanes.move(2, -1), pota.lanes.showAll(), 0")
	s.reads(p, "lanes", "A", "B", "locks", "lease")
	s.set(p, "colours", "holds", "change")
	s.press(p, "t")
	eval[any](s, p, "pota.sheet('view'), 0")
	s.everywhere(p)
	eval[any](s, p, "pota.sheet(''), 0")
	s.press(p, "?")
	s.accessible(p)
	eval[any](s, p, "dialog.close(), 0")
}

// twin writes the trace of the lock service with another end.
func (s *stage) twin() string {
	s.Helper()
	text, err := os.ReadFile(lock)
	if err != nil {
		s.Fatal(err)
	}
	changed := strings.Replace(string(text), `"set":{"holds":false}`, `"set":{"holds":true}`, 1)
	lines := strings.SplitAfter(strings.TrimSpace(changed), "\n")
	path := filepath.Join(s.TempDir(), "twin.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-1], "")), 0o666); err != nil {
		s.Fatal(err)
	}
	return path
}

// linesAsked counts the lines of two events that are asked for where another window comes after the first.
const linesAsked = `(async () => {
	const { data } = pota;
	// The page may ask for lines by itself meanwhile. What counts is this reader's part.
	const reader = Object.create(pota);
	let asked = 0;
	reader.question = about => {
		asked++;
		const question = pota.question(about);
		pota.load(data); // before the answer comes, and no later: people type from then on
		return question;
	};
	pota.lines.clear();
	pota.selected = 0;
	pota.lastStep = new Set([1]);
	await reader.read();
	return asked;
})()`

// A person asks the server another formula, and walks where only engines know.
func ask(s *stage) {
	p := s.serve("--formula", "AG(!(holds@A && holds@B))", lock, "../../testdata/figure1.jsonl")
	s.reads(p, "verdict", "fails AG(!(holds@A && holds@B))")
	if got := awaits[int](s, p, linesAsked); got != 1 {
		s.Errorf("%d lines of one window are asked for, and it is gone after the first", got)
	}
	typed := func(text string) {
		s.Helper()
		eval[any](s, p, "document.getElementById('ask').hidden && edit.click(), 0")
		s.set(p, "formula", "", "input")
		s.do(p, chromedp.Focus("#formula"), chromedp.KeyEvent(text))
	}
	answered := func(formula string) {
		s.Helper()
		s.do(p, until(fmt.Sprintf("pota.data.formula === %q", formula)))
	}
	typed("EF(hol")
	if got := eval[string](s, p, `[...document.getElementById("formula").list.options].map(o => o.value).join()`); got != "EF(holds" {
		s.Errorf("the formula is completed to %q", got)
	}
	s.do(p, chromedp.KeyEvent("ds@A)"), chromedp.KeyEvent(kb.Enter))
	answered("EF(holds@A)")
	s.reads(p, "verdict", "holds EF(holds@A)")
	s.reads(p, "state", "A:2")

	asked := eval[string](s, p, "pota.data.formula")
	typed("EF(x ==")
	s.do(p, chromedp.KeyEvent(kb.Enter), until("!error.hidden"))
	s.reads(p, "error", "formula:1:8: there is nothing after ==", "^")
	if eval[string](s, p, "pota.data.formula") != asked {
		s.Error("a formula with an error is shown")
	}
	p.forgive() // that the server refused

	// No slice tells this, so that the server is asked at each cut.
	typed("AF(holds@A && EX(!holds@A))")
	s.do(p, chromedp.KeyEvent(kb.Enter))
	answered("AF(holds@A && EX(!holds@A))")
	for range 3 {
		s.press(p, kb.ArrowRight)
		s.do(p, until("pota.truth.every(t => t.at(pota.place) !== 2)"))
	}
	s.set(p, "traces", "1", "change")
	s.do(p, until("!error.hidden"))
	s.reads(p, "error", "holds")
	p.forgive()

	// The list has what fails first: the formula, each value that decides, and what holds last.
	typed("forall v in values(holds): AG(events(holds == v) <= 1)")
	s.do(p, chromedp.KeyEvent(kb.Enter), until(`many.querySelectorAll("button").length === 4 && many.querySelectorAll("b.wrong").length === 3`))
	if got := eval[string](s, p, `[...many.querySelectorAll("b")].map(b => b.textContent).join()`); got != "✗ lock.jsonl,✗ v=true,✗ v=false,✓ figure1.jsonl" {
		s.Errorf("the list is %s", got)
	}
	s.press(p, "l")
	s.do(p, chromedp.Click(`#many button:nth-of-type(2)`), until(`String(pota.data.binding) === "v=true"`))
	s.reads(p, "verdict", "fails forall v in values(holds)")
	if got := eval[string](s, p, `many.querySelector("[aria-current=true]").textContent`); !strings.HasPrefix(got, "✗ v=true") {
		s.Errorf("the list marks %s", got)
	}

	// What the address says is shown again, and a panel that was made wider stays so.
	const wide = "document.getElementById('state').clientWidth"
	eval[any](s, p, "pota.goTo(pota.model.least()), 0")
	before := eval[int](s, p, wide)
	s.do(p, chromedp.Focus("#wide"), chromedp.KeyEvent(kb.ArrowLeft), until(`location.hash.includes("binding=v")`))
	p = s.again(p)
	s.do(p, until("many.querySelectorAll('b.wrong').length === 3"))
	if after := eval[int](s, p, wide); after != before+16 {
		s.Errorf("the panel is %d pixels wide, which was %d", after, before)
	}
	s.reads(p, "verdict", "fails forall v in values(holds)")
	if got := eval[string](s, p, `many.querySelector("[aria-current=true]").textContent`); !strings.HasPrefix(got, "✗ v=true") {
		s.Errorf("shown again the list marks %s", got)
	}
	s.everywhere(p)
	s.do(p, chromedp.Click("#listed"), chromedp.Click(`#many button:nth-of-type(3)`, chromedp.NodeVisible), until(`String(pota.data.binding) === "v=false"`))

	// What is open beyond the end of the list is asked for, and the link is to all verdicts on this formula.
	eval[any](s, p, `(really => {
		const open = [700, 600, 0], all = 17204, rows = Array(500).fill({ trace: 0, name: "a", verdict: "open", headline: "" });
		const answer = () => Promise.resolve(new Response(JSON.stringify({ rows, all, open: open.shift() })));
		window.left = open;
		window.fetch = (url, ...more) => url.startsWith("many") ? answer() : really(url, ...more);
	})(fetch), pota.open({ formula: "EF(holds@A)" }), 0`)
	s.do(p, until(`left.length === 0 && new URLSearchParams(many.querySelector("a").search).get("formula") === "EF(holds@A)"`))
	s.reads(p, "many", "500 of 17,204 verdicts")
}

// Whatever is done on traces of any size is right, and takes work for what is in view alone.
func sizes(s *stage) {
	const formula = "AG(!(cs@n1 && cs@n2 && cs@n3))"
	few, saved, many := graphtest.RoundsUpTo(s, 0, 2000), graphtest.RoundsUpTo(s, 5000, 20_000), graphtest.RoundsUpTo(s, 40_000, 1_000_000)
	for _, x := range []struct {
		processes, events int
		served            bool
	}{{4, 10, false}, {8, few, true}, {20, saved, false}, {100, many, true}} {
		if x.events == 0 {
			continue
		}
		c := computation(s, x.processes, x.events)
		path := s.write(c)
		var p *page
		if x.served {
			p = s.serve("--formula", formula, path, path)
		} else {
			p = s.draw(path, formula)
		}
		d := &drive{stage: s, page: p, c: c, served: x.served}
		held, marks := eval[int](s, p, "pota.model.length"), d.clicks()
		s.Logf("%d events: the page holds %d, clicks draw %d marks", x.events, held, marks)
		const maxHeld, maxMarks = 20_000, 2500
		if held > maxHeld || len(marks) == 0 || slices.Max(marks) > maxMarks {
			s.Errorf("that is too much")
		}
		d.rightward()
		d.keys()
		d.pointer()
		d.look()
		d.lanes()
		d.tools()
		if x.served {
			d.ask(formula)
		}
		if x.events > 20000 { // beyond its end, and elsewhere on the map, the window is another
			eval[any](s, p, `((map, box) => map.dispatchEvent(new MouseEvent("click", { clientX: box.left + box.width * 0.6 })))(document.getElementById("whole"), document.getElementById("whole").getBoundingClientRect())`)
			s.do(p, until(fmt.Sprintf("pota.data.before > %d", many/4)))
			before := eval[int](s, p, "pota.data.before")
			eval[any](s, p, "pota.goTo(pota.model.greatest()), pota.step(1), 0")
			s.do(p, until(fmt.Sprintf("pota.data.before > %d", before)))
			d.look()
		}
		if x.served {
			s.accessible(p)
		}
	}
}

// A drive goes through all that can be done with a page.
type drive struct {
	*stage
	page   *page
	c      *graphs.Computation
	served bool
}

// clicks clicks on events in view, and returns how many marks the page draws for each click.
func (d *drive) clicks() []int {
	d.Helper()
	d.settle(d.page, "pota")
	eval[any](d.stage, d.page, "pota.at(pota.place), 0")
	return awaits[[]int](d.stage, d.page, `(async () => {
		const drawn = [], { diagram, layout, model } = pota, box = diagram.canvas.getBoundingClientRect(), paint = diagram.paint;
		const inView = [...layout.first.keys()].map(n => [diagram.x(layout.column[n]), diagram.y(model.process[layout.first[n]])])
			.filter(([x, y]) => x > 20 && x < diagram.view.width - 20 && y > 20 && y < diagram.view.height - 20);
		let marks = 0;
		diagram.paint = function(pen, ...size) {
			for (const what of ["line", "box", "circle", "text"]) {
				const draw = pen[what];
				pen[what] = (...mark) => { marks++; draw.apply(pen, mark); };
			}
			paint.call(this, pen, ...size);
		};
		for (const [x, y] of inView.slice(-7)) {
			marks = 0;
			document.getElementById("stage").dispatchEvent(new MouseEvent("click", { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
			await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
			drawn.push(marks);
		}
		delete diagram.paint;
		return drawn;
	})()`)
}

// rightward fails where an arrow does not lead to the right, also where folds have been opened.
func (d *drive) rightward() {
	d.Helper()
	if wrong := eval[[]string](d.stage, d.page, `(({ model, layout }) => {
		const wrong = [], check = (e, f) => {
			const [m, n] = [layout.node[e], layout.node[f]];
			if (m !== n && !model.step(e).includes(f) && layout.column[m] >= layout.column[n]) wrong.push(model.name(e) + " to " + model.name(f));
		};
		for (let e = 0; e < model.length; e++) model.needs(e).forEach(f => check(f, e));
		return wrong.slice(0, 9);
	})(pota)`); len(wrong) > 0 {
		d.Errorf("arrows that do not lead to the right: %q", wrong)
	}
}

// here fails unless the page is at a consistent cut, and returns it.
func (d *drive) here(what string) graphs.Cut {
	d.Helper()
	text := eval[string](d.stage, d.page, "pota.model.counts(pota.cut)")
	cut, ok := view.ParseCounts(d.c, text)
	if !ok || view.Counts(cut) != text {
		d.Fatalf("after %s the page is at %s", what, text)
	}
	return cut
}

func (d *drive) keys() {
	d.Helper()
	d.do(d.page, chromedp.Focus("#stage"))
	d.press(d.page, "r")
	end := d.here("r")
	for _, key := range []string{kb.Home, kb.ArrowRight, "n", kb.ArrowLeft, "p", "e"} {
		d.press(d.page, key)
		d.here(key)
	}
	d.do(d.page, chromedp.Focus("#stage"))
	d.press(d.page, "]", "[", kb.End)
	if cut := d.here(kb.End); !end.Within(cut) {
		d.Errorf("the run goes to %v, and ends at %v", end, cut)
	}
	d.press(d.page, kb.ArrowRight, "r", kb.ArrowDown, kb.ArrowUp, kb.Enter)
	chosen := eval[int](d.stage, d.page, "pota.selected >= 0 ? 1 : 0")
	if cut := d.here(kb.Enter); chosen != 1 || cut.Size() == 0 {
		d.Errorf("nothing is chosen by the arrow keys")
	}
	d.press(d.page, kb.Escape, "r")
}

func (d *drive) pointer() {
	d.Helper()
	eval[any](d.stage, d.page, "pota.toggle('fold', 'folded'), pota.goTo(pota.model.least()), pota.step(1), 0")
	d.settle(d.page, "pota") // the event is revealed in what is in view now
	before := d.here("the first step")
	name := eval[string](d.stage, d.page, `(e => { pota.diagram.reveal(e); return pota.data.ids[e] = "enabled"; })(pota.enabled[0])`)
	d.execute(d.page, "pota", name)
	eval[any](d.stage, d.page, `pota.data.ids[pota.data.ids.indexOf(%s)] = "", 0`, name)
	if cut := d.here("a click"); cut.Size() != before.Size()+1 || !before.Within(cut) {
		d.Errorf("a click leads from %v to %v", before, cut)
	}
	x, y := d.line(d.page, 0)
	d.do(d.page, chromedp.MouseEvent("mousePressed", x, y, chromedp.ButtonLeft))
	for k := range 5 {
		d.do(d.page, chromedp.MouseEvent("mouseMoved", x+float64(k*90), y, chromedp.ButtonLeft))
		d.here("dragging")
	}
	d.do(d.page, chromedp.MouseEvent("mouseReleased", x+400, y, chromedp.ButtonLeft))
	ordered(d.stage, d.c, d.page)
}

// look compares what the page says at random cuts with engines and with the computation.
func (d *drive) look() {
	d.Helper()
	type cut struct {
		Counts string `json:"counts"`
		seen
	}
	formulas := make(map[int]*syntax.Formula)
	for k, part := range eval[[]string](d.stage, d.page, "pota.data.parts.map(part => part.text)") {
		f, err := rctltest.Resolve(d.c, part)
		if err != nil {
			d.Fatal(err)
		}
		formulas[k] = f
	}
	most := 10
	if d.c.NumEvents() > 20000 {
		most = 3
	}
	high := d.c.NoEvents()
	for _, end := range eval[[][2]int32](d.stage, d.page, "pota.model.processes.map(p => [p.number, p.before + p.most])") {
		high[end[0]] = end[1]
	}
	for _, got := range eval[[]cut](d.stage, d.page, `Array.from({ length: %s }, () => {
		const { model } = pota;
		let cut = model.least();
		for (let j = 0; j < 5; j++) {
			const next = model.with(cut, Math.floor(Math.random() * model.length));
			if (model.reachable(next)) cut = next;
		}
		const counts = model.counts(cut), all = [];
		for (const part of counts.split(",").filter(Boolean)) all[part.split(":")[0]] = Number(part.split(":")[1]);
		return { counts, ...`+lookAt[:len(lookAt)-len("(%s)")]+`([model.processes.map(p => p.number).reduce((to, n) => { to[n] = all[n] || 0; return to; }, [])])[0] };
	})`, most) {
		at, ok := view.ParseCounts(d.c, got.Counts)
		if !ok || view.Counts(at) != got.Counts {
			d.Fatalf("the page is at %s", got.Counts)
		}
		same(d.stage, d.c, at, high, got.seen)
		for k, f := range formulas {
			if want := d.holds(f, at); (got.Truth[k] == 1) != want || got.Truth[k] == 2 {
				d.Errorf("%s is %d at %s, not %t", f, got.Truth[k], got.Counts, want)
			}
		}
	}
}

// holds asks the engines whether a formula holds at a cut.
func (d *drive) holds(f *syntax.Formula, cut graphs.Cut) bool {
	d.Helper()
	if syntax.IsPropositional(f) {
		holds, err := rctl.At(d.c, f, cut)
		if err != nil {
			d.Fatal(err)
		}
		return holds
	}
	result, err := rctl.Check(d.Context(), d.c.From(cut), f, rctl.Options{})
	if err != nil || result.Verdict == rctl.Unknown {
		d.Fatalf("%s is %v: %v", f, result, err)
	}
	return result.Verdict == rctl.Holds
}

// lanes moves lanes about.
func (d *drive) lanes() {
	d.Helper()
	names := func() []string {
		return eval[[]string](d.stage, d.page, "pota.lanes.all.flat().map(p => pota.model.processes[p].name).sort()")
	}
	before := names()
	d.set(d.page, "groups", "name without number", "change")
	if n := eval[int](d.stage, d.page, "pota.lanes.all.length"); n != 1 {
		d.Errorf("%d lanes of one group", n)
	}
	d.drag(d.page, 0, 500)
	d.here("dragging a group")
	eval[any](d.stage, d.page, "pota.lanes.foldGroup(0), pota.lanes.foldGroup(1), pota.lanes.groupBy('', pota.cut), pota.lanes.hide(0), pota.lanes.pin(1), pota.lanes.move(2, -1), pota.lanes.pin(1), pota.lanes.showAll(), pota.lanes.groupBy('', pota.cut), 0")
	if after := names(); !slices.Equal(before, after) {
		d.Errorf("processes %q, which were %q", after, before)
	}
}

func (d *drive) tools() {
	d.Helper()
	d.set(d.page, "search", "process:n1", "input")
	d.do(d.page, chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Escape))
	d.do(d.page, chromedp.Focus("#stage"))
	d.set(d.page, "colours", "cs", "change")
	d.set(d.page, "slices", "0", "change")
	if d.served {
		d.do(d.page, until("pota.slice !== null"))
	}
	for _, id := range []string{"fold", "smaller", "larger"} {
		eval[any](d.stage, d.page, "document.getElementById(%s).click()", id)
		d.rightward()
	}
	eval[any](d.stage, d.page, "pota.step(1), pota.step(-1), 0")
	takes := []string{"link", "mermaid", "go"}
	if d.c.NumEvents() > 20000 { // the browser lays out each text, which takes a second where there are many events
		takes = takes[:1]
	}
	for _, what := range takes {
		if n := eval[int](d.stage, d.page, "(pota.takeAway(%s), dialog.close(), document.getElementById('text').value.length)", what); n < 40 {
			d.Errorf("%s has %d characters", what, n)
		}
	}
	if svg := eval[string](d.stage, d.page, "pota.diagram.svg()"); !strings.Contains(svg, "<circle") {
		d.Errorf("a picture without an event: %.200s", svg)
	}
	eval[any](d.stage, d.page, `document.querySelector("[data-part='1']").click()`)
	d.here("going to a witness")
}

// ask asks another formula, compares with another trace, and comes back.
func (d *drive) ask(formula string) {
	d.Helper()
	for _, text := range []string{"EF(cs@n1 && cs@n2)", formula} {
		d.press(d.page, "a")
		d.set(d.page, "formula", text, "input")
		d.do(d.page, chromedp.Focus("#formula"), chromedp.KeyEvent(kb.Enter), until(fmt.Sprintf("pota.data.formula === %q", text)))
		d.here("another formula")
	}
	d.set(d.page, "compare", "1", "change")
	d.do(d.page, until("pota.comparison !== null"))
	d.reads(d.page, "state", "All processes do the same")
	eval[any](d.stage, d.page, "pota.change(1), pota.across(), 0")
	if !eval[bool](d.stage, d.page, "String(pota.cut) === String(pota.twin.cut)") {
		d.Errorf("the other execution is elsewhere")
	}
	d.set(d.page, "compare", "", "change")
	d.do(d.page, until("pota.twin === null"))
}

// computation returns one of processes that send messages and enter sections.
func computation(s *stage, processes, events int) *graphs.Computation {
	s.Helper()
	r := rand.New(rand.NewPCG(uint64(events), 2))
	var b graphs.Builder
	cs := make([]*graphs.Variable, processes)
	inside := make([]bool, processes)
	waiting := make([][]graphs.Handle, processes)
	for p := range processes {
		b.Process(fmt.Sprintf("n%d", p))
		cs[p] = b.Variable(p, "cs")
		b.Init(cs[p], graphs.Boolean(false))
	}
	for range events {
		p := r.IntN(processes)
		h := b.Event(p)
		switch n := r.IntN(100); {
		case n < 30 && len(waiting[p]) > 0:
			b.Deliver(b.NewMessage(""), waiting[p][0], h, p)
			waiting[p] = waiting[p][1:]
		case n < 60:
			if q := r.IntN(processes); q != p {
				waiting[q] = append(waiting[q], h)
			}
		case n < 62:
			inside[p] = !inside[p]
			b.Set(cs[p], h, graphs.Boolean(inside[p]))
		}
	}
	c, err := b.Build()
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// click clicks where an event is.
func (s *stage) click(p *page, app, event string, options ...chromedp.MouseOption) {
	s.Helper()
	at := s.at(p, app, event)
	s.do(p, chromedp.MouseClickXY(at[0], at[1], options...))
}

// execute double clicks where an event is: it happens, since it can.
func (s *stage) execute(p *page, app, event string) {
	s.Helper()
	s.click(p, app, event, chromedp.ClickCount(2))
}

// settle waits until the diagram has the size of its stage: a text that needs another line makes
// the stage smaller, and the diagram follows with the next frame of the browser.
func (s *stage) settle(p *page, app string) {
	s.Helper()
	s.do(p, until(`(diagram => {
		const { view, stage, canvas } = diagram, [width, height] = diagram.turn(view.width, view.height);
		return [width, canvas.clientWidth].every(width => width === stage.clientWidth) &&
			[height, canvas.clientHeight].every(height => height === stage.clientHeight);
	})(`+app+`.diagram)`))
}

// at returns where an event is in the browser's window. It fails unless a click there reaches the
// diagram.
func (s *stage) at(p *page, app, event string) []float64 {
	s.Helper()
	s.settle(p, app)
	at := eval[[]float64](s, p, `(app => {
		const e = app.data.ids.indexOf(%s), box = app.diagram.canvas.getBoundingClientRect();
		const [left, top] = app.diagram.turn(app.diagram.at(e), app.diagram.y(app.model.process[e])), x = box.left + left, y = box.top + top;
		return app.diagram.stage.contains(document.elementFromPoint(x, y)) ? [x, y] : [];
	})(`+app+`)`, event)
	if len(at) == 0 {
		s.Fatalf("%s is not in view", event)
	}
	return at
}

// Processes are grouped by their names and by values; a lane with several folds, is
// pinned, moved and hidden, and its events walk like others.
func grouping(s *stage) {
	var b graphs.Builder
	for _, name := range []string{"n1/worker", "n1/disk", "n2/worker", "n2/disk", "client"} {
		p := b.Process(name)
		role := b.Variable(p, "role")
		b.Init(role, graphs.Str(name[len(name)-4:]))
		for k := range 3 {
			b.SetID(b.Event(p), fmt.Appendf(nil, "%s %d", name, k+1))
		}
	}
	c, err := b.Build()
	if err != nil {
		s.Fatal(err)
	}
	p := s.draw(s.write(c))
	lanes := func(want string) {
		s.Helper()
		if got := eval[string](s, p, `pota.lanes.all.map(lane => lane.length > 1 ? pota.lanes.groupOf[lane[0]].name + "*" + lane.length : pota.model.processes[lane[0]].name).join(" | ")`); got != want {
			s.Errorf("lanes: %s, not %s", got, want)
		}
	}
	s.press(p, "f") // unfolded
	s.set(p, "groups", "name before “/”", "change")
	lanes("n1*2 | n2*2 | client")
	s.reads(p, "lanes", "n1 (2 processes)", "role@n1/worker = \"rker\"", "client")
	s.lane(p, 2, "Unfold the group")
	lanes("n1*2 | n2/worker | n2/disk | client")
	eval[any](s, p, "pota.lanes.pin(0), pota.lanes.move(4, -1), 0")
	lanes("n1*2 | n2/worker | client | n2/disk")
	s.lane(p, 3, "Fold the group")
	lanes("n1*2 | n2*2 | client")
	s.execute(p, "pota", "n1/disk 1")
	s.reads(p, "state", "Cut of 1 of 15", "n1/disk:1")
	s.click(p, "pota", "n1/worker 3")
	s.reads(p, "state", "Chosen: n1/worker 3")
	s.press(p, kb.ArrowDown)
	s.reads(p, "state", "Chosen: n1/disk")
	s.drag(p, 0, s.at(p, "pota", "n1/worker 2")[0]+12)
	s.reads(p, "state", "n1/worker:2 n1/disk:2")
	eval[any](s, p, "pota.lanes.hide(0), 0")
	lanes("n2*2 | client")
	s.reads(p, "lanetools", "Show 2 hidden")
	eval[any](s, p, "pota.lanes.showAll(), 0")
	lanes("n1*2 | n2*2 | client")
	s.set(p, "groups", "value of role", "change")
	lanes("role = \"rker\"*2 | role = \"disk\"*2 | client")
	s.set(p, "groups", "", "change")
	lanes("n1/worker | n1/disk | n2/worker | n2/disk | client")
	s.accessible(p)
}

// lane chooses from the menu of a lane.
func (s *stage) lane(p *page, process int, what string) {
	s.Helper()
	s.do(p, chromedp.Click(fmt.Sprintf(`#lanes [data-process="%d"] .name`, process), chromedp.NodeVisible),
		chromedp.Click(fmt.Sprintf(`#choice [data-does=%q]`, what), chromedp.NodeVisible))
}

// drag drags the line of the cut, in a lane, to a place across.
func (s *stage) drag(p *page, lane int, to float64) {
	s.Helper()
	x, y := s.line(p, lane)
	s.do(p, chromedp.MouseEvent("mousePressed", x, y, chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", to, y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", to, y, chromedp.ButtonLeft))
}

// line returns where the line of the cut is in a lane, in the browser's window.
func (s *stage) line(p *page, lane int) (x, y float64) {
	s.Helper()
	s.settle(p, "pota")
	at := eval[[]float64](s, p, `(lane => {
		const box = pota.diagram.canvas.getBoundingClientRect(), [, along, across] = pota.diagram.frontier().find(([i]) => i === lane);
		const [x, y] = pota.diagram.turn(along, across);
		return [box.left + x, box.top + y];
	})(%s)`, lane)
	return at[0], at[1]
}

// The line of the cut is dragged by a finger, on a phone; a finger elsewhere scrolls.
func touch(s *stage) {
	p := s.draw(lock, "AG(!(holds@A && holds@B))")
	s.do(p, emulation.SetTouchEmulationEnabled(true), chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	s.do(p, until("pota.diagram.down"))
	s.settle(p, "pota")
	s.press(p, "f", kb.Home)
	eval[any](s, p, "pota.zoom(0.4), pota.diagram.stage.scrollTo(0, 0), pota.diagram.look(), pota.draw(), 0")
	finger := func(x, y, to float64) {
		s.Helper()
		s.do(p, input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: x, Y: y}}))
		for k := range 5 {
			s.do(p, input.DispatchTouchEvent(input.TouchMove, []*input.TouchPoint{{X: x, Y: y + (to-y)*float64(k+1)/5}}))
		}
		s.do(p, input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
	}
	x, y := s.line(p, 1)
	finger(x, y-8, s.at(p, "pota", "b2")[1]+9)
	s.reads(p, "state", "A:1 B:2 locks:3")
	if left := eval[float64](s, p, "pota.diagram.stage.scrollTop"); left != 0 {
		s.Errorf("the diagram scrolled by %g", left)
	}
	at := s.at(p, "pota", "a2")
	s.tap(p, at, 1, `document.getElementById("state").innerText.includes("Chosen: a2")`)
	s.do(p, chromedp.Click(`#tabs [data-sheet="state"]`), chromedp.Click(`[data-go="take"]`, chromedp.NodeVisible))
	s.reads(p, "state", "A:2 B:2") // it can happen, and does
	eval[any](s, p, "pota.sheet(''), pota.at(0), 0")
	at = s.at(p, "pota", "a1")
	before := eval[string](s, p, "pota.cut.join()")
	s.tap(p, at, 2, "pota.cut.join() !== '"+before+"'")
	s.reads(p, "state", "Cut of 1 of 9")
	s.accessible(p)
}

// tap taps with a finger until something is so: on a machine that is slow just then, the browser takes
// a tap for a long press.
func (s *stage) tap(p *page, at []float64, times int, done string) {
	s.Helper()
	for !eval[bool](s, p, done) {
		for range times {
			s.do(p, input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: at[0], Y: at[1]}}), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
		}
		awaits[any](s, p, "new Promise(done => (function next(left) { left > 0 ? requestAnimationFrame(() => next(left - 1)) : done(); })(30))")
	}
}

// The page says where the trace has an event, and what the line is.
func places(s *stage) {
	saved := s.draw(lock, "AG(!(holds@A && holds@B))")
	s.reads(saved, "state", lock+":11", `"id":"b2","recv":"b may"`)
	gone := s.twin()
	for _, x := range []struct {
		args []string
		want []string
	}{
		{[]string{lock}, []string{lock + ":", `{"process":"`}},
		{[]string{"--map", "raft-log", "../../testdata/traces/raft-log/vote.log"}, []string{"vote.log:", "raft"}},
		{[]string{"../../testdata/traces/zipkin/ascend.json"}, []string{"ascend.json:", ", span "}},
		{[]string{gone}, []string{"twin.jsonl:", "has changed since it was read"}},
	} {
		p := s.serve(x.args...)
		if x.args[0] == gone {
			if err := os.WriteFile(gone, []byte("something else\n"), 0o666); err != nil {
				s.Fatal(err)
			}
		}
		s.press(p, kb.ArrowRight)
		for _, text := range x.want {
			s.do(p, until(fmt.Sprintf(`document.getElementById("state").innerText.includes(%q)`, text)))
		}
	}
}

// forgive forgets what the page has complained about.
func (p *page) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = nil
}

// Two executions are shown one above the other, with what differs marked, and a walk in
// either.
func comparing(s *stage) {
	p := s.serve("--formula", "AG(!(holds@A && holds@B))", lock, s.twin())
	s.set(p, "compare", "1", "change")
	s.do(p, until("pota.comparison !== null"))
	s.reads(p, "state", "Compared with", "A: the same for 2 events; here a3 holds: true → false, “lets go”, there a3 holds: true", "B: the same for 2 events; here b3", "there nothing more")
	differing := `(app => app.data.ids.filter((_, e) => app.differs(e)).join(" "))`
	if got := eval[string](s, p, differing+"(pota) + ' / ' + "+differing+"(pota.twin)"); got != "a3 b3 / a3" {
		s.Errorf("differing: %s", got)
	}
	s.do(p, chromedp.Focus("#stage2"))
	s.press(p, kb.Home, kb.ArrowRight)
	s.reads(p, "state", "Cut of 1 of 8 events in ", "twin.jsonl")
	s.reads(p, "tree", "✓ !(holds@A && holds@B)")
	s.press(p, kb.End)
	s.click(p, "pota.twin", "a1")
	s.reads(p, "state", "Chosen: a1")
	s.click(p, "pota", "a1")
	s.reads(p, "state", "of 9 events in", "Chosen: a1")
	s.press(p, kb.Home, "n", "m")
	if got := eval[string](s, p, `pota.cut + " / " + pota.twin.cut`); got != "2,2,0 / 2,2,0" {
		s.Errorf("the same cut: %s", got)
	}
	if got := eval[string](s, p, "pota.goTo(pota.model.greatest()), pota.across(), String(pota.twin.cut)"); got != "2,3,2" { // a3 and b3 match nothing
		s.Errorf("the last cut with what matches: %s", got)
	}
	eval[any](s, p, "pota.lanes.move(1, -1), pota.lanes.hide(0), 0")
	if got := eval[string](s, p, `pota.all().map(app => app.lanes.all.map(lane => lane.map(p => app.model.processes[p].name)).join()).join(" / ")`); got != "locks,B / locks,B" && got != "B,locks / B,locks" {
		s.Errorf("lanes: %s", got)
	}
	eval[any](s, p, "pota.lanes.showAll(), 0")
	s.everywhere(p)
	s.do(p, until(`location.hash.includes("with=1")`))
	p = s.again(p)
	s.do(p, until("pota.twin !== null"))
	s.set(p, "compare", "", "change")
	s.do(p, until("pota.twin === null"))

	// What is matched is a longest common subsequence of what the processes do.
	r := rand.New(rand.NewPCG(16, 3))
	random := func() (path string, labels []string) {
		var b graphs.Builder
		for i := range 2 {
			b.Process(fmt.Sprint("p", i))
			text := ""
			for range r.IntN(12) {
				label := string(rune('a' + r.IntN(3)))
				b.SetLabel(b.Event(i), label)
				text += label
			}
			labels = append(labels, text)
		}
		b.Event(0) // not empty
		c, err := b.Build()
		if err != nil {
			s.Fatal(err)
		}
		return s.write(c), append(labels, "")
	}
	var paths []string
	var all [][]string
	for range 12 {
		path, labels := random()
		paths, all = append(paths, path), append(all, labels)
	}
	pairs := s.serve(paths...)
	for k := 1; k < len(paths); k++ {
		awaits[any](s, pairs, fmt.Sprintf("pota.compare(%d)", k))
		want := 1 + common(all[0][0], all[k][0]) + common(all[0][1], all[k][1])
		if got := eval[int](s, pairs, `[...pota.comparison.match].filter(([e, f]) => pota.model.does(e) === pota.twin.model.does(f)).length`); got != want {
			s.Errorf("%q and %q have %d in common, not %d", all[0], all[k], got, want)
		}
	}
}

// common returns the length of a longest common subsequence.
func common(x, y string) int {
	switch {
	case x == "" || y == "":
		return 0
	case x[0] == y[0]:
		return 1 + common(x[1:], y[1:])
	}
	return max(common(x[1:], y), common(x, y[1:]))
}

// Names are text, whatever is in them.
func names(s *stage) {
	long := strings.Repeat("long ", 2000)
	hostile := []string{"<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "a\u202eb\x00\x1b[31m\u2028c", long, `"'&amp;\`}
	var b graphs.Builder
	for i, name := range hostile {
		p := b.Process(name)
		v := b.Variable(p, name)
		b.Init(v, graphs.Str(name))
		for k := range 2 {
			h := b.Event(p)
			b.SetID(h, fmt.Appendf(nil, "%s %d", name, k))
			b.SetLabel(h, name)
			b.Set(v, h, graphs.Str(fmt.Sprint(name, k)))
			if k == 0 && i == 0 {
				m := b.NewMessage(name)
				b.Deliver(m, h, graphs.NoHandle, 1)
			} else {
				b.Deliver(b.NewMessage(fmt.Sprint(name, k)), h, graphs.NoHandle, -1)
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		s.Fatal(err)
	}
	p := s.draw(s.write(c), "EF(true)")
	eval[any](s, p, "pota.goTo(pota.model.greatest()), pota.choose(0), 0")
	shown := eval[string](s, p, "document.body.innerText + pota.diagram.svg()")
	for _, want := range []string{"<img src=x onerror=alert(1)>", `a\u202eb\x00\x1b[31m\u2028c`, "</script>"} {
		if !strings.Contains(shown, want) {
			s.Errorf("%q is not shown", want)
		}
	}
	if n := eval[int](s, p, `document.querySelectorAll("img, body script:not([type])").length`); n != 0 {
		s.Errorf("%d elements are made of names", n)
	}
	if eval[string](s, p, `new DOMParser().parseFromString(pota.diagram.svg(), "image/svg+xml").documentElement.nodeName`) != "svg" {
		s.Error("the picture is not SVG")
	}
	s.accessible(p)
}

// Slices of parts are shown with their events out, forced and together.
func slicing(s *stage) {
	p := s.draw("../../testdata/figure1.jsonl", "EF(2 <= x <= 4 && y != 2)")
	k := eval[int](s, p, `pota.data.parts.findIndex(part => part.text === "2 <= x <= 4 && y != 2")`)
	s.set(p, "slices", fmt.Sprint(k), "change")
	s.reads(p, "status", "2 events are in every cut of the slice, 1 in none; 1 meta-event.", "exactly those that satisfy")
	if got := eval[string](s, p, `["e1", "e2", "e3", "f1", "f2", "f3"].map(id => ["forced", "out"].find(of => pota.slice[of].has(pota.data.ids.indexOf(id))) || "open").join(" ")`); got != "forced open out forced open open" {
		s.Errorf("slice: %s", got)
	}
}

// What is taken away can be used: the Go test is one, Mermaid is read by pota, the link
// leads back.
func take(s *stage) {
	p := s.draw(lock, "AG(!(holds@A && holds@B))")
	takes := func(what string) string {
		s.Helper()
		text := eval[string](s, p, "(pota.takeAway(%s), document.getElementById('text').value)", what)
		s.do(p, chromedp.Evaluate("dialog.close()", nil))
		return text
	}
	diagram := filepath.Join(s.TempDir(), "run.mmd")
	if err := os.WriteFile(diagram, []byte(takes("mermaid")), 0o666); err != nil {
		s.Fatal(err)
	}
	if out, err := exec.Command(s.pota, "stats", diagram).CombinedOutput(); err != nil || !strings.Contains(string(out), "processes     3") {
		s.Errorf("Mermaid: %v\n%s", err, out)
	}
	if out, err := s.goTest(takes("go")); err == nil || !strings.Contains(out, "AG(!(holds@A && holds@B)) fails: a run of 7 events") {
		s.Errorf("Go test: %v\n%s", err, out)
	}
	if text := takes("svg"); !strings.HasPrefix(text, "<svg ") {
		s.Errorf("the picture begins with %.20q", text)
	}
	s.do(p, chromedp.ActionFunc(func(ctx context.Context) error {
		pdf, _, err := printed.PrintToPDF().Do(ctx)
		if err == nil && !strings.HasPrefix(string(pdf), "%PDF") {
			err = fmt.Errorf("what is printed begins with %.20q", pdf)
		}
		return err
	}))
	s.press(p, "f", "t", "+")
	eval[any](s, p, "pota.setColour('lease'), pota.choose(0), 0")
	const look = "[pota.cut, pota.folded, pota.byTime, pota.colour, pota.selected, Math.round(pota.diagram.gap)].join()"
	link, want := takes("link"), eval[string](s, p, look)
	eval[any](s, p, "pota.at(0), 0")
	again := s.show(link)
	s.reads(again, "state", "A:2 B:2 locks:3")
	if got := eval[string](s, again, look); got != want {
		s.Errorf("the link leads to %s, not %s", got, want)
	}
}

// goTest runs the text of a Go test as one of this module, and returns its output. Nothing is
// written into the module, since a run that is interrupted would leave it there.
func (s *stage) goTest(text string) (output string, err error) {
	s.Helper()
	dir := s.TempDir()
	file, overlay := filepath.Join(dir, "run_test.go"), filepath.Join(dir, "overlay.json")
	inModule, err := filepath.Abs("taken/run_test.go")
	if err != nil {
		s.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{inModule: file}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, []byte(text), 0o666), os.WriteFile(overlay, replace, 0o666))
	}
	if err != nil {
		s.Fatal(err)
	}
	program := filepath.Join(dir, "taken.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", program, "-overlay", overlay, "./taken")
	if out, err := build.CombinedOutput(); err != nil {
		return string(out), err
	}
	test := exec.Command(program)
	test.Dir = dir
	test.Env = append(os.Environ(), "TMPDIR="+dir) // where a test that fails keeps its trace
	out, err := test.CombinedOutput()
	return string(out), err
}
