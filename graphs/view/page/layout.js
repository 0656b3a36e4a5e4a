// Where each event is.
//
// The server lays the window out (package layout): a node is an event, or a fold of events of
// one process that the formula does not see, and has a column. Here a fold that a person has
// opened makes room for its events: it widens its column, so that what is to the right of it
// moves on, and all arrows still lead to the right. By time, an event is where its clock says
// and nothing is folded: where an arrow leads to the left, clocks disagree.

class Layout {
  // data is one of the window's layouts. The events of folds whose first event is in opened are
  // nodes of their own.
  constructor(model, data, opened, byTime) {
    this.first = []; // of each node: its first event, how many it has, and its column
    this.count = [];
    this.column = [];
    this.node = new Int32Array(model.length); // of each event
    this.nodesOf = model.processes.map(() => []);
    const columns = byTime ? this.byTime(model.data, data.column) : data.column || [];
    const count = n => data.count ? data.count[n] : 1;
    const first = n => data.first ? data.first[n] : n;
    const isOpen = n => count(n) > 1 && opened.has(first(n));
    const moved = shift([...columns.keys()].filter(isOpen).map(n => [columns[n], count(n) - 1]));
    columns.forEach((column, n) => {
      const at = column + moved(column);
      if (!isOpen(n)) return this.add(model, first(n), count(n), at);
      for (let i = 0; i < count(n); i++) this.add(model, first(n) + i, 1, at + i);
    });
    this.width = largest(byTime ? data.column : this.column) + 1;
  }

  // byTime returns the columns of all events by their clocks: as many as there are by causality,
  // so that unit columns are a millisecond.
  byTime({ clock, when = [] }, columns) {
    const last = Math.max(largest(clock), largest(when.map(bar => bar ? bar[1] : 0)));
    this.unit = (largest(columns) || 1) / (last || 1);
    return clock.map(ms => ms * this.unit);
  }

  add(model, first, count, column) {
    this.node.fill(this.first.length, first, first + count);
    this.nodesOf[model.process[first]].push(this.first.length);
    this.first.push(first);
    this.count.push(count);
    this.column.push(column);
  }

  // events returns those of a node.
  events(n) { return Array.from({ length: this.count[n] }, (_, i) => this.first[n] + i); }

  // at returns the column of an event, those of a fold beside each other.
  at(e) {
    const n = this.node[e];
    return this.column[n] + (this.count[n] > 1 ? ((e - this.first[n] + 0.5) / this.count[n] - 0.5) * 0.5 : 0);
  }
}

function largest(numbers) { return numbers.reduce((a, b) => Math.max(a, b), 0); }

// shift returns how far a column moves to the right for pairs of a column before it and the
// room that this takes beside its own, the most where there are several.
function shift(pairs) {
  const room = new Map();
  for (const [column, more] of pairs) room.set(column, Math.max(room.get(column) || 0, more));
  const wide = [...room.keys()].sort((a, b) => a - b), sums = [0];
  for (const column of wide) sums.push(sums[sums.length - 1] + room.get(column));
  return column => sums[firstWith(0, wide.length, i => wide[i] >= column)];
}
