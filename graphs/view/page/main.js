// The state of the page: for each execution that is shown a window, a walk in it, and a place
// of that.

class App {
  // box has the names of the lanes. An app that is not the first shows another execution
  // below that of the first, with which it is compared.
  constructor(data, stage, box, first) {
    Object.assign(this, { box, first: first || this, twin: null, comparison: null, active: this });
    this.diagram = new Diagram(this, stage);
    this.folded = true;
    this.byTime = false;
    this.opened = new Set(); // first events of folds that were opened
    this.colour = null; // the variable by which lanes are coloured, "" for none; null chooses one
    this.toggled = new Set(); // rows of the formula that a person has opened or closed
    this.speed = 1;
    this.isPlaying = false;
    if (first) {
      Object.assign(this, { folded: first.folded, byTime: first.byTime, colour: first.colour });
      this.diagram.gap = first.diagram.gap;
    }
    this.load(data);
  }

  // isActive reports whether this is the one that the panes around the diagrams are about.
  isActive() { return this.first.active === this; }

  // all returns the apps of the page.
  all() { return [this.first, this.first.twin].filter(Boolean); }

  activate() {
    if (this.isActive()) return;
    this.first.active = this;
    this.show();
  }

  // load shows a window.
  load(data) {
    const compared = this.twin ? this.twin.data.trace : "";
    if (this.twin) this.endComparison();
    this.data = data;
    this.model = new Model(data);
    this.engine = new Truth(this.model, data.parts);
    this.slice = null;
    this.selected = this.other = -1;
    this.past = this.future = this.path = null;
    this.relationText = "";
    this.found = new Set();
    this.opened.clear();
    this.told = null; // what is told of each event, once somebody has searched
    this.toggled.clear();
    this.reason = data.reason || {}; // of the verdict
    this.needed = (this.reason.needed || []).filter(({ edge }) => this.areHere(edge));
    this.lines = new Map(); // texts of the lines where events are
    this.unread = new Set(); // events whose lines will be asked for
    clearTimeout(this.reading);
    this.groupOf = []; // of processes: {name, folded}
    this.picked = new Set();
    this.arrange();
    this.run = data.run;
    this.runWalks = data.runs.map(run => this.model.steps(run.events));
    this.culprits = [];
    this.missing = [];
    this.fixing = false; // whether the orders that are missing are shown as a fix
    this.byTime = this.byTime && this.hasClock();
    this.chooseColour();
    this.diagram.gap = this.first === this ? this.diagram.gap && this.first.twin ? this.diagram.gap : 0 : this.first.diagram.gap;
    this.relayout();
    this.showRun(data.run);
    if (this === this.first) {
      showTools(this);
      listVerdicts(this);
    }
    if (data.sliced >= 0) this.showSlice(data.sliced);
    if (this !== this.first) this.first.match();
    if (compared !== "" && compared !== data.trace) this.compare(compared);
  }

  // arrange takes the lanes as the server orders them: those of the formula are first, and
  // pinned. A second execution goes by the first.
  arrange() {
    if (this !== this.first) return this.align();
    const { lanes, pinned } = this.data;
    this.lanes = lanes.map(p => [p]);
    this.staying = new Set(lanes.slice(0, pinned)); // processes that are pinned, and so their lanes
    this.number();
  }

  // align gives each lane of the first execution one beside it with the processes of the same
  // names, none perhaps, and lets the others follow.
  align() {
    const { first, model } = this, at = new Map(model.processes.map((p, i) => [p.name, i]));
    const known = first.model.processes.map(p => at.get(p.name)), there = new Set(known);
    this.groupOf = [];
    known.forEach((p, i) => { if (p !== undefined) this.groupOf[p] = first.groupOf[i]; });
    this.lanes = first.lanes.map(lane => lane.map(p => known[p]).filter(p => p !== undefined));
    this.lanes.push(...[...model.processes.keys()].filter(p => !there.has(p)).map(p => [p]));
    this.number();
  }

  // number finds the lane of each process, and how far from the middle of the lane it is drawn.
  number() {
    this.pinned = this.first.lanes.filter(lane => this.first.isPinned(lane)).length;
    this.laneOf = [];
    this.offset = [];
    this.lanes.forEach((lane, i) => lane.forEach((p, k) => {
      this.laneOf[p] = i;
      this.offset[p] = lane.length > 1 ? (k / (lane.length - 1) - 0.5) * 0.5 : 0; // of a lane
    }));
  }

  // setLanes shows other lanes, those that are pinned first.
  setLanes(lanes) {
    const isPinned = lane => this.isPinned(lane);
    this.lanes = [...lanes.filter(isPinned), ...lanes.filter(lane => !isPinned(lane))];
    for (const app of this.all()) {
      if (app === this) app.number(); else app.align();
      app.diagram.resize();
      app.show();
    }
  }

  isPinned([process]) { return this.staying.has(process); }

