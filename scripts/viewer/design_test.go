//go:build browser

package viewer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pota-project/pota/graphs/graphtest"
)

const (
	mutual    = "AG(!(holds@A && holds@B))"
	oneLeader = `AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`
	spans     = "../../testdata/traces/otlp/hotrod-4dispatch.otlp.jsonl.gz"
)

// simulate writes a run of a model.
func (s *stage) simulate(args ...string) string {
	s.Helper()
	path := filepath.Join(s.TempDir(), args[0]+".jsonl")
	out, err := exec.Command(s.pota, append([]string{"simulate", "-o", path}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	return path
}

func (s *stage) raft() string {
	return s.simulate("raft", "--processes", "5", "--fault", "forget-vote", "--events", "200", "--seed", "5")
}

// The sizes of windows in which pages are looked at.
var (
	desk  = [2]int64{1440, 900}
	phone = [2]int64{390, 844}
)

// size gives the window of a page another size, and waits for the diagram.
func (s *stage) size(p *page, size [2]int64) {
	s.Helper()
	s.do(p, chromedp.EmulateViewport(size[0], size[1]), until(fmt.Sprintf("innerWidth === %d && innerHeight === %d && pota.diagram.gapDown === (innerWidth < 701)", size[0], size[1])))
	s.settle(p, "pota")
}

// dark looks at a page in dark colours, or in light ones.
func dark(is bool) chromedp.Action {
	scheme := map[bool]string{false: "light", true: "dark"}[is]
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
}

// overlaps draws what is in view as SVG and measures it as the browser lays it out: how many
// texts there are, and how many lie on another text, or on an event that is not theirs.
const overlaps = `(() => {
	const holder = document.body.appendChild(document.createElement("div")), [width, height] = pota.diagram.turn(pota.diagram.view.width, pota.diagram.view.height);
	holder.append(document.adoptNode(new DOMParser().parseFromString(pota.diagram.svg(), "image/svg+xml").documentElement));
	const at = holder.getBoundingClientRect(), boxes = selector => [...holder.querySelectorAll(selector)].map(e => e.getBoundingClientRect());
	const texts = boxes("text"), events = boxes("circle").filter(box => box.width > 11 && box.width < 17);
	const lie = (a, b) => a !== b && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
	const bad = texts.filter(a => texts.some(b => lie(a, b)) || events.some(b => lie(a, b)));
	holder.remove();
	return [texts.length, bad.length];
})()`

// openList shows a list of many verdicts.
const openList = `((rows, box) => {
	rows.forEach(i => box.append(document.createElement("button")));
	box.querySelectorAll("button").forEach(button => button.innerHTML = "<b>✗ trace of a long name</b><span>holds is true at A and B, and so on</span>");
	box.hidden = false;
})([...Array(40).keys()], document.getElementById("many"))`

// Four pages as facts of layout: the sentence is above everything, the diagram has most of the
// page, also beside a list of verdicts, labels do not overlap, and the cut is in view at every step.
func facts(s *stage) {
	for _, x := range []struct {
		name string
		args []string
	}{
		{"lock", []string{lock, mutual}},
		{"raft", []string{s.raft(), oneLeader}},
		{"mutex", []string{s.simulate("mutex", "--processes", "6", "--events", "1200", "--fault", "reply-inside"), "AG(forall i != j: !(cs@i && cs@j))"}},
		{"spans", []string{spans, "--execution", "1", `EF((count i in "redis*": active@i) >= 2)`}},
	} {
		p := s.draw(x.args...)
		eval[any](s, p, openList)
		for size, least := range map[[2]int64]float64{desk: 0.55, phone: 0.45} {
			s.size(p, size)
			if got := eval[float64](s, p, "pota.diagram.stage.clientWidth * pota.diagram.stage.clientHeight / innerWidth / innerHeight"); got < least {
				s.Errorf("%s: the diagram has %.1f %% of %v", x.name, 100*got, size)
			}
			if got := eval[string](s, p, `((box, all) => all.filter(e => e.getBoundingClientRect().top < box.top && !e.contains(headline)).map(e => e.tagName + e.id).join(" ") + (box.top < 0 || scrollY > 0 ? " is scrolled away" : ""))
				(headline.getBoundingClientRect(), [...document.querySelectorAll("main *, footer *, #more *")].filter(e => e.getClientRects().length && !e.closest(".stage, .lanes, #state, #tree")))`); got != "" {
				s.Errorf("%s: above the sentence: %s", x.name, got)
			}
			if got := eval[[]int](s, p, overlaps); got[0] == 0 || got[1] > 0 {
				s.Errorf("%s: %d of %d labels overlap at %v", x.name, got[1], got[0], size)
			}
			if got := eval[[]int](s, p, `Array.from({ length: pota.walk.length + 1 }, (_, i) => i).filter(i => {
				if (i % Math.ceil(pota.walk.length / %s)) return false;
				pota.at(i);
				const { view: { width }, at } = pota.diagram, last = i ? pota.diagram.at(pota.walk[i - 1]) : 20;
				return !pota.diagram.frontier().some(([, x]) => x > 0 && x < width) || last < 0 || last > width;
			})`, graphtest.RoundsUpTo(s, 40, 1000)); len(got) > 0 {
				s.Errorf("%s: the cut is not in view at steps %v at %v", x.name, got, size)
			}
		}
		p.close()
	}
}

// misplaced lists what is wrong with the places of events: each is in one node, folds have no event
// that matters, none of several that happen together, and none that receives after another has sent;
// arrows lead to the right, and columns are longest paths where no events happen together.
const misplaced = `(() => {
	const { model, layout: { first, count, column, node } } = pota, wrong = [];
	const check = (is, ...what) => { if (!is) wrong.push(what.join(" ")); };
	first.forEach((e, n) => {
		const events = Array.from({ length: count[n] }, (_, i) => e + i), folded = events.length > 1;
		check(e === (n ? first[n - 1] + count[n - 1] : 0), n, "begins with", e);
		events.forEach((f, i) => {
			check(node[f] === n && model.process[f] === model.process[e], f, "is not in node", n);
			check(!folded || !model.seen.has(f) && !pota.opened.has(f) && !model.group.has(f), f, "is in a fold");
			check(!model.preds.has(f) || !events.slice(0, i).some(g => model.succs.has(g)), f, "receives after another has sent");
		});
		const causes = events.flatMap(f => model.needs(f).filter(g => !model.step(f).includes(g))).map(f => node[f]).filter(m => m !== n);
		check(causes.every(m => column[m] < column[n]), "an arrow to", e, "leads left");
		const longest = Math.max(-1, ...causes.map(m => column[m])) + 1;
		check(model.group.size || column[n] === longest, e, "is in column", column[n], "not", longest);
	});
	check(first.length === 0 || first.at(-1) + count.at(-1) === model.length, "events are in no node");
	return wrong;
})()`

// On random traces, too, labels do not overlap, and events are where they should be.
func labels(s *stage) {
	r := rand.New(rand.NewPCG(38, 1))
	var paths []string
	for range graphtest.RoundsUpTo(s, 80, 1000) {
		c := graphtest.Random(r, graphtest.Config{Processes: 1 + r.IntN(10), Events: 1 + r.IntN(200), Kinds: graphtest.AllKinds &^ (graphtest.Overtaking | graphtest.Unreceived)})
		paths = append(paths, s.write(c))
	}
	p := s.serve(paths...)
	all, bad := 0, 0
	s.press(p, "f") // unfolded
	for k := range paths {
		awaits[any](s, p, fmt.Sprintf("pota.open({ trace: %d, formula: '' })", k))
		eval[any](s, p, "pota.at(Math.floor(pota.walk.length / 2)), 0")
		got := eval[[]int](s, p, overlaps)
		all, bad = all+got[0], bad+got[1]
		for _, folded := range []bool{false, true} {
			for _, wrong := range eval[[]string](s, p, "(pota.folded = %s, pota.relayout(), "+misplaced+")", folded) {
				s.Errorf("trace %d, folded %t: %s", k, folded, wrong)
			}
		}
		eval[any](s, p, "pota.folded = false, 0")
	}
	s.Logf("%d of %d labels overlap", bad, all)
	if all == 0 || bad*50 > all {
		s.Errorf("%d of %d labels overlap", bad, all)
	}
}

// contrasts lists which colours are too near to those behind them: texts must have 4.5:1, and
// signs 3:1.
const contrasts = `(() => {
	const ink = pota.diagram.ink, light = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05), wrong = [];
	const check = (names, behind, least) => names.forEach(name => { if (ratio(ink[name], behind) < least) wrong.push(name + " on " + behind + ": " + ratio(ink[name], behind).toFixed(2)); });
	for (const behind of [ink.paper, ink.cut]) {
		check(["text", "strong", "message", "wrong"], behind, 4.5);
		check(["event", "done", "enabled", "marked", "frontier", "yes", "no", "other", "added", "out"], behind, 3);
	}
	check(["lane"], ink.paper, 3);
	for (const value of ink.values) check(["text"], value, 4.5);
	check(["text"], ink.fold, 4.5);
	return wrong;
})()`

// handed is a trace in which a message hands a lock on. Clocks that know their error tell when some
// events may have happened.
const handed = `{"process":"A","init":{"holds":true}}
{"process":"B","init":{"holds":false}}
{"process":"A","set":{"holds":false},"time":[10,10.4]}
{"process":"A","id":"gives","send":"m","to":"B","time":[10.1,10.6]}
{"process":"B","id":"takes","recv":"m","time":10.2}
{"process":"B","set":{"holds":true},"time":[10.3,11]}
`

// hover moves the mouse to a point of the diagram, and returns what the page tells of it.
func (s *stage) hover(p *page, point string) string {
	s.Helper()
	at := eval[[]float64](s, p, `(([x, y], box) => [box.left + x, box.top + y])(`+point+`, pota.diagram.canvas.getBoundingClientRect())`)
	s.do(p, chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	return eval[string](s, p, "tip.hidden ? '' : tip.textContent")
}

// What a designer found wrong with the first viewer is right, in the order in which it was found.
func defects(s *stage) {
	raft := s.draw(s.raft(), oneLeader)
	s.size(raft, desk)
	mine := s.draw(lock, mutual)
	s.size(mine, desk)
	timed := s.draw(spans, "--execution", "1", `EF((count i in "redis*": active@i) >= 2)`)
	s.size(timed, desk)
	small := s.draw(lock, mutual)
	s.do(small, emulation.SetTouchEmulationEnabled(true), chromedp.EmulateViewport(phone[0], phone[1], chromedp.EmulateMobile, chromedp.EmulateTouch), until("pota.diagram.down"))
	s.settle(small, "pota")
	holds := func(p *page, what, condition string) {
		s.Helper()
		if !eval[bool](s, p, condition) {
			s.Errorf("%s: %s", what, condition)
		}
	}

	holds(raft, "1: the sentence has the instance", `/n2\b.*n5\b/.test(headline.textContent) && /58|60/.test(headline.textContent)`)
	holds(raft, "2: buttons step", `(first.click(), on.click(), on.click(), pota.place === 2) && (after.click(), before.click(), back.click(), last.click(), pota.place === pota.walk.length)`)
	holds(raft, "2: and play", `(first.click(), play.click(), pota.isPlaying) && (play.click(), !pota.isPlaying)`)
	holds(small, "2: on a phone, too", `[...document.querySelectorAll("#transport button")].every(b => b.getBoundingClientRect().height >= 44 && b.getBoundingClientRect().width >= 40 && b.getBoundingClientRect().bottom <= innerHeight)`)
	eval[any](s, raft, "pota.diagram.scroll(1e6, 0), pota.draw(), 0")
	s.press(raft, kb.Home)
	holds(raft, "3: Home shows the cut", `pota.diagram.look() || pota.diagram.frontier().every(([, x]) => x > 0 && x < pota.diagram.view.width)`)
	name := eval[[]float64](s, small, `(box => [box.left + box.width / 2, box.top + box.height / 2])(document.querySelector("#lanes .name").getBoundingClientRect())`)
	s.tap(small, name, 1, "dialog.open")
	holds(small, "4: a tap on a lane hides nothing and shows what can be done", `pota.lanes.all.length === 3 && document.querySelectorAll("#choice button").length > 3`)
	holds(small, "4: nothing invisible can be hit", `(dialog.close(), [...document.querySelectorAll("button")].every(b => getComputedStyle(b).opacity !== "0"))`)
	holds(small, "5: no row of selects comes first, and nothing is further down", `![...document.querySelectorAll("select:not(#speed)")].some(e => e.getClientRects().length) && document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`)
	holds(raft, "6: symmetric instances are one row, the others behind one", `[...tree.querySelectorAll(".part")].filter(b => /^. !\(/.test(b.textContent)).length === 1 && / more that hold/.test(tree.textContent)`)
	holds(raft, "6: rows stay where they are", `(rows => (pota.at(20), pota.at(40), rows() === (pota.at(3), rows())))(() => [...tree.querySelectorAll(".part")].map(b => b.dataset.part).join())`)
	holds(raft, "7: lanes fill the diagram", `pota.lanes.all.length * pota.diagram.lane > 0.85 * pota.diagram.view.height`)
	holds(mine, "8: labels say what events are", `(svg => /lease is over/.test(svg) && /lets go/.test(svg) && !/>[abl]\d</.test(svg))(pota.diagram.svg())`)
	holds(mine, "9: what is labelled on the run is not folded", `pota.layout.count[pota.layout.node[pota.data.ids.indexOf("l2")]] === 1`)
	s.press(raft, "r")
	fold := eval[int](s, raft, `[...pota.layout.count.keys()].find(n => pota.layout.count[n] > 2 && (x => x > 0 && x < pota.diagram.view.width)(pota.diagram.x(pota.layout.column[n])))`)
	told := s.hover(raft, fmt.Sprintf("pota.diagram.turn(pota.diagram.x(pota.layout.column[%d]), pota.diagram.y(pota.model.process[pota.layout.first[%d]]))", fold, fold))
	for _, name := range eval[[]string](s, raft, fmt.Sprintf("pota.layout.events(%d).map(e => pota.model.name(e))", fold)) {
		if !strings.Contains(told, name) {
			s.Errorf("9: the fold with %s tells %q", name, told)
		}
	}
	folds := eval[int](s, raft, fmt.Sprintf("(pota.choose(pota.layout.first[%d]), pota.layout.count.filter(n => n > 1).length)", fold))
	s.press(raft, "o")
	holds(raft, "9: a key opens a fold", fmt.Sprintf("pota.layout.count.filter(n => n > 1).length === %d", folds-1))
	if told := s.hover(mine, "(a => pota.diagram.turn((a.x1 + a.x2) / 2, (a.y1 + a.y2) / 2))(pota.diagram.arrows.find(a => a.name === 'b may'))"); !strings.Contains(told, "“b may” from locks to B") {
		s.Errorf("9: an arrow tells %q", told)
	}
	holds(mine, "10: a legend of five signs", `legend.getClientRects().length > 0 && [..."●○◎▭✗"].every(sign => legend.textContent.includes(sign))`)
	holds(mine, "10: true and false differ in sign and in height", `(([a, b]) => a.textContent[0] !== b.textContent[0])([tree.querySelector(".part.yes"), tree.querySelector(".part.no")])`)
	holds(mine, "10: the cut is neutral", `(([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) < 16)([1, 3, 5].map(i => parseInt(pota.diagram.ink.cut.slice(i, i + 2), 16)))`)
	holds(mine, "11: what violates is marked and joined", `pota.culprits.map(e => pota.model.name(e)).join() === "a2,b2" && (svg => svg.split('fill="' + pota.diagram.ink.wrong).length > 2 && svg.includes('stroke="' + pota.diagram.ink.wrong + '" stroke-width="2.5"'))(pota.diagram.svg())`)
	eval[any](s, timed, "pota.toggle('time', 'byTime'), 0")
	holds(timed, "12: by time there is an axis that is even", `(ticks => ticks.length > 3 && ticks.every((t, i) => i === 0 || Math.abs(t.x - ticks[i - 1].x - (ticks[1].x - ticks[0].x)) < 1))([...pota.diagram.svg().matchAll(/<text x="([\d.]+)"[^>]*>([\d.]+) m?s</g)].map(m => ({ x: Number(m[1]), t: Number(m[2]) })))`)
	holds(timed, "12: spans are bars from their start to their end", `(({ model, diagram }) => {
		const tenth = x => Math.round(x * 10) / 10;
		const p = model.process[pota.walk[pota.place - 1]], v = model.variablesOf[p].find(v => v.name === "active"), [x, end] = v.at.map(e => diagram.at(e));
		return diagram.svg().includes('<rect x="' + tenth(Math.max(x, 0)) + '" y="' + tenth(diagram.y(p) - diagram.band() / 2) + '" width="' + tenth(Math.min(end, diagram.view.width) - Math.max(x, 0)));
	})(pota)`)
	at := eval[string](s, mine, "pota.cut.join()")
	s.click(mine, "pota", "a3") // it can happen next
	s.reads(mine, "state", "Chosen: a3", "lets go", "Let it happen")
	holds(mine, "13: a click executes nothing", fmt.Sprintf("pota.cut.join() === %q", at))
	holds(raft, "14: the map has content", `(canvas => canvas.getClientRects().length > 0 && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(x => x > 0))(document.querySelector("#map canvas"))`)
	holds(raft, "14: strips are on the axis of the scrubber", `((run, strips) => strips.length > 3 && run.width > innerWidth / 2 && strips.every(box => Math.abs(box.left - run.left) < 1 && Math.abs(box.width - run.width) < 1))(run.getBoundingClientRect(), [...tree.querySelectorAll("canvas")].map(c => c.getBoundingClientRect()))`)
	for _, of := range []string{"#run", "#tree .track"} {
		at := eval[[]float64](s, mine, "(box => [box.left + box.width * 0.4, box.top + box.height / 2])(document.querySelector(%s).getBoundingClientRect())", of)
		s.do(mine, chromedp.MouseClickXY(at[0], at[1]))
		holds(mine, "14: a click on it goes there", "pota.place === Math.floor(0.4 * (pota.walk.length + 1)) && (pota.at(0), true)")
	}
	hand := filepath.Join(s.TempDir(), "hand.jsonl")
	if err := os.WriteFile(hand, []byte(handed), 0o666); err != nil {
		s.Fatal(err)
	}
	kept := s.draw(hand, mutual)
	s.reads(kept, "state", "What it needs", "gives before takes: without it, fails at A:0 B:2")
	if told := s.hover(kept, "(a => pota.diagram.turn((a.x1 + a.x2) / 2, (a.y1 + a.y2) / 2))(pota.diagram.arrows[0])"); !strings.Contains(told, "without it, fails at A:0 B:2") {
		s.Errorf("an arrow that is needed tells %q", told)
	}
	holds(kept, "an arrow that is needed shows where it fails without it", `/fails here/.test(pota.diagram.svg()) && (draws => (pota.point({ ...pota.diagram.hovered }), draws === pota.diagram.arrows))(pota.diagram.arrows)`)
	eval[any](s, kept, "pota.point(null), pota.at(pota.walk.length), why.click(), 0")
	holds(kept, "what holds opens at the cut that comes closest, and Why shows what keeps it there",
		`String(pota.cut) === String(pota.reason.closest) && pota.model.name(pota.selected) === "gives" && /fails here/.test(pota.diagram.svg()) && /stroke-dasharray/.test(pota.diagram.svg()) && fix.hidden`)
	eval[any](s, kept, `pota.choose(-1), pota.at(pota.walk.length), document.querySelector('[data-go="closest"]').click(), document.querySelector("#state li button").focus(), 0`)
	holds(kept, "the panel leads there, and the keyboard shows the same", `String(pota.cut) === String(pota.reason.closest) && /fails here/.test(pota.diagram.svg()) && document.activeElement.matches("#state li button")`)
	holds(kept, "12: only by time a bar says when an event may have happened", `(bars => bars() === 0 && uncertain.hidden && (pota.toggle("time", "byTime"), !uncertain.hidden && bars() === 3))(() => pota.diagram.svg().split("\n")
		.map(mark => mark.match(/points="([^"]*)".*stroke-width="1.5"/)).filter(mark => mark && mark[1].split(" ").length === 6).length)`)
	holds(kept, "12: and is as long as that", `pota.data.when.map(bar => bar && Math.round(bar[1] - bar[0])).join() === "400,500,,700" && Math.round((pota.layout.width - 1) / pota.layout.unit) === 1000`)
	s.accessible(kept)
	eval[any](s, mine, "fix.click(), 0")
	s.reads(mine, "state", "It holds with", "a3 before l2")
	s.reads(mine, "status", "The formula holds with a3 before l2.")
	holds(mine, "Fix marks the orders, and takes the mark back", `/must come first/.test(pota.diagram.svg()) && fix.ariaPressed === "true" && (fix.click(), /no order/.test(pota.diagram.svg()))`)
	luck := s.conform("--spec", "../../testdata/conform/lease.mmd", "--vertical", "../../testdata/lock.jsonl")
	s.reads(luck, "state", "in the diagram: locks->>B: b may", "Order that is missing", "a3 before l2")
	eval[any](s, luck, "fix.click(), 0")
	s.reads(luck, "state", "It conforms with")
	s.reads(luck, "status", "It conforms with a3 before l2 and l2 before b1.")
	s.accessible(luck)
	for _, p := range []*page{mine, raft} {
		for _, is := range []bool{false, true} {
			s.do(p, dark(is))
			s.accessible(p)
			if wrong := eval[[]string](s, p, contrasts); len(wrong) > 0 {
				s.Errorf("15: colours are too near: %q", wrong)
			}
		}
	}
	holds(raft, "15: buttons can be hit", `[...document.querySelectorAll("header button, #transport button")].filter(b => b.getClientRects().length).every(b => b.getBoundingClientRect().height >= 24)`)
	asked := s.serve("--formula", mutual, lock, s.twin(), "../../testdata/figure1.jsonl")
	eval[any](s, asked, "pota.open({ trace: 0, formula: 'EF(' }), 0")
	s.do(asked, until("!error.hidden"))
	holds(asked, "15: nothing says that it is being decided", `!document.getElementById("status").textContent.includes("Deciding")`)
	asked.forgive()
	s.do(asked, until("(pota.open({ trace: 0, formula: 'EF(holds@A)' }), true)"), until("error.hidden && pota.data.formula === 'EF(holds@A)'"))
	awaits[any](s, asked, "pota.compare('1')")
	holds(asked, "15: lanes of two executions are whole", `pota.all().every(({ diagram, lanes }) => diagram.head + lanes.all.length * diagram.lane <= diagram.view.height)`)
	eval[any](s, asked, "pota.endComparison(), pota.toggle('time', 'byTime'), 0")
	awaits[any](s, asked, "pota.open({ trace: 2, formula: '' })")
	holds(asked, "12: a trace without clocks is not shown by time", "!pota.byTime && pota.layout.column.length === 6")
}
