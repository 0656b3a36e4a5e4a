// The places of events.
//
// A node is an event, or a fold of consecutive events of one process.
//
//   (1) a fold has no event that has to be seen alone, or that happens together with others
//   (2) no event of a fold receives a message after an earlier one has sent one
//
// So every cause of a fold comes before all of its effects, and nodes are ordered as events are.
// The column of a node is the length of the longest path to it: all arrows lead to the right. By
// time, an event is where its clock says, and nothing is folded: an arrow that leads to the left
// shows that clocks disagree.

class Layout {
  // isAlone reports whether an event is a node of its own.
  constructor(model, isAlone, byTime) {
    this.first = []; // by node: its first event, and how many events it has
    this.count = [];
    this.node = new Int32Array(model.length); // by event
    this.nodesOf = model.processes.map((_, p) => this.split(model, p, isAlone));
    this.column = this.columns(model);
    this.width = largest(this.column) + 1;
    if (byTime) this.byTime(model.data);
  }

  // split divides the events of a process into nodes.
  split(model, p, isAlone) {
    const nodes = [];
    let isOpen = false, hasSent = false; // whether the last node may get more events
    for (const e of model.eventsOf(p)) {
      const single = isAlone(e) || model.group.has(e);
      if (!isOpen || single || hasSent && model.preds.has(e)) {
        nodes.push(this.first.length);
        this.first.push(e);
        this.count.push(0);
        hasSent = false;
      }
      isOpen = !single;
      hasSent ||= model.succs.has(e);
      this.node[e] = nodes.at(-1);
      this.count[nodes.at(-1)]++;
    }
    return nodes;
  }

  // columns returns the column of each node, in time O(events+edges). Events that happen together
  // share a column, except those of one process.
  columns(model) {
    const column = this.first.map(() => 0), after = e => column[this.node[e]] + 1;
    for (const step of model.walkTo(model.nothing(), model.everything())) {
      const events = model.step(step), own = new Set(events.map(e => this.node[e]));
      const isOutside = f => !own.has(this.node[f]);
      const causes = events.flatMap(e => model.needs(e)).filter(isOutside);
      const least = largest(causes.map(after));
      for (const e of events) {
        const follows = model.place(e) > 1 && this.node[e - 1] !== this.node[e];
        const n = this.node[e], before = follows ? after(e - 1) : 0;
        column[n] = Math.max(column[n], least, before);
      }
    }
    return column;
  }

  // byTime places events where their clocks say. There are as many columns as by causality, so a
  // millisecond is unit columns.
  byTime({ clock, when = [] }) {
    const last = Math.max(largest(clock), largest(when.map(bar => bar ? bar[1] : 0)));
    this.unit = (this.width - 1 || 1) / (last || 1);
    this.column = clock.map(ms => ms * this.unit);
  }

  // events returns the events of a node.
  events(n) { return Array.from({ length: this.count[n] }, (_, i) => this.first[n] + i); }

  // at returns the column of an event. Events of a fold are next to each other.
  at(e) {
    const n = this.node[e], share = (e - this.first[n] + 0.5) / this.count[n] - 0.5;
    return this.column[n] + share * 0.5;
  }
}

function largest(numbers) { return numbers.reduce((a, b) => Math.max(a, b), 0); }
