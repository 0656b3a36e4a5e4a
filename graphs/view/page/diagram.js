// The space-time diagram.
//
// Time goes from left to right, or down if the page is narrow. A lane shows a process that is not
// hidden, or the processes of a folded group a little apart from each other. The lanes share the
// available space. The pinned ones come first and stay in place while the others scroll.
//
// All positions are computed as if time went to the right: x is along time, y across the lanes, in
// pixels of the stage. turn converts them to positions on the screen and back.

const HEAD = 24, FOOT = 26, RADIUS = 6, PAD = 40;
const NARROW = matchMedia("(max-width: 700px)"); // as in page.css

class Diagram {
  // app is the state that is shown; see main.js.
  constructor(app, stage) {
    Object.assign(this, { app, stage, gap: 0, arrows: [], hovered: undefined });
    this.canvas = stage.querySelector("canvas");
    this.extent = stage.querySelector("div"); // as large as the diagram, so that the stage scrolls
    this.look();
    this.gapDown = this.down; // the direction of time that gap was chosen for
  }

  get model() { return this.app.model; }
  get layout() { return this.app.layout; }
  get lanes() { return this.app.lanes; }

  turn(x, y) { return this.down ? [y, x] : [x, y]; }

  // resize divides the stage among the lanes, and lets it scroll over the whole diagram.
  resize() {
    this.look();
    if (this.gapDown !== this.down) Object.assign(this, { gapDown: this.down, gap: 0 });
    const { width, height } = this.view, lanes = this.lanes.all.length || 1;
    const room = height - (this.down ? 2 : HEAD + FOOT);
    const [least, most] = this.down ? [58, 180] : [28, Math.max(96, 640 / lanes)];
    this.lane = Math.max(least, Math.min(most, Math.floor(room / lanes)));
    this.head = this.down ? 0 : HEAD + Math.max(0, (room - lanes * this.lane) / 2);
    const [narrow, wide] = this.down ? [40, 80] : [64, 150];
    this.gap ||= Math.max(narrow, Math.min(wide, (width - 2 * PAD) / this.layout.width));
    const across = lanes * this.lane + (this.down ? 0 : HEAD + FOOT);
    const [w, h] = this.turn(this.layout.width * this.gap + 2 * PAD, across);
    this.extent.style.width = Math.floor(w) + "px";
    this.extent.style.height = Math.floor(h) + "px";
    this.look(); // the stage may have scrolled back
  }

