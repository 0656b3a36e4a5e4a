// What stands around the diagram: the formula, the processes, the cut, the run.

// element makes an element of the document. Texts are never markup.
function element(name, properties = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(e.dataset, value);
    else if (value !== undefined && value !== false) e.setAttribute(key === "className" ? "class" : key, value === true ? "" : value);
  }
  e.append(...children.filter(child => child !== null && child !== undefined));
  return e;
}

function byId(id) { return document.getElementById(id); }

const LANES_OF_TRUTH = 10;
const WORDS = ["false", "true", "not known"], CLASSES = ["no", "yes", "unknown"];

// showTree shows the parts of the formula with their truth at the cut. Of three operands or
// more those are shown first that decide it; the first parts at the cut of the run get a
// lane of truth.
function showTree(app) {
  const mostOperands = 12, mostShown = 200;
  const focused = document.activeElement && document.activeElement.dataset.part;
  const listed = [];
  let shown = 0;
  const node = k => {
    if (!listed.includes(k) && listed.length < LANES_OF_TRUTH) listed.push(k);
    const part = app.data.parts[k], truth = app.truth[k].at(app.place);
    const button = element("button", { type: "button", className: CLASSES[truth], data: { part: k }, title: "Go to where this changes, or to its witness", onclick: () => app.visit(k) },
      element("span", { className: "verdict" }, WORDS[truth] + " "), part.text);
    const item = element("li", {}, button);
    const sub = part.sub || [];
    if (!sub.length || ++shown > mostShown) return item;
    const decides = i => app.truth[i].at(app.place) === (part.rule === "any" ? YES : NO);
    const first = sub.length <= 2 ? sub : [...new Set(sub.filter(decides).concat(sub))].slice(0, mostOperands);
    const list = element("ul", {}, ...first.map(node));
    if (sub.length > first.length) list.append(element("li", {}, "and " + (sub.length - first.length) + " more"));
    item.append(list);
    return item;
  };
  const tree = byId("tree");
  tree.replaceChildren(...(app.data.parts.length ? [element("ul", {}, node(0))] : []));
  tree.hidden = !app.data.parts.length;
  app.listed = app.listed || listed;
  if (focused !== undefined) (tree.querySelector(`[data-part="${focused}"]`) || tree).focus();
}

// showLanes shows the processes beside their lanes, with the values at the cut.
function showLanes(app) {
  const { model, box, first } = app, focused = document.activeElement, most = 12;
  const row = box.contains(focused) ? focused.closest(".lane") : null, again = row && [row.dataset.process, focused.dataset.does];
  const does = (p, name, text, what, pressed) => element("button", { type: "button", title: name, "aria-label": name + " " + model.processes[p].name, "aria-pressed": pressed, data: { does: name }, onclick: what }, text);
  const rows = app.diagram.lanesInView().filter(lane => app.lanes[lane].length).map(number => {
    const lane = app.lanes[number], [p] = lane, group = app.groupOf[p], several = lane.length > 1, values = element("div", { className: "values" });
    const shown = lane.flatMap(q => app.variablesOf(q).slice(0, most).map(v => [q, v])).slice(0, most);
    for (const [q, v] of shown) {
      const text = v.name + (several ? "@" + model.processes[q].name : "") + " = " + model.value(v, app.cut);
      values.append(element("span", { className: app.justChanged(v) ? "changed" : undefined, title: text }, text), "  ");
    }
    const name = several ? group.name + " (" + lane.length + " processes)" : model.processes[p].name;
    const buttons = app !== first ? [] : [
      group && (several || !group.folded) ? does(p, several ? "Unfold the group of" : "Fold the group of", several ? "▸" : "▾", () => app.foldGroup(p)) : null,
      does(p, "Pick for a group", app.picked.has(p) ? "☑" : "☐", () => app.pick(p), String(app.picked.has(p))),
      number < app.pinned ? does(p, "Unpin", "⊖", () => app.pin(p)) : does(p, "Pin", "⊕", () => app.pin(p)),
      does(p, "Move up", "↑", () => app.move(p, -1)), does(p, "Move down", "↓", () => app.move(p, 1)), does(p, "Hide", "×", () => app.hide(p)),
    ];
    const item = element("div", { className: "lane" + (group && !several ? " member" : ""), data: { process: p } },
      element("span", { className: "name", title: several ? lane.map(q => model.processes[q].name).join(" ") : name }, name), values,
      element("span", { className: "more" }, ...buttons));
    item.style.top = app.diagram.laneY(number) - LANE / 2 + "px";
    return item;
  });
  const hidden = model.processes.length - app.lanes.flat().length, button = (text, onclick) => element("button", { type: "button", onclick }, text);
  const head = element("div", { className: "head" });
  if (app === first) {
    if (app.picked.size > 1) head.append(button("fold " + app.picked.size + " into one lane", () => app.groupPicked()));
    if (app.lanes.length > 12) head.append(button("only what the formula sees", () => app.showSeen()));
    if (hidden) head.append(button("show " + hidden + " hidden", () => app.showAll()));
    if (app.data.others) head.append(" " + app.data.others + " without events here");
  } else head.append(app.data.title);
  box.replaceChildren(head, ...rows);
  if (again) (box.querySelector(`[data-process="${again[0]}"] [data-does="${again[1]}"]`) || app.diagram.stage).focus();
}

