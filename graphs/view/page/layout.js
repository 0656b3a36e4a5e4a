// A place for each event.
//
// A node is an event, or a fold: events of one process that follow each other, which the
// formula does not see, and none of which receives a message after one of them has sent
// one. Then whatever leads into the fold came before whatever leads out of it, so that nodes
// are ordered as events are, and the column of a node is the length of the longest path to
// it. By time, a node is where its first event's clock says, but to the right of the node
// before it on its process.

class Layout {
  // seen has 1 for each event that is not to be folded; null folds nothing. clock has times
  // in milliseconds, null to go by causality.
  constructor(model, seen, clock) {
    this.model = model;
    this.first = []; // of each node: its first event, how many it has, and its column
    this.count = [];
    this.column = [];
    this.node = new Int32Array(model.length); // of each event
    this.nodesOf = model.processes.map(() => []);
    model.processes.forEach((p, i) => this.split(i, seen));
    this.place();
    if (clock) this.byTime(clock);
    this.width = this.column.reduce((most, x) => Math.max(most, x), 0) + 1;
  }

  // split makes the nodes of a process.
  split(process, seen) {
    const { model } = this, count = model.processes[process].count;
    for (let k = 1; k <= count;) {
      const e = model.event(process, k);
      let n = 0, sent = false;
      while (seen && k + n <= count && !seen[e + n] && !(sent && model.preds[e + n]) && !model.group.has(e + n)) {
        sent = sent || Boolean(model.succs[e + n]);
        n++;
      }
      if (n < 2) n = 1;
      this.node.fill(this.first.length, e, e + n);
      this.nodesOf[process].push(this.first.length);
      this.first.push(e);
      this.count.push(n);
      k += n;
    }
  }

  // place gives nodes their columns: events that happen together share one.
  place() {
    const { model } = this, waits = new Int32Array(this.first.length), next = this.first.map(() => []);
    const edge = (m, n) => {
      if (m === n || model.step(this.first[m]).includes(this.first[n])) return;
      next[m].push(n);
      waits[n]++;
    };
    this.first.forEach((e, n) => {
      for (const f of model.step(e)) {
        for (let i = 0; i < this.count[n]; i++) model.needs(f + i, g => edge(this.node[g], n));
      }
    });
    const todo = [];
    this.column = this.first.map(() => 0);
    waits.forEach((w, n) => { if (!w) todo.push(n); });
    while (todo.length) {
      const m = todo.pop();
      for (const n of next[m]) {
        this.column[n] = Math.max(this.column[n], this.column[m] + 1);
        if (!--waits[n]) todo.push(n);
      }
    }
  }

  // byTime moves nodes to where their times are. Columns are as many as without it, and the
  // nodes of a process are one apart.
  byTime(clock) {
    const times = clock.filter(t => t !== null);
    const first = Math.min(...range(times)), last = Math.max(...range(times));
    const scale = this.column.reduce((most, x) => Math.max(most, x), 0) / (last - first || 1);
    for (const nodes of this.nodesOf) {
      let least = 0;
      for (const n of nodes) {
        const t = clock[this.first[n]];
        this.column[n] = t === null ? least : Math.max(least, (t - first) * scale);
        least = this.column[n] + 1;
      }
    }
  }

  // events returns those of a node.
  events(n) { return Array.from({ length: this.count[n] }, (_, i) => this.first[n] + i); }

  // at returns the column of an event, those of a fold beside each other.
  at(e) {
    const n = this.node[e];
    return this.column[n] + (this.count[n] > 1 ? ((e - this.first[n] + 0.5) / this.count[n] - 0.5) * 0.5 : 0);
  }
}

// range returns the least and the greatest of numbers.
function range(numbers) {
  let least = Infinity, greatest = -Infinity;
  for (const x of numbers) {
    least = Math.min(least, x);
    greatest = Math.max(greatest, x);
  }
  return [least, greatest];
}
