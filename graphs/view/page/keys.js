// What keys, the pointer and controls do.

const KEYS = [
  ["← →", "a step back or on along the run; beyond its end, the first event that can happen"],
  ["p n", "to the place before or after this one where something in the formula changes"],
  ["Home End", "to the first or the last cut of the run"],
  ["Space", "walk on by itself, or pause"],
  ["v, Ctrl K", "what is shown, and how: search, colours, groups, slices, other traces"],
  ["s", "copy a link, a text, a picture or a test"],
  ["↑ ↓, Shift ← →", "choose another process's event, or another event of the process"],
  ["Enter", "to the least cut with the chosen event"],
  ["click, double click", "choose an event; let one that can happen do so, or open a fold"],
  ["drag the line of the cut", "to another cut, with what it needs"],
  ["Shift click", "choose a second event: how the two are ordered, and by which path"],
  ["r o", "back to the run; open the fold of what is chosen"],
  ["e l", "to the list of events that can happen; to the list of verdicts"],
  ["m", "take the execution that is compared to the same cut"],
  ["f t", "fold what the formula does not see; go by time or by causality"],
  ["− +", "narrower, wider"],
  ["[ ]", "another of the runs that show the verdict"],
  ["/ a", "search; ask another formula"],
  ["Escape", "choose nothing"],
];

// What the buttons of the transport do is what these keys do.
const TRANSPORT = { first: "Home", before: "p", back: "ArrowLeft", on: "ArrowRight", after: "n", last: "End", play: " " };
const SPEEDS = [1, 2, 4, 0.5];

// showTransport shows which of its buttons lead somewhere.
function showTransport(app) {
  const atStart = app.place === 0, atEnd = app.place === app.walk.length, isLast = atEnd && !app.enabled.length && !app.data.after;
  const off = { first: atStart, before: atStart, back: atStart, on: isLast, after: atEnd, last: atEnd, play: atEnd };
  for (const id of Object.keys(off)) byId(id).setAttribute("aria-disabled", String(off[id]));
  byId("play").setAttribute("aria-pressed", String(Boolean(app.isPlaying)));
  byId("speed").textContent = app.speed + "×";
  byId("speed").setAttribute("aria-label", app.speed + "× speed");
}

// remember keeps a choice of a person in the browser, and recall finds it, where the browser
// allows that.
function remember(name, value) {
  try { localStorage.setItem("pota " + name, value); } catch { /* it is chosen again next time */ }
}

function recall(name) {
  try { return localStorage.getItem("pota " + name); } catch { return null; }
}

// listenToDrag calls move where the pointer goes down on what a selector finds in an element, and
// as long as it stays down; begin before that.
function listenToDrag(target, move, begin = () => {}, within = "*") {
  target.addEventListener("pointerdown", event => {
    if (!event.target.matches(within)) return;
    target.setPointerCapture(event.pointerId);
    begin(event);
    move(event);
    target.addEventListener("pointermove", move);
    target.addEventListener("lostpointercapture", () => target.removeEventListener("pointermove", move), { once: true });
  });
}

