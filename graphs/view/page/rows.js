// The formula along the run: each part has a row with a strip. The strip shows at which steps the
// part is true, on the axis of the scrubber above the rows.
//
// The parts that decide the formula at the place that matters are open. Instances of a quantifier
// that differ only in the order of their names share a row. Instances that do not decide are behind
// a row with their number. Rows stay in place while the user walks.

const WORDS = ["false", "true", "not known"], CLASSES = ["no", "yes", "unknown"];
const SIGNS = ["✗", "✓", "?"];
const MOST_ROWS = 200, MOST_OPERANDS = 6;

// kindOf returns a text that is equal for parts that differ only in the order of operands and of
// names.
function kindOf(parts, k) {
  const { rule, op, text, column, sums = [], edges, not, known, sub = [] } = parts[k];
  const of = sub.map(i => kindOf(parts, i));
  if (rule === "all" || rule === "any" || rule === "iff") of.sort();
  const words = sub.length ? op : text.match(/[\w@.]+|[^\w@.\s]/g).sort().join(" ");
  // x - y == 0 is the same as y - x == 0. It is given as <= and >= of the same terms.
  const [low, high = ""] = sums.map(({ terms }) => JSON.stringify(terms)), isEqual = low === high;
  const size = x => isEqual ? Math.abs(x) : x;
  const write = ({ first, at, values }) => [size(first), at, values.map(size)].join(";");
  const totals = sums.map(({ rel, terms }) => rel + terms.map(write).sort());
  return `${rule}(${[words, JSON.stringify([column, totals, edges, not, known]), ...of].join()})`;
}

// rowsOf returns the rows. A row is a part with its level, or stands for the rows behind it (more).
function rowsOf(app) {
  const { parts } = app.data, rows = [];
  const isQuantified = k => /^(forall|exists|count|sum)\b/.test(parts[k].text);
  const add = (k, level, open, same = 0) => {
    if (rows.length >= MOST_ROWS) return;
    let of = k; // the operands of !(a && b) are right below it
    while (parts[of].rule === "not" && parts[parts[of].sub[0]].sub) of = parts[of].sub[0];
    const operands = parts[of].sub || [];
    const isOpen = open !== app.toggled.has(k);
    rows.push({ part: k, level, same, open: operands.length ? isOpen : null });
    if (!isOpen) return;
    const kinds = Map.groupBy(operands, i => operands.length > 2 ? kindOf(parts, i) : i);
    const all = [...kinds.values()];
    const decides = ([i]) => app.truth[i].at(app.origin) === (parts[of].rule === "any" ? YES : NO);
    const first = all.length > (isQuantified(of) ? 1 : MOST_OPERANDS) ? all.filter(decides).slice(0, MOST_OPERANDS) : all;
    for (const [operand, ...others] of first) add(operand, level + 1, true, others.length);
    const rest = all.filter(kind => !first.includes(kind));
    if (!rest.length) return;
    const holds = rest.every(kind => !decides(kind)), isListed = app.toggled.has("more" + k);
    const that = parts[of].rule === "any" ? " that fail" : " that hold";
    const text = rest.length + (first.length ? " more" : "") + (holds ? that : "");
    rows.push({ more: k, level: level + 1, open: isListed, text });
    for (const [operand, ...others] of isListed ? rest : []) add(operand, level + 1, false, others.length);
  };
  if (parts.length) add(0, 0, true);
  return rows;
}

// axis returns the position of a place of the run on the scrubber and the strips, in pixels.
function axis(app, place, width) { return (place + 0.5) / (app.walk.length + 1) * width; }

