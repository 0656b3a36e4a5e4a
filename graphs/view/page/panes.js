// The panes around the diagram: the sentence, the processes, the cut, the map.

// element makes an element of the document. Texts are never parsed as markup.
function element(name, properties = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(e.dataset, value);
    else if (key === "style") e.style.cssText = value; // the security policy forbids style attributes
    else e.setAttribute(key, value);
  }
  e.append(...children.flat(2).filter(Boolean));
  return e;
}

// button makes a button with an action.
function button(text, onclick, properties) {
  return element("button", { type: "button", onclick, ...properties }, text);
}

function paragraph(...text) { return element("p", {}, text); }

const MOST_LISTED = 30;

// few returns show of the first things, and then how many more there are.
function few(things, most, show) {
  const some = things.slice(0, most).map(thing => show(thing)), more = things.length - most;
  return more > 0 ? [...some, "and " + more + " more"] : some;
}

// list makes a list with show of each thing, or of the first ones if there are many.
function list(things, show, properties) {
  const items = few(things, MOST_LISTED, show);
  return element("ul", properties, items.map(item => element("li", {}, item)));
}

function byId(id) { return document.getElementById(id); }

// refill replaces the contents of a box. If one of its buttons had the focus, the same button gets
// it again or, if that has gone, the element that otherwise returns.
function refill(box, contents, otherwise = () => box) {
  const focused = document.activeElement, key = e => JSON.stringify(e.dataset);
  const again = focused !== box && box.contains(focused) && key(focused);
  box.replaceChildren(...contents.filter(Boolean));
  const isAgain = e => key(e) === again;
  if (again) ([...box.querySelectorAll("button")].find(isAgain) || otherwise()).focus();
}

// showLanes shows the processes beside their lanes, with their values at the cut. The button of a
// lane opens its menu.
function showLanes(app) {
  const { box, first, diagram } = app, isFirst = app === first;
  const rows = diagram.lanesInView().filter(number => app.lanes.all[number].length).map(number => {
    const [process] = app.lanes.all[number], group = app.lanes.groupOf[process];
    const several = app.lanes.all[number].length > 1;
    const isMember = group && !several;
    const item = element("div", { class: "lane" + (isMember ? " member" : ""), data: { process } },
      laneButton(app, number), element("div", { class: "values" }, laneValues(app, number)));
    const at = Math.floor(diagram.laneY(number) - diagram.lane / 2);
    const [left, top] = diagram.turn(0, at);
    const [width, height] = diagram.turn("", diagram.lane + "px");
    Object.assign(item.style, { left: left + "px", top: top + "px", width, height });
    return item;
  });
  const head = !isFirst && element("div", { class: "head" }, app.data.title);
  refill(box, [...rows, head], () => diagram.stage);
  if (isFirst) showLaneTools(app);
}

// laneButton makes the button of a lane, with the name of the lane.
function laneButton(app, number) {
  const lane = app.lanes.all[number], [process] = lane;
  const names = lane.map(p => app.model.processes[p].name);
  const several = lane.length > 1;
  const name = several ? app.lanes.groupOf[process].name + " (" + lane.length + " processes)" : names[0];
  return button(several ? name : middle(name), () => laneMenu(app, process, number, name),
    { class: "name", title: names.join(" "), "aria-haspopup": "dialog", data: { process } });
}

// laneValues shows the values of some variables of a lane. The variable by which lanes are coloured
// comes first.
function laneValues(app, number) {
  const { model, cut } = app, lane = app.lanes.all[number], several = lane.length > 1;
  const isColour = v => v.name === app.colour;
  const rank = v => isColour(v) ? 0 : app.watched.has(v) ? 1 : 2;
  const some = lane.flatMap(p => model.variablesOf[p]).sort((v, w) => rank(v) - rank(w));
  return some.slice(0, 12).flatMap(v => {
    const value = model.value(v, cut), title = (several ? model.fullName(v) : v.name) + " = " + value;
    const text = isColour(v) && !several && value.startsWith('"') ? unquoted(value) : title;
    const colour = isColour(v) && value !== "false" && colours().values[app.palette.get(value)];
    const style = colour && "box-shadow: inset 0 -3px " + colour;
    return [element("span", { class: app.changed.has(v) && "changed", title, style }, text), "  "];
  });
}

