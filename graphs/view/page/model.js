// The computation in a window.
//
// An event is its number in the window, and a process its place in the list of processes shown. A
// cut is an array: for each process, how many of its events in the window have happened. A step is
// a meta-event, identified by its first event: it happens as a whole, and is nearly always a single
// event. A walk is a sequence of steps from the least cut; each is enabled when it is taken.

class Model {
  constructor(data) {
    this.data = data;
    this.processes = data.processes;
    this.length = data.ids.length;
    this.first = [];
    this.process = new Int32Array(this.length); // by event
    let next = 0;
    this.processes.forEach((p, i) => {
      this.first.push(next);
      this.process.fill(i, next, next + p.count);
      next += p.count;
    });
    const edges = pairs(data.edges);
    const told = new Set(data.messages.map(m => m.from * this.length + m.to));
    // The edges that are not those of messages.
    this.otherEdges = edges.filter(([from, to]) => !told.has(from * this.length + to));
    this.preds = new Map(); // by event, if it has any
    this.succs = new Map();
    for (const [from, to] of edges) {
      grouped(this.preds, to, from);
      grouped(this.succs, from, to);
    }
    this.group = new Map(); // by event that does not happen alone, its step
    for (const step of data.together || []) for (const e of step) this.group.set(e, step);
    this.variablesOf = this.processes.map(() => []);
    for (const v of data.variables) this.variablesOf[v.process]?.push(v);
    this.assignments = new Map(); // by event, variables with the index of the assignment
    for (const v of data.variables) v.at.forEach((e, i) => grouped(this.assignments, e, [v, i]));
    this.sends = Map.groupBy(data.messages, m => m.from);
    this.receives = Map.groupBy(data.messages, m => m.to);
    this.seen = this.findSeen();
  }

  // findSeen returns the events that matter: those that may change the truth of a part or, without
  // a formula, a value; and, on the run, those with a label that differs from that of the event
  // before.
  findSeen() {
    const { parts, variables, labels } = this.data, seen = new Set();
    const add = events => { for (const e of events || []) seen.add(e); };
    for (const part of parts) {
      add(part.seen);
      add(part.column?.at);
      for (const { terms } of part.sums || []) for (const term of terms) add(term.at);
    }
    if (!parts.length) for (const v of variables) add(v.at);
    this.processesSeen = new Set([...seen].map(e => this.process[e]));
    const isNamed = e => labels?.[e] && (this.place(e) === 1 || labels[e - 1] !== labels[e]);
    add(this.shownRun().filter(isNamed));
    return seen;
  }

  // sees reports whether some event of a process matters.
  sees(p) { return this.processesSeen.has(p); }

  // shownRun returns the events of the run that the window is about.
  shownRun() { return this.data.runs[this.data.run]?.events || []; }

  // owners returns the variables of processes, by name.
  owners(processes = [...this.processes.keys()]) {
    return Map.groupBy(processes.flatMap(p => this.variablesOf[p]), v => v.name);
  }

  // place returns k if e is the k-th event of its process in the window, counting from 1.
  place(e) { return e - this.first[this.process[e]] + 1; }

  // event returns the k-th event of a process in the window.
  event(process, k) { return this.first[process] + k - 1; }

  // eventsOf returns the events of a process, or none if the process is not here.
  eventsOf(p) {
    const { count = 0 } = this.processes[p] || {};
    return Array.from({ length: count }, (_, i) => this.first[p] + i);
  }

  // owner returns the name of the process of an event.
  owner(e) { return this.processes[this.process[e]].name; }

  // number returns k if e is the k-th event of its process in the whole trace.
  number(e) { return this.processes[this.process[e]].before + this.place(e); }

  // name returns the id of an event.
  name(e) { return this.data.ids[e] || this.owner(e) + ":" + this.number(e); }

  has(cut, e) { return this.place(e) <= cut[this.process[e]]; }

