// What stands around the diagram: the sentence, the processes, the cut, the map.

// element makes an element of the document. Texts are never markup.
function element(name, properties = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(e.dataset, value);
    else if (key === "style") e.style.cssText = value; // an attribute would need leave of the policy
    else if (value !== undefined && value !== false) e.setAttribute(key === "className" ? "class" : key, value === true ? "" : value);
  }
  e.append(...children.filter(child => child !== null && child !== undefined));
  return e;
}

// button makes a button that does something.
function button(text, onclick, properties) { return element("button", { type: "button", onclick, ...properties }, text); }

function byId(id) { return document.getElementById(id); }

// showLanes shows the processes beside their lanes, with the values at the cut. The button of
// each opens what can be done with it.
function showLanes(app) {
  const { model, box, first, diagram } = app, focused = document.activeElement, most = 12, ink = colours();
  const row = box.contains(focused) ? focused.closest(".lane") : null, again = row && row.dataset.process;
  const rows = diagram.lanesInView().filter(lane => app.lanes[lane].length).map(number => {
    const lane = app.lanes[number], [p] = lane, group = app.groupOf[p], several = lane.length > 1, values = element("div", { className: "values" });
    const shown = lane.flatMap(q => app.variablesOf(q).slice(0, most).map(v => [q, v])).sort(([, v], [, w]) => (w.name === app.colour) - (v.name === app.colour)).slice(0, most);
    for (const [q, v] of shown) {
      const value = model.value(v, app.cut), isColour = v.name === app.colour;
      const text = isColour && !several && value.startsWith('"') ? unquoted(value) : v.name + (several ? "@" + model.processes[q].name : "") + " = " + value;
      const chip = element("span", { className: app.justChanged(v) ? "changed" : undefined, title: v.name + " = " + value }, text);
      if (isColour && value !== "false") chip.style.boxShadow = "inset 0 -3px " + ink.values[app.colourOf(value)];
      values.append(chip, "  ");
    }
    const name = several ? group.name + " (" + lane.length + " processes)" : model.processes[p].name;
    const item = element("div", { className: "lane" + (group && !several ? " member" : ""), data: { process: p } },
      button((app.picked.has(p) ? "☑ " : "") + (several ? name : middle(name)), () => laneMenu(app, p, number, name),
        { className: "name", title: several ? lane.map(q => model.processes[q].name).join(" ") : name, "aria-haspopup": "dialog" }), values);
    const at = Math.floor(diagram.laneY(number) - diagram.lane / 2), [left, top] = diagram.turn(0, at), [width, height] = diagram.turn(undefined, diagram.lane);
    item.style.cssText = `left: ${left}px; top: ${top}px; ` + (width ? `width: ${width}px` : `height: ${height}px`);
    return item;
  });
  box.replaceChildren(...rows, ...app === first ? [] : [element("div", { className: "head" }, app.data.title)]);
  if (app === first) showLaneTools(app);
  if (again) (box.querySelector(`[data-process="${again}"] .name`) || app.diagram.stage).focus();
}

// showLaneTools offers what can be done with all lanes.
function showLaneTools(app) {
  const hidden = app.model.processes.length - app.lanes.flat().length;
  const tools = [
    app.picked.size > 1 ? button("Fold " + app.picked.size + " into one lane", () => app.groupPicked()) : "",
    app.lanes.length > 12 && app.model.processes.some(p => !p.seen) ? button("Only what the formula sees", () => app.showSeen()) : "",
    hidden ? button("Show " + hidden + " hidden", () => app.showAll()) : "",
    app.data.others ? " " + app.data.others + " without events here" : "",
  ];
  byId("lanetools").replaceChildren(...tools.filter(Boolean));
}

// middle leaves out the middle of a long name: the ends of names tell them apart.
function middle(name) {
  const [last] = name.match(/[^/]*$/);
  return name.length < 14 ? name : last && last.length < 14 ? "…" + last : name.slice(0, 3) + "…" + name.slice(-9);
}

