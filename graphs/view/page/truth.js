// The truth of the parts of the formula along a walk.
//
// A place of a walk is a number of its steps, from 0. The course of a part is its truth at each
// place: NO, YES or UNKNOWN. Only its changes are stored, so that thousands of parts cost no more
// than their changes. The rule of a part (rctl/truth) says how to find its course. A change at an
// event of the window counts from the place at which the walk takes the event.

const NO = 0, YES = 1, UNKNOWN = 2;

const relations = {
  "<": x => x < 0, "<=": x => x <= 0, "==": x => x === 0, "!=": x => x !== 0, ">=": x => x >= 0, ">": x => x > 0,
};

// connectives return the truth of a part, given how many of its operands are NO, YES and UNKNOWN.
const connectives = {
  all: ([no, , unknown]) => no ? NO : unknown ? UNKNOWN : YES,
  any: ([, yes, unknown]) => yes ? YES : unknown ? UNKNOWN : NO,
  not: ([no, , unknown]) => unknown ? UNKNOWN : no ? YES : NO,
  iff: ([, yes, unknown]) => unknown ? UNKNOWN : yes === 1 ? NO : YES,
  true: () => YES,
  false: () => NO,
};

// A Course is a function of the places of a walk.
//
//   (1) places increase, and the first is 0
//   (2) values[i] is the value from places[i] until before places[i+1]; neighbours differ
class Course {
  constructor(value) {
    this.places = [0];
    this.values = [value];
  }

  // then sets the value from a place on, which must not be before the last one.
  then(place, value) {
    if (this.places.at(-1) === place) {
      this.places.pop();
      this.values.pop();
    }
    if (this.values.at(-1) === value) return;
    this.places.push(place);
    this.values.push(value);
  }

  // index returns the index of the value at a place.
  index(place) { return firstWith(1, this.places.length, i => this.places[i] > place) - 1; }

  at(place) { return this.values[this.index(place)]; }

  // stretches returns triples [from, to, value]: the course has the value from one place until
  // before another. The last stretch ends at end.
  stretches(end) { return this.places.map((from, i) => [from, this.places[i + 1] ?? end, this.values[i]]); }

  // next returns the nearest place after a given one at which the value changes, or Infinity if
  // there is none. before returns the nearest such place before the given one, or 0 if there is
  // none.
  next(place) { return this.places[this.index(place) + 1] ?? Infinity; }
  before(place) { return place > 0 ? this.places[this.index(place - 1)] : 0; }
}

class Truth {
  constructor(model, parts) {
    this.model = model;
    this.parts = parts;
    this.facts = []; // the answers of the server: {part, cut, truth}
  }

  // along returns the course of each part. runs are the walks for which the data have the truth of
  // parts with the rule "asked".
  along(walk, runs) {
    const places = this.places(walk), courses = [];
    const find = k => courses[k] = courses[k] || this.course(k, walk, places, runs, find);
    this.parts.forEach((_, k) => find(k));
    return courses;
  }

  // places returns, by event, the place from which it has happened; Infinity if the walk does not
  // take it.
  places(walk) {
    const places = new Float64Array(this.model.length).fill(Infinity);
    this.model.least().forEach((k, p) => places.fill(0, this.model.first[p], this.model.first[p] + k));
    walk.forEach((step, i) => { for (const e of this.model.step(step)) places[e] = i + 1; });
    return places;
  }

  // between returns the first place of a walk that has all events of a cut, and the last place that
  // has no others. They are equal if the walk passes through the cut. Otherwise the last is before
  // the first. The first may be past the end of the walk, and the last before its start.
  between(cut, walk, places) {
    let first = 0, last = walk.length;
    cut.forEach((k, p) => {
      if (k > 0) first = Math.max(first, places[this.model.event(p, k)]);
      if (k < this.model.processes[p].count) last = Math.min(last, places[this.model.event(p, k + 1)] - 1);
    });
    return [first, last];
  }

