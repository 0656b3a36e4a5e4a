// The space-time diagram.
//
// Time goes from left to right. A lane is a process that is not hidden, or the processes of a
// group that is folded, which stand a little above each other in it. The pinned lanes come
// first and stay where they are while the others scroll. A pen draws what is in view: on the
// canvas, or as SVG.

const LANE = 46, TOP = 26, RADIUS = 7;

class Diagram {
  // app has what is shown: model, layout, cut, past, future and so on (main).
  constructor(app, stage) {
    Object.assign(this, { app, stage, canvas: stage.querySelector("canvas"), extent: stage.querySelector("div"), gap: 76 });
    this.look();
  }

  // resize makes the stage scroll as far as the diagram is large.
  resize() {
    this.extent.style.width = this.app.layout.width * this.gap + 80 + "px";
    this.extent.style.height = this.app.lanes.length * LANE + TOP + 20 + "px";
  }

  // look notes what is in view, and reports whether that is something else than before. To ask
  // the stage for it each time would make the browser lay the page out again.
  look() {
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = this.stage, before = this.view;
    this.view = { left, top, width, height };
    return !before || ["left", "top", "width", "height"].some(side => before[side] !== this.view[side]);
  }

  x(column) { return 40 + column * this.gap - this.view.left; }

  // laneY returns where the middle of a lane is.
  laneY(lane) { return TOP + (lane + 0.5) * LANE - (lane < this.app.pinned ? 0 : this.view.top); }

  // y returns where a process is, undefined for a hidden one.
  y(process) {
    const lane = this.app.laneOf[process];
    return lane === undefined ? undefined : this.laneY(lane) + this.app.offset[process];
  }

  // covered reports whether a lane is scrolled below the pinned ones.
  covered(lane) { return lane >= this.app.pinned && this.laneY(lane) < TOP + this.app.pinned * LANE; }

  // lanesInView returns the numbers of the lanes in view.
  lanesInView() {
    return [...this.app.lanes.keys()].filter(lane => !this.covered(lane) && this.laneY(lane) < this.view.height + LANE);
  }

  // reveal scrolls to an event.
  reveal(e) {
    const x = this.x(this.app.layout.at(e)), y = this.y(this.app.model.process[e]), { width, height } = this.view;
    if (x < 60 || x > width - 60) this.stage.scrollLeft += x - width * 0.6;
    if (y !== undefined && this.app.laneOf[this.app.model.process[e]] >= this.app.pinned) {
      const top = TOP + this.app.pinned * LANE;
      if (y < top + LANE / 2 || y > height - LANE / 2) this.stage.scrollTop += y - (top + height) / 2;
    }
    this.look();
  }

  // draw draws on the canvas.
  draw() {
    const { width, height } = this.view, ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = width + "px";
      this.canvas.style.height = height + "px";
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint(new CanvasPen(context, width, height), width, height);
  }

  // svg returns what is in view as SVG.
  svg() {
    const { width, height } = this.view, pen = new SVGPen();
    this.paint(pen, width, height);
    return pen.document(width, height, this.app.data.title);
  }

  paint(pen, width, height) {
    const { app } = this, ink = colours(), lanes = this.lanesInView(), processes = lanes.flatMap(lane => app.lanes[lane]);
    pen.box(0, 0, width, height, ink.paper);
    this.paintCut(pen, ink);
    for (const p of processes) this.paintLane(pen, ink, p, width);
    this.paintEdges(pen, ink, width, height);
    for (const p of processes) this.paintNodes(pen, ink, p, width);
    this.paintFrontier(pen, ink);
    if (app.pinned < app.lanes.length && app.pinned > 0) pen.line([[0, TOP + app.pinned * LANE], [width, TOP + app.pinned * LANE]], ink.faint, 1);
  }

  // front returns the columns between which the cut crosses a process.
  front(p) {
    const { model, layout, cut } = this.app, count = model.processes[p].count;
    const before = cut[p] > 0 ? layout.at(model.event(p, cut[p])) : -0.7;
    const after = cut[p] < count ? layout.at(model.event(p, cut[p] + 1)) : Math.max(before + 0.7, layout.width - 0.3);
    return [before, after];
  }

  // frontier returns where the line of the cut crosses the lanes in view: as upright as the
  // events allow, and in the lane of a group after all that has happened.
  frontier() {
    const lanes = this.lanesInView(), bounds = lanes.map(lane => {
      const fronts = this.app.lanes[lane].map(p => this.front(p)), before = Math.max(...fronts.map(([a]) => a));
      return [before, Math.max(before + 0.6, Math.min(...fronts.map(([, b]) => b)))];
    });
    const middle = bounds.map(([a, b]) => (a + b) / 2).sort((a, b) => a - b)[bounds.length >> 1];
    return lanes.map((lane, i) => {
      const [a, b] = bounds[i], inset = Math.min(0.3, (b - a) / 2);
      return [lane, this.x(Math.min(Math.max(middle, a + inset), b - inset)), this.laneY(lane)];
    });
  }