// place shows where the trace has an event: the line, and its text.
function place(app, e) {
  const where = app.model.where(e), text = where && app.line(e);
  return [where ? element("p", { className: "place" }, where) : null, text ? element("code", { className: "line" }, text) : null];
}

// showState shows the cut: the last event, what is in transit, what can happen next, and
// what was chosen.
function showState(app) {
  const { model, cut } = app, box = byId("state"), focused = document.activeElement;
  const again = focused && box.contains(focused) ? focused.dataset.go : undefined;
  const link = (e, text) => element("button", { type: "button", data: { go: e }, onclick: () => app.choose(e) }, text || model.name(e));
  const parts = [];
  const section = (title, ...children) => parts.push(element("h2", {}, title), ...children);
  const before = app.data.before + model.size(cut);
  section("Cut of " + before + " of " + app.data.events + " events" + (app.first.twin ? " in " + app.data.title : ""), element("p", {}, app.cutText()));
  if (app.place > 0) {
    section("Step " + app.place + " of " + app.walk.length + (app.onRun() ? "" : ", off the run"),
      ...model.step(app.walk[app.place - 1]).flatMap(e => [element("p", {}, model.tell(e), app.timeOf(e)), ...place(app, e)]));
  }
  const values = app.watched().map(v => element("tr", { className: app.justChanged(v) ? "changed" : undefined },
    element("td", {}, v.process < 0 ? v.name : v.name + "@" + model.processes[v.process].name), element("td", {}, model.value(v, cut))));
  if (values.length) section("Values", element("table", {}, element("tbody", {}, ...values)));
  const transit = model.transit(cut), most = 30;
  if (transit.length) {
    section(transit.length + " in transit" + (app.data.waiting ? ", and " + app.data.waiting + " sent earlier" : ""),
      element("ul", {}, ...transit.slice(0, most).map(m => element("li", {}, "“" + m.name + "” from " + model.sender(m) + " to " + model.receiver(m))),
        transit.length > most ? element("li", {}, "and " + (transit.length - most) + " more") : null));
  }
  section(app.enabled.length ? "What can happen next" : "Nothing can happen next here",
    element("ul", { id: "enabled" }, ...app.enabled.slice(0, most).map(step => element("li", {},
      element("button", { type: "button", data: { go: "step" + step }, onclick: () => app.take(step) }, model.step(step).map(e => model.name(e)).join(" + ")), " " + model.step(step).map(e => model.processes[model.process[e]].name + " " + model.does(e, true)).join(" + ")))));
  if (app.selected >= 0) {
    const e = app.selected;
    section("Chosen: " + model.name(e), element("p", {}, model.tell(e), app.timeOf(e)), ...place(app, e),
      element("p", {}, app.relationText || "Choose another with Shift to see how they are ordered."),
      app.path ? element("ol", { id: "path" }, ...app.path.map(f => element("li", {}, link(f), " " + model.processes[model.process[f]].name))) : null,
      element("button", { type: "button", data: { go: "least" }, onclick: () => app.goTo(app.leastWith(e)) }, "Go to its least cut"),
      element("button", { type: "button", data: { go: "greatest" }, onclick: () => app.goTo(model.without(model.greatest(), e)) }, "Go to the greatest cut without it"));
  }
  if (app.first.comparison) {
    const { rows } = app.first.comparison, { twin, first } = app.first, does = (other, e) => e < 0 ? "nothing more" : other.model.does(e) || "an event that changes nothing";
    const go = (other, e) => e < 0 ? null : element("button", { type: "button", onclick: () => { other.activate(); other.choose(e); } }, other.model.name(e));
    const parts = [app.data, twin.data].some(data => data.before + data.after > 0) ? element("p", {}, "Only the parts of the traces that the page holds are compared.") : null;
    section("Compared with " + twin.data.title + (twin.data.verdict ? ", where it " + twin.data.verdict : ""), parts, ...rows.slice(0, most).map(row => element("p", {},
      row.process + ": the same for " + row.same + " events; here ", go(first, row.here), " " + does(first, row.here), ", there ", go(twin, row.there), " " + does(twin, row.there))),
      rows.length ? null : element("p", {}, "All processes do the same."),
      element("button", { type: "button", data: { go: "across" }, onclick: () => app.across() }, "Take the other execution to this cut"));
  }
  const remarks = (app.data.runs[app.run] || {}).remarks;
  if (remarks) section("From the end of the run on", ...remarks.map(text => element("p", {}, text)));
  box.replaceChildren(...parts.filter(Boolean));
  if (again !== undefined) (box.querySelector(`[data-go="${again}"]`) || box.querySelector("#enabled button") || box).focus();
}

const TRUTH = 14;