// laneMenu offers what can be done with a lane.
function laneMenu(app, p, number, name) {
  const { first } = app, group = first.groupOf[p], several = app.lanes[number].length > 1;
  if (app !== first) return;
  choose(name, [
    group && (several || !group.folded) ? [several ? "Unfold the group" : "Fold the group", () => app.foldGroup(p)] : null,
    [app.picked.has(p) ? "Do not pick for a group" : "Pick for a group", () => app.pick(p)],
    [number < app.pinned ? "Unpin" : "Pin", () => app.pin(p)], ["Move up", () => app.move(p, -1)], ["Move down", () => app.move(p, 1)], ["Hide", () => app.hide(p)],
    ["Colour lanes by …", () => app.sheet("view", byId("colours"))],
  ].filter(Boolean));
}

// choose offers what can be done, each a text with what does it.
function choose(title, options) {
  byId("choice").replaceChildren(...options.map(([text, act]) => button(text, () => { byId("dialog").close(); act(); }, { data: { does: text } })));
  showDialog(title, "choice");
}

// showDialog shows one of the contents of the dialog.
function showDialog(title, content) {
  byId("dialog-title").textContent = title;
  for (const id of ["text", "choice", "keys"]) byId(id).hidden = id !== content;
  byId("copy").hidden = content !== "text";
  byId("dialog").showModal();
}

// place shows what an event is in a sequence diagram, and where the trace has it: the line, and its text.
function place(app, e) {
  const where = app.model.where(e), text = where && app.line(e), arrow = (app.data.arrows || [])[e];
  return [arrow ? element("p", { className: "arrow" }, "in the diagram: " + arrow) : null, where ? element("p", { className: "place" }, where) : null, text ? element("code", { className: "line" }, text) : null];
}

// showState shows what was chosen, the last step, the state, what is in transit, and what can
// happen next.
function showState(app) {
  const { model, cut } = app, box = byId("state"), focused = document.activeElement, most = 30;
  const again = focused && box.contains(focused) ? focused.dataset.go : undefined;
  const go = (text, to, act) => button(text, act, { data: { go: to } }), link = e => go(model.name(e), e, () => app.choose(e));
  const parts = [];
  const section = (title, ...children) => parts.push(element("h2", {}, title), ...children);
  if (app.selected >= 0) {
    const e = app.selected, step = model.step(e)[0];
    section("Chosen: " + model.name(e), element("p", {}, model.tell(e), app.timeOf(e)), ...place(app, e),
      app.enabled.includes(step) ? go("Let it happen", "take", () => app.take(step)) : null,
      go("Go to its least cut", "least", () => app.goTo(app.leastWith(e))),
      go("Go to the greatest cut without it", "greatest", () => app.goTo(model.without(model.greatest(), e))),
      element("p", {}, app.relationText || "Choose another with Shift to see how they are ordered."),
      app.path ? element("ol", { id: "path" }, ...app.path.map(f => element("li", {}, link(f), " " + model.owner(f)))) : null);
  }
  if (app.place > 0) {
    section("Step " + app.place + " of " + app.walk.length + (app.onRun() ? "" : ", off the run"),
      ...model.step(app.walk[app.place - 1]).flatMap(e => [element("p", {}, model.tell(e), app.timeOf(e)), ...place(app, e)]));
  }
  const order = ([from, to], text) => element("li", {}, link(from), " before ", link(to), text);
  if (app.missing.length) section(app.fixing ? "It holds with" : "Order that is missing", element("ul", {}, ...app.missing.slice(0, most).map(edge => order(edge))));
  const { closest } = app.reason, needed = app.neededHere().slice(0, most).map(({ edge, text }) => {
    const item = order(edge, ": " + text), [from, to] = edge;
    for (const on of ["mouseenter", "focusin"]) item.addEventListener(on, () => app.point({ from, to }));
    for (const off of ["mouseleave", "focusout"]) item.addEventListener(off, () => app.point(null));
    return item;
  });
  if (closest) section("What it needs", String(closest) === String(cut) ? null : go("Go to the cut that comes closest", "closest", () => app.goTo(closest)), element("ul", {}, ...needed));
  const values = app.watched().map(v => element("tr", { className: app.justChanged(v) ? "changed" : undefined },
    element("td", {}, v.process < 0 ? v.name : v.name + "@" + model.processes[v.process].name), element("td", {}, model.value(v, cut))));
  section("State", values.length ? element("table", {}, element("tbody", {}, ...values)) : null);
  section("Cut of " + (app.data.before + model.size(cut)) + " of " + app.data.events + " events" + (app.first.twin ? " in " + app.data.title : ""), element("p", {}, app.cutText()));
  const transit = model.transit(cut);
  if (transit.length) {
    section(transit.length + " in transit" + (app.data.waiting ? ", and " + app.data.waiting + " sent earlier" : ""),
      element("ul", {}, ...transit.slice(0, most).map(m => element("li", {}, "“" + m.name + "” from " + model.sender(m) + " to " + model.receiver(m))),
        transit.length > most ? element("li", {}, "and " + (transit.length - most) + " more") : null));
  }
  section(app.enabled.length ? "What can happen next" : "Nothing can happen next here",
    element("ul", { id: "enabled" }, ...app.enabled.slice(0, most).map(step => element("li", {},
      go("◎ " + model.step(step).map(e => model.name(e)).join(" + "), "step" + step, () => app.take(step)),
      " " + model.step(step).map(e => model.owner(e) + " " + model.does(e, true)).join(" + ")))));
  if (app.first.comparison) {
    const { rows } = app.first.comparison, { twin, first } = app.first, does = (other, e) => e < 0 ? "nothing more" : other.model.does(e) || "an event that changes nothing";
    const there = (other, e) => e < 0 ? null : button(other.model.name(e), () => { other.activate(); other.choose(e); });
    const some = [app.data, twin.data].some(data => data.before + data.after > 0) ? element("p", {}, "Only the parts of the traces that the page holds are compared.") : null;
    section("Compared with " + twin.data.title + (twin.data.verdict ? ", where it " + twin.data.verdict : ""), some, ...rows.slice(0, most).map(row => element("p", {},
      row.process + ": the same for " + row.same + " events; here ", there(first, row.here), " " + does(first, row.here), ", there ", there(twin, row.there), " " + does(twin, row.there))),
      rows.length ? null : element("p", {}, "All processes do the same."),
      go("Take the other execution to this cut", "across", () => app.across()));
  }
  const remarks = (app.data.runs[app.run] || {}).remarks;
  if (remarks) section("From the end of the run on", ...remarks.map(text => element("p", {}, text)));
  box.replaceChildren(...parts.filter(Boolean));
  if (again !== undefined) (box.querySelector(`[data-go="${again}"]`) || box.querySelector("#enabled button") || box).focus();
}

