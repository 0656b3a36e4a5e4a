// The state of the page: for each execution shown, a window, a walk in it, and a place of the walk.

class App {
  // box has the names of the lanes. An app other than the first shows another execution below the
  // first one, for comparison.
  constructor(data, stage, box, first) {
    const { folded, byTime, colour } = first || { folded: true, byTime: false, colour: null };
    Object.assign(this, { box, folded, byTime, first: first || this, active: this });
    Object.assign(this, { twin: null, comparison: null }); // for the first app only
    this.colour = colour; // the variable by which lanes are coloured; "" for none, null for a default
    this.diagram = new Diagram(this, stage);
    this.isPlaying = false;
    this.load(data);
  }

  // isActive reports whether the panes around the diagrams are about this app.
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
    this.mark(-1, -1);
    this.found = new Set();
    this.opened = new Set(); // events of folds that were opened
    this.told = null; // the texts to search; null before the first search
    this.toggled = new Set(); // rows of the formula that the user has opened or closed
    this.reason = data.reason || {}; // the reason for the verdict
    this.needed = (this.reason.needed || []).filter(({ edge }) => this.areHere(edge));
    const { formula, named, processes } = data; // for watched, the variables of the formula
    const isNamed = p => p < 0 || named.includes(processes[p].number);
    this.watched = new Set(data.variables.filter(v => formula.includes(v.name) && isNamed(v.process)));
    this.lines = new Map(); // by event, its line in the trace
    this.lanes = new Lanes(this.model, () => this.rearranged());
    if (this !== this.first) this.lanes.follow(this.first.lanes);
    this.runWalks = data.runs.map(run => this.model.steps(run.events));
    this.fixing = false; // whether missing orders are shown as a fix
    this.byTime = this.byTime && this.hasClock();
    this.chooseColour();
    this.diagram.gap = this === this.first ? 0 : this.first.diagram.gap;
    this.relayout();
    this.showRun(data.run);
    if (this === this.first) {
      byId("formula").value = data.formula;
      showTools(this);
      listVerdicts(this);
    }
    if (data.sliced >= 0) this.showSlice(data.sliced);
    if (this !== this.first) this.first.match();
    if (compared !== "" && compared !== data.trace) this.compare(compared);
  }

  // rearranged shows lanes that have changed. The other execution gets the same lanes.
  rearranged() {
    for (const app of this.all()) {
      if (app !== this) app.lanes.follow(this.lanes);
      app.diagram.resize();
      app.show();
    }
  }

  relayout() {
    const { model, opened, byTime, folded } = this, isPlain = byTime || !folded;
    const isAlone = e => isPlain || model.seen.has(e) || opened.has(e);
    this.layout = new Layout(model, isAlone, byTime);
    byId("uncertain").hidden = !byTime || !this.data.when;
    this.diagram.resize();
  }

  hasClock() { return Boolean(this.data.clock); }

  // chooseColour colours lanes by a variable of the formula, if the user has not chosen one: by the
  // first that several processes have, or else by the first one. Without such a variable, it shows
  // where spans are active.
  chooseColour() {
    const { formula, named } = this.data, { processes } = this.model;
    const isNamed = p => !formula || !named.length || named.includes(processes[p].number);
    const owners = this.model.owners([...processes.keys()].filter(isNamed));
    const words = (formula.match(/"[^"]*"|[\w.]+/g) || []).map(unquoted);
    const names = words.filter(word => owners.has(word));
    const other = owners.has("active") ? "active" : "";
    const best = names.find(name => owners.get(name).length > 1) ?? names[0] ?? other;
    this.colourBy(this.colour === "" || owners.has(this.colour) ? this.colour : best);
  }

  // colourBy gives a number, which stands for a colour, to each value of a variable; "" stands for
  // no variable. The first value has number 0, the faintest colour.
  colourBy(name) {
    const variables = this.model.variablesOf.flat().filter(v => v.name === name);
    const values = new Set(variables.flatMap(v => [v.first, ...v.values]));
    this.colour = name;
    const numbered = [...values].map((value, i) => [this.data.texts[value], i && 1 + (i - 1) % 7]);
    this.palette = new Map(numbered);
  }

  // showRun shows one of the runs, at the cut that matters.
  showRun(k) {
    const { model, reason: { closest } } = this, run = this.data.runs[k];
    this.run = k;
    if (this === this.first) byId("runs").value = String(k);
    this.runWalk = run ? this.runWalks[k] : model.walkTo(model.least(), model.greatest());
    this.walk = this.runWalk.slice();
    this.update();
    this.findViolation();
    // The place that matters is the end of the run, or the cut that comes closest to the opposite
    // verdict.
    if (run) this.origin = model.steps(run.events.slice(0, run.open)).length;
    else if (closest && model.reachable(closest)) this.origin = this.through(closest);
    else this.origin = this.nearestSum();
    this.rows = rowsOf(this);
    this.at(this.origin);
  }

  // findViolation finds the events that brought about the violation, and the missing orders. Both
  // came with the verdict.
  findViolation() {
    const { reason: { culprits = [], missing = [] }, data: { verdict, runs }, layout } = this;
    const isShown = verdict === "fails" && runs[this.run]?.away === false;
    this.missing = missing.filter(pair => this.areHere(pair));
    this.culprits = isShown ? culprits.filter(e => this.areHere([e])) : [];
    // They must not be hidden in folds.
    const nodes = [...this.culprits, ...this.missing.flat()].map(e => layout.node[e]);
    const folds = nodes.filter(n => layout.count[n] > 1);
    this.unfold(folds.flatMap(n => layout.events(n)));
  }

  // violated returns the part that must hold at each cut and does not, or undefined if there is
  // none.
  violated() {
    const { parts, verdict } = this.data;
    return verdict === "fails" && parts[0]?.op === "AG" ? parts[0].sub[0] : undefined;
  }

  // nearestSum returns the place of the walk at which the first part with a sum is nearest to its
  // bound. It returns 0 if there is no such part, or if the part has several sums.
  nearestSum() {
    const { sums = [] } = this.data.parts.find(({ rule }) => rule === "sums") || {};
    if (sums.length !== 1) return 0;
    const at = this.engine.places(this.walk);
    const { places, values } = this.engine.total(sums[0], at, Math.abs);
    return places[values.indexOf(Math.min(...values))];
  }

  // why shows what decides the verdict. For a violation, it shows the cut, and how the events that
  // brought it about are ordered. For a formula that holds, it shows the order without which the
  // formula would fail at the nearest cut.
  why() {
    this.showRun(this.run);
    const [needed] = this.needed;
    const [first, second] = this.missing[0] || needed?.edge || this.culprits;
    if (first !== undefined) this.choose(first);
    if (second !== undefined) this.choose(second, true);
    if (needed) this.point({ from: first, to: second });
    this.stay();
  }

  // fix marks the orders that would make the formula hold, or removes the marks.
  fix() {
    this.fixing = !this.fixing;
    if (this.fixing) {
      this.diagram.reveal(this.missing[0][0]);
      const before = ([e, f]) => this.model.name(e) + " before " + this.model.name(f);
      say(this.holdsWith("The formula") + " " + this.missing.map(before).join(" and ") + ".");
    }
    showSentence(this);
    this.show();
  }

  // holdsWith begins a sentence about the orders with which the formula holds, or the execution
  // conforms to a diagram.
  holdsWith(what) { return this.data.formula ? what + " holds with" : "It conforms with"; }

  // play walks automatically, or pauses.
  play(on = !this.isPlaying) {
    clearTimeout(this.playing);
    this.isPlaying = on && this.place < this.walk.length;
    if (this.isPlaying) {
      this.playing = setTimeout(() => {
        this.step(1);
        this.play(true);
      }, 800 / byId("speed").value);
    }
    showTransport(this);
  }

  // pickRun shows another run, which may be in another window.
  pickRun(k) {
    const { runs, served } = this.data;
    if (!runs[k]) return;
    this.activate();
    if (!runs[k].away) this.showRun(k);
    else if (served) this.open({ run: k });
    else say("The saved page does not hold this run.");
  }

  // taken returns the steps that lead to the cut, and events the events in them. latest returns the
  // last step, or undefined at the first cut.
  taken() { return this.walk.slice(0, this.place); }
  events() { return this.taken().flatMap(step => this.model.step(step)); }
  latest() { return this.walk[this.place - 1]; }

  // update computes the truth of the parts after the walk has changed.
  update() { this.truth = this.engine.along(this.walk, this.runWalks); }

  // at goes to a place of the walk.
  at(place) {
    this.place = Math.max(0, Math.min(place, this.walk.length));
    this.cut = this.model.after(this.taken());
    this.enabled = this.model.enabled(this.cut);
    this.ready = new Set(this.enabled.flatMap(step => this.model.step(step)));
    this.lastStep = new Set(this.place > 0 ? this.model.step(this.latest()) : []);
    this.changed = new Set([...this.lastStep].flatMap(e => this.model.assigns(e).map(([v]) => v)));
    this.stay();
    this.announce();
    this.ask();
    this.link();
  }

  // goTo goes to a cut. The walk first takes those of its steps that are in the cut, then the
  // missing ones, and then the rest.
  goTo(cut) {
    if (cut && this.model.reachable(cut)) this.at(this.through(cut));
    else say("No cut here has that: the window ends, or the trace rules it out.");
  }

  // through makes the walk pass through a cut, and returns the place where it does.
  through(cut) {
    const inside = step => this.model.has(cut, step);
    const before = this.walk.filter(inside);
    const missing = this.model.walkTo(this.model.after(before), cut);
    this.walk = [...before, ...missing, ...this.walk.filter(step => !inside(step))];
    this.update();
    return before.length + missing.length;
  }

  // point marks an arrow, or none if edge is undefined. It draws only the diagram, and only if the
  // arrow has changed: the list that the user points at must not be replaced.
  point(edge) {
    const { hovered } = this.diagram;
    if (hovered?.from === edge?.from && hovered?.to === edge?.to) return;
    this.diagram.hovered = edge;
    this.diagram.draw();
  }

  // without returns what an arrow prevents, if the formula would fail without it.
  without({ from, to }) { return this.needed.find(({ edge: [e, f] }) => e === from && f === to); }

  // areHere reports whether events are in the window.
  areHere(events) { return events.every(e => e >= 0 && e < this.model.length); }

  take(step) { this.goTo(this.model.with(this.cut, step)); }

  // step goes forwards or back along the walk.
  step(by) {
    if (by < 0 || this.place < this.walk.length) return this.at(this.place + by);
    if (this.enabled.length) return this.take(this.enabled[0]);
    if (this.data.after > 0) this.moveOn();
  }

  // change goes to the next place at which the truth of a part changes, or to the previous one.
  change(by) {
    const { place, truth } = this;
    if (by > 0) this.at(Math.min(...truth.map(course => course.next(place))));
    else this.at(Math.max(...truth.map(course => course.before(place))));
  }

  // visit goes to the witness of a part or, without one, to its next change.
  visit(k) {
    const text = this.data.parts[k].text, course = this.truth[k];
    const isOf = ({ claim, away }) => !away && [text + " holds", text + " fails"].includes(claim);
    const run = this.data.runs.findIndex((run, i) => i !== this.run && isOf(run));
    if (run >= 0) return this.showRun(run);
    const next = course.next(this.place);
    if (next <= this.walk.length) return this.at(next);
    if (course.places.length > 1) return this.at(course.places.at(-1) - 1);
    say(text + " is " + WORDS[course.at(this.place)] + " along this whole run.");
  }

  // ask asks the server for the truth of the parts that only engines can decide, at the current
  // cut.
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
      if (this.cut !== cut) return; // the user has moved on, so another call asks there
    }
  }

  // question returns the parameters of a request: those of the page, unless others are given. A
  // binding is only for its own trace and formula.
  question(parameters) {
    const { trace, formula, run, place = "", binding = [] } = this.data;
    const all = { trace, formula, run, place, ...parameters };
    const isSame = String(all.trace) === String(trace) && all.formula === formula;
    return { binding: isSame ? binding : [], ...all };
  }

  // fetch sends a request to the server. If that fails, it shows the error and returns null.
  async fetch(what, parameters) {
    const answer = await request(what, this.question(parameters));
    fail(answer.error || "");
    return answer.error ? null : answer;
  }

  // open shows another window from the server.
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
    if (counts) this.goTo(this.model.parse(counts));
    return true;
  }

  // moveOn requests the window around the cut.
  moveOn() {
    if (!this.data.served) return say("The saved page ends here.");
    const counts = this.model.counts(this.cut);
    this.open({ run: this.run, place: counts || "#0" }, counts);
  }

  // compare shows another execution below this one, with the same processes beside each other. If
  // the formula is an error there, the other execution has no formula.
  async compare(trace) {
    this.endComparison();
    if (trace === "") return this.show();
    const { data: mine } = this;
    const ask = formula => request("data", { trace, formula, run: 0, place: "" });
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

  // across takes the other execution to the cut that matches this one.
  across() {
    const { comparison, twin } = this.first, other = this === twin ? this.first : twin;
    if (comparison) other.goTo(comparison.across(this.model, this.cut));
  }

  // line returns the text of the line of an event, or "" if it is not known yet. It requests an
  // unknown line after a moment without other requests.
  line(e) {
    const { places, served } = this.data;
    if (places?.texts) return places.texts[e];
    if (!served || !this.model.hasLine(e)) return "";
    if (!this.lines.has(e)) later("lines", 100, () => this.read());
    return this.lines.get(e) || "";
  }

  // read requests the lines of the events that the panel describes.
  async read() {
    const { lines } = this, isUnread = e => this.model.hasLine(e) && !lines.has(e);
    for (const e of [this.selected, ...this.lastStep].filter(isUnread)) {
      const answer = await request("line", this.question({ event: e }));
      if (lines !== this.lines) return; // other events have these numbers now
      lines.set(e, answer.error || answer.refused || answer.text);
    }
    if (this.isActive()) showState(this);
  }

  // showSlice shows the slice of a part, or none for "".
  async showSlice(k) {
    const { slices, served } = this.data, isWanted = k !== "";
    let known = isWanted && slices?.find(({ part }) => part === Number(k));
    if (isWanted && !known && served) known = await this.fetch("slice", { part: k });
    this.slice = null;
    if (known && !known.refused) {
      const { edges, forced, out, together } = known;
      this.slice = { part: known.part, edges, forced: new Set(forced), out: new Set(out) };
      this.slice.together = new Set(together.flat());
      say(tellSlice(known));
    } else if (isWanted) say(known?.refused || "The saved page does not hold this slice.");
    byId("slices").value = this.slice ? String(k) : "";
    this.show();
  }

  // choose marks an event, or none for -1. With second, it marks a second event and shows how the
  // two are ordered.
  choose(e, second) {
    const isSecond = second && this.selected >= 0 && e >= 0;
    this.first.active = this; // the panel describes the chosen event
    if (isSecond) this.mark(this.selected, e); else this.mark(e, -1);
    this.diagram.hovered = undefined;
    if (e >= 0) {
      this.diagram.reveal(e);
      say(isSecond ? this.relation : this.model.tell(e));
    }
    this.show();
  }

  // mark stores the chosen events, -1 for none: the first with its past and its future, and the
  // second with how the two are ordered.
  mark(e, other) {
    const { model } = this;
    Object.assign(this, { selected: e, other, relation: "", path: [], isNear: () => false });
    if (e < 0) return;
    const past = model.with(model.nothing(), e), others = model.without(model.everything(), e);
    this.isNear = f => model.has(past, f) || !model.has(others, f);
    if (other < 0) return;
    const both = model.name(e) + " and " + model.name(other);
    const path = model.path(e, other) || model.path(other, e);
    if (model.step(e).includes(other)) this.relation = both + " happen together.";
    else if (!path) this.relation = both + " are concurrent: neither needs the other.";
    else {
      const [first, last] = [path[0], path.at(-1)].map(e => model.name(e));
      this.relation = `${first} happens before ${last}, by this path:`;
      this.path = path;
    }
  }

  // unfold shows events of folds one by one. openFold does so for the fold of an event.
  unfold(events) {
    for (const e of events) this.opened.add(e);
    if (events.length) this.relayout();
  }

  openFold(e) {
    if (e < 0) return;
    this.unfold(this.layout.events(this.layout.node[e]));
    this.diagram.reveal(e);
    this.show();
  }

  // goToChosen goes to the least cut with the chosen event.
  goToChosen() {
    if (this.selected >= 0) this.goTo(this.model.with(this.model.least(), this.selected));
  }

  // chooseAlong moves the choice along its process. chooseAcross moves it to the next process, to
  // the event above or below. If nothing is chosen, both begin with the latest step.
  chooseAlong(by) {
    const { model: { process }, selected } = this;
    if (selected < 0) this.choose(this.latest() ?? 0);
    else if (process[selected + by] === process[selected]) this.choose(selected + by);
  }

  chooseAcross(by) {
    const { model, diagram, selected } = this;
    if (selected < 0) return this.chooseAlong(by);
    const order = this.lanes.shown().filter(p => model.processes[p].count > 0);
    const p = order[order.indexOf(model.process[selected]) + by];
    const above = p === undefined ? 0 : diagram.countAt(p, diagram.at(selected) + 1);
    if (p !== undefined) this.choose(model.event(p, Math.max(above, 1)));
  }

  // search returns the events that match a text: any part of their descriptions, x=VALUE or
  // x@P=VALUE for an assignment, or process:NAME.
  search(text) {
    const { model } = this, wanted = text.toLowerCase();
    this.told ||= Array.from({ length: model.length }, (_, e) => {
      const sets = model.assigns(e).map(([v, i]) => [v, "=" + model.assigned(v, i)]);
      const facts = sets.flatMap(([v, value]) => [v.name + value, model.fullName(v) + value]);
      return [model.tell(e), "process:" + model.owner(e), ...facts].map(text => text.toLowerCase());
    });
    const isFound = ([tells, ...facts]) => tells.includes(wanted) || facts.includes(wanted);
    return [...this.told.keys()].filter(e => isFound(this.told[e]));
  }

  find(text, next) {
    const list = text ? this.search(text) : [];
    this.found = new Set(list);
    byId("matches").textContent = text ? list.length + " found" : "";
    const [first] = list.slice(list.indexOf(this.selected) + 1).concat(list);
    if (list.length && next) this.choose(first); else this.show();
  }

  // labelOf returns the text for an event in the diagram: its label, and its assignments, or only
  // those to variables of the formula if there are any. It leaves out what the colour of the lane
  // shows, unless the event matters now. An event that matters always has a text.
  labelOf(e, matters) {
    const { model } = this, list = model.assigns(e);
    const some = list.filter(([v]) => this.watched.has(v));
    const shown = (some.length ? some : list).filter(([v]) => matters || v.name !== this.colour);
    const sets = shown.map(([v, i]) => v.name + " = " + unquoted(model.assigned(v, i)));
    const told = [model.label(e), ...sets].filter(Boolean).join(", ");
    if (told || !matters) return told;
    const [got] = model.received(e), [sent] = model.sent(e);
    return got ? "from " + model.sender(got) : sent ? "to " + model.receiver(sent) : model.name(e);
  }

  // tip returns the description of an event or a fold at the pointer.
  tip(e) {
    const { model, layout } = this;
    return few(layout.events(layout.node[e]), 12, f => model.tell(f) + model.time(f)).join("\n");
  }

  // tipOfEdge returns the description of an arrow at the pointer.
  tipOfEdge({ from, to, name }) {
    const { model, cut } = this, need = this.without({ from, to });
    const ends = name ? `“${name}” from ${model.owner(from)} to ${model.owner(to)}, ` : "";
    const transit = model.has(cut, from) && !model.has(cut, to) ? ", in transit" : "";
    const told = ends + model.name(from) + " → " + model.name(to) + transit;
    return need ? told + "\n" + need.text : told;
  }

  cutText() {
    const { model: { processes }, cut } = this, happened = p => processes[p].before + cut[p];
    const some = this.lanes.shown().filter(p => happened(p) > 0);
    const parts = few(some, 40, p => processes[p].name + ":" + happened(p));
    return parts.join(" ") || "no event has happened";
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
      app.resized();
    }
  }

  // stay shows the page again, with the last step in view.
  stay() {
    this.diagram.revealCut(this.latest());
    this.show();
  }

  setColour(name) {
    byId("colours").value = name;
    for (const app of this.all()) {
      app.colourBy(name);
      app.show();
    }
  }

  // scrolled draws the part that has come into view, and scrolls the other execution to the same
  // lanes.
  scrolled() {
    if (!this.diagram.look()) return;
    const { down, view: { top } } = this.diagram, other = this.all().find(app => app !== this);
    if (other) other.diagram.stage[down ? "scrollLeft" : "scrollTop"] = top;
    this.draw();
  }

  // resized divides the space again, and keeps the last step in view.
  resized() {
    this.diagram.resize();
    if (this.cut) this.stay();
  }

  // sheet opens or closes one of the sheets: state, tree, many or view. It moves the focus to an
  // open sheet.
  sheet(name, field) {
    const { body } = document, open = body.dataset.sheet === name && !field ? "" : name;
    body.dataset.sheet = open;
    byId("view").hidden = open !== "view";
    for (const button of document.querySelectorAll("button[data-sheet]")) {
      button.setAttribute("aria-expanded", button.dataset.sheet === open);
    }
    if (open) (field || byId(open)).focus();
    showRows(this.active);
  }

  // show draws everything that depends on the cut. The diagram is first: the panes change the page,
  // which the browser then lays out only once.
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
    const step = [...this.lastStep].map(e => this.model.tell(e)).join(" and ") || "the first cut";
    const [root] = this.truth, truth = root && WORDS[root.at(this.place)];
    const told = truth ? ` The formula is ${truth} here.` : "";
    if (this.isActive()) say(`Step ${this.place} of ${this.walk.length}: ${step}.${told}`);
  }

  // address returns the address of the view. link shows it after a moment without changes, because
  // browsers allow only so many of them.
  address() {
    const { model, data: { formula, trace, binding = [] }, selected: e } = this;
    const parts = { cut: model.counts(this.cut), binding };
    if (!this.folded) parts.fold = "no";
    if (this.byTime) parts.time = "yes";
    if (this.colour) parts.colour = this.colour;
    parts.wide = Math.round(this.diagram.gap);
    if (e >= 0) parts.chosen = model.processes[model.process[e]].number + ":" + model.number(e);
    if (formula) parts.f = formula;
    if (trace) parts.trace = trace;
    if (this.twin) parts.with = this.twin.data.trace;
    return location.href.split("#")[0] + "#" + query(parts);
  }

  link() {
    if (this !== this.first) return;
    later("link", 200, () => history.replaceState(null, "", this.address()));
  }

  // restore applies the settings of an address to the view.
  restore(place) {
    if (place.get("fold") === "no") this.toggle("fold", "folded");
    if (place.get("time") && this.hasClock()) this.toggle("time", "byTime");
    if (place.get("colour")) this.setColour(place.get("colour"));
    if (place.get("wide")) this.zoom(place.get("wide") / this.diagram.gap);
    const { model } = this, [p, k] = (place.get("chosen") || "").split(":").map(Number);
    const i = model.processes.findIndex(q => q.number === p);
    const e = i < 0 ? -1 : model.event(i, k - model.processes[i].before);
    if (this.areHere([e])) this.choose(e);
  }

  takeAway(what) { takes(this)[what][1](); }

  // leave closes the open sheet or form. Without one, it clears the choice.
  leave() {
    if (document.body.dataset.sheet) this.sheet("");
    else if (!byId("ask").hidden) showForm(false);
    else this.active.choose(-1);
  }

  // completions returns formulas that complete the last word of a text.
  completions(text) {
    const [word] = text.match(/[A-Za-z_]\w*$|@"?[^"\s]*$/) || [];
    if (!word) return [];
    const quote = ({ name }) => /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const { processes, variables } = this.data, places = processes.map(p => "@" + quote(p));
    const names = [...WORDS_OF_FORMULAS, ...variables.map(quote), ...places];
    const some = new Set(names.filter(name => name.startsWith(word) && name !== word));
    return [...some].slice(0, 10).map(name => text.slice(0, -word.length) + name);
  }
}