  paintCut(pen, ink) {
    for (const [, x, y] of this.frontier()) pen.box(0, y - LANE / 2, Math.max(x, 0), LANE, ink.cut);
  }

  paintFrontier(pen, ink) {
    const points = this.frontier();
    pen.line(points.flatMap(([, x, y]) => [[x, y - LANE / 2], [x, y + LANE / 2]]), ink.frontier, 2);
    for (const [, x, y] of points) pen.circle(x, y, 4, ink.frontier, ink.paper);
  }

  // paintLane draws the line of a process, in pieces that show the value by which lanes are
  // coloured.
  paintLane(pen, ink, p, width) {
    const { app } = this, y = this.y(p), variable = app.model.variablesOf[p].find(v => v.name === app.colour);
    pen.line([[0, y], [width, y]], ink.lane, 1);
    if (!variable) return;
    let x = this.x(-0.7);
    for (let i = -1; i < variable.at.length; i++) {
      const end = i + 1 < variable.at.length ? this.x(app.layout.at(variable.at[i + 1])) : width;
      const text = app.model.assigned(variable, i);
      if (end > 0 && x < width) {
        pen.box(Math.max(x, 0), y - 4, Math.min(end, width) - Math.max(x, 0), 8, ink.values[app.colourOf(text)]);
        pen.text(Math.max(x, 0) + 2, y - 7, text, ink.text, 10, end - x);
      }
      x = end;
    }
  }

  // paintEdges draws messages, and edges that are none, between lanes that are shown. Where
  // there are many, they are faint and without names, but for those that were chosen.
  paintEdges(pen, ink, width, height) {
    const { app } = this, { model, layout } = app, arrows = [], heights = model.processes.map((_, p) => this.y(p));
    const hidden = model.processes.map((_, p) => heights[p] === undefined || this.covered(app.laneOf[p]));
    const add = (from, to, colour, dashed, name) => {
      const p = model.process[from], q = model.process[to], y1 = heights[p], y2 = heights[q];
      if (y1 === undefined || y2 === undefined || hidden[p] && hidden[q] || Math.max(y1, y2) < 0 || Math.min(y1, y2) > height || layout.node[from] === layout.node[to]) return;
      const x1 = this.x(layout.at(from)), x2 = this.x(layout.at(to));
      if (Math.max(x1, x2) >= 0 && Math.min(x1, x2) <= width) arrows.push({ from, to, x1, y1, x2, y2, colour, dashed, name });
    };
    for (const m of model.data.messages) {
      if (m.from >= 0 && m.to >= 0) add(m.from, m.to, ink.message, false, m.name);
      else if (m.from >= 0) this.paintStub(pen, ink, m.from, 1);
      else this.paintStub(pen, ink, m.to, -1);
    }
    for (let i = 0; i < model.otherEdges.length; i += 2) add(model.otherEdges[i], model.otherEdges[i + 1], ink.other, true);
    const many = arrows.length > 120, added = app.slice ? app.slice.edges : [];
    for (let i = 0; i < added.length; i += 2) {
      if (added[i] < model.length && added[i + 1] >= 0) add(added[i], added[i + 1], ink.added, false);
    }
    const top = TOP + app.pinned * LANE, last = app.lastStep;
    for (const a of arrows) {
      const marked = app.marked && app.marked(a.from) && app.marked(a.to), near = marked || last.has(a.to) || a.from === app.selected || a.to === app.selected || a.colour === ink.added;
      const [y1, y2] = [hidden[model.process[a.from]] ? top : a.y1, hidden[model.process[a.to]] ? top : a.y2];
      pen.arrow(a.x1, y1, a.x2, y2, marked ? ink.marked : many && !near ? ink.line : a.colour, marked ? 2.5 : 1.2, a.dashed, RADIUS + 1);
      if (a.name && this.gap > 50 && (near || !many)) pen.text((a.x1 + a.x2) / 2 + 4, (y1 + y2) / 2, a.name, ink.message, 10, this.gap);
    }
  }

  // paintStub draws an end of a message whose other end is not in the window.
  paintStub(pen, ink, e, side) {
    const p = this.app.model.process[e], x = this.x(this.app.layout.at(e)), y = this.y(p);
    if (y === undefined || x < -20 || x > this.view.width + 20 || this.covered(this.app.laneOf[p])) return;
    pen.line([[x, y], [x + side * 16, y + 14]], ink.message, 1.2, true);
  }