  relayout() {
    const data = this.folded && !this.byTime ? this.data.folded : this.data.unfolded;
    this.layout = new Layout(this.model, data, this.opened, this.byTime);
    byId("uncertain").hidden = !this.byTime || !this.data.when;
    this.diagram.resize();
  }

  hasClock() { return Boolean(this.data.clock); }

  // chooseColour colours lanes by a variable of the formula where nobody has chosen: by the first
  // that several processes have, or else where spans are open.
  chooseColour() {
    const { formula, named } = this.data, { processes } = this.model, isNamed = p => !formula || !named.length || named.includes(processes[p].number);
    const owners = this.model.owners([...processes.keys()].filter(isNamed));
    const names = [...owners.keys()], at = name => formula.search(new RegExp("(^|[^\\w.])" + name.replace(/[^\w]/g, "\\$&") + "($|[^\\w.])"));
    const [best] = names.filter(name => at(name) >= 0).sort((a, b) => Math.min(owners.get(b), 2) - Math.min(owners.get(a), 2) || at(a) - at(b));
    if (this.colour === null || this.colour && !names.includes(this.colour)) this.colour = best ?? (names.includes("active") ? "active" : "");
    this.palette = null;
  }

  // showRun takes the walk of one of the runs, to the cut that matters.
  showRun(k) {
    const { model, data: { runs, formula } } = this, run = runs[k] || { events: [], open: 0 };
    this.run = k;
    this.runWalk = this.runWalks[k] || [];
    this.origin = model.steps(run.events.slice(0, run.open)).length; // the place that matters
    if (!runs.length) this.runWalk = model.walkTo(model.least(), model.greatest());
    this.walk = this.runWalk.slice();
    this.place = 0;
    this.update();
    this.findViolation();
    if (!runs.length && formula) {
      const { closest } = this.reason; // the cut that came with the verdict
      this.origin = closest && model.reachable(closest) ? this.through(closest) : this.closest();
    }
    this.rows = rowsOf(this);
    this.at(this.origin);
  }

  // findViolation finds the events since which the formula is violated, and the orders that are
  // missing, as they came with the verdict.
  findViolation() {
    const { reason: { culprits = [], missing = [] }, data: { verdict, runs }, layout } = this;
    const isShown = verdict === "fails" && runs[this.run]?.away === false;
    this.missing = missing.filter(pair => this.areHere(pair));
    this.culprits = isShown ? culprits.filter(e => this.areHere([e])) : [];
    // None of them is folded away.
    const folds = [...this.culprits, ...this.missing.flat()].map(e => layout.node[e]).filter(n => layout.count[n] > 1);
    for (const n of folds) this.opened.add(layout.first[n]);
    if (folds.length) this.relayout();
  }

  isCulprit(e) { return this.culprits.includes(e); }

  // isViolated reports whether a part is what must hold at each cut, and does not.
  isViolated(k) {
    const { parts, verdict } = this.data;
    return verdict === "fails" && parts[0].op === "AG" && parts[0].sub[0] === k;
  }

  // closest returns the place of the run that comes closest to what never happens: where most
  // operands are true of a conjunction that must not be, or a sum is nearest to its bound. 0 if
  // there is none.
  closest() {
    const { parts } = this.data;
    let best = 0, most = 0;
    for (const { rule, sub, sums } of parts) {
      if (rule === "sums" && sums.length === 1 && best === 0) {
        const { places, values } = this.engine.total(sums[0], this.places, Math.abs);
        const k = values.reduce((k, x, i) => x < values[k] ? i : k, 0);
        if (k > 0) best = places[k];
      }
      const inner = rule === "not" ? parts[sub[0]] : null;
      if (!inner || inner.rule !== "all" || inner.sub.length < 2) continue;
      for (const place of inner.sub.flatMap(i => this.truth[i].places)) {
        const holds = inner.sub.filter(i => this.truth[i].at(place) === YES), part = holds.length / inner.sub.length;
        if (part > most) [best, most] = [place, part];
      }
    }
    return best;
  }

  // why shows what decides the verdict: the cut, and how the events are ordered since which it is
  // violated; or of what holds, the order without which it would fail nearest to the cut.
  why() {
    this.showRun(this.run);
    const [needed] = this.needed, [first, second] = this.missing[0] || needed?.edge || this.culprits;
    if (first !== undefined) this.choose(first);
    if (second !== undefined) this.choose(second, true);
    if (needed) this.point({ from: first, to: second });
    this.stay();
  }

  // fix marks the orders that would make the formula hold, or stops that.
  fix() {
    this.fixing = !this.fixing;
    if (this.fixing) {
      this.diagram.reveal(this.missing[0][0]);
      say((this.data.formula ? "The formula holds with " : "It conforms with ") + this.missing.map(([e, f]) => this.model.name(e) + " before " + this.model.name(f)).join(" and ") + ".");
    }
    showSentence(this);
    this.show();
  }

