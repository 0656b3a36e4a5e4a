// What keys, the pointer and controls do.

const KEYS = [
  ["← →", "a step back or on along the run; beyond its end, the first event that can happen"],
  ["p n", "to the place before or after this one where something in the formula changes"],
  ["Home End", "to the first or the last cut of the run"],
  ["↑ ↓, Shift ← →", "choose another process's event, or another event of the process"],
  ["Enter", "to the least cut with the chosen event"],
  ["drag the line of the cut", "to another cut, with what it needs"],
  ["Shift click", "choose a second event: how the two are ordered, and by which path"],
  ["r", "back to the run"],
  ["e", "to the list of events that can happen"],
  ["m", "take the execution that is compared to the same cut"],
  ["f t", "fold what the formula does not see; go by time or by causality"],
  ["− +", "narrower, wider"],
  ["[ ]", "another of the runs that show the verdict"],
  ["/ a", "search; ask another formula"],
  ["Escape", "choose nothing"],
];

// listen ties keys, pointer and controls to the page. What walks goes to the execution that
// was used last, of which app is the first.
function listen(app) {
  const run = byId("run"), now = () => app.active;
  const keys = {
    ArrowRight: () => now().step(1), ArrowLeft: () => now().step(-1), n: () => now().change(1), p: () => now().change(-1),
    Home: () => now().at(0), End: () => now().at(now().walk.length), ArrowUp: () => now().chooseBeside(-1), ArrowDown: () => now().chooseBeside(1),
    Enter: () => now().selected >= 0 && now().goTo(now().leastWith(now().selected)), Escape: () => now().choose(-1), r: () => now().showRun(now().run),
    e: () => (document.querySelector("#enabled button") || byId("state")).focus(), f: () => app.toggle("fold", "folded"), t: () => app.data.clock && app.toggle("time", "byTime"),
    "-": () => app.zoom(0.8), "+": () => app.zoom(1.25), "/": () => byId("search").focus(), a: () => byId("formula").focus(), "?": () => app.help(),
    "[": () => turn(-1), "]": () => turn(1), m: () => now().across(),
  };
  const turn = by => {
    const k = app.run + by;
    if (app.data.runs[k]) pickRun(k);
  };
  const pickRun = k => {
    byId("runs").value = String(k);
    app.activate();
    if (!app.data.runs[k].away) return app.showRun(k);
    if (app.data.served) app.open({ trace: app.data.trace, formula: app.data.formula, run: k }); else app.say("The saved page does not hold this run.");
  };
  document.addEventListener("keydown", event => {
    const inField = event.target.closest("input, select, textarea, dialog");
    const onButton = event.target.closest("button") && (event.key === "Enter" || event.key === " ");
    if (inField || onButton || event.ctrlKey || event.metaKey || event.altKey) return;
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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.ink = null;
    for (const each of app.all()) each.show();
  });

  run.addEventListener("pointerdown", event => {
    const box = run.getBoundingClientRect(), { left, gap } = walkScale(now(), run.clientWidth);
    now().at(Math.floor((event.clientX - box.left - left) / gap));
  });
  byId("map").addEventListener("click", event => {
    if (!app.data.served) return;
    const box = byId("map").getBoundingClientRect();
    app.open({ trace: app.data.trace, formula: app.data.formula, place: "#" + Math.round((event.clientX - box.left) / box.width * app.data.events) });
  });

  const on = (id, what, act) => byId(id).addEventListener(what, () => act(byId(id).value));
  on("fold", "click", keys.f);
  on("time", "click", keys.t);
  on("smaller", "click", keys["-"]);
  on("larger", "click", keys["+"]);
  on("help", "click", keys["?"]);
  on("traces", "change", k => app.open({ trace: k, formula: app.data.formula }));
  on("formulas", "change", f => app.open({ trace: app.data.trace, formula: f }));
  on("runs", "change", k => pickRun(Number(k)));
  on("slices", "change", k => app.showSlice(k));
  on("compare", "change", k => app.compare(k));
  on("colours", "change", name => app.setColour(name));
  on("groups", "change", way => app.groupBy(way));
  on("take", "change", what => { now().takeAway(what); byId("take").value = ""; });
  on("search", "input", text => now().find(text));
  byId("search").addEventListener("keydown", event => { if (event.key === "Enter") now().find(byId("search").value, true); });
  byId("keys").append(element("table", {}, element("tbody", {}, ...KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what))))));
  listenToFormula(app);
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
    const [x, y] = point(event), { diagram } = app();
    if (event.pointerType !== "touch") stage.style.cursor = diagram.eventAt(x, y) >= 0 ? "pointer" : dragging || diagram.onFrontier(x, y, reach(event)) ? "ew-resize" : "";
    const next = dragging && diagram.dragged(x, y);
    if (next) app().goTo(next);
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { dragging = false; });
  stage.addEventListener("click", event => {
    const { diagram, layout, model, enabled } = app(), e = diagram.eventAt(...point(event));
    if (e < 0) return;
    if (layout.count[layout.node[e]] > 1) {
      app().opened.add(layout.first[layout.node[e]]);
      app().relayout();
      return app().show();
    }
    const step = model.step(e)[0];
    if (!event.shiftKey && enabled.includes(step)) app().take(step); else app().choose(e, event.shiftKey);
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
    if (event.key === "Escape") close();
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
    if (await app.open({ trace: app.data.trace, formula: field.value.trim() })) byId("stage").focus();
  });
}