  // nodesInView returns the nodes of a process that are in view.
  nodesInView(p, width) {
    const { layout } = this.app, nodes = layout.nodesOf[p];
    let low = 0, high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x(layout.column[nodes[middle]]) < -this.gap) low = middle + 1; else high = middle;
    }
    let end = low;
    while (end < nodes.length && this.x(layout.column[nodes[end]]) < width + this.gap) end++;
    return nodes.slice(low, end);
  }

  paintNodes(pen, ink, p, width) {
    const { app } = this, { model, layout } = app, y = this.y(p), alone = app.lanes[app.laneOf[p]].length === 1;
    for (const n of this.nodesInView(p, width)) {
      const e = layout.first[n], count = layout.count[n], x = this.x(layout.column[n]);
      const done = model.has(app.cut, e + count - 1);
      const colour = app.future && app.future(e) ? ink.future : app.past && app.past(e) ? ink.past : done ? ink.done : ink.event;
      if (count > 1) {
        const half = this.half(n);
        pen.box(x - half, y - 9, 2 * half, 18, ink.fold, colour);
        pen.text(x, y + 4, "+" + count, ink.text, 11, 2 * half, "center");
        if (layout.events(n).some(f => app.ready.has(f))) pen.box(x - half - 3, y - 12, 2 * half + 6, 24, null, ink.enabled);
        if (layout.events(n).some(f => app.differs(f))) pen.box(x - half, y + 11, 2 * half, 3, ink.out);
        continue;
      }
      const state = app.sliced(e);
      if (state === "out") pen.cross(x, y, RADIUS, ink.out);
      else pen.circle(x, y, RADIUS, done || state === "forced" ? colour : ink.paper, colour, state === "forced" ? 3 : 1.8);
      if (model.group.has(e) || app.slicedTogether(e)) pen.box(x - 11, y - 11, 22, 22, null, ink.added);
      if (app.ready.has(e)) pen.circle(x, y, RADIUS + 4, null, ink.enabled, 2);
      if (e === app.selected || e === app.other) pen.circle(x, y, RADIUS + 7, null, ink.marked, 3);
      if (app.found.has(e)) pen.box(x - 12, y + 11, 24, 3, ink.marked);
      if (app.differs(e)) pen.diamond(x, y, RADIUS + 6, ink.out);
      if (this.gap < 30 || !alone && !app.lastStep.has(e)) continue;
      pen.text(x, y - 12, model.name(e), ink.text, 10, this.gap - 6, "center");
      const changes = app.changes(e);
      if (changes) pen.text(x, y + 20, changes, ink.strong, 10, this.gap + 10, "center");
    }
  }

  // half returns half the width of a node.
  half(n) { return this.app.layout.count[n] > 1 ? Math.min(this.gap * 0.42, 24) : RADIUS; }

  // eventAt returns the event, or the fold's first event, at a point of the canvas, -1 for
  // none.
  eventAt(x, y) {
    const { layout } = this.app, lane = this.laneAt(y);
    let nearest = -1, least = Infinity;
    for (const p of lane < 0 ? [] : this.app.lanes[lane]) {
      for (const n of this.nodesInView(p, this.view.width)) {
        const dx = Math.abs(this.x(layout.column[n]) - x), dy = Math.abs(this.y(p) - y);
        if (dx <= this.half(n) + 5 && dy < 14 && dx + dy < least) [nearest, least] = [layout.first[n], dx + dy];
      }
    }
    return nearest;
  }

  // laneAt returns the lane at a height, -1 for none.
  laneAt(y) { return this.lanesInView().find(lane => Math.abs(this.laneY(lane) - y) <= LANE / 2) ?? -1; }

  // onFrontier reports whether a point is as near to the line of the cut as reach.
  onFrontier(x, y, reach) {
    return this.frontier().some(([, fx, fy]) => Math.abs(fx - x) < reach && Math.abs(fy - y) <= LANE / 2);
  }

  // countAt returns how many events of a process are to the left of a point.
  countAt(p, x) {
    const { model, layout } = this.app;
    let low = 0, high = model.processes[p].count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x(layout.at(model.event(p, middle + 1))) < x) low = middle + 1; else high = middle;
    }
    return low;
  }

  // dragged returns the cut to which a person drags the line of the cut: in the lane at a
  // height, to a point; null where that is the cut, or not in the window.
  dragged(x, y) {
    const { model, cut, lanes } = this.app, lane = this.laneAt(y);
    let next = cut;
    for (const p of lane < 0 ? [] : lanes[lane]) {
      const k = this.countAt(p, x);
      if (k > next[p]) next = model.with(next, model.event(p, k));
      else if (k < next[p]) next = model.without(next, model.event(p, k + 1));
    }
    return next !== cut && model.reachable(next) ? next : null;
  }
}