// showWalk draws a lane of truth for each of the listed parts along the walk: a full bar for
// true, a low one for false, none for what is not known.
function showWalk(app) {
  const canvas = byId("walk"), parts = app.listed, ratio = window.devicePixelRatio || 1;
  const width = byId("run").clientWidth, height = parts.length * TRUTH + 12, context = canvas.getContext("2d");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = height + "px";
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = colours();
  const { left, gap } = walkScale(app, width);
  const label = 220;
  parts.forEach((k, lane) => {
    const y = lane * TRUTH;
    for (let i = Math.max(0, Math.floor((label - left) / gap)); i <= app.walk.length && left + i * gap < width; i++) {
      const truth = app.truth[k].at(i);
      if (truth === UNKNOWN) continue;
      context.fillStyle = ink[CLASSES[truth]];
      context.fillRect(left + i * gap, truth === YES ? y + 1 : y + TRUTH - 5, Math.max(gap - (gap > 3 ? 1 : 0), 0.5), truth === YES ? TRUTH - 2 : 4);
    }
    context.clearRect(0, y, label - 2, TRUTH);
    context.fillStyle = ink[CLASSES[app.truth[k].at(app.place)]];
    context.font = "11px " + FONT;
    context.fillText(shortened(app.data.parts[k].text, label - 6, 11), 0, y + 11);
  });
  context.fillStyle = ink.faint;
  for (let i = Math.max(0, Math.ceil((label - left) / gap)); i <= app.walk.length && left + i * gap < width; i++) context.fillRect(left + i * gap, height - 7, Math.max(gap - 1, 0.5), 2);
  context.strokeStyle = ink.frontier;
  context.lineWidth = 2;
  context.strokeRect(left + app.place * gap - 1, 1, Math.max(gap, 2) + 1, height - 2);
  const slider = byId("run");
  slider.setAttribute("aria-valuemax", app.walk.length);
  slider.setAttribute("aria-valuenow", app.place);
  slider.setAttribute("aria-valuetext", "step " + app.place + " of " + app.walk.length);
}

// walkScale returns where the first place of the walk is drawn and how far places are
// apart. A long walk is drawn around the place where it is.
function walkScale(app, width) {
  const label = 220, room = Math.max(width - label, 50), gap = Math.min(24, Math.max(2, room / (app.walk.length + 1)));
  const over = (app.walk.length + 1) * gap - room;
  return { left: label - Math.min(Math.max(app.place * gap - room / 2, 0), Math.max(over, 0)), gap };
}

// showMap shows which part of the trace the page holds.
function showMap(app) {
  const { before, after, events } = app.data, map = byId("map"), span = element("span");
  span.style.marginLeft = 100 * before / (events || 1) + "%";
  span.style.width = 100 * (events - before - after) / (events || 1) + "%";
  map.replaceChildren(span);
  map.title = before + after ? "The page holds " + (events - before - after) + " events; " + before + " are earlier and " + after + " later." : "The page holds all " + events + " events.";
  map.toggleAttribute("data-served", app.data.served);
}

// choices fills a select.
function choices(id, options, chosen) {
  const select = byId(id);
  select.replaceChildren(...options.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)));
  select.parentElement.hidden = options.length < 2;
}

// showTools fills in what can be chosen.
function showTools(app) {
  const { data } = app, short = text => text.length > 70 ? text.slice(0, 69) + "…" : text;
  byId("title").textContent = data.title;
  document.title = data.title + (data.formula ? ": " + data.formula + " " + data.verdict : "");
  byId("verdict").replaceChildren(...(data.formula ? [
    element("span", { className: "verdict " + (data.verdict === "holds" ? "yes" : data.verdict === "fails" ? "no" : "unknown") }, data.verdict), " ", data.formula,
    ...[data.reason, ...(data.notes || [])].filter(Boolean).map(text => element("span", { className: "unknown" }, " — " + text))] : ["Type a formula to decide it."].filter(() => data.served)));
  byId("ask").hidden = !data.served;
  byId("time").hidden = !data.clock;
  choices("traces", (data.traces || []).map((name, i) => [i, name]), data.trace);
  choices("compare", [["", "nothing"], ...(data.traces || []).map((name, i) => [i, name]).filter(([i]) => i !== data.trace)], "");
  choices("formulas", data.formulas && data.formulas.length ? [["", "choose one"], ...data.formulas.map(f => [f, short(f)])] : [], data.formula);
  choices("runs", data.runs.map((run, i) => [i, "  ".repeat(run.level) + short(run.claim) + " (" + run.size + " events)"]), app.run);
  choices("slices", data.parts.length ? [["", "none: the computation"], ...data.parts.slice(0, 200).map((part, k) => [k, short(part.text)])] : [], app.slice ? app.slice.part : "");
  const names = [...new Set(app.model.variablesOf.flat().map(v => v.name))];
  choices("colours", [["", "nothing"], ...names.slice(0, 200).map(name => [name, name])], app.colour);
  choices("groups", [["", "nothing"], ...app.groupings()], "");
  choices("take", [["", "choose"], ["link", "link"], ["text", "run as text"], ["mermaid", "run as Mermaid"], ["go", "run as Go test"], ["svg", "view as SVG"], ["png", "view as PNG"]], "");
}