  // look records what is in view, and reports whether that has changed. Asking the stage each time
  // would make the browser lay out the page again.
  look() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.stage, before = this.view;
    this.down = NARROW.matches;
    const [left, top] = this.turn(scrollLeft, scrollTop);
    const [width, height] = this.turn(clientWidth, clientHeight);
    this.view = { left, top, width, height, down: this.down };
    return !before || Object.keys(before).some(side => before[side] !== this.view[side]);
  }

  // scroll scrolls by a distance along time, and across it.
  scroll(along, across) {
    const [x, y] = this.turn(along, across);
    this.stage.scrollBy({ left: x, top: y, behavior: "instant" });
    this.look();
  }

  x(column) { return PAD + column * this.gap - this.view.left; }
  at(e) { return this.x(this.layout.at(e)); }

  // laneY returns the position of the middle of a lane.
  laneY(lane) {
    return this.head + (lane + 0.5) * this.lane - (lane < this.lanes.pinned ? 0 : this.view.top);
  }

  // y returns the position of a process, or undefined if it is hidden.
  y(process) {
    const { of, offset } = this.lanes, lane = of[process];
    return lane === undefined ? undefined : this.laneY(lane) + offset[process] * this.lane;
  }

  pinnedEnd() { return this.head + this.lanes.pinned * this.lane; }

  // covered reports whether a lane has scrolled behind the pinned ones.
  covered(lane) { return lane >= this.lanes.pinned && this.laneY(lane) < this.pinnedEnd(); }

  // lanesInView returns the numbers of the lanes in view.
  lanesInView() {
    const end = this.view.height + this.lane / 2;
    return [...this.lanes.all.keys()].filter(lane => !this.covered(lane) && this.laneY(lane) < end);
  }

  // reveal scrolls to an event.
  reveal(e) {
    const lane = this.lanes.of[this.model.process[e]], x = this.at(e);
    const { width, height } = this.view;
    let across = 0;
    if (lane >= this.lanes.pinned) {
      const y = this.laneY(lane), top = this.pinnedEnd();
      if (y < top + this.lane / 2 || y > height - this.lane / 2) across = y - (top + height) / 2;
    }
    this.scroll(x < 60 || x > width - 60 ? x - width * 0.6 : 0, across);
  }

  // revealCut scrolls until the last step is in view or, without one, the line of the cut. If there
  // is room, it also shows the events that violate the formula, if they have happened.
  revealCut(last) {
    if (last !== undefined) this.reveal(last);
    const wrong = this.app.culprits.filter(e => this.model.has(this.app.cut, e));
    const begin = Math.min(...wrong.map(e => this.at(e))) - 60;
    if (begin < 0 && this.at(last) - begin < this.view.width - 60) this.scroll(begin, 0);
    const xs = this.frontier().map(([, x]) => x), { width } = this.view;
    if (xs.some(x => x > 4 && x < width - 4)) return;
    const middle = nearest(xs, x => Math.abs(x - width / 2));
    if (middle !== undefined) this.scroll(middle - width * 0.6, 0);
  }

  // draw draws on the canvas.
  draw() {
    const [width, height] = this.turn(this.view.width, this.view.height);
    this.paint(new CanvasPen(this.canvas, width, height), width, height);
  }

  // svg returns what is in view as SVG.
  svg() {
    const [width, height] = this.turn(this.view.width, this.view.height), pen = new SVGPen();
    this.paint(pen, width, height);
    return pen.document(width, height, this.app.data.title);
  }

  paint(screen, width, height) {
    const { app } = this, ink = colours(), lanes = this.lanesInView();
    const processes = lanes.flatMap(lane => app.lanes.all[lane]);
    const pen = this.down ? new Turned(screen) : screen, end = this.pinnedEnd();
    Object.assign(this, { pen, screen, ink, labels: new Labels(width, height) });
    screen.box(0, 0, width, height, ink.paper);
    const frontier = this.frontier();
    const half = this.lane / 2;
    for (const [, x, y] of frontier) pen.box(0, y - half, Math.max(x, 0), this.lane, ink.cut);
    for (const p of processes) this.paintLane(p);
    this.paintEdges();
    if (app.byTime) this.paintTime();
    this.paintViolation();
    for (const p of processes) this.paintNodes(p);
    this.paintFront(frontier, ink.frontier, 2.5);
    for (const [, x, y] of frontier) pen.circle(x, y, 4, ink.frontier, ink.paper);
    this.paintNeeded();
    const someArePinned = app.lanes.pinned > 0 && app.lanes.pinned < app.lanes.all.length;
    if (someArePinned) pen.line([[0, end], [this.view.width, end]], ink.faint, 1);
    this.labels.draw(screen, ink.paper);
  }

  // front returns the columns between which a cut crosses the line of a process.
  front(p, cut) {
    const { model, layout } = this, count = model.processes[p].count;
    const before = cut[p] > 0 ? layout.at(model.event(p, cut[p])) : -28 / this.gap;
    if (cut[p] < count) return [before, layout.at(model.event(p, cut[p] + 1))];
    return [before, Math.max(before + 0.7, layout.width - 0.3)];
  }

  // frontier returns where the line of a cut crosses the lanes in view, as [lane, x, y]: after the
  // last step, or as near to it as the events allow. In the lane of a group this is after all
  // events that have happened.
  frontier(cut = this.app.cut, lastStep = this.app.lastStep) {
    const wide = this.app.byTime ? 0 : 0.6, most = Math.min(0.3, 10 / this.gap);
    const lanes = this.lanesInView(), bounds = lanes.map(lane => {
      const fronts = this.lanes.all[lane].map(p => this.front(p, cut));
      const before = Math.max(...fronts.map(([a]) => a));
      return [before, Math.max(before + wide, Math.min(...fronts.map(([, b]) => b)))];
    });
    const after = this.app.byTime ? most : 0.4;
    const last = Math.max(-18 / this.gap, ...[...lastStep].map(e => this.layout.at(e) + after));
    return lanes.map((lane, i) => {
      const [a, b] = bounds[i], inset = Math.min(most, (b - a) / 2);
      return [lane, this.x(Math.min(Math.max(last, a + inset), b - inset)), this.laneY(lane)];
    });
  }

  // paintLane draws the line of a process. Bars on it show the variable by which lanes are
  // coloured: where it is true, or its value.
  paintLane(p) {
    const { app, pen, ink, labels, view: { width } } = this, y = this.y(p), high = this.band();
    const variable = this.model.variablesOf[p].find(v => v.name === app.colour);
    pen.line([[0, y], [width, y]], ink.lane, 1);
    if (!variable || app.lanes.all[app.lanes.of[p]].length > 1 && high < 8) return;
    const away = this.down ? high / 2 + 4 : RADIUS + 6;
    let x = this.x(-0.7);
    for (let i = -1; i < variable.at.length; i++) {
      const next = i + 1 < variable.at.length ? this.at(variable.at[i + 1]) : width;
      const text = this.model.assigned(variable, i);
      const [from, to] = [Math.max(x, 0), Math.min(next, width)];
      x = next;
      if (to <= from || text === "false" || text === "⊥") continue;
      pen.box(from, y - high / 2, to - from, high, ink.values[app.palette.get(text)]);
      labels.wish(text === "true" ? app.colour : unquoted(text), this.turn(from, y),
        { away, sides: ["right"], rank: 5, colour: ink.text, end: this.down ? 1 : to });
    }
  }

  // band returns the height of the bars on lanes.
  band() { return this.down ? 12 : Math.max(6, Math.min(20, this.lane * 0.32)); }

  // paintTime draws the time axis.
  paintTime() {
    const { pen, ink, labels, layout, view: { width, height } } = this;
    const least = 90 / this.gap / layout.unit, power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(n => n * power).find(ms => ms >= least);
    const digits = Math.max(0, Math.ceil(-Math.log10(step)));
    const first = Math.max(0, Math.ceil((this.view.left - PAD) / this.gap / layout.unit / step));
    const style = { away: 4, sides: ["right"], rank: 0, colour: ink.message };
    for (let ms = first * step; ms * layout.unit <= layout.width; ms += step) {
      const x = this.x(ms * layout.unit);
      if (x >= width) break;
      const text = step >= 1000 ? ms / 1000 + " s" : ms.toFixed(digits) + " ms";
      pen.line([[x, 0], [x, height]], ink.line, 1);
      labels.wish(text, this.turn(x, this.down ? 30 : 11), style);
    }
  }

  // paintWhen marks the interval in which an event may have happened.
  paintWhen(y, from, to) {
    const points = [[from, y - 5], [from, y + 5], [from, y], [to, y], [to, y - 5], [to, y + 5]];
    this.pen.line(points, this.ink.strong, 1.5);
  }

  // paintViolation marks the events that brought about the violation, joined by a bracket, and the
  // missing orders.
  paintViolation() {
    const { app, pen, ink, labels } = this, at = e => [this.at(e), this.y(this.model.process[e])];
    const ends = app.culprits.map(at).filter(([, y]) => y !== undefined);
    const ys = ends.map(([, y]) => y);
    if (ends.length > 1) {
      const edge = Math.max(...ends.map(([x]) => x)) + RADIUS + 8;
      for (const [x, y] of ends) pen.line([[x, y], [edge, y]], ink.wrong, 2);
      pen.line([[edge, Math.min(...ys)], [edge, Math.max(...ys)]], ink.wrong, 2.5);
    }
    for (const [e, f] of app.missing) {
      const [[x1, y1], [x2, y2]] = [at(e), at(f)];
      if (y1 === undefined || y2 === undefined) continue;
      if (app.fixing) pen.arrow(x1, y1, x2, y2, ink.added, 2.5, false, RADIUS + 1);
      else pen.line([[x1, y1], [x2, y2]], ink.wrong, 2, true);
      const [text, colour] = app.fixing ? ["must come first", ink.added] : ["no order", ink.wrong];
      labels.wish(text, this.turn((x1 + x2) / 2, (y1 + y2) / 2), { away: 3, rank: 1, colour });
    }
  }

  // paintFront draws the line of a cut.
  paintFront(frontier, ...line) {
    const half = this.lane / 2;
    this.pen.line(frontier.flatMap(([, x, y]) => [[x, y - half], [x, y + half]]), ...line);
  }

  // If the user points at an edge that the formula needs, paintNeeded draws the cut at which the
  // formula would fail without it.
  paintNeeded() {
    const { app, ink, hovered } = this, without = hovered && app.without(hovered);
    if (!without || !without.cut) return;
    const frontier = this.frontier(without.cut, []);
    this.paintFront(frontier, ink.wrong, 2, true);
    for (const [, x, y] of frontier.slice(0, 1)) {
      this.labels.wish("fails here without it", this.turn(x, y), { rank: 0, colour: ink.wrong });
    }
  }

  // paintEdges draws messages and other edges between the lanes shown. It names the messages that
  // matter now. If there are many arrows, the others are faint.
  paintEdges() {
    const { app, pen, ink, model, layout, hovered, view: { width, height } } = this;
    const arrows = this.arrows = [];
    const heights = model.processes.map((_, p) => this.y(p)), top = this.pinnedEnd();
    const isCovered = model.processes.map((_, p) => this.covered(app.lanes.of[p]));
    const add = (from, to, colour, dashed, name) => {
      const p = model.process[from], q = model.process[to], [y1, y2] = [heights[p], heights[q]];
      const isSeen = Math.max(y1, y2) >= 0 && Math.min(y1, y2) <= height;
      if (!isSeen || isCovered[p] && isCovered[q] || layout.node[from] === layout.node[to]) return;
      const [x1, x2] = [this.at(from), this.at(to)];
      if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > width) return;
      const [start, end] = [isCovered[p] ? top : y1, isCovered[q] ? top : y2];
      arrows.push({ from, to, x1, y1: start, x2, y2: end, colour, dashed, name });
    };
    for (const { from, to, name } of model.data.messages) {
      if (from < 0) this.paintStub(to, -1);
      else if (to < 0) this.paintStub(from, 1);
      else add(from, to, ink.message, false, name);
    }
    for (const [from, to] of model.otherEdges) add(from, to, ink.other, true);
    for (const [from, to] of pairs(app.slice?.edges || [])) {
      if (from < model.length && to >= 0) add(from, to, ink.added, false);
    }

    const many = arrows.length > 120, path = new Set(app.path);
    const style = { away: 5, sides: ["right", "left"], rank: 4, colour: ink.message, most: 120 };
    for (const a of arrows) {
      const { from, to, x1, y1, x2, y2 } = a, isHovered = hovered?.from === from && hovered.to === to;
      const marked = path.has(from) && path.has(to) || isHovered, needed = app.without(a);
      const near = marked || needed || app.lastStep.has(to) || [from, to].includes(app.selected);
      const plain = many && a.colour !== ink.added ? ink.line : a.colour;
      const colour = marked ? ink.marked : near ? ink.text : plain;
      const width = marked || needed ? 2.5 : near ? 1.6 : 1;
      pen.arrow(x1, y1, x2, y2, colour, width, a.dashed, RADIUS + 1);
      const middle = this.turn((x1 + x2) / 2, (y1 + y2) / 2);
      if (near) this.labels.wish(a.name, middle, style);
    }
  }

  // paintStub draws one end of a message whose other end is not in the window.
  paintStub(e, side) {
    const p = this.model.process[e], x = this.at(e), y = this.y(p);
    if (y === undefined || x < -20 || x > this.view.width + 20 || this.covered(this.lanes.of[p])) return;
    this.pen.line([[x, y], [x + side * 16, y + 14]], this.ink.message, 1, true);
  }

  // nodesInView returns the nodes of a process that are in view.
  nodesInView(p) {
    const { layout } = this, nodes = layout.nodesOf[p], margin = Math.min(this.gap, 80);
    const from = x => firstWith(0, nodes.length, i => this.x(layout.column[nodes[i]]) >= x);
    return nodes.slice(from(-margin), from(this.view.width + margin));
  }

  paintNodes(p) {
    const { app, model, layout } = this, y = this.y(p);
    for (const n of this.nodesInView(p)) {
      const e = layout.first[n], count = layout.count[n], x = this.x(layout.column[n]);
      const done = model.has(app.cut, e + count - 1);
      if (count > 1) this.paintFold(n, x, y, done); else this.paintEvent(e, x, y, done);
    }
  }

  paintEvent(e, x, y, done) {
    const { app, pen, ink, model, layout } = this;
    const when = app.byTime && app.data.when?.[e];
    if (when) this.paintWhen(y, ...when.map(ms => this.x(ms * layout.unit)));
    const wrong = app.culprits.includes(e);
    const colour = wrong ? ink.wrong : app.isNear(e) ? ink.marked : done ? ink.done : ink.event;
    const forced = app.slice?.forced.has(e), fill = wrong || done || forced ? colour : ink.paper;
    const isTogether = model.group.has(e) || app.slice?.together.has(e);
    if (app.ready.has(e)) pen.circle(x, y, RADIUS + 4, ink.paper, ink.enabled, 2.5);
    if (app.slice?.out.has(e)) pen.cross(x, y, RADIUS, ink.out);
    else pen.circle(x, y, wrong ? RADIUS + 2 : RADIUS, fill, colour, forced ? 3 : 1.8);
    if (wrong) pen.cross(x, y, RADIUS, ink.paper);
    if (isTogether) pen.box(x - 11, y - 11, 22, 22, null, ink.added);
    if (e === app.selected || e === app.other) pen.circle(x, y, RADIUS + 7, null, ink.marked, 3);
    if (app.found.has(e)) pen.box(x - 12, y + 11, 24, 3, ink.marked);
    if (app.differs(e)) pen.diamond(x, y, RADIUS + 6, ink.other);
    this.labelEvent(e, x, y, wrong);
  }

  // labelEvent asks for a label if there is room for labels or the event matters now.
  labelEvent(e, x, y, wrong) {
    const { app, ink, labels } = this, [sx, sy] = this.turn(x, y);
    const matters = wrong || e === app.selected || app.lastStep.has(e);
    labels.keep([sx - RADIUS - 2, sy - RADIUS - 2, 2 * RADIUS + 4, 2 * RADIUS + 4]);
    const isAlone = app.lanes.all[app.lanes.of[this.model.process[e]]].length === 1;
    const isWide = this.gap >= 24 || app.byTime;
    if (x < 0 || x > this.view.width || !matters && !(isAlone && isWide)) return;
    const away = Math.max(RADIUS + 3, this.band() / 2 + 2) + (app.ready.has(e) ? 3 : 0);
    const most = matters ? 240 : Math.max(this.down ? this.lane * 0.7 : this.gap * 1.6, 60);
    const colour = wrong ? ink.wrong : matters ? ink.text : ink.strong, rank = matters ? 1 : 3;
    const sides = this.down ? undefined : ["above", "below", ...matters ? ["right", "left"] : []];
    labels.wish(app.labelOf(e, matters), [sx, sy], { away, sides, rank, colour, most });
  }

  paintFold(n, x, y, done) {
    const { app, ink, screen, layout } = this, [sx, sy] = this.turn(x, y);
    const { half, text } = this.fold(n), events = layout.events(n);
    screen.box(sx - half, sy - 9, 2 * half, 18, ink.fold, done ? ink.done : ink.event);
    screen.text(sx - widthOf(text, 10) / 2, sy, text, ink.text, 10);
    const isReady = events.some(f => app.ready.has(f));
    if (isReady) screen.box(sx - half - 3, sy - 12, 2 * half + 6, 24, null, ink.enabled, 2.5);
    if (events.some(f => app.differs(f))) screen.box(sx - half, sy + 11, 2 * half, 3, ink.other);
    this.labels.keep([sx - half - 4, sy - 13, 2 * half + 8, 26]);
  }

  // fold returns the text in a fold, which is the number of its events and their first label, and
  // half the width of its box.
  fold(n) {
    const label = this.layout.events(n).map(e => this.model.label(e)).find(Boolean);
    const all = "+" + this.layout.count[n] + (label ? " " + label : "");
    const room = this.down ? this.lane * 0.8 : this.gap * 0.86;
    const text = shortened(all, Math.max(room - 8, 18), 10);
    return { text, half: Math.max(11, widthOf(text, 10) / 2 + 4) };
  }

  // eventAt returns the event at a point of the screen, or the first event of the fold there; -1 if
  // there is none.
  eventAt(sx, sy) {
    const { layout, model } = this;
    const nodes = (this.lanes.all[this.laneAt(sx, sy)] || []).flatMap(p => this.nodesInView(p));
    const n = nearest(nodes, n => {
      const [x, y] = this.turn(this.x(layout.column[n]), this.y(model.process[layout.first[n]]));
      const [dx, dy] = [Math.abs(x - sx), Math.abs(y - sy)];
      const half = layout.count[n] > 1 ? this.fold(n).half : RADIUS;
      return dx <= half + 5 && dy < 14 ? dx + dy : Infinity;
    });
    return n === undefined ? -1 : layout.first[n];
  }

  // edgeAt returns the arrow nearest to a point of the screen, or undefined if none is near.
  edgeAt(sx, sy) {
    const [x, y] = this.turn(sx, sy);
    return nearest(this.arrows, ({ x1, y1, x2, y2 }) => {
      const [dx, dy] = [x2 - x1, y2 - y1];
      const part = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
      const on = Math.max(0, Math.min(1, part)); // the nearest point of the line, from 0 to 1
      return Math.hypot(x1 + on * dx - x, y1 + on * dy - y);
    }, 6);
  }

  // laneAt returns the lane at a point of the screen, or -1 if there is none.
  laneAt(sx, sy) {
    const [, y] = this.turn(sx, sy);
    return this.lanesInView().find(lane => Math.abs(this.laneY(lane) - y) <= this.lane / 2) ?? -1;
  }

  // onFrontier reports whether a point is within reach of the line of the cut.
  onFrontier(sx, sy, reach) {
    const [x, y] = this.turn(sx, sy);
    const half = this.lane / 2;
    return this.frontier().some(([, fx, fy]) => Math.abs(fx - x) < reach && Math.abs(fy - y) <= half);
  }

  // countAt returns how many events of a process come before the position x.
  countAt(p, x) {
    const { model } = this;
    return firstWith(0, model.processes[p].count, k => this.at(model.event(p, k + 1)) >= x);
  }

  // dragged returns the cut after the user has dragged the line of the cut, in the lane at a point,
  // to that point. It returns null if the cut stays the same, or would leave the window.
  dragged(sx, sy) {
    const { model, cut, lanes } = this.app, lane = this.laneAt(sx, sy), [x] = this.turn(sx, sy);
    let next = cut;
    for (const p of lanes.all[lane] || []) {
      const k = this.countAt(p, x);
      if (k > next[p]) next = model.with(next, model.event(p, k));
      else if (k < next[p]) next = model.without(next, model.event(p, k + 1));
    }
    return next !== cut && model.reachable(next) ? next : null;
  }
}

// unquoted returns a value without its quotes.
function unquoted(text) { return /^".*"$/.test(text) ? text.slice(1, -1) : text; }

// nearest returns the thing with the least distance below most, or undefined if there is none.
function nearest(things, distance, most = Infinity) {
  let best, least = most;
  for (const thing of things) {
    const far = distance(thing);
    if (far < least) [best, least] = [thing, far];
  }
  return best;
}
