// The actions of keys, the pointer and controls.

// KEYS are the actions of keys. The page describes them, and a button with data-key does the same
// as its key. Keys that walk act on the execution that was used last.
const KEYS = {
  ArrowLeft: app => app.active.step(-1),
  ArrowRight: app => app.active.step(1),
  p: app => app.active.change(-1),
  n: app => app.active.change(1),
  Home: app => app.active.at(0),
  End: app => app.active.at(app.active.walk.length),
  " ": app => app.active.play(),
  ArrowUp: app => app.active.chooseAcross(-1),
  ArrowDown: app => app.active.chooseAcross(1),
  "Shift ArrowLeft": app => app.active.chooseAlong(-1),
  "Shift ArrowRight": app => app.active.chooseAlong(1),
  Enter: app => app.active.goToChosen(),
  o: app => app.active.openFold(app.active.selected),
  r: app => app.active.showRun(app.active.run),
  m: app => app.active.across(),
  s: app => choose("Share", Object.values(takes(app.active))),
  Escape: app => app.leave(),
  v: app => app.sheet("view"),
  "/": app => app.sheet("view", byId("search")),
  "Ctrl k": app => app.sheet("view", byId("search")),
  l: app => byId("many").hidden || app.sheet("many"),
  e: () => (document.querySelector("#enabled button") || byId("state")).focus(),
  f: app => app.toggle("fold", "folded"),
  t: app => app.hasClock() && app.toggle("time", "byTime"),
  "-": app => app.zoom(0.8),
  "+": app => app.zoom(1.25),
  "[": app => app.pickRun(app.run - 1),
  "]": app => app.pickRun(app.run + 1),
  a: app => app.data.served && showForm(true),
  "?": () => showDialog("Keys", "keys"),
};

// showTransport disables the buttons of the transport that lead nowhere.
function showTransport(app) {
  const atStart = app.place === 0, atEnd = app.place === app.walk.length;
  const isLast = atEnd && !app.enabled.length && !app.data.after;
  const isOff = { first: atStart, before: atStart, back: atStart, on: isLast };
  for (const button of document.querySelectorAll("#transport button")) {
    button.setAttribute("aria-disabled", isOff[button.id] ?? atEnd);
  }
  byId("play").setAttribute("aria-pressed", app.isPlaying);
}

// storage keeps the choices of the user, if the browser allows that.
function storage() {
  try { return localStorage; } catch { return {}; }
}

// listenToDrag calls move when the pointer goes down on an element of target that matches a
// selector, and with each movement until it goes up.
function listenToDrag(target, move, within = "*") {
  target.addEventListener("pointerdown", event => {
    if (!event.target.matches(within)) return;
    target.setPointerCapture(event.pointerId);
    move(event);
    target.addEventListener("pointermove", move);
    const end = () => target.removeEventListener("pointermove", move);
    target.addEventListener("lostpointercapture", end, { once: true });
  });
}

// listenToBar lets the user move the bar at the edge of a panel along an axis. The size of the
// panel is a variable of the style sheet, which bounds it. It is remembered.
function listenToBar(bar, panel, axis, app) {
  const { style } = document.documentElement, name = "--" + bar.id, key = "pota " + name;
  const now = () => Math.round(panel.getBoundingClientRect()[axis === "x" ? "width" : "height"]);
  const set = size => {
    style.setProperty(name, size);
    bar.setAttribute("aria-valuenow", now());
    for (const each of app.all()) each.resized();
  };
  const change = by => {
    set(now() + by + "px");
    storage()[key] = now() + "px";
  };
  set(storage()[key] || "");
  listenToDrag(bar, event => change(bar.getBoundingClientRect()[axis] - event[axis]));
  bar.addEventListener("keydown", event => {
    const by = { ArrowLeft: 16, ArrowUp: 16, ArrowRight: -16, ArrowDown: -16 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    change(by);
  });
}

// listen connects keys, the pointer and controls to the page. app is the first execution; controls
// that walk act on the one that was used last.
function listen(app) {
  document.addEventListener("keydown", event => {
    const { target, key } = event, isControl = event.ctrlKey || event.metaKey;
    const isShifted = event.shiftKey && key.startsWith("Arrow"); // in other keys, it is part of the character
    const name = (isControl ? "Ctrl " : event.altKey ? "Alt " : isShifted ? "Shift " : "") + key;
    const inField = target.closest("input, select, textarea") && !isControl && key !== "Escape";
    const onButton = target.closest("button") && (key === "Enter" || key === " ");
    if (!Object.hasOwn(KEYS, name) || inField || onButton || target.closest("dialog")) return;
    event.preventDefault();
    KEYS[name](app);
  });

  listenToStage(byId("stage"), () => app);
  listenToStage(byId("stage2"), () => app.twin);
  listenToBar(byId("wide"), byId("side"), "x", app);
  listenToBar(byId("high"), byId("tree"), "y", app);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.ink = null;
    for (const each of app.all()) each.show();
  });

  // part returns the position of the pointer in an element, from 0 at its left end to 1 at its
  // right end.
  const part = ({ clientX }, id) => {
    const { left, width } = byId(id).getBoundingClientRect();
    return (clientX - left) / width;
  };
  // The strips can be dragged like the scrubber.
  const scrub = event => app.active.at(Math.floor(part(event, "run") * (app.active.walk.length + 1)));
  listenToDrag(byId("run"), scrub);
  listenToDrag(byId("tree"), scrub, ".track, .track *");
  listenToDrag(byId("map"), event => {
    const { diagram, layout } = app, { view, gap } = diagram;
    diagram.scroll(part(event, "map") * (layout.width + 0.4) * gap - view.left - view.width / 2, 0);
    app.draw();
  }, ":not(#whole, #whole *)");
  byId("whole").addEventListener("click", event => {
    const { served, events } = app.data;
    if (served) app.open({ place: "#" + Math.round(part(event, "whole") * events) });
  });

  const on = (id, what, act) => byId(id).addEventListener(what, () => act(byId(id).value));
  for (const button of document.querySelectorAll("button")) {
    const { sheet, key } = button.dataset;
    if (sheet) button.addEventListener("click", () => app.sheet(sheet));
    if (key) button.addEventListener("click", () => KEYS[key](app));
  }
  on("why", "click", () => app.why());
  on("fix", "click", () => app.fix());
  on("edit", "click", () => showForm(byId("ask").hidden));
  on("traces", "change", k => app.open({ trace: Number(k) }));
  on("formulas", "change", f => app.open({ formula: f }));
  on("runs", "change", k => app.pickRun(Number(k)));
  on("slices", "change", k => app.showSlice(k));
  on("compare", "change", k => app.compare(k));
  on("colours", "change", name => app.setColour(name));
  on("groups", "change", way => app.lanes.groupBy(way, app.cut));
  on("search", "input", text => app.active.find(text));
  on("copy", "click", () => {
    const text = byId("text"), tell = told => () => { byId("copy").textContent = told; };
    text.select();
    navigator.clipboard.writeText(text.value).then(tell("Copied"), tell("Press Ctrl C"));
  });
  byId("dialog").addEventListener("close", () => { byId("copy").textContent = "Copy"; });
  // The dialog closes before the chosen action.
  byId("choice").addEventListener("click", () => byId("dialog").close(), true);
  byId("search").addEventListener("keydown", event => {
    if (event.key === "Enter") app.active.find(byId("search").value, true);
  });
  listenToFormula(app);
}