  course(k, walk, places, runs, find) {
    const part = this.parts[k], of = (part.sub || []).map(find);
    switch (part.rule) {
      case "column": return this.total({ terms: [part.column] }, places, x => x); // NO or YES
      case "sums": return combine(part.sums.map(sum => this.sum(sum, places)), connectives.all);
      case "slice": return this.slice(part, places);
      case "asked": return this.known(k, walk, places, runs);
      case "implies": return combine([combine([of[0]], connectives.not), of[1]], connectives.any);
    }
    return combine(of, connectives[part.rule]);
  }

  sum(sum, places) { return this.total(sum, places, x => relations[sum.rel](x) ? YES : NO); }

  // total returns the course of a sum. tell turns the total, which is to be compared with 0, into a
  // value of the course.
  total({ terms }, places, tell) {
    const changes = [];
    let total = 0;
    for (const term of terms) {
      total += term.first;
      term.at.forEach((e, i) => changes.push([places[e], term.values[i] - (i ? term.values[i - 1] : term.first)]));
    }
    return sweep(changes, ([, by]) => { total += by; }, () => tell(total));
  }

  // slice counts the edges that each cut breaks: the event that needs the other one has happened,
  // and the other has not.
  slice({ edges, not }, places) {
    const changes = [], place = e => e < 0 ? 0 : places[e] ?? Infinity;
    let broken = 0;
    for (const [from, to] of pairs(edges || [])) {
      const needed = place(from), by = place(to);
      if (by < needed) changes.push([by, 1], [needed, -1]);
    }
    return sweep(changes, ([, by]) => { broken += by; }, () => (broken === 0) !== Boolean(not) ? YES : NO);
  }

  // known returns what engines have found: with the data, as far as the walk follows one of the
  // runs, and later by request. An AG that is true stays true, and an EF that is false stays false.
  // An AG that is false was false from the start, and an EF that is true was true from the start.
  known(k, walk, places, runs) {
    const part = this.parts[k], result = new Uint8Array(walk.length + 1).fill(UNKNOWN);
    const stays = { AG: YES, EF: NO }[part.op];
    const tell = (truth, first, last) => {
      if (stays === truth) result.fill(truth, Math.min(first, result.length));
      else if (stays !== undefined) result.fill(truth, 0, Math.max(last + 1, 0));
      else if (first === last) result[first] = truth;
    };
    (part.known || []).forEach((known, r) => {
      const run = runs[r] || [];
      let events = 0; // how many events the walk has taken
      for (let i = 0; i < result.length && events < known.length; i++) {
        if (known[events] !== "?") tell(Number(known[events]), i, i);
        if (i === walk.length || walk[i] !== run[i]) break;
        events += this.model.step(walk[i]).length;
      }
    });
    for (const fact of this.facts) if (fact.part === k) tell(fact.truth, ...this.between(fact.cut, walk, places));
    const course = new Course(result[0]);
    result.forEach((truth, i) => course.then(i, truth));
    return course;
  }
}

// sweep returns the course of truth(), which changes at some places. apply makes each change; a
// change begins with its place.
function sweep(changes, apply, truth) {
  const course = new Course(truth());
  for (const change of changes.sort((a, b) => a[0] - b[0])) {
    if (change[0] === Infinity) break;
    apply(change);
    course.then(change[0], truth());
  }
  return course;
}

// combine returns the course of a part from those of its operands. decide returns its truth, given
// how many operands are NO, YES and UNKNOWN. The time is O(changes log changes).
function combine(courses, decide) {
  const counts = [0, 0, 0], changes = [];
  for (const { places, values } of courses) {
    counts[values[0]]++;
    for (let i = 1; i < places.length; i++) changes.push([places[i], values[i - 1], values[i]]);
  }
  return sweep(changes, ([, from, to]) => {
    counts[from]--;
    counts[to]++;
  }, () => decide(counts));
}
