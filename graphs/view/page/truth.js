// Which parts of the formula are true along a walk.
//
// A place of a walk is a number of its steps, from 0. The truth of a part is an array with
// NO, YES or UNKNOWN for each place. How it is found is the part's rule (rctl/truth); what
// changes at an event of the window is looked up by the place at which the walk takes it.

const NO = 0, YES = 1, UNKNOWN = 2;

const relations = {
  "<": x => x < 0, "<=": x => x <= 0, "==": x => x === 0, "!=": x => x !== 0, ">=": x => x >= 0, ">": x => x > 0,
};

class Truth {
  constructor(model, parts) {
    this.model = model;
    this.parts = parts;
    this.facts = []; // what the server has told: {part, cut, truth}
  }

  // along returns the truth of each part. run is the walk for whose cuts the truth of parts
  // with the rule "asked" came with the data.
  along(walk, run) {
    const places = this.places(walk), truth = [];
    const find = k => truth[k] = truth[k] || this.part(k, walk, places, run, find);
    this.parts.forEach((_, k) => find(k));
    return truth;
  }

  // places returns at which place each event has happened; walk.length+1 for never.
  places(walk) {
    const places = new Int32Array(this.model.length).fill(walk.length + 1);
    this.model.least().forEach((k, p) => places.fill(0, this.model.first[p], this.model.first[p] + k));
    walk.forEach((step, i) => { for (const e of this.model.step(step)) places[e] = i + 1; });
    return places;
  }

  // between returns the first place of a walk that has all of a cut, and the last that has
  // nothing else: the same place where the walk has the cut, and else the last is before the
  // first. It may be past the end, or before the start.
  between(cut, walk, places) {
    let first = 0, last = walk.length;
    cut.forEach((k, p) => {
      if (k > 0) first = Math.max(first, places[this.model.event(p, k)]);
      if (k < this.model.processes[p].count) last = Math.min(last, places[this.model.event(p, k + 1)] - 1);
    });
    return [first, last];
  }

  part(k, walk, places, run, find) {
    const part = this.parts[k], length = walk.length + 1, of = (part.sub || []).map(find);
    switch (part.rule) {
      case "true": return new Uint8Array(length).fill(YES);
      case "false": return new Uint8Array(length).fill(NO);
      case "not": return of[0].map(not);
      case "all": return fold(of, length, both);
      case "any": return fold(of.map(x => x.map(not)), length, both).map(not);
      case "implies": return fold([of[0], of[1].map(not)], length, both).map(not);
      case "iff": return of[0].map((x, i) => x === UNKNOWN || of[1][i] === UNKNOWN ? UNKNOWN : x === of[1][i] ? YES : NO);
      case "column": return this.column(part.column, places, length);
      case "sums": return fold(part.sums.map(sum => this.sum(sum, places, length)), length, both);
      case "slice": return this.slice(part, places, length);
    }
    return this.known(k, walk, places, run);
  }

  column(steps, places, length) {
    const result = new Uint8Array(length);
    let value = steps.first, from = 0;
    for (let i = 0; i < steps.at.length && places[steps.at[i]] < length; i++) {
      result.fill(value, from, places[steps.at[i]]);
      [value, from] = [steps.values[i], places[steps.at[i]]];
    }
    return result.fill(value, from);
  }

  sum({ rel, terms }, places, length) {
    const change = new Float64Array(length + 1); // from one place to the next
    for (const term of terms) {
      change[0] += term.first;
      term.at.forEach((e, i) => { change[Math.min(places[e], length)] += term.values[i] - (i ? term.values[i - 1] : term.first); });
    }
    let total = 0;
    return Uint8Array.from({ length }, (_, i) => relations[rel](total += change[i]) ? YES : NO);
  }

  // slice counts the edges that each cut breaks: those whose event that needs another has
  // happened, while the other has not.
  slice(part, places, length) {
    const change = new Int32Array(length + 1), place = e => e < 0 ? 0 : e >= places.length ? length : places[e];
    const edges = part.edges || [];
    for (let i = 0; i < edges.length; i += 2) {
      const needed = place(edges[i]), by = place(edges[i + 1]);
      if (by < needed) { change[by]++; change[needed]--; }
    }
    let broken = 0;
    return Uint8Array.from({ length }, (_, i) => ((broken += change[i]) === 0) !== Boolean(part.not) ? YES : NO);
  }

  // known returns what engines have told: with the data as far as the walk is the run, and
  // since then. AG that is true stays so, and EF that is false; AG that is false and EF that
  // is true have been so from the start.
  known(k, walk, places, run) {
    const part = this.parts[k], length = walk.length + 1, result = new Uint8Array(length).fill(UNKNOWN), known = part.known || "";
    const stays = { AG: YES, EF: NO }[part.op];
    const tell = (truth, first, last) => {
      if (stays === truth) result.fill(truth, Math.min(first, length));
      else if (stays !== undefined) result.fill(truth, 0, Math.max(last + 1, 0));
      else if (first === last) result[first] = truth;
    };
    let events = 0; // that the walk has taken
    for (let i = 0; i < length && events < known.length; i++) {
      if (known[events] !== "?") tell(Number(known[events]), i, i);
      if (i === walk.length || walk[i] !== run[i]) break;
      events += this.model.step(walk[i]).length;
    }
    for (const fact of this.facts) if (fact.part === k) tell(fact.truth, ...this.between(fact.cut, walk, places));
    return result;
  }
}

function not(x) { return x === UNKNOWN ? UNKNOWN : 1 - x; }
function both(x, y) { return x === NO || y === NO ? NO : x === UNKNOWN || y === UNKNOWN ? UNKNOWN : YES; }

function fold(lists, length, combine) {
  const result = new Uint8Array(length).fill(YES);
  for (const list of lists) for (let i = 0; i < length; i++) result[i] = combine(result[i], list[i]);
  return result;
}
