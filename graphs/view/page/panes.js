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
  e.append(...children.flat(2).filter(Boolean));
  return e;
}

// button makes a button that does something.
function button(text, onclick, properties) { return element("button", { type: "button", onclick, ...properties }, text); }

function paragraph(...text) { return element("p", {}, text); }

const MOST_LISTED = 30;

// few returns what show makes of the first things, and how many more there are.
function few(things, most, show) {
  const some = things.slice(0, most).map(thing => show(thing)), more = things.length - most;
  return more > 0 ? [...some, "and " + more + " more"] : some;
}

// list makes a list of what show makes of some things, not of all where they are many.
function list(things, show, properties) {
  return element("ul", properties, few(things, MOST_LISTED, show).map(item => element("li", {}, item)));
}

function byId(id) { return document.getElementById(id); }

// refill gives a box other contents. The button that had the focus has it again, or, where it has gone,
// what is given.
function refill(box, contents, otherwise = () => box) {
  const focused = document.activeElement, key = e => JSON.stringify(e.dataset);
  const again = focused !== box && box.contains(focused) && key(focused);
  box.replaceChildren(...contents.filter(Boolean));
  if (again) ([...box.querySelectorAll("button")].find(e => key(e) === again) || otherwise()).focus();
}

// showLanes shows the processes beside their lanes, with the values at the cut. The button of
// each opens what can be done with it.
function showLanes(app) {
  const { box, first, diagram } = app, isFirst = app === first;
  const rows = diagram.lanesInView().filter(number => app.lanes[number].length).map(number => {
    const [process] = app.lanes[number], group = app.groupOf[process], several = app.lanes[number].length > 1;
    const item = element("div", { className: "lane" + (group && !several ? " member" : ""), data: { process } },
      laneButton(app, number), element("div", { className: "values" }, laneValues(app, number)));
    const at = Math.floor(diagram.laneY(number) - diagram.lane / 2);
    const [left, top] = diagram.turn(0, at), [width, height] = diagram.turn("", diagram.lane + "px");
    Object.assign(item.style, { left: left + "px", top: top + "px", width, height });
    return item;
  });
  refill(box, [...rows, !isFirst && element("div", { className: "head" }, app.data.title)], () => diagram.stage);
  if (isFirst) showLaneTools(app);
}

// laneButton makes the button of a lane, with its name.
function laneButton(app, number) {
  const lane = app.lanes[number], [process] = lane, names = lane.map(p => app.model.processes[p].name);
  const several = lane.length > 1, name = several ? app.groupOf[process].name + " (" + lane.length + " processes)" : names[0];
  return button(several ? name : middle(name), () => laneMenu(app, process, number, name),
    { className: "name", title: names.join(" "), "aria-haspopup": "dialog", data: { process } });
}

// laneValues shows the values of some variables of a lane, first that by which lanes are coloured.
function laneValues(app, number) {
  const { model, cut } = app, lane = app.lanes[number], several = lane.length > 1, isColour = v => v.name === app.colour;
  const rank = v => isColour(v) ? 0 : app.watched.has(v) ? 1 : 2;
  const some = lane.flatMap(p => model.variablesOf[p]).sort((v, w) => rank(v) - rank(w));
  return some.slice(0, 12).flatMap(v => {
    const value = model.value(v, cut), name = several ? model.fullName(v) : v.name;
    const text = isColour(v) && !several && value.startsWith('"') ? unquoted(value) : name + " = " + value;
    const chip = element("span", { className: app.changed.has(v) && "changed", title: name + " = " + value }, text);
    if (isColour(v) && value !== "false") chip.style.boxShadow = "inset 0 -3px " + colours().values[app.palette.get(value)];
    return [chip, "  "];
  });
}

// showLaneTools offers what can be done with all lanes.
function showLaneTools(app) {
  const hidden = app.model.processes.length - app.lanes.flat().length;
  const tools = [
    app.lanes.length > 12 && app.model.processes.some(p => !p.seen) ? button("Only what the formula sees", () => app.showSeen()) : "",
    hidden ? button("Show " + hidden + " hidden", () => app.showAll()) : "",
    app.data.others ? " " + app.data.others + " without events here" : "",
  ];
  refill(byId("lanetools"), tools);
}

// middle leaves out the middle of a long name: the ends of names tell them apart.
function middle(name) {
  const [last] = name.match(/[^/]*$/);
  return name.length < 14 ? name : last && last.length < 14 ? "…" + last : name.slice(0, 3) + "…" + name.slice(-9);
}