// showMap draws where events are in the whole diagram, what of it is in view, the cut, and what
// is wrong; and which part of the trace the page holds.
function showMap(app) {
  const map = byId("map"), width = map.clientWidth, height = map.clientHeight, { layout, diagram, data } = app;
  if (!width) return; // a narrow page has no room for it
  const pen = new CanvasPen(map.firstElementChild, width, height), ink = colours(), x = column => (column + 0.7) / (layout.width + 0.4) * width;
  const bars = layout.density = layout.density && layout.density.length === width ? layout.density : layout.count.reduce((bars, count, n) => {
    for (let i = Math.floor(x(layout.column[n])); i < x(layout.column[n]) + 3 && i < width; i++) bars[i] += count;
    return bars;
  }, new Uint32Array(width));
  const most = bars.reduce((a, b) => Math.max(a, b), 1);
  bars.forEach((n, i) => { if (n) pen.box(i, height - 2 - n / most * (height - 6), 1, n / most * (height - 6), ink.message); });
  const from = x((diagram.view.left - PAD) / diagram.gap), to = x((diagram.view.left + diagram.view.width - PAD) / diagram.gap);
  pen.box(Math.max(from, 0) + 1, 1, Math.min(to, width) - Math.max(from, 0) - 2, height - 2, null, ink.frontier, 2);
  if (app.place > 0) pen.box(x(layout.at(app.walk[app.place - 1])) + 2, 0, 2, height, ink.frontier);
  for (const e of app.culprits) pen.cross(x(layout.at(e)), height / 2, 7, ink.wrong);
  const { before, after, events } = data, whole = byId("whole"), span = whole.firstElementChild;
  whole.hidden = before + after === 0;
  span.style.marginLeft = 100 * before / (events || 1) + "%";
  span.style.width = 100 * (events - before - after) / (events || 1) + "%";
  whole.title = "The page holds " + (events - before - after) + " events; " + before + " are earlier and " + after + " later.";
}