// showLaneTools shows the actions on all lanes.
function showLaneTools(app) {
  const hidden = app.model.processes.length - app.lanes.shown().length;
  const areMany = app.lanes.all.length > 12 && !app.lanes.shown().every(p => app.model.sees(p));
  refill(byId("lanetools"), [
    areMany && button("Only what the formula sees", () => app.lanes.showSeen()),
    hidden > 0 && button("Show " + hidden + " hidden", () => app.lanes.showAll()),
    app.data.others > 0 && " " + app.data.others + " without events here",
  ]);
}

// middle leaves out the middle of a long name, because names often differ at their ends.
function middle(name) {
  const [last] = name.match(/[^/]*$/);
  if (name.length < 14) return name;
  return last && last.length < 14 ? "…" + last : name.slice(0, 3) + "…" + name.slice(-9);
}

// laneMenu shows the menu of a lane.
function laneMenu(app, p, number, name) {
  const group = app.lanes.groupOf[p], several = app.lanes.all[number].length > 1;
  if (app !== app.first) return;
  const canFold = group && (several || !group.folded);
  choose(name, [
    canFold && [several ? "Unfold the group" : "Fold the group", () => app.lanes.foldGroup(p)],
    [number < app.lanes.pinned ? "Unpin" : "Pin", () => app.lanes.pin(p)],
    ["Move up", () => app.lanes.move(p, -1)],
    ["Move down", () => app.lanes.move(p, 1)],
    ["Hide", () => app.lanes.hide(p)],
    ["Colour lanes by …", () => app.sheet("view", byId("colours"))],
  ].filter(Boolean));
}

// choose shows a menu. Each option has a text and an action.
function choose(title, options) {
  const does = ([text, act]) => button(text, act, { data: { does: text } });
  byId("choice").replaceChildren(...options.map(does));
  showDialog(title, "choice");
}

// showDialog shows one of the contents of the dialog.
function showDialog(title, content) {
  byId("dialog-title").textContent = title;
  for (const id of ["text", "choice", "keys"]) byId(id).hidden = id !== content;
  byId("copy").hidden = content !== "text";
  byId("dialog").showModal();
}

// showEvent describes an event: what it did, its arrow in the sequence diagram, and its place in
// the trace.
function showEvent(app, e) {
  const where = app.model.where(e), text = where && app.line(e), arrow = app.data.arrows?.[e];
  return [
    paragraph(app.model.tell(e), app.model.time(e)),
    arrow && element("p", { class: "arrow" }, "in the diagram: " + arrow),
    where && element("p", { class: "place" }, where),
    text && element("code", { class: "line" }, text),
  ];
}

// showState shows the chosen event, the last step, the state, the messages in transit, and what can
// happen next.
function showState(app) {
  const { model, cut, data, selected, missing, first: { comparison, twin } } = app, parts = [];
  const section = (title, ...children) => parts.push(element("h2", {}, title), ...children.flat());
  const go = (text, to, act) => button(text, act, { data: { go: to } });
  const link = e => go(model.name(e), e, () => app.choose(e));
  const order = ([from, to], text) => [link(from), " before ", link(to), text];

  if (selected >= 0) {
    const [step] = model.step(selected), without = model.without(model.greatest(), selected);
    const path = app.path.map(e => element("li", {}, link(e), " " + model.owner(e)));
    section("Chosen: " + model.name(selected), showEvent(app, selected),
      app.enabled.includes(step) && go("Let it happen", "take", () => app.take(step)),
      go("Go to its least cut", "least", () => app.goToChosen()),
      go("Go to the greatest cut without it", "greatest", () => app.goTo(without)),
      paragraph(app.relation || "Choose another with Shift to see how they are ordered."),
      path.length > 0 && element("ol", { id: "path" }, path));
  }
  if (app.place > 0) {
    const isOff = app.taken().some((step, i) => step !== app.runWalk[i]);
    section("Step " + app.place + " of " + app.walk.length + (isOff ? ", off the run" : ""),
      [...app.lastStep].flatMap(e => showEvent(app, e)));
  }
  const titleOfMissing = app.fixing ? app.holdsWith("It") : "Order that is missing";
  if (missing.length) section(titleOfMissing, list(missing, edge => order(edge)));

  const { closest } = app.reason, needed = ({ edge, text }) => {
    const on = () => app.point({ from: edge[0], to: edge[1] }), off = () => app.point();
    const acts = { onmouseenter: on, onfocusin: on, onmouseleave: off, onfocusout: off };
    return element("span", acts, order(edge, ": " + text));
  };
  if (closest) {
    const isElsewhere = String(closest) !== String(cut);
    section("What it needs",
      isElsewhere && go("Go to the cut that comes closest", "closest", () => app.goTo(closest)),
      list(app.needed, needed));
  }

  const isOfInterest = v => app.watched.has(v) || v.process < 0 || app.changed.has(v);
  const values = data.variables.filter(isOfInterest).slice(0, 60).map(v => {
    const cells = [model.fullName(v), model.value(v, cut)].map(text => element("td", {}, text));
    return element("tr", { class: app.changed.has(v) && "changed" }, cells);
  });
  section("State", values.length > 0 && element("table", {}, element("tbody", {}, values)));
  const where = twin ? " in " + data.title : "", size = data.before + model.size(cut);
  section(`Cut of ${size} of ${data.events} events${where}`, paragraph(app.cutText()));
  const transit = model.transit(cut);
  const earlier = data.waiting ? ", and " + data.waiting + " sent earlier" : "";
  const travels = m => `“${m.name}” from ${model.sender(m)} to ${model.receiver(m)}`;
  if (transit.length) section(transit.length + " in transit" + earlier, list(transit, travels));
  const next = step => {
    const tell = what => model.step(step).map(what).join(" + "), names = "◎ " + tell(e => model.name(e));
    const does = tell(e => model.owner(e) + " " + model.does(e, true));
    return [go(names, "step" + step, () => app.take(step)), " " + does];
  };
  section(app.enabled.length ? "What can happen next" : "Nothing can happen next here",
    list(app.enabled, next, { id: "enabled" }));
  if (comparison) {
    const { title, verdict } = twin.data, where = verdict ? ", where it " + verdict : "";
    section("Compared with " + title + where, showDifferences(app.first),
      go("Take the other execution to this cut", "across", () => app.across()));
  }
  const { remarks } = data.runs[app.run] || {};
  if (remarks) section("From the end of the run on", remarks.map(text => paragraph(text)));
  refill(byId("state"), parts, () => document.querySelector("#enabled button") || byId("state"));
}