// laneMenu offers what can be done with a lane.
function laneMenu(app, p, number, name) {
  const group = app.groupOf[p], several = app.lanes[number].length > 1;
  if (app !== app.first) return;
  choose(name, [
    group && (several || !group.folded) ? [several ? "Unfold the group" : "Fold the group", () => app.foldGroup(p)] : null,
    [number < app.pinned ? "Unpin" : "Pin", () => app.pin(p)],
    ["Move up", () => app.move(p, -1)],
    ["Move down", () => app.move(p, 1)],
    ["Hide", () => app.hide(p)],
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

// showEvent tells of an event: what it did, what it is in a sequence diagram, and where the trace has it.
function showEvent(app, e) {
  const where = app.model.where(e), text = where && app.line(e), arrow = app.data.arrows?.[e];
  return [
    paragraph(app.model.tell(e), app.model.time(e)),
    arrow && element("p", { className: "arrow" }, "in the diagram: " + arrow),
    where && element("p", { className: "place" }, where),
    text && element("code", { className: "line" }, text),
  ];
}

// showState shows what was chosen, the last step, the state, what is in transit, and what can
// happen next.
function showState(app) {
  const { model, cut, data, selected, missing, first: { comparison, twin } } = app, parts = [];
  const section = (title, ...children) => parts.push(element("h2", {}, title), ...children.flat());
  const go = (text, to, act) => button(text, act, { data: { go: to } }), link = e => go(model.name(e), e, () => app.choose(e));
  const order = ([from, to], text) => [link(from), " before ", link(to), text];

  if (selected >= 0) {
    const [step] = model.step(selected);
    section("Chosen: " + model.name(selected), showEvent(app, selected),
      app.enabled.includes(step) && go("Let it happen", "take", () => app.take(step)),
      go("Go to its least cut", "least", () => app.goTo(app.leastWith(selected))),
      go("Go to the greatest cut without it", "greatest", () => app.goTo(model.without(model.greatest(), selected))),
      paragraph(app.relation || "Choose another with Shift to see how they are ordered."),
      app.path.length > 0 && element("ol", { id: "path" }, app.path.map(e => element("li", {}, link(e), " " + model.owner(e)))));
  }
  if (app.place > 0) {
    section("Step " + app.place + " of " + app.walk.length + (app.onRun() ? "" : ", off the run"),
      [...app.lastStep].flatMap(e => showEvent(app, e)));
  }
  if (missing.length) section(app.fixing ? app.holdsWith("It") : "Order that is missing", list(missing, edge => order(edge)));

  const { closest } = app.reason, needed = ({ edge, text }) => {
    const on = () => app.point({ from: edge[0], to: edge[1] }), off = () => app.point();
    return element("span", { onmouseenter: on, onfocusin: on, onmouseleave: off, onfocusout: off }, order(edge, ": " + text));
  };
  if (closest) {
    section("What it needs", String(closest) !== String(cut) && go("Go to the cut that comes closest", "closest", () => app.goTo(closest)),
      list(app.needed, needed));
  }

  const isOfInterest = v => app.watched.has(v) || v.process < 0 || app.changed.has(v);
  const values = data.variables.filter(isOfInterest).slice(0, 60).map(v => element("tr", { className: app.changed.has(v) && "changed" },
    element("td", {}, model.fullName(v)), element("td", {}, model.value(v, cut))));
  section("State", values.length > 0 && element("table", {}, element("tbody", {}, values)));
  section("Cut of " + (data.before + model.size(cut)) + " of " + data.events + " events" + (twin ? " in " + data.title : ""), paragraph(app.cutText()));
  const transit = model.transit(cut), earlier = data.waiting ? ", and " + data.waiting + " sent earlier" : "";
  if (transit.length) {
    section(transit.length + " in transit" + earlier,
      list(transit, m => "“" + m.name + "” from " + model.sender(m) + " to " + model.receiver(m)));
  }
  section(app.enabled.length ? "What can happen next" : "Nothing can happen next here", list(app.enabled, step => {
    const tell = what => model.step(step).map(what).join(" + ");
    return [go("◎ " + tell(e => model.name(e)), "step" + step, () => app.take(step)), " " + tell(e => model.owner(e) + " " + model.does(e, true))];
  }, { id: "enabled" }));
  if (comparison) {
    section("Compared with " + twin.data.title + (twin.data.verdict ? ", where it " + twin.data.verdict : ""), showDifferences(app.first),
      go("Take the other execution to this cut", "across", () => app.across()));
  }
  const { remarks } = data.runs[app.run] || {};
  if (remarks) section("From the end of the run on", remarks.map(text => paragraph(text)));
  refill(byId("state"), parts, () => document.querySelector("#enabled button") || byId("state"));
}

// showDifferences tells where processes first do something else in the other execution.
function showDifferences(app) {
  const { comparison: { rows }, twin } = app, isPart = ({ data: { before, after } }) => before + after > 0;
  const does = ({ model }, e) => e < 0 ? "nothing more" : model.does(e) || "an event that changes nothing";
  const link = (of, e) => e >= 0 && button(of.model.name(e), () => { of.activate(); of.choose(e); });
  return [
    app.all().some(isPart) && paragraph("Only the parts of the traces that the page holds are compared."),
    ...rows.slice(0, MOST_LISTED).map(({ process, same, here, there }) => paragraph(process + ": the same for " + same + " events; here ",
      link(app, here), " " + does(app, here), ", there ", link(twin, there), " " + does(twin, there))),
    !rows.length && paragraph("All processes do the same."),
  ];
}

// showMap draws where events are in the whole diagram, what of it is in view, the cut, and what
// is wrong; and which part of the trace the page holds.
function showMap(app) {
  const map = byId("map"), width = map.clientWidth, height = map.clientHeight, { layout, diagram, data } = app;
  if (!width) return; // a narrow page has no room for it
  const pen = new CanvasPen(map.firstElementChild, width, height), ink = colours();
  const x = column => (column + 0.7) / (layout.width + 0.4) * width, bars = new Uint32Array(width); // of three pixels
  layout.count.forEach((count, n) => {
    const at = x(layout.column[n]);
    for (let i = Math.floor(at); i < at + 3 && i < width; i++) bars[i] += count;
  });
  const scale = (height - 6) / Math.max(1, largest(bars));
  bars.forEach((count, i) => { if (count) pen.box(i, height - 2 - count * scale, 1, count * scale, ink.message); });
  const [from, to] = [0, diagram.view.width].map(along => x((diagram.view.left + along - PAD) / diagram.gap));
  pen.box(Math.max(from, 0) + 1, 1, Math.min(to, width) - Math.max(from, 0) - 2, height - 2, null, ink.frontier, 2);
  if (app.place > 0) pen.box(x(layout.at(app.latest())) + 2, 0, 2, height, ink.frontier);
  for (const e of app.culprits) pen.cross(x(layout.at(e)), height / 2, 7, ink.wrong);
  const { before, after, events } = data, whole = byId("whole"), span = whole.firstElementChild;
  whole.hidden = before + after === 0;
  span.style.marginLeft = 100 * before / (events || 1) + "%";
  span.style.width = 100 * (events - before - after) / (events || 1) + "%";
  whole.title = "The page holds " + (events - before - after) + " events; " + before + " are earlier and " + after + " later.";
}

// choices fills a select with options, each a value and its text; none is the text of one more, whose
// value is empty.
function choices(id, options, chosen, none) {
  const select = byId(id), all = none ? [["", none], ...options] : options;
  select.replaceChildren(...all.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)));
  select.parentElement.hidden = all.length < 2;
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
  const { data, reason: { headline, detail, assumed = [] } } = app, { verdict, formula } = data;
  const sizes = data.processes.length + " processes, " + data.events + " events";
  const nothing = data.served ? "Ask a formula of " + data.title : data.title + ": " + sizes;
  const plain = !formula ? nothing : "The formula " + (verdict === "unknown" ? "is not decided" : verdict);
  const kind = KINDS[verdict] || "unknown", sign = MARKS[verdict] || (formula ? "?" : "");
  byId("headline").replaceChildren(element("span", { className: "sign " + kind, "aria-hidden": "true" }, sign), " ", headline ? withoutFormula(headline, formula) : plain);
  byId("title").textContent = data.title.replace(/^.*\//, "");
  byId("title").title = data.title;
  document.title = data.title + (formula ? ": " + formula + " " + verdict : "");
  const closest = formula && !data.runs.length && app.origin && !detail ? "this cut comes closest to the opposite" : "";
  const told = [detail, closest, ...(data.notes || []), assumed.length ? "assumed: " + assumed.join(", ") : ""].filter(Boolean);
  byId("detail").textContent = told.join(" · ");
  byId("detail").title = told.join("\n");
  byId("why").hidden = !app.culprits.length && !app.reason.closest;
  byId("fix").hidden = !app.reason.fix || !app.missing.length;
  byId("fix").setAttribute("aria-pressed", app.fixing);
  byId("verdict").replaceChildren(element("b", { className: kind }, verdict), " ", element("code", {}, formula));
  byId("verdict").title = formula;
  byId("edit").hidden = !data.served;
}

// showTools fills in what can be chosen.
function showTools(app) {
  const { data } = app, traces = (data.traces || []).map((name, k) => [k, name]);
  const short = text => text.length > 70 ? text.slice(0, 69) + "…" : text, named = texts => texts.map(text => [text, short(text)]);
  showSentence(app);
  byId("time").hidden = !app.hasClock();
  byId("time").setAttribute("aria-pressed", app.byTime);
  byId("all").hidden = !data.served || traces.length < 2;
  choices("traces", traces, data.trace);
  choices("compare", traces.filter(([k]) => k !== data.trace), "", "nothing");
  choices("formulas", named(data.formulas || []), data.formula, "choose one");
  choices("runs", data.runs.map((run, k) => [k, "  ".repeat(run.level) + short(run.claim) + " (" + run.size + " events)"]), app.run);
  choices("slices", data.parts.slice(0, 200).map((part, k) => [k, short(part.text)]), app.slice ? app.slice.part : "", "none: the computation");
  choices("colours", named([...app.model.owners().keys()].slice(0, 200)), app.colour, "nothing");
  choices("groups", named([...app.groupings().keys()]), "", "nothing");
}