// colours returns those of the style sheet, which follow the reader's choice.
function colours() {
  if (colours.ink) return colours.ink;
  const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue("--" + name).trim();
  const names = ["paper", "text", "strong", "faint", "line", "lane", "event", "done", "message", "other", "added", "out", "fold", "cut", "frontier", "enabled", "past", "future", "marked", "yes", "no", "unknown"];
  colours.ink = Object.fromEntries(names.map(name => [name, get(name)]));
  colours.ink.values = [0, 1, 2, 3, 4, 5, 6, 7].map(i => get("value" + i));
  return colours.ink;
}

const FONT = "'DejaVu Sans', Helvetica, Arial, sans-serif";

// A pen draws lines, boxes, circles and texts. A null colour draws nothing.
class CanvasPen {
  constructor(context, width, height) {
    this.c = context;
    context.clearRect(0, 0, width, height);
  }

  line(points, colour, width, dashed) {
    this.c.setLineDash(dashed ? [4, 3] : []);
    this.c.beginPath();
    points.forEach(([x, y]) => this.c.lineTo(x, y));
    this.stroke(colour, width);
  }

  stroke(colour, width) {
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.stroke();
    this.c.setLineDash([]);
  }

  box(x, y, width, height, fill, edge) {
    this.c.beginPath();
    this.c.rect(x, y, width, height);
    if (fill) { this.c.fillStyle = fill; this.c.fill(); }
    if (edge) this.stroke(edge, 1.5);
  }

  circle(x, y, radius, fill, edge, width = 1.5) {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) { this.c.fillStyle = fill; this.c.fill(); }
    if (edge) this.stroke(edge, width);
  }

  text(x, y, text, colour, size, width, align = "left") {
    this.c.font = size + "px " + FONT;
    this.c.fillStyle = colour;
    this.c.textAlign = align;
    this.c.fillText(shortened(text, width, size), x, y);
  }
}

class SVGPen {
  constructor() { this.out = []; }

  line(points, colour, width, dashed) {
    this.out.push(`<polyline points="${points.map(p => p.map(round).join(",")).join(" ")}" fill="none" stroke="${colour}" stroke-width="${width}"${dashed ? ' stroke-dasharray="4 3"' : ""}/>`);
  }

  box(x, y, width, height, fill, edge) {
    this.out.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 0))}" height="${round(height)}" fill="${fill || "none"}" stroke="${edge || "none"}"/>`);
  }

  circle(x, y, radius, fill, edge, width = 1.5) {
    this.out.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${fill || "none"}" stroke="${edge || "none"}" stroke-width="${width}"/>`);
  }

  text(x, y, text, colour, size, width, align = "left") {
    const anchor = align === "center" ? "middle" : "start";
    this.out.push(`<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}">${escaped(shortened(text, width, size))}</text>`);
  }

  document(width, height, title) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(FONT)}">\n<title>${escaped(title)}</title>\n${this.out.join("\n")}\n</svg>\n`;
  }
}

// Both pens draw these alike.
for (const pen of [CanvasPen.prototype, SVGPen.prototype]) {
  pen.cross = function(x, y, radius, colour) {
    const r = radius * 0.7;
    this.line([[x - r, y - r], [x + r, y + r]], colour, 2);
    this.line([[x - r, y + r], [x + r, y - r]], colour, 2);
  };
  pen.diamond = function(x, y, radius, colour) {
    this.line([[x - radius, y], [x, y - radius], [x + radius, y], [x, y + radius], [x - radius, y]], colour, 2);
  };
  pen.arrow = function(x1, y1, x2, y2, colour, width, dashed, inset) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    const [x, y] = [x2 - dx * inset, y2 - dy * inset];
    this.line([[x1 + dx * inset, y1 + dy * inset], [x, y]], colour, width, dashed);
    this.line([[x - 6 * dx + 3 * dy, y - 6 * dy - 3 * dx], [x, y], [x - 6 * dx - 3 * dy, y - 6 * dy + 3 * dx]], colour, width);
  };
}

function round(x) { return Math.round(x * 10) / 10; }
function escaped(text) { return text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]); }

// shortened cuts a text that is wider than some pixels, about.
function shortened(text, width, size) {
  const most = Math.max(1, Math.floor(width / (size * 0.58)));
  return text.length <= most ? text : Array.from(text.slice(0, most)).slice(0, most - 1).join("") + "…";
}