  nothing() { return this.processes.map(() => 0); }
  everything() { return this.processes.map(p => p.count); }
  least() { return this.processes.map(p => p.least); }
  greatest() { return this.processes.map(p => p.most); }
  size(cut) { return cut.reduce((sum, k) => sum + k, 0); }

  // step returns the events that happen together with e.
  step(e) { return this.group.get(e) || [e]; }

  // needs returns the events that e needs directly: every cut with e has them.
  needs(e) { return (this.place(e) > 1 ? [e - 1] : []).concat(this.preds.get(e) || []); }

  // with returns the least cut that contains cut and an event. without returns the greatest cut
  // within cut that does not have the event.
  with(cut, event) { return this.closed(cut, event, true); }
  without(cut, event) { return this.closed(cut, event, false); }

  // closed adds an event and everything it needs, or removes it and everything that needs it. It
  // takes time O(edges of these events).
  closed(cut, event, add) {
    const result = cut.slice(), todo = [event], others = add ? this.preds : this.succs;
    while (todo.length) {
      const e = todo.pop(), p = this.process[e], before = result[p], k = this.place(e);
      result[p] = add ? Math.max(before, k) : Math.min(before, k - 1);
      for (let i = Math.min(before, result[p]) + 1; i <= Math.max(before, result[p]); i++) {
        const next = others.get(this.event(p, i)) || [];
        for (const f of next) if (this.has(result, f) !== add) todo.push(f);
      }
    }
    return result;
  }

  // reachable reports whether a cut is in the window.
  reachable(cut) { return cut.every((k, p) => this.processes[p].least <= k && k <= this.processes[p].most); }

  // enabled returns the steps that can be taken at a cut.
  enabled(cut) {
    const steps = new Set();
    cut.forEach((k, p) => {
      if (k >= this.processes[p].most) return;
      const step = this.step(this.event(p, k + 1));
      const isThere = f => this.has(cut, f) || step.includes(f);
      if (step.every(e => this.needs(e).every(isThere))) steps.add(step[0]);
    });
    return [...steps];
  }

  // after returns the cut after the steps of a walk.
  after(walk) {
    const cut = this.least();
    for (const step of walk) for (const e of this.step(step)) cut[this.process[e]]++;
    return cut;
  }

  // steps returns the steps of a list of events.
  steps(events) { return [...new Set(events.map(e => this.step(e)[0]))]; }

  // walkTo returns the steps from one cut to another that contains it. Each step comes after those
  // that it needs; apart from that, a process continues for as long as it can.
  walkTo(from, to) {
    const walk = [], seen = new Set();
    const visit = event => {
      const todo = [[this.step(event)[0], false]];
      while (todo.length) {
        const [step, ready] = todo.pop();
        if (ready) { walk.push(step); continue; }
        if (seen.has(step)) continue;
        seen.add(step);
        todo.push([step, true]);
        const missing = this.step(step).flatMap(e => this.needs(e)).filter(f => !this.has(from, f));
        for (const f of missing) todo.push([this.step(f)[0], false]);
      }
    };
    from.forEach((k, p) => {
      for (let i = k + 1; i <= to[p]; i++) visit(this.event(p, i));
    });
    return walk;
  }

  // path returns a shortest sequence of events from e to f in which each event needs the one before
  // it, or null if there is none.
  path(e, f) {
    const from = new Map([[f, -1]]);
    for (const g of from.keys()) { // in the order of addition, so the nearest first
      if (g === e) break;
      for (const h of this.needs(g)) if (!from.has(h)) from.set(h, g);
    }
    if (!from.has(e)) return null;
    const path = [];
    for (let g = e; g >= 0; g = from.get(g)) path.push(g);
    return path;
  }

  // index returns how many of some ordered events are in a cut.
  index(events, cut) { return firstWith(0, events.length, i => !this.has(cut, events[i])); }

  // value returns the value of a variable at a cut.
  value(variable, cut) { return this.assigned(variable, this.index(variable.at, cut) - 1); }

  // fullName returns the name of a variable with that of its process, if it has one.
  fullName({ name, process: p }) { return p < 0 ? name : name + "@" + this.processes[p].name; }