  // play walks on by itself, or pauses.
  play(on = !this.isPlaying) {
    clearInterval(this.playing);
    this.isPlaying = on && this.place < this.walk.length;
    if (this.isPlaying) this.playing = setInterval(() => this.playOn(), 800 / this.speed);
    showTransport(this);
  }

  playOn() {
    this.step(1);
    if (this.place === this.walk.length) this.play(false);
  }

  nextSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    this.play(this.isPlaying);
  }

  // pickRun shows another run, which may be in another window.
  pickRun(k) {
    const { runs, served } = this.data;
    if (!runs[k]) return;
    byId("runs").value = String(k);
    this.activate();
    if (!runs[k].away) return this.showRun(k);
    if (served) this.open({ run: k }); else say("The saved page does not hold this run.");
  }

  // taken returns the steps that lead to the cut.
  taken() { return this.walk.slice(0, this.place); }

  onRun() { return this.taken().every((step, i) => step === this.runWalk[i]); }

  // update finds what is true along the walk, after that has changed.
  update() {
    this.truth = this.engine.along(this.walk, this.runWalks);
    this.places = this.engine.places(this.walk);
  }

  // at goes to a place of the walk.
  at(place) {
    this.place = Math.max(0, Math.min(place, this.walk.length));
    this.cut = this.model.after(this.taken());
    this.enabled = this.model.enabled(this.cut);
    this.ready = new Set(this.enabled.flatMap(step => this.model.step(step)));
    this.lastStep = new Set(this.place > 0 ? this.model.step(this.walk[this.place - 1]) : []);
    this.changed = new Set([...this.lastStep].flatMap(e => this.model.assigns(e).map(([v]) => v)));
    this.diagram.revealCut(this.place > 0 ? this.walk[this.place - 1] : undefined);
    this.show();
    this.announce();
    this.ask();
    this.link();
  }

  // goTo goes to a cut: the walk takes what it had of the cut in its order, what is missing,
  // and then the rest.
  goTo(cut) {
    if (!cut || !this.model.reachable(cut)) return say("No cut here has that: the window ends, or the trace rules it out.");
    this.at(this.through(cut));
  }

  // through lets the walk pass through a cut, and returns the place where it does.
  through(cut) {
    const inside = step => this.model.has(cut, step);
    const before = this.walk.filter(inside), missing = this.model.walkTo(this.model.after(before), cut);
    this.walk = [...before, ...missing, ...this.walk.filter(step => !inside(step))];
    this.update();
    return before.length + missing.length;
  }

  // point marks an arrow, null for none. It draws the diagram alone, and only where that changes: the
  // list that a person points at must not be made anew.
  point(edge) {
    const { hovered } = this.diagram;
    if (hovered?.from === edge?.from && hovered?.to === edge?.to) return;
    this.diagram.hovered = edge;
    this.diagram.draw();
  }

  // without returns what an arrow keeps from happening, where the formula would fail without it.
  without({ from, to }) { return this.needed.find(({ edge: [e, f] }) => e === from && f === to); }

  // areHere reports whether events are in the window.
  areHere(events) { return events.every(e => e >= 0 && e < this.model.length); }

  take(step) { this.goTo(this.model.with(this.cut, step)); }

  // step goes on along the walk, or back.
  step(by) {
    if (by < 0 || this.place < this.walk.length) return this.at(this.place + by);
    if (this.enabled.length) return this.take(this.enabled[0]);
    if (this.data.after > 0) this.moveOn();
  }

  // change goes to the next place where a part becomes true or false, or to the one before.
  change(by) {
    let to = by > 0 ? this.walk.length : 0;
    for (const course of this.truth) to = by > 0 ? Math.min(to, course.next(this.place)) : Math.max(to, course.before(this.place));
    this.at(to);
  }

  // visit goes to the witness of a part, or else to where it changes next.
  visit(k) {
    const text = this.data.parts[k].text, course = this.truth[k];
    const run = this.data.runs.findIndex((r, i) => i !== this.run && !r.away && (r.claim === text + " holds" || r.claim === text + " fails"));
    if (run >= 0) {
      if (this === this.first) byId("runs").value = String(run);
      return this.showRun(run);
    }
    const next = course.next(this.place);
    if (next <= this.walk.length) return this.at(next);
    if (course.places.length > 1) return this.at(course.places[course.places.length - 1] - 1);
    say(text + " is " + WORDS[course.at(this.place)] + " along this whole run.");
  }

  // ask asks the server for what only engines can tell, at the cut where the page is.
  async ask() {
    if (!this.data.served) return;
    const { data, cut, model } = this;
    for (const [k, part] of data.parts.entries()) {
      if (part.rule !== "asked" || this.truth[k].at(this.place) !== UNKNOWN) continue;
      const answer = await this.fetch("truth", { part: k, cut: model.counts(cut) });
      if (this.data !== data) return;
      if (!answer || answer.verdict === "unknown") continue;
      this.engine.facts.push({ part: k, cut, truth: answer.verdict === "holds" ? YES : NO });
      this.update();
      this.show();
      if (this.cut !== cut) return; // it has gone on, and asks there
    }
  }

  // question returns what the server is asked about: what the page shows, but for some parameters.
  // Another trace or formula has other bindings.
  question(parameters) {
    const { trace, formula, run, place = "", binding = [] } = this.data, all = { trace, formula, run, place, ...parameters };
    const isSame = String(all.trace) === String(trace) && all.formula === formula;
    return { binding: isSame ? binding : [], ...all };
  }

  // fetch asks the server; null is an error, which is shown.
  async fetch(what, parameters) {
    const answer = await request(what, this.question(parameters));
    fail(answer.error || "");
    return answer.error ? null : answer;
  }

  // open shows another window of the server.
  async open(parameters, counts) {
    say("Deciding …");
    const data = await this.fetch("data", { place: "", run: 0, ...parameters });
    if (!data) {
      showTools(this.first);
      this.announce();
      return false;
    }
    data.place = parameters.place || "";
    this.load(data);
    if (counts) {
      const cut = this.model.parse(counts);
      if (cut) this.goTo(cut);
    }
    if (this === this.first) byId("formula").value = data.formula;
    return true;
  }

  // moveOn asks for the window around the cut.
  moveOn() {
    if (!this.data.served) return say("The saved page ends here.");
    const counts = this.model.counts(this.cut);
    this.open({ run: this.run, place: counts || "#0" }, counts);
  }

  // compare shows another execution below this one, with the same processes beside each other.
  // A formula that means nothing there is not asked there.
  async compare(trace) {
    this.endComparison();
    if (trace === "") return this.show();
    const { data: mine } = this, ask = formula => request("data", { trace, formula, run: 0, place: "" });
    let data = await ask(this.data.formula);
    if (data.error) data = await ask("");
    if (this.data !== mine || this.twin) return;
    fail(data.error || "");
    if (data.error) return;
    byId("compare").value = String(trace);
    document.querySelector("main").classList.add("two");
    this.twin = new App(data, byId("stage2"), byId("lanes2"), this);
    this.match();
    for (const app of this.all()) app.resized();
  }

  endComparison() {
    this.twin = this.comparison = null;
    this.active = this;
    document.querySelector("main").classList.remove("two");
    byId("compare").value = "";
    this.resized();
  }

  // match compares the windows of the two executions.
  match() {
    if (this.twin) this.comparison = new Comparison(this.model, this.twin.model);
    for (const app of this.all()) app.show();
  }

  differs(e) { return Boolean(this.first.comparison?.differs(this.model, e)); }

  // across takes the other execution to the cut with what matches this cut.
  across() {
    const { comparison, twin } = this.first, other = this === twin ? this.first : twin;
    if (comparison) other.goTo(comparison.across(this.model, this.cut));
  }

  // line returns the text of the line where an event is, "" where it is not known, and asks for
  // it once nothing else has been asked for a moment.
  line(e) {
    const { places, served } = this.data;
    if (places && places.texts) return places.texts[e];
    if (!served || !this.model.hasLine(e)) return "";
    if (this.lines.has(e)) return this.lines.get(e);
    this.unread.add(e);
    clearTimeout(this.reading);
    this.reading = setTimeout(async () => {
      const { data, unread } = this;
      this.unread = new Set();
      for (const e of [...unread].slice(-10)) {
        const answer = await request("line", this.question({ event: e }));
        if (this.data !== data) return;
        this.lines.set(e, answer.error || answer.refused || answer.text);
      }
      if (this.isActive()) showState(this);
    }, 100);
    return "";
  }

  async showSlice(k) {
    this.slice = null;
    if (k !== "") {
      const known = (this.data.slices || []).find(s => s.part === Number(k)) || await (this.data.served ? this.fetch("slice", { part: k }) : null);
      if (!known) say("The saved page does not hold this slice.");
      else if (known.refused) say(known.refused);
      else {
        this.slice = known;
        this.sliceState = new Map([...known.forced.map(e => [e, "forced"]), ...known.out.map(e => [e, "out"])]);
        this.sliceGroups = new Set(known.together.flat());
        say((known.empty ? "No cut here is in the slice." : known.forced.length + " events are in every cut of the slice, " + known.out.length + " in none; " + known.together.length + (known.together.length === 1 ? " meta-event." : " meta-events.")) +
          (known.lean ? " Its cuts are exactly those that satisfy the formula." : " It may have cuts that do not satisfy the formula."));
      }
    }
    byId("slices").value = this.slice ? String(this.slice.part) : "";
    this.show();
  }

  sliced(e) { return this.slice ? this.sliceState.get(e) : undefined; }
  slicedTogether(e) { return this.slice !== null && this.sliceGroups.has(e); }

  // choose marks an event, with its past and its future; a second one, how it is ordered.
  choose(e, second) {
    const { model } = this;
    this.path = null;
    this.relationText = "";
    this.diagram.hovered = null;
    if (second && this.selected >= 0 && e >= 0) {
      this.other = e;
      const relation = model.relation(this.selected, e), both = model.name(this.selected) + " and " + model.name(e);
      const [first, then] = relation === "after" ? [e, this.selected] : [this.selected, e];
      this.path = relation === "before" || relation === "after" ? model.path(first, then) : null;
      this.relationText = relation === "together" ? both + " happen together." :
        relation === "concurrent" ? both + " are concurrent: neither needs the other." :
        model.name(first) + " happens before " + model.name(then) + ", by this path:";
      say(this.relationText);
    } else {
      this.selected = e;
      this.other = -1;
    }
    if (this.selected >= 0) {
      const past = model.past(this.selected), others = model.without(model.everything(), this.selected);
      this.past = f => model.has(past, f);
      this.future = f => !model.has(others, f) && !model.has(past, f);
      this.diagram.reveal(e);
      if (!second) say(model.tell(e));
    } else this.past = this.future = null;
    const path = new Set(this.path);
    this.marked = f => path.has(f);
    this.show();
  }

  // openFold shows the events of a fold one by one.
  openFold(e) {
    if (e < 0) return;
    this.opened.add(this.layout.first[this.layout.node[e]]);
    this.relayout();
    this.diagram.reveal(e);
    this.show();
  }

  goToChosen() { if (this.selected >= 0) this.goTo(this.leastWith(this.selected)); }

  leastWith(e) { return this.model.with(this.model.least(), e); }

  // chooseBeside moves the choice along the process or to another lane.
  chooseBeside(lanes, events) {
    const { model } = this;
    let e = this.selected;
    if (e < 0) e = this.place > 0 ? this.walk[this.place - 1] : 0;
    else if (events) {
      const k = model.place(e) + events;
      if (k < 1 || k > model.processes[model.process[e]].count) return;
      e += events;
    } else {
      const order = this.lanes.flat();
      for (let i = order.indexOf(model.process[e]) + lanes; i >= 0 && i < order.length; i += lanes) {
        const p = order[i], count = model.processes[p].count;
        if (!count) continue;
        const x = this.diagram.x(this.layout.at(e));
        e = model.event(p, Math.min(Math.max(this.diagram.countAt(p, x + 1), 1), count));
        break;
      }
    }
    if (e < model.length) this.choose(e);
  }

  // search returns the events that a text finds: process:NAME, x=VALUE for an assignment,
  // becomes:PART for where a part of the formula becomes true along the run, or any text.
  search(text) {
    const { model, data: { parts } } = this, wanted = text.toLowerCase();
    const [, becomes] = wanted.match(/^becomes:\s*(.*)$/) || [], [, process] = wanted.match(/^process:\s*(.*)$/) || [];
    const [, variable, at, value] = text.match(/^(\S+?)(?:@(\S+?))?\s*=\s*(.*)$/) || [];
    if (becomes !== undefined) {
      const [k] = [...parts.keys()].filter(k => parts[k].text.toLowerCase().includes(becomes))
        .sort((j, k) => parts[j].text.length - parts[k].text.length);
      return k === undefined ? [] : this.walk.filter((_, i) => this.truth[k].at(i + 1) === YES && this.truth[k].at(i) !== YES);
    }
    this.told ||= Array.from({ length: model.length }, (_, e) => model.tell(e).toLowerCase());
    const assigns = ([v, i]) => v.name === variable && model.assigned(v, i) === value;
    return [...this.told.keys()].filter(e => {
      const owner = model.owner(e);
      if (process !== undefined) return owner.toLowerCase().includes(process);
      if (variable) return (!at || owner === at) && model.assigns(e).some(assigns);
      return this.told[e].includes(wanted);
    });
  }

  find(text, next) {
    const list = text ? this.search(text) : [];
    this.found = new Set(list);
    byId("matches").textContent = text ? list.length + " found" : "";
    const [first] = list.slice(list.indexOf(this.selected) + 1).concat(list);
    if (list.length && next) this.choose(first); else this.show();
  }

  variablesOf(p) {
    const watched = this.watchedSet();
    return this.model.variablesOf[p].filter(v => watched.has(v)).concat(this.model.variablesOf[p].filter(v => !watched.has(v)));
  }

  // watched returns the variables of the formula and what the last step changed.
  watched() {
    const watched = this.watchedSet();
    return this.data.variables.filter(v => watched.has(v) || v.process < 0 || this.justChanged(v)).slice(0, 60);
  }

  watchedSet() {
    if (!this.watchedNow || this.watchedNow.of !== this.data) {
      const all = new Set(this.data.variables.filter(v => this.data.formula.includes(v.name) && (v.process < 0 || this.data.named.includes(this.model.processes[v.process].number))));
      this.watchedNow = { of: this.data, all };
    }
    return this.watchedNow.all;
  }

  justChanged(v) { return this.changed.has(v); }

  // labelOf says in the diagram what an event is: its label, or what changes; of the formula's
  // variables where it changes one. What the colour of the lane says is left out, and of an event
  // that matters now something is said in any case.
  labelOf(e, matters) {
    const { model } = this, label = this.data.labels && this.data.labels[e] || "", watched = this.watchedSet(), list = model.assigns(e);
    const some = list.filter(([v]) => watched.has(v)), shown = (some.length ? some : list).filter(([v]) => matters || v.name !== this.colour);
    const told = [label, ...shown.map(([v, i]) => v.name + " = " + unquoted(model.assigned(v, i)))].filter(Boolean).join(", ");
    if (told || !matters) return told;
    const [got] = model.received(e), [sent] = model.sent(e);
    return got ? "from " + model.sender(got) : sent ? "to " + model.receiver(sent) : model.name(e);
  }

  // tip tells all of an event or a fold for somebody who points at it.
  tip(e) {
    const { model, layout } = this, events = layout.events(layout.node[e]), most = 12;
    return events.slice(0, most).map(f => model.tell(f) + this.timeOf(f)).concat(events.length > most ? ["and " + (events.length - most) + " more"] : []).join("\n");
  }

  // tipOfEdge tells of an arrow.
  tipOfEdge({ from, to, name }) {
    const { model, cut } = this, without = this.without({ from, to }), told = model.name(from) + " → " + model.name(to);
    return (name ? "“" + name + "” from " + model.owner(from) + " to " + model.owner(to) + ", " : "") + told +
      (model.has(cut, from) && !model.has(cut, to) ? ", in transit" : "") + (without ? "\n" + without.text : "");
  }

  // colourOf returns the number of the colour of a value; 0, the faintest, is the first value.
  colourOf(text) {
    if (!this.palette) {
      const variables = this.model.variablesOf.flat().filter(v => v.name === this.colour);
      const numbers = new Set(variables.flatMap(v => [v.first, ...v.values]));
      this.palette = new Map([...numbers].map((n, i) => [this.data.texts[n], i && 1 + (i - 1) % 7]));
    }
    return this.palette.get(text);
  }

  cutText() {
    const { model: { processes }, cut } = this, happened = p => processes[p].before + cut[p];
    const parts = this.lanes.flat().filter(p => happened(p) > 0).map(p => processes[p].name + ":" + happened(p));
    return parts.slice(0, 40).join(" ") + (parts.length > 40 ? " and " + (parts.length - 40) + " more" : "") || "no event has happened";
  }

  timeOf(e) { return this.data.times?.[e] ? ", at " + this.data.times[e] : ""; }

  // Lanes are those of the first execution, and are named by one of their processes.

  pin(p) {
    const lane = this.lanes[this.laneOf[p]], isPinned = this.isPinned(lane);
    for (const q of lane) if (isPinned) this.staying.delete(q); else this.staying.add(q);
    this.setLanes(this.lanes);
  }

  move(p, by) {
    const lanes = this.lanes.slice(), i = this.laneOf[p], j = i + by;
    if (!lanes[j]) return;
    [lanes[i], lanes[j]] = [lanes[j], lanes[i]];
    this.setLanes(lanes);
  }

  hide(p) { this.setLanes(this.lanes.filter(lane => lane !== this.lanes[this.laneOf[p]])); }

  // showSeen hides the processes of which the formula sees nothing.
  showSeen() { this.setLanes(this.lanes.filter(lane => lane.some(p => this.model.processes[p].seen))); }

  showAll() {
    const hidden = [...this.model.processes.keys()].filter(p => this.laneOf[p] === undefined);
    this.lanes = this.lanes.concat(hidden.map(p => [p]));
    this.regroup();
  }

  // groupings returns how processes can be grouped: by what their names have before a
  // character, without the number at the end, or by the value of a variable at the cut.
  groupings() {
    const { processes } = this.model, ways = [];
    if (processes.length < 3) return ways;
    for (const mark of "/#:@.-_") ways.push(["before " + mark, "name before “" + mark + "”"]);
    ways.push(["number", "name without number"]);
    for (const [name, count] of this.model.owners()) if (count > 1 && ways.length < 60) ways.push(["value " + name, "value of " + name]);
    return ways.filter(([way]) => {
      if (way.startsWith("value ")) return true;
      const keys = processes.map((_, p) => this.groupKey(p, way)).filter(key => key !== undefined);
      return new Set(keys).size < keys.length;
    });
  }

  // groupKey returns what tells the group of a process, undefined for none.
  groupKey(p, way) {
    const { model, cut } = this, { name } = model.processes[p], [, kind, what] = way.match(/^(\w+) ?(.*)$/);
    if (kind === "value") {
      const v = model.variablesOf[p].find(v => v.name === what);
      return v && what + " = " + model.value(v, cut);
    }
    const end = kind === "before" ? name.lastIndexOf(what) : name.search(/\d+$/);
    return end > 0 ? name.slice(0, end) : undefined;
  }

  // groupBy groups the processes that are shown, each group folded into one lane; "" ungroups
  // them.
  groupBy(way) {
    const groups = new Map();
    this.groupOf = [];
    for (const p of way ? this.lanes.flat() : []) {
      const name = this.groupKey(p, way);
      if (name === undefined) continue;
      if (!groups.has(name)) groups.set(name, { name, folded: true });
      this.groupOf[p] = groups.get(name);
    }
    this.regroup();
  }

  // groupPicked makes the processes that were picked a group.
  groupPicked() {
    const names = [...this.picked].map(p => this.model.processes[p].name);
    const group = { name: names.slice(0, 3).join(", ") + (names.length > 3 ? " and " + (names.length - 3) + " more" : ""), folded: true };
    for (const p of this.picked) this.groupOf[p] = group;
    this.picked.clear();
    this.regroup();
  }

  pick(p) {
    for (const q of this.lanes[this.laneOf[p]]) if (!this.picked.delete(q)) this.picked.add(q);
    this.draw();
  }

  // foldGroup folds the group of a process, or unfolds it.
  foldGroup(p) {
    this.groupOf[p].folded = !this.groupOf[p].folded;
    this.regroup();
  }

  // regroup puts the processes of each folded group into one lane, where the first of them is,
  // and gives each other process its own.
  regroup() {
    const folded = new Map(), lanes = [];
    for (const p of this.lanes.flat()) {
      const group = this.groupOf[p], lane = folded.get(group);
      if (lane) {
        lane.push(p);
        continue;
      }
      lanes.push([p]);
      if (group?.folded) folded.set(group, lanes.at(-1));
    }
    this.setLanes(lanes);
  }

  toggle(id, value) {
    const now = !this[value];
    byId(id).setAttribute("aria-pressed", now);
    for (const app of this.all()) {
      app[value] = now;
      app.opened.clear();
      app.relayout();
      app.stay();
    }
  }

  zoom(by) {
    for (const app of this.all()) {
      app.diagram.gap = Math.max(8, Math.min(app.byTime ? 5000 : 200, app.diagram.gap * by));
      app.diagram.resize();
      app.stay();
    }
  }

  // stay shows the last step again where it is now.
  stay() {
    this.diagram.revealCut(this.place > 0 ? this.walk[this.place - 1] : undefined);
    this.show();
  }

  setColour(name) {
    for (const app of this.all()) {
      Object.assign(app, { colour: name, palette: null });
      app.show();
    }
  }

  // scrolled draws what has come into view; lanes beside each other scroll together.
  scrolled() {
    if (!this.diagram.look()) return;
    const [x, y] = this.diagram.turn(0, this.diagram.view.top);
    for (const app of this.all()) if (app !== this) Object.assign(app.diagram.stage, x ? { scrollLeft: x } : { scrollTop: y });
    this.draw();
  }

  // resized shares the room again; what was in view stays so.
  resized() {
    this.diagram.resize();
    if (this.cut) this.stay();
  }

  // sheet opens one of the sheets, or closes it: state, tree, many or view. It moves the focus there.
  sheet(name, field) {
    const { body } = document, open = body.dataset.sheet === name && !field ? "" : name;
    body.dataset.sheet = open;
    byId("view").hidden = open !== "view";
    for (const button of document.querySelectorAll("[data-sheet]:not(body)")) button.setAttribute("aria-expanded", String(button.dataset.sheet === open));
    if (open) (field || byId(open)).focus();
    showRows(this.active);
  }

  // show draws everything that depends on the cut; the diagram first, as what is beside it
  // changes the page, which then is laid out once.
  show() {
    if (!this.cut) return; // nothing has been loaded yet
    this.draw();
    if (!this.isActive()) return;
    showRows(this);
    showTransport(this);
    showState(this);
  }

  draw() {
    this.diagram.draw();
    showLanes(this);
    if (this === this.first) showMap(this);
  }

  announce() {
    const step = this.place > 0 ? this.model.step(this.walk[this.place - 1]).map(e => this.model.tell(e)).join(" and ") : "the first cut";
    const root = this.data.parts.length ? ". The formula is " + WORDS[this.truth[0].at(this.place)] + " here." : ".";
    if (this.isActive()) say("Step " + this.place + " of " + this.walk.length + ": " + step + root);
  }

  // address returns that of the place, and link shows it, once nothing has happened for a
  // moment: browsers allow only so many changes.
  address() {
    const { model, selected: e } = this, parameters = new URLSearchParams({ cut: model.counts(this.cut) });
    if (!this.folded) parameters.set("fold", "no");
    if (this.byTime) parameters.set("time", "yes");
    if (this.colour) parameters.set("colour", this.colour);
    parameters.set("wide", Math.round(this.diagram.gap));
    if (e >= 0) parameters.set("chosen", model.processes[model.process[e]].number + ":" + model.number(e));
    if (this.data.formula) parameters.set("f", this.data.formula);
    if (this.data.trace) parameters.set("trace", this.data.trace);
    for (const choice of this.data.binding || []) parameters.append("binding", choice);
    if (this.twin) parameters.set("with", this.twin.data.trace);
    return location.href.split("#")[0] + "#" + parameters;
  }

  link() {
    if (this !== this.first) return;
    clearTimeout(this.linking);
    this.linking = setTimeout(() => history.replaceState(null, "", this.address()), 200);
  }

  // restore shows what the address says of the view.
  restore(place) {
    if (place.get("fold") === "no") this.toggle("fold", "folded");
    if (place.get("time") && this.hasClock()) this.toggle("time", "byTime");
    if (place.get("colour")) this.setColour(place.get("colour"));
    if (place.get("wide")) this.zoom(place.get("wide") / this.diagram.gap);
    const { model } = this, [p, k] = (place.get("chosen") || "").split(":").map(Number);
    const i = model.processes.findIndex(q => q.number === p), e = i < 0 ? -1 : model.event(i, k - model.processes[i].before);
    if (this.areHere([e])) this.choose(e);
    byId("colours").value = this.colour;
  }

  // takes returns what people can take away: the text of its button, and what that does.
  takes() {
    const { diagram } = this, { canvas } = diagram, show = (title, text) => () => {
      byId("text").value = text();
      showDialog(title, "text");
    };
    const copy = blob => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })])
      .then(() => say("The picture is copied."), error => say("It cannot be copied: " + error.message));
    return {
      link: ["Link", show("Link to what you see", () => this.address())],
      text: ["Run as text", show("The run to this cut", () => textOf(this))],
      mermaid: ["Run as Mermaid", show("The run to this cut, as Mermaid", () => mermaidOf(this))],
      go: ["Run as Go test (potatest)", show("The run to this cut, as a Go test", () => goOf(this))],
      "svg code": ["View as SVG", show("The view, as SVG", () => diagram.svg())],
      "png copy": ["Copy view as PNG", () => canvas.toBlob(copy)],
      svg: ["Save view as SVG", () => save("view.svg", new Blob([diagram.svg()], { type: "image/svg+xml" }))],
      png: ["Save view as PNG", () => canvas.toBlob(blob => save("view.png", blob))],
    };
  }

  takeAway(what) { this.takes()[what][1](); }

  share() { choose("Share", Object.values(this.takes())); }

  // completions returns what the word before the caret may become.
  completions(before) {
    const word = before.match(/[A-Za-z_][A-Za-z0-9_]*$|@"?[^"\s]*$/);
    if (!word) return [];
    const quote = name => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name);
    const names = word[0].startsWith("@") ? this.model.processes.map(p => "@" + quote(p.name)) :
      ["EF(", "AG(", "EG(", "AF(", "EX(", "AX(", "E[", "A[", "forall i: ", "exists i: ", "forall i != j: ", "count i: ", "sum i: ", "transit(", "true", "false", ...new Set(this.data.variables.map(v => quote(v.name)))];
    return names.filter(name => name.startsWith(word[0]) && name !== word[0]).slice(0, 10).map(name => [name, name.slice(word[0].length)]);
  }
}

