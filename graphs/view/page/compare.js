// The comparison of two executions, process by process.
//
// Processes of the same name correspond. As many of their events as possible are matched, in order,
// with events that do the same (Model.does): a longest common subsequence. So only the events in
// between are different, even if the processes continue in the same way after them.

const MOST_CELLS = 4e6; // of a table; beyond that, only equal beginnings and ends are matched

// matching returns pairs of places, in order, at which two lists are equal.
function matching(here, there) {
  const pairs = [], late = [];
  let start = 0, m = here.length, n = there.length;
  while (start < m && start < n && here[start] === there[start]) pairs.push([start, start++]);
  while (m > start && n > start && here[m - 1] === there[n - 1]) late.push([--m, --n]);
  const height = m - start, width = n - start;
  if (height * width > 0 && height * width <= MOST_CELLS) {
    const at = (i, j) => i * (width + 1) + j;
    const table = new Uint16Array((height + 1) * (width + 1)); // the greatest length from i and j on
    for (let i = height - 1; i >= 0; i--) {
      for (let j = width - 1; j >= 0; j--) {
        const skip = Math.max(table[at(i + 1, j)], table[at(i, j + 1)]);
        table[at(i, j)] = here[start + i] === there[start + j] ? table[at(i + 1, j + 1)] + 1 : skip;
      }
    }
    for (let i = 0, j = 0; i < height && j < width;) {
      if (here[start + i] === there[start + j]) pairs.push([start + i++, start + j++]);
      else if (table[at(i + 1, j)] >= table[at(i, j + 1)]) i++;
      else j++;
    }
  }
  return pairs.concat(late.reverse());
}

// A Comparison compares the windows of two models.
class Comparison {
  constructor(here, there) {
    Object.assign(this, { here, there });
    this.match = new Map(); // by event here, its match there
    this.back = new Map();
    this.rows = []; // where processes first differ
    const other = new Map(there.processes.map((p, i) => [p.name, i]));
    here.processes.forEach(({ name }, p) => {
      const mine = here.eventsOf(p), theirs = there.eventsOf(other.get(name));
      const pairs = matching(mine.map(e => here.does(e)), theirs.map(e => there.does(e)));
      for (const [k, l] of pairs) {
        this.match.set(mine[k], theirs[l]);
        this.back.set(theirs[l], mine[k]);
      }
      // Both places of pair i are at least i, so their sum is 2i only if both are i.
      const same = firstWith(0, pairs.length, i => pairs[i][0] + pairs[i][1] > 2 * i);
      if (same === mine.length && same === theirs.length) return;
      this.rows.push({ process: name, same, here: mine[same] ?? -1, there: theirs[same] ?? -1 });
    });
  }

  // differs reports whether an event of one of the two models has no match.
  differs(model, e) { return !(model === this.here ? this.match : this.back).has(e); }

  // across returns the least cut of the other model with all matches of events in a cut of one of
  // the two.
  across(model, cut) {
    const [match, other] = model === this.here ? [this.match, this.there] : [this.back, this.here];
    let result = other.least();
    cut.forEach((k, p) => {
      while (k > 0 && !match.has(model.event(p, k))) k--;
      if (k > 0) result = other.with(result, match.get(model.event(p, k)));
    });
    return result;
  }
}