// showDifferences describes the first difference of each process from the other execution.
function showDifferences(app) {
  const { comparison: { rows }, twin } = app;
  const isPart = ({ data: { before, after } }) => before + after > 0;
  const does = ({ model }, e) => e < 0 ? "nothing more" : model.does(e) || "an event that changes nothing";
  const link = (of, e) => e >= 0 && button(of.model.name(e), () => of.choose(e));
  const tell = ({ process, same, here, there }) => paragraph(
    process + ": the same for " + same + " events; here ", link(app, here), " " + does(app, here),
    ", there ", link(twin, there), " " + does(twin, there));
  return [
    app.all().some(isPart) && paragraph("Only the parts that the page holds are compared."),
    ...rows.slice(0, MOST_LISTED).map(tell),
    !rows.length && paragraph("All processes do the same."),
  ];
}

// showMap draws the events of the whole diagram, the part in view, the cut, and the violation. It
// also shows which part of the trace the page holds.
function showMap(app) {
  const map = byId("map"), width = map.clientWidth, height = map.clientHeight;
  const { layout, diagram, data } = app;
  if (!width) return; // a narrow page has no room for it
  const pen = new CanvasPen(map.firstElementChild, width, height), ink = colours();
  const x = column => (column + 0.7) / (layout.width + 0.4) * width;
  const bars = new Uint32Array(width);
  layout.count.forEach((count, n) => {
    const from = Math.floor(x(layout.column[n]));
    for (let i = from; i < from + 3 && i < width; i++) bars[i] += count;
  });
  const scale = (height - 6) / Math.max(1, largest(bars));
  bars.forEach((count, i) => pen.box(i, height - 2 - count * scale, 1, count * scale, ink.message));
  const { view, gap } = diagram, at = along => x((view.left + along - PAD) / gap);
  const from = Math.max(at(0), 0), to = Math.min(at(view.width), width);
  pen.box(from + 1, 1, to - from - 2, height - 2, null, ink.frontier, 2);
  if (app.place > 0) pen.box(x(layout.at(app.latest())) + 2, 0, 2, height, ink.frontier);
  for (const e of app.culprits) pen.cross(x(layout.at(e)), height / 2, 7, ink.wrong);
  const { before, after, events } = data, here = events - before - after, whole = byId("whole");
  whole.hidden = before + after === 0;
  whole.title = `The page holds ${here} events; ${before} are earlier and ${after} later.`;
  const { style } = whole.firstElementChild, share = part => 100 * part / (events || 1) + "%";
  style.marginLeft = share(before);
  style.width = share(here);
}