// showRows shows the rows, their truth at the cut, and the scrubber.
function showRows(app) {
  const tree = byId("tree"), slider = byId("run"), width = slider.clientWidth;
  const { rows, truth, place, walk, data } = app;
  if (tree.rows !== rows) {
    tree.rows = rows;
    const show = row => element("div", { class: "row", style: "--level: " + row.level }, cellsOf(app, row));
    refill(tree, rows.map(show));
  }
  for (const button of tree.querySelectorAll(".part")) {
    const k = button.dataset.part, value = truth[k].at(place);
    button.className = "part " + CLASSES[value];
    button.setAttribute("aria-label", WORDS[value] + " " + data.parts[k].text);
    button.firstChild.textContent = SIGNS[value] + " ";
  }
  tree.hidden = !rows.length;
  document.querySelector("footer").style.setProperty("--now", axis(app, place, width) + "px");
  // The drawings do not depend on the place.
  const drawn = [rows, truth, width, colours()];
  if (drawn.some((of, i) => tree.drawn?.[i] !== of)) {
    tree.drawn = drawn;
    for (const strip of tree.querySelectorAll("canvas")) showStrip(app, strip, width);
    showScrubber(app, slider.querySelector("canvas"), width);
  }
  slider.ariaValueMax = walk.length;
  slider.ariaValueNow = place;
  slider.ariaValueText = byId("place").textContent = "step " + place + " of " + walk.length;
}

// toggle returns a button that opens or closes a row.
function toggle(app, key, open, text, properties) {
  return button((open ? "▾" : "▸") + text, () => {
    if (!app.toggled.delete(key)) app.toggled.add(key);
    app.rows = rowsOf(app);
    showRows(app);
  }, { "aria-expanded": String(open), data: { toggle: key }, ...properties });
}

// cellsOf returns the contents of a row.
function cellsOf(app, { part, same, open, more, text }) {
  if (more !== undefined) return [toggle(app, "more" + more, open, " " + text, { class: "rest" })];
  const formula = app.data.parts[part].text, told = formula + (same ? ` (and ${same} symmetric)` : "");
  const arrow = open === null ? element("span", { class: "fold" }) :
    toggle(app, part, open, "", { class: "fold", "aria-label": "Parts of " + formula });
  const title = told + "\nGo to where this changes, or to its witness";
  const name = button([element("span"), told], () => app.visit(part), { class: "part", data: { part }, title });
  const strip = element("canvas", { "aria-hidden": "true", data: { strip: part } });
  return [arrow, name, element("span", { class: "track" }, strip)];
}

const STRIP = 16;

// showStrip draws the truth of a part: a high bar where it is true, a low line where it is false,
// and dots where it is not known. The strip is red where the formula is violated.
function showStrip(app, canvas, width) {
  const part = Number(canvas.dataset.strip);
  const pen = new CanvasPen(canvas, width, STRIP), ink = colours(), places = app.walk.length + 1;
  const scale = width / places;
  for (const [from, to, truth] of app.truth[part].stretches(places)) {
    const x = from * scale, long = Math.max((to - from) * scale - (scale > 4 ? 1 : 0), 1);
    if (app.violated() === part && truth === NO) {
      // The box is never too thin to see.
      pen.box(Math.min(x, width - 3), 1, Math.max(long, 3), STRIP - 2, ink.wrong);
      if (long > 10) pen.cross(axis(app, from, width), STRIP / 2, 6, ink.paper);
    } else if (truth === YES) pen.box(x, 3, long, STRIP - 6, ink.yes);
    else if (truth === NO) pen.box(x, STRIP - 5, long, 2, ink.no);
    else for (let dot = x + 2; dot < x + long; dot += 6) pen.box(dot, STRIP / 2, 2, 2, ink.unknown);
  }
}

// showScrubber draws the run, and marks the places where something changes and where the formula is
// violated.
function showScrubber(app, canvas, width) {
  const height = byId("run").clientHeight, pen = new CanvasPen(canvas, width, height);
  const ink = colours(), middle = height / 2;
  pen.box(0, middle - 1, width, 2, ink.lane);
  for (const { part } of app.rows) {
    if (part === undefined) continue;
    for (const place of app.truth[part].places.slice(1, 400)) {
      pen.box(axis(app, place, width) - 0.5, middle - 6, 1, 12, ink.lane);
    }
  }
  for (const [from, , truth] of app.truth[app.violated()]?.stretches() || []) {
    if (truth === NO) pen.cross(axis(app, from, width), middle, 8, ink.wrong);
  }
}