// listenToBar lets a person move the bar at the edge of a panel, whose size is remembered. side
// is "width" or "height".
function listenToBar(bar, panel, side, app) {
  const { style } = document.documentElement, name = "--" + bar.id;
  const now = () => Math.round(panel.getBoundingClientRect()[side]);
  const set = size => {
    const most = side === "width" ? innerWidth * 0.6 : innerHeight * 0.6;
    style.setProperty(name, Math.max(60, Math.min(most, size)) + "px");
    remember(bar.id, parseInt(style.getPropertyValue(name), 10));
    bar.setAttribute("aria-valuenow", now());
    for (const each of app.all()) each.resized();
  };
  if (recall(bar.id)) style.setProperty(name, parseInt(recall(bar.id), 10) + "px");
  bar.setAttribute("aria-valuenow", now());
  let from, size;
  const at = event => side === "width" ? event.clientX : event.clientY;
  listenToDrag(bar, event => set(size + from - at(event)), event => [from, size] = [at(event), now()]);
  bar.addEventListener("keydown", event => {
    const by = { ArrowLeft: 16, ArrowUp: 16, ArrowRight: -16, ArrowDown: -16 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(now() + by);
  });
}

// listen ties keys, pointer and controls to the page. What walks goes to the execution that
// was used last, of which app is the first.
function listen(app) {
  const run = byId("run"), now = () => app.active;
  const keys = {
    ArrowRight: () => now().step(1), ArrowLeft: () => now().step(-1), n: () => now().change(1), p: () => now().change(-1),
    Home: () => now().at(0), End: () => now().at(now().walk.length), ArrowUp: () => now().chooseBeside(-1), ArrowDown: () => now().chooseBeside(1),
    Enter: () => now().selected >= 0 && now().goTo(now().leastWith(now().selected)), r: () => now().showRun(now().run),
    Escape: () => document.body.dataset.sheet ? app.sheet("") : now().choose(-1), " ": () => now().play(), v: () => app.sheet("view"), o: () => now().selected >= 0 && now().openFold(now().selected), s: () => now().share(),
    e: () => (document.querySelector("#enabled button") || byId("state")).focus(), f: () => app.toggle("fold", "folded"), t: () => app.hasClock() && app.toggle("time", "byTime"),
    "-": () => app.zoom(0.8), "+": () => app.zoom(1.25), "/": () => app.sheet("view", byId("search")), a: () => app.data.served && edit(true), "?": () => app.help(),
    l: () => byId("many").hidden || app.sheet("many"), "[": () => turn(-1), "]": () => turn(1), m: () => now().across(),
  };
  const turn = by => {
    const k = app.run + by;
    if (app.data.runs[k]) pickRun(k);
  };
  const pickRun = k => {
    byId("runs").value = String(k);
    app.activate();
    if (!app.data.runs[k].away) return app.showRun(k);
    if (app.data.served) app.open({ run: k }); else app.say("The saved page does not hold this run.");
  };
  const edit = open => {
    byId("ask").hidden = !open;
    byId("edit").setAttribute("aria-expanded", String(open));
    (open ? byId("formula") : byId("edit")).focus();
  };
  document.addEventListener("keydown", event => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault();
      return app.sheet("view", byId("search"));
    }
    const inField = event.target.closest("input, select, textarea, dialog");
    const onButton = event.target.closest("button") && (event.key === "Enter" || event.key === " ");
    if (inField && event.key !== "Escape" || event.target.closest("dialog") || onButton || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") now().chooseBeside(0, event.key === "ArrowLeft" ? -1 : 1);
      return event.preventDefault();
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  listenToStage(byId("stage"), () => app);
  listenToStage(byId("stage2"), () => app.twin);
  listenToBar(byId("wide"), byId("side"), "width", app);
  listenToBar(byId("high"), byId("tree"), "height", app);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.ink = null;
    for (const each of app.all()) each.show();
  });

  // The strips are as much the scrubber as the scrubber is.
  const scrub = event => now().at(placeAt(now(), event.clientX));
  listenToDrag(run, scrub);
  listenToDrag(byId("tree"), scrub, () => {}, ".track, .track *");
  listenToDrag(byId("map"), event => {
    const box = byId("map").getBoundingClientRect(), { diagram, layout } = app;
    diagram.scroll((event.clientX - box.left) / box.width * (layout.width + 0.4) * diagram.gap - diagram.view.left - diagram.view.width / 2, 0);
    app.draw();
  }, () => {}, ":not(#whole, #whole *)");
  byId("whole").addEventListener("click", event => {
    if (!app.data.served) return;
    const box = byId("whole").getBoundingClientRect();
    app.open({ place: "#" + Math.round((event.clientX - box.left) / box.width * app.data.events) });
  });

  const on = (id, what, act) => byId(id).addEventListener(what, () => act(byId(id).value));
  for (const button of document.querySelectorAll("button[data-sheet]")) button.addEventListener("click", () => app.sheet(button.dataset.sheet));
  for (const [id, key] of Object.entries(TRANSPORT)) on(id, "click", keys[key]);
  on("speed", "click", () => {
    now().speed = SPEEDS[(SPEEDS.indexOf(now().speed) + 1) % SPEEDS.length];
    showTransport(now());
  });
  on("fold", "click", keys.f);
  on("time", "click", keys.t);
  on("smaller", "click", keys["-"]);
  on("larger", "click", keys["+"]);
  on("help", "click", keys["?"]);
  on("share", "click", keys.s);
  on("why", "click", () => app.why());
  on("fix", "click", () => app.fix());
  on("edit", "click", () => edit(byId("ask").hidden));
  on("traces", "change", k => app.open({ trace: Number(k) }));
  on("formulas", "change", f => app.open({ formula: f }));
  on("runs", "change", k => pickRun(Number(k)));
  on("slices", "change", k => app.showSlice(k));
  on("compare", "change", k => app.compare(k));
  on("colours", "change", name => app.setColour(name));
  on("groups", "change", way => app.groupBy(way));
  on("search", "input", text => now().find(text));
  on("copy", "click", () => {
    byId("text").select();
    navigator.clipboard.writeText(byId("text").value).then(() => { byId("copy").textContent = "Copied"; }, () => app.say("Copy what is selected with Ctrl C."));
  });
  byId("dialog").addEventListener("close", () => { byId("copy").textContent = "Copy"; });
  byId("search").addEventListener("keydown", event => { if (event.key === "Enter") now().find(byId("search").value, true); });
  byId("keys").append(element("table", {}, element("tbody", {}, ...KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what))))));
  listenToFormula(app, edit);
}

