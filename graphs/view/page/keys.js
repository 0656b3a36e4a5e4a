// What keys, the pointer and controls do.

// KEYS are what keys do; help is in the page, and a button with data-key does what that key does. What
// walks goes to the execution that was used last.
const KEYS = {
  ArrowLeft: app => app.active.step(-1),
  ArrowRight: app => app.active.step(1),
  p: app => app.active.change(-1),
  n: app => app.active.change(1),
  Home: app => app.active.at(0),
  End: app => app.active.at(app.active.walk.length),
  " ": app => app.active.play(),
  ArrowUp: app => app.active.chooseBeside(-1, 0),
  ArrowDown: app => app.active.chooseBeside(1, 0),
  "Shift ArrowLeft": app => app.active.chooseBeside(0, -1),
  "Shift ArrowRight": app => app.active.chooseBeside(0, 1),
  Enter: app => app.active.goToChosen(),
  o: app => app.active.openFold(app.active.selected),
  r: app => app.active.showRun(app.active.run),
  m: app => app.active.across(),
  s: app => app.active.share(),
  Escape: app => document.body.dataset.sheet ? app.sheet("") : app.active.choose(-1),
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
const SPEEDS = [1, 2, 4, 0.5];

// showTransport shows which of its buttons lead somewhere.
function showTransport(app) {
  const atStart = app.place === 0, atEnd = app.place === app.walk.length, isLast = atEnd && !app.enabled.length && !app.data.after;
  const off = { first: atStart, before: atStart, back: atStart, on: isLast, after: atEnd, last: atEnd, play: atEnd };
  for (const id of Object.keys(off)) byId(id).setAttribute("aria-disabled", off[id]);
  byId("play").setAttribute("aria-pressed", app.isPlaying);
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
  document.addEventListener("keydown", event => {
    const { target, key } = event, isControl = event.ctrlKey || event.metaKey;
    const name = (isControl ? "Ctrl " : event.altKey ? "Alt " : event.shiftKey && key.startsWith("Arrow") ? "Shift " : "") + key;
    const inField = target.closest("input, select, textarea") && !isControl && key !== "Escape";
    const onButton = target.closest("button") && (key === "Enter" || key === " ");
    if (!Object.hasOwn(KEYS, name) || inField || onButton || target.closest("dialog")) return;
    event.preventDefault();
    KEYS[name](app);
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
  const scrub = event => app.active.at(placeAt(app.active, event.clientX));
  listenToDrag(byId("run"), scrub);
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
  for (const b of document.querySelectorAll("[data-key]")) b.addEventListener("click", () => KEYS[b.dataset.key](app));
  on("speed", "click", () => app.active.nextSpeed());
  on("why", "click", () => app.why());
  on("fix", "click", () => app.fix());
  on("edit", "click", () => showForm(byId("ask").hidden));
  on("traces", "change", k => app.open({ trace: Number(k) }));
  on("formulas", "change", f => app.open({ formula: f }));
  on("runs", "change", k => app.pickRun(Number(k)));
  on("slices", "change", k => app.showSlice(k));
  on("compare", "change", k => app.compare(k));
  on("colours", "change", name => app.setColour(name));
  on("groups", "change", way => app.groupBy(way));
  on("search", "input", text => app.active.find(text));
  on("copy", "click", () => {
    byId("text").select();
    navigator.clipboard.writeText(byId("text").value).then(() => { byId("copy").textContent = "Copied"; }, () => say("Copy what is selected with Ctrl C."));
  });
  byId("dialog").addEventListener("close", () => { byId("copy").textContent = "Copy"; });
  byId("search").addEventListener("keydown", event => { if (event.key === "Enter") app.active.find(byId("search").value, true); });
  listenToFormula(app);
}

// showForm shows where another formula is asked, or hides that.
function showForm(open) {
  byId("ask").hidden = !open;
  byId("edit").setAttribute("aria-expanded", open);
  byId(open ? "formula" : "edit").focus();
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
function listenToFormula(app) {
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
      if (!options.length) return showForm(false);
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
      showForm(false);
      byId("stage").focus();
    }
  });
}
