// The lanes of processes.
//
// A lane has one process that is not hidden, or the processes of a folded group. It is identified
// by any of its processes. Pinned lanes come first.

const MOST_PINNED = 6;

class Lanes {
  // The lanes of processes that the formula names come first, and are pinned. If there are many,
  // only the participants in the run are, in reverse order of their last events. changed is called
  // when the user has changed the lanes.
  constructor(model, changed) {
    Object.assign(this, { model, changed });
    const { processes, data: { named } } = model;
    const mentioned = named.map(number => processes.findIndex(p => p.number === number));
    const last = model.shownRun().filter(e => model.seen.has(e)).reverse();
    const present = last.map(e => model.process[e]).filter(p => mentioned.includes(p));
    const some = mentioned.length > MOST_PINNED ? present : mentioned;
    const pinned = [...new Set(some)].slice(0, MOST_PINNED);
    this.groupOf = []; // by process: {name, folded}
    this.staying = new Set(pinned); // the processes of pinned lanes
    this.arrange([...new Set([...pinned, ...mentioned, ...processes.keys()])]);
  }

  // arrange puts processes into lanes. A folded group is one lane, at the place of its first
  // process.
  arrange(processes) {
    const isPinned = ([p]) => this.staying.has(p);
    const laneOf = p => this.groupOf[p]?.folded ? this.groupOf[p] : p;
    const lanes = Map.groupBy(processes, laneOf);
    const all = [...lanes.values()].sort((a, b) => isPinned(b) - isPinned(a));
    this.set(all, all.filter(isPinned).length);
  }

  // follow adopts the lanes of another execution, with the processes of the same names; a lane may
  // be empty. All other processes come last.
  follow(first) {
    const { processes } = this.model, at = new Map(processes.map((p, i) => [p.name, i]));
    const known = first.model.processes.map(p => at.get(p.name)), there = new Set(known);
    this.groupOf = [];
    known.forEach((p, i) => { if (p !== undefined) this.groupOf[p] = first.groupOf[i]; });
    const beside = first.all.map(lane => lane.map(p => known[p]).filter(p => p !== undefined));
    const others = [...processes.keys()].filter(p => !there.has(p));
    this.set([...beside, ...others.map(p => [p])], first.pinned);
  }

  // set stores the lanes, how many of them are pinned, the lane of each process, and how far from
  // the middle of the lane the process is drawn.
  set(all, pinned) {
    Object.assign(this, { all, pinned, of: [], offset: [] });
    all.forEach((lane, i) => lane.forEach((p, k) => {
      this.of[p] = i;
      this.offset[p] = lane.length > 1 ? (k / (lane.length - 1) - 0.5) * 0.5 : 0; // in heights of a lane
    }));
  }

  // shown returns the processes that are shown, in order. show shows the given ones.
  shown() { return this.all.flat(); }

  show(processes) {
    this.arrange(processes);
    this.changed();
  }

  pin(p) {
    const lane = this.all[this.of[p]], isPinned = this.of[p] < this.pinned;
    for (const q of lane) if (isPinned) this.staying.delete(q); else this.staying.add(q);
    this.show(this.shown());
  }

  move(p, by) {
    const lanes = this.all.slice(), i = this.of[p], j = i + by;
    if (!lanes[j]) return;
    [lanes[i], lanes[j]] = [lanes[j], lanes[i]];
    this.show(lanes.flat());
  }

  hide(p) { this.show(this.shown().filter(q => this.of[q] !== this.of[p])); }

  // showSeen hides the processes without events that matter.
  showSeen() { this.show(this.shown().filter(p => this.model.sees(p))); }

  showAll() { this.show([...new Set([...this.shown(), ...this.model.processes.keys()])]); }

  // groupings returns ways to group processes: a map from the name of each way to a function that
  // returns the group of a process, or undefined if it has none. A process is grouped by the part
  // of its name before a character, by its name without the number at the end, or by the value of a
  // variable at a cut.
  groupings(cut) {
    const { model } = this, { processes } = model;
    const before = pattern => p => processes[p].name.match(pattern)?.[1];
    const value = name => p => {
      const v = model.variablesOf[p].find(v => v.name === name);
      return v && name + " = " + model.value(v, cut);
    };
    const ways = [["name without number", before(/^(.+?)\d+$/)]];
    for (const c of "/#:@.-_") ways.push([`name before “${c}”`, before(`^(.+)[${c}]`)]);
    const isUseful = ([, groupOf]) => {
      const groups = [...processes.keys()].map(groupOf).filter(Boolean);
      return new Set(groups).size < groups.length;
    };
    const shared = [...model.owners()].filter(([, list]) => list.length > 1).slice(0, 50);
    const byValue = shared.map(([name]) => ["value of " + name, value(name)]);
    return new Map([...ways.filter(isUseful), ...byValue]);
  }

  // groupBy groups the processes that are shown, and folds each group into one lane. "" ungroups
  // them.
  groupBy(way, cut) {
    const groups = new Map(), nameOf = this.groupings(cut).get(way);
    this.groupOf = [];
    for (const p of nameOf ? this.shown() : []) {
      const name = nameOf(p);
      if (name === undefined) continue;
      if (!groups.has(name)) groups.set(name, { name, folded: true });
      this.groupOf[p] = groups.get(name);
    }
    this.show(this.shown());
  }

  // foldGroup folds or unfolds the group of a process.
  foldGroup(p) {
    this.groupOf[p].folded = !this.groupOf[p].folded;
    this.show(this.shown());
  }
}