// listenToStage ties a diagram to the pointer. app returns the one that it is of, null for
// none.
function listenToStage(stage, app) {
  const canvas = stage.querySelector("canvas");
  const point = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const reach = event => event.pointerType === "touch" ? 24 : 6; // of a finger
  let dragging = false;
  stage.addEventListener("focus", () => app() && app().activate());
  stage.addEventListener("pointerdown", event => {
    const [x, y] = point(event), { diagram } = app();
    app().activate();
    dragging = diagram.eventAt(x, y) < 0 && diagram.onFrontier(x, y, reach(event));
    if (dragging) stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("touchstart", event => { if (dragging) event.preventDefault(); }, { passive: false }); // it does not scroll
  stage.addEventListener("pointermove", event => {
    const [x, y] = point(event), { diagram } = app(), e = diagram.eventAt(x, y), onCut = dragging || diagram.onFrontier(x, y, reach(event));
    if (event.pointerType !== "touch") {
      stage.style.cursor = e >= 0 ? "pointer" : onCut ? diagram.down ? "ns-resize" : "ew-resize" : "";
      tell(e, onCut || e >= 0 ? null : diagram.edgeAt(x, y), event);
    }
    const next = dragging && diagram.dragged(x, y);
    if (next) app().goTo(next);
  });
  // tell tells of what the pointer is at.
  const tell = (e, edge, event) => {
    const tip = byId("tip"), text = e >= 0 ? app().tip(e) : edge ? app().tipOfEdge(edge) : "";
    app().point(edge);
    tip.hidden = !text;
    tip.textContent = text;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 4)) + "px";
    tip.style.top = (event.clientY + 16 + height > innerHeight ? event.clientY - height - 8 : event.clientY + 16) + "px";
  };
  stage.addEventListener("pointerleave", event => { if (app()) tell(-1, null, event); });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { dragging = false; });
  // A click chooses. A second one lets the event happen where it can, and opens a fold.
  stage.addEventListener("click", event => {
    const e = app().diagram.eventAt(...point(event));
    if (e >= 0) app().choose(e, event.shiftKey);
  });
  stage.addEventListener("dblclick", event => {
    const { diagram, layout, model, enabled } = app(), e = diagram.eventAt(...point(event));
    if (e < 0) return;
    const step = model.step(e)[0];
    if (layout.count[layout.node[e]] > 1) app().openFold(e);
    else if (enabled.includes(step)) app().take(step);
  });
  stage.addEventListener("scroll", () => app() && app().scrolled());
  stage.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    app().zoom(event.deltaY < 0 ? 1.15 : 0.87);
  }, { passive: false });
  new ResizeObserver(() => requestAnimationFrame(() => app() && app().resized())).observe(stage);
}

// listenToFormula completes and decides what is typed.
function listenToFormula(app, edit) {
  const field = byId("formula"), list = byId("completions");
  let options = [], chosen = -1;
  const show = () => {
    list.replaceChildren(...options.map(([name], i) => element("li", { role: "option", id: "completion" + i, "aria-selected": String(i === chosen), onclick: () => complete(i) }, name)));
    list.hidden = !options.length;
    field.setAttribute("aria-expanded", String(options.length > 0));
    if (chosen >= 0) field.setAttribute("aria-activedescendant", "completion" + chosen); else field.removeAttribute("aria-activedescendant");
  };
  const close = () => { options = []; chosen = -1; show(); };
  const complete = i => {
    field.setRangeText(options[i][1], field.selectionStart, field.selectionEnd, "end");
    close();
    field.focus();
  };
  field.addEventListener("input", () => { options = app.completions(field.value.slice(0, field.selectionStart)); chosen = -1; show(); });
  field.addEventListener("keydown", event => {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (!options.length) return edit(false);
      close();
    }
    if (!options.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") chosen = (chosen + (event.key === "ArrowDown" ? 1 : options.length)) % (options.length || 1);
    else if (event.key === "Tab" || event.key === "Enter" && chosen >= 0) complete(Math.max(chosen, 0));
    else return;
    event.preventDefault();
    show();
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  byId("ask").addEventListener("submit", async event => {
    event.preventDefault();
    close();
    if (await app.open({ formula: field.value.trim() })) {
      edit(false);
      byId("stage").focus();
    }
  });
}