// showForm shows or hides the form for another formula.
function showForm(open) {
  byId("ask").hidden = !open;
  byId("edit").setAttribute("aria-expanded", open);
  byId(open ? "formula" : "edit").focus();
}

// listenToStage connects a diagram to the pointer. shown returns the app of the diagram, or null if
// it has none.
function listenToStage(stage, shown) {
  const canvas = stage.querySelector("canvas");
  let isDragging = false; // whether the line of the cut is dragged
  const on = (what, act, options) => stage.addEventListener(what, event => {
    const app = shown(), { left, top } = canvas.getBoundingClientRect();
    if (app) act(app, event, event.clientX - left, event.clientY - top);
  }, options);
  const isTouch = event => event.pointerType === "touch", reach = event => isTouch(event) ? 24 : 6;

  on("focus", app => app.activate());
  on("scroll", app => app.scrolled());
  new ResizeObserver(() => requestAnimationFrame(() => shown()?.resized())).observe(stage);

  on("pointerdown", (app, event, x, y) => {
    app.activate();
    isDragging = app.diagram.eventAt(x, y) < 0 && app.diagram.onFrontier(x, y, reach(event));
    if (isDragging) stage.setPointerCapture(event.pointerId);
  });
  on("lostpointercapture", () => { isDragging = false; });
  on("touchstart", (_, event) => { // a finger that drags the line does not scroll
    if (isDragging) event.preventDefault();
  }, { passive: false });
  on("pointermove", (app, event, x, y) => {
    const { diagram } = app, e = diagram.eventAt(x, y);
    const isOnCut = isDragging || diagram.onFrontier(x, y, reach(event));
    if (!isTouch(event)) {
      const resize = diagram.down ? "ns-resize" : "ew-resize";
      stage.style.cursor = e >= 0 ? "pointer" : isOnCut ? resize : "";
      const edge = e >= 0 || isOnCut ? undefined : diagram.edgeAt(x, y);
      app.point(edge);
      showTip(e >= 0 ? app.tip(e) : edge ? app.tipOfEdge(edge) : "", event);
    }
    const next = isDragging && diagram.dragged(x, y);
    if (next) app.goTo(next);
  });
  on("pointerleave", (app, event) => {
    app.point();
    showTip("", event);
  });

  // A click chooses an event. A double click opens a fold, or lets an event happen if it can.
  on("click", (app, event, x, y) => {
    const e = app.diagram.eventAt(x, y);
    if (e >= 0) app.choose(e, event.shiftKey);
  });
  on("dblclick", (app, event, x, y) => {
    const { diagram, layout, model, enabled } = app, e = diagram.eventAt(x, y);
    if (e < 0) return;
    const [step] = model.step(e);
    if (layout.count[layout.node[e]] > 1) app.openFold(e);
    else if (enabled.includes(step)) app.take(step);
  });
  on("wheel", (app, event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    app.zoom(event.deltaY < 0 ? 1.15 : 0.87);
  }, { passive: false });
}

// showTip shows a text beside the pointer, or hides it if the text is "".
function showTip(text, event) {
  const tip = byId("tip");
  tip.hidden = !text;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect(), below = event.clientY + 16;
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 4)) + "px";
  tip.style.top = (below + height > innerHeight ? event.clientY - height - 8 : below) + "px";
}

// listenToFormula completes the formula that the user types, and requests its verdict.
function listenToFormula(app) {
  const field = byId("formula");
  field.addEventListener("input", () => {
    const options = app.completions(field.value).map(value => element("option", { value }));
    byId("completions").replaceChildren(...options);
  });
  byId("ask").addEventListener("submit", async event => {
    event.preventDefault();
    if (await app.open({ formula: field.value.trim() })) {
      showForm(false);
      byId("stage").focus();
    }
  });
}