// say tells what has happened, and fail shows an error, or that there is none.
function say(text) { byId("status").textContent = text; }

function fail(text) {
  byId("error").textContent = text;
  byId("error").hidden = !text;
}

// request asks the server until signal aborts that.
async function request(what, parameters, signal) {
  try {
    const query = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map(one => [name, one]));
    return await (await fetch(what + "?" + new URLSearchParams(query), { signal })).json();
  } catch (error) {
    return { error: "The server does not answer: " + error.message };
  }
}

// start shows the data of the page, or what the server has for the address.
async function start() {
  const place = new URLSearchParams(location.hash.slice(1)), cut = place.get("cut") || "";
  let data = JSON.parse(byId("data").textContent);
  if (!data) {
    // Without a formula in the address, the server chooses.
    const wanted = { trace: place.get("trace") || 0, binding: place.getAll("binding") };
    if (place.has("f")) wanted.formula = place.get("f");
    data = await request("data", wanted);
    fail(data.error || "");
    if (data.error) data = await request("data", { formula: "" });
    if (data.error) return;
    byId("formula").value = data.formula;
  }
  const app = new App(data, byId("stage"), byId("lanes"), null);
  listen(app);
  if (cut) {
    const there = app.model.parse(cut);
    if (there) app.goTo(there);
    else if (data.served) await app.open({ place: cut }, cut);
  }
  if (data.served && place.get("with")) await app.compare(place.get("with"));
  app.restore(place);
  window.pota = app; // for those who want to look further, and for tests
}

start();