// choices fills a select element with options, each with a value and a text. none is the text of
// another option, with an empty value.
function choices(id, options, chosen, none) {
  const select = byId(id), all = none ? [["", none], ...options] : options;
  const isChosen = value => String(value) === String(chosen);
  const option = ([value, text]) => element("option", { value, selected: isChosen(value) }, text);
  select.replaceChildren(...all.map(option));
  select.parentElement.hidden = all.length < 2;
}

// tellSlice describes the size of a slice, and whether all of its cuts satisfy the formula.
function tellSlice({ empty, lean, forced, out, together }) {
  const groups = together.length === 1 ? "1 meta-event" : together.length + " meta-events";
  const sizes = forced.length + " events are in every cut of the slice, " + out.length + " in none; " + groups;
  const exactly = lean ? "Its cuts are exactly those that" : "It may have cuts that do not";
  return `${empty ? "No cut here is in the slice" : sizes}. ${exactly} satisfy the formula.`;
}

// The styles and the signs of verdicts.
const KINDS = { fails: "wrong", holds: "yes" };
const MARKS = { fails: "✗", holds: "✓", unknown: "?", error: "!" };

// withoutFormula replaces the formula at the beginning of a sentence, which may be shortened there,
// by "The formula".
function withoutFormula(sentence, formula) {
  const end = sentence.startsWith(formula + " ") ? formula.length : sentence.indexOf("… ") + 1;
  const isIt = end > 0 && formula.startsWith(sentence.slice(0, end).replace(/…$/, ""));
  return isIt ? "The formula" + sentence.slice(end) : sentence;
}

// showSentence says what is wrong, or right, and why. The formula is below it.
function showSentence(app) {
  const { data, reason: { headline, detail, assumed = [] } } = app, { verdict, formula } = data;
  const sizes = data.processes.length + " processes, " + data.events + " events";
  const nothing = data.served ? "Ask a formula of " + data.title : data.title + ": " + sizes;
  const plain = !formula ? nothing : "The formula " + (verdict === "unknown" ? "is not decided" : verdict);
  const kind = KINDS[verdict] || "unknown", sign = MARKS[verdict] || (formula ? "?" : "");
  byId("headline").replaceChildren(
    element("span", { class: "sign " + kind, "aria-hidden": "true" }, sign), " ",
    headline ? withoutFormula(headline, formula) : plain);
  byId("title").textContent = data.title.replace(/^.*\//, "");
  byId("title").title = data.title;
  document.title = data.title + (formula ? ": " + formula + " " + verdict : "");
  const assumptions = assumed.length > 0 && "assumed: " + assumed.join(", ");
  const isClosest = formula && !data.runs.length && app.origin && !detail;
  const closest = isClosest && "this cut comes closest to the opposite";
  const told = [detail, closest, ...(data.notes || []), assumptions].filter(Boolean);
  byId("detail").textContent = told.join(" · ");
  byId("detail").title = told.join("\n");
  byId("why").hidden = !app.culprits.length && !app.reason.closest;
  byId("fix").hidden = !app.reason.fix || !app.missing.length;
  byId("fix").setAttribute("aria-pressed", app.fixing);
  byId("verdict").replaceChildren(element("b", { class: kind }, verdict), " ", element("code", {}, formula));
  byId("verdict").title = formula;
  byId("edit").hidden = !data.served;
}

// showTools fills in the choices of the page.
function showTools(app) {
  const { data } = app, traces = (data.traces || []).map((name, k) => [k, name]);
  const short = text => text.length > 70 ? text.slice(0, 69) + "…" : text;
  const named = texts => texts.map(text => [text, short(text)]);
  showSentence(app);
  byId("time").hidden = !app.hasClock();
  byId("time").setAttribute("aria-pressed", app.byTime);
  byId("all").hidden = !data.served || traces.length < 2;
  choices("traces", traces, data.trace);
  choices("compare", traces.filter(([k]) => k !== data.trace), "", "nothing");
  choices("formulas", named(data.formulas || []), data.formula, "choose one");
  const runs = data.runs.map(({ level, claim, size }, k) => [k, `${"  ".repeat(level)}${short(claim)} (${size} events)`]);
  choices("runs", runs, app.run);
  const parts = data.parts.slice(0, 200).map(({ text }, k) => [k, short(text)]);
  choices("slices", parts, app.slice ? app.slice.part : "", "none: the computation");
  choices("colours", named([...app.model.owners().keys()].slice(0, 200)), app.colour, "nothing");
  choices("groups", named([...app.lanes.groupings(app.cut).keys()]), "", "nothing");
}
