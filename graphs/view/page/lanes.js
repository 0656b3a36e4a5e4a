// Which processes stand in which lanes.
//
// A lane is a process that is not hidden, or those of a group that is folded. It is named by one of its
// processes. Lanes that are pinned come first.

const MOST_PINNED = 6;

class Lanes {
  // Lanes of processes that the formula names are first, and pinned; if there are many, those of the
  // participants in the run are, the last ones first. changed is called when a person has changed them.
  constructor(model, changed) {
    Object.assign(this, { model, changed });
    const { processes, data: { named } } = model;
    const mentioned = named.map(number => processes.findIndex(p => p.number === number));
    const last = model.shownRun().filter(e => model.seen.has(e)).reverse();
    const present = last.map(e => model.process[e]).filter(p => mentioned.includes(p));
    const some = mentioned.length > MOST_PINNED ? present : mentioned;
    const pinned = [...new Set(some)].slice(0, MOST_PINNED);
    this.groupOf = []; // of processes: {name, folded}
    this.staying = new Set(pinned); // processes that are pinned, and so their lanes
    this.arrange([...new Set([...pinned, ...mentioned, ...processes.keys()])]);
  }

  // arrange puts processes into lanes: those of a folded group into one, where the first of them is.
  arrange(processes) {
    const isPinned = ([p]) => this.staying.has(p);
    const laneOf = p => this.groupOf[p]?.folded ? this.groupOf[p] : p;
    const lanes = Map.groupBy(processes, laneOf);
    const all = [...lanes.values()].sort((a, b) => isPinned(b) - isPinned(a));
    this.set(all, all.filter(isPinned).length);
  }

  // follow takes the lanes of another execution, with the processes of the same names, none perhaps.
  // The others come last.
  follow(first) {
    const { processes } = this.model, at = new Map(processes.map((p, i) => [p.name, i]));
    const known = first.model.processes.map(p => at.get(p.name)), there = new Set(known);
    this.groupOf = [];
    known.forEach((p, i) => { if (p !== undefined) this.groupOf[p] = first.groupOf[i]; });
    const beside = first.all.map(lane => lane.map(p => known[p]).filter(p => p !== undefined));
    const others = [...processes.keys()].filter(p => !there.has(p));
    this.set([...beside, ...others.map(p => [p])], first.pinned);
  }

  // set notes the lanes, of which so many are pinned, the lane of each process, and how far from the
  // middle of the lane it is drawn.
  set(all, pinned) {
    Object.assign(this, { all, pinned, of: [], offset: [] });
    all.forEach((lane, i) => lane.forEach((p, k) => {
      this.of[p] = i;
      this.offset[p] = lane.length > 1 ? (k / (lane.length - 1) - 0.5) * 0.5 : 0; // of a lane
    }));
  }

  // shown returns the processes in their order, and show shows others.
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

  // showSeen hides the processes of which the formula sees nothing.
  showSeen() { this.show(this.shown().filter(p => this.model.sees(p))); }

  showAll() { this.show([...new Set([...this.shown(), ...this.model.processes.keys()])]); }

  // groupings returns ways to group processes, each with what names the group of a process,
  // undefined for none: by what names have before a character, without the number at the end, or by
  // the value of a variable at a cut.
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

  // groupBy groups the processes that are shown, each group folded into one lane; "" ungroups
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

  // foldGroup folds the group of a process, or unfolds it.
  foldGroup(p) {
    this.groupOf[p].folded = !this.groupOf[p].folded;
    this.show(this.shown());
  }
}