  // assigned returns the value after the i-th assignment, or the first value if i is negative.
  assigned(variable, i) { return this.data.texts[i < 0 ? variable.first : variable.values[i]]; }

  // assigns returns the assignments of an event. sent and received return its messages.
  assigns(e) { return this.assignments.get(e) || []; }
  sent(e) { return this.sends.get(e) || []; }
  received(e) { return this.receives.get(e) || []; }

  // changes describes the assignments of an event as texts.
  changes(e) {
    return this.assigns(e).map(([v, i]) => {
      const before = this.assigned(v, i - 1), now = this.assigned(v, i);
      return v.name + ": " + (before === now ? now : before + " → " + now);
    });
  }

  // transit returns the messages that are sent and not received at a cut.
  transit(cut) {
    return this.data.messages.filter(m => (m.from < 0 || this.has(cut, m.from)) && (m.to < 0 || !this.has(cut, m.to)));
  }

  // sender and receiver return the names of the ends of a message.
  sender(m) { return m.from >= 0 ? this.owner(m.from) : m.sender; }
  receiver(m) { return m.to >= 0 ? this.owner(m.to) : m.receiver || "?"; }

  // does describes what an event does. Without named, it leaves out the names of messages, which
  // differ between executions.
  does(e, named) {
    const parts = this.changes(e), name = m => named ? "“" + m.name + "” " : "";
    for (const m of this.received(e)) parts.push("receives " + name(m) + "from " + this.sender(m));
    for (const m of this.sent(e)) parts.push("sends " + name(m) + "to " + this.receiver(m));
    if (this.label(e)) parts.push("“" + this.label(e) + "”");
    return parts.join(", ");
  }

  label(e) { return this.data.labels?.[e] || ""; }

  // time returns a text that says when an event happened, or "" if that is not known.
  time(e) { return this.data.times?.[e] ? ", at " + this.data.times[e] : ""; }

  // tell describes an event in a line.
  tell(e) {
    const does = this.does(e, true);
    return this.name(e) + " of " + this.owner(e) + (does ? ": " + does : "");
  }

  // where returns the place of an event in the trace, or "" if it is not known.
  where(e) {
    const { places } = this.data, file = places?.files[places.file[e]];
    if (!file) return "";
    const line = places.line[e], record = places.records?.[places.record?.[e]];
    return file + (line ? ":" + line : "") + (record ? ", " + record : "");
  }

  // hasLine reports whether a line of the trace is about an event, and about no other event.
  hasLine(e) {
    const { places } = this.data;
    return places?.line[e] > 0 && !places.record?.[e];
  }

  // counts writes a cut for the server or for a link, by its counts in the whole trace.
  counts(cut) {
    const all = this.processes.map(({ number, before }, p) => [number, before + cut[p]]);
    const parts = all.filter(([, k]) => k > 0).map(part => part.join(":"));
    return parts.concat(this.data.rest || []).join();
  }

  // parse returns the least cut of the window with the events of a link, or null if there is none.
  parse(text) {
    const at = new Map(this.processes.map((p, i) => [p.number, i]));
    let cut = this.least();
    for (const part of text.split(",").filter(Boolean)) {
      const [process, count] = part.split(":").map(Number);
      if (!at.has(process)) continue;
      const p = at.get(process), k = count - this.processes[p].before;
      if (!(k <= this.processes[p].most)) return null;
      if (k > 0) cut = this.with(cut, this.event(p, k));
    }
    return this.reachable(cut) ? cut : null;
  }
}

// firstWith returns the first number from low on, and before high, that satisfies a condition, or
// high if there is none. From there on the condition must stay true, because this is a binary
// search.
function firstWith(low, high, condition) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

// grouped adds a value to the list that a map has for a key.
function grouped(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

// pairs returns the elements of a list two by two: [a, b, c, d] becomes [[a, b], [c, d]].
function pairs(list) { return list.flatMap((x, i) => i % 2 ? [] : [[x, list[i + 1]]]); }