// choices fills a select.
function choices(id, options, chosen) {
  const select = byId(id);
  select.replaceChildren(...options.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)));
  select.parentElement.hidden = options.length < 2;
}

// What stands for a verdict.
const KINDS = { fails: "wrong", holds: "yes" }, MARKS = { fails: "✗", holds: "✓", unknown: "?", error: "!" };

// withoutFormula leaves a formula out of the sentence that begins with it, whole or shortened.
function withoutFormula(sentence, formula) {
  const end = sentence.startsWith(formula + " ") ? formula.length : sentence.indexOf("… ") + 1;
  return end > 0 && formula.startsWith(sentence.slice(0, end).replace(/…$/, "")) ? "The formula" + sentence.slice(end) : sentence;
}

// showSentence says first what is wrong, or right, and why. The formula itself is below.
function showSentence(app) {
  const { data, reason: { headline, detail, assumed = [] } } = app, { verdict, formula, runs } = data;
  const nothing = data.served ? "Ask a formula of " + data.title : data.title + ": " + data.processes.length + " processes, " + data.events + " events";
  const plain = !formula ? nothing : "The formula " + (verdict === "unknown" ? "is not decided" : verdict);
  const kind = KINDS[verdict] || "unknown", sign = MARKS[verdict] || (formula ? "?" : "");
  byId("headline").replaceChildren(element("span", { className: "sign " + kind, "aria-hidden": "true" }, sign), " ", headline ? withoutFormula(headline, formula) : plain);
  byId("title").textContent = data.title.replace(/^.*\//, "");
  byId("title").title = data.title;
  document.title = data.title + (data.formula ? ": " + data.formula + " " + data.verdict : "");
  const closest = formula && !runs.length && app.origin && !detail ? "this cut comes closest to the opposite" : "";
  const told = [detail, closest, ...(data.notes || []), assumed.length ? "assumed: " + assumed.join(", ") : ""].filter(Boolean);
  byId("detail").textContent = told.join(" · ");
  byId("detail").title = told.join("\n");
  byId("why").hidden = !app.culprits.length && !app.reason.closest;
  byId("fix").hidden = !app.reason.missing || !app.missing.length;
  byId("fix").setAttribute("aria-pressed", String(app.fixing));
  byId("verdict").replaceChildren(...data.formula ? [element("b", { className: kind }, data.verdict), " ", element("code", {}, data.formula)] : []);
  byId("verdict").title = data.formula;
  byId("edit").hidden = !data.served;
}

// showTools fills in what can be chosen.
function showTools(app) {
  const { data } = app, short = text => text.length > 70 ? text.slice(0, 69) + "…" : text;
  showSentence(app);
  byId("time").hidden = !app.hasClock();
  byId("time").setAttribute("aria-pressed", String(app.byTime));
  byId("all").hidden = !data.served || (data.traces || []).length < 2;
  choices("traces", (data.traces || []).map((name, i) => [i, name]), data.trace);
  choices("compare", [["", "nothing"], ...(data.traces || []).map((name, i) => [i, name]).filter(([i]) => i !== data.trace)], "");
  choices("formulas", data.formulas && data.formulas.length ? [["", "choose one"], ...data.formulas.map(f => [f, short(f)])] : [], data.formula);
  choices("runs", data.runs.map((run, i) => [i, "  ".repeat(run.level) + short(run.claim) + " (" + run.size + " events)"]), app.run);
  choices("slices", data.parts.length ? [["", "none: the computation"], ...data.parts.slice(0, 200).map((part, k) => [k, short(part.text)])] : [], app.slice ? app.slice.part : "");
  const names = [...app.model.owners().keys()];
  choices("colours", [["", "nothing"], ...names.slice(0, 200).map(name => [name, name])], app.colour);
  choices("groups", [["", "nothing"], ...app.groupings()], "");
}