const WORDS_OF_FORMULAS = [
  "EF(", "AG(", "EG(", "AF(", "EX(", "AX(", "E[", "A[", "forall i: ", "exists i: ",
  "forall i != j: ", "count i: ", "sum i: ", "transit(", "true", "false",
];

// say shows a message. fail shows an error, or hides it if the text is "".
function say(text) { byId("status").textContent = text; }

function fail(text) {
  byId("error").textContent = text;
  byId("error").hidden = !text;
}

// later calls act when it has not been called again for the same purpose for some milliseconds.
function later(what, ms, act) {
  clearTimeout(later[what]);
  later[what] = setTimeout(act, ms);
}

// query encodes parameters for an address. Each has one value or several.
function query(parameters) {
  const pairs = ([name, values]) => [values].flat().map(value => [name, value]);
  return new URLSearchParams(Object.entries(parameters).flatMap(pairs)).toString();
}

// request sends a request to the server, which signal can abort.
async function request(what, parameters, signal) {
  try {
    return await (await fetch(what + "?" + query(parameters), { signal })).json();
  } catch (error) {
    return { error: "The server does not answer: " + error.message };
  }
}

// start shows the data of the page, or the data of the server for the address.
async function start() {
  const place = new URLSearchParams(location.hash.slice(1)), cut = place.get("cut") || "";
  let data = JSON.parse(byId("data").textContent);
  if (!data) {
    // If the address has no formula, the server chooses one.
    const wanted = { trace: place.get("trace") || 0, binding: place.getAll("binding") };
    if (place.has("f")) wanted.formula = place.get("f");
    data = await request("data", wanted);
    fail(data.error || "");
    if (data.error) data = await request("data", { formula: "" });
    if (data.error) return;
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
  window.pota = app; // for users who want to explore further, and for tests
}

start();
