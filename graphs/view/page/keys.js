// What keys, the pointer and controls do.

const KEYS = [
  ["← →", "a step back or on along the run; beyond its end, the first event that can happen"],
  ["p n", "to the place before or after this one where something in the formula changes"],
  ["Home End", "to the first or the last cut of the run"],
  ["↑ ↓, Shift ← →", "choose another process's event, or another event of the process"],
  ["Enter", "to the least cut with the chosen event"],
  ["Shift click", "choose a second event: how the two are ordered, and by which path"],
  ["r", "back to the run"],
  ["e", "to the list of events that can happen"],
  ["f t", "fold what the formula does not see; go by time or by causality"],
  ["− +", "narrower, wider"],
  ["[ ]", "another of the runs that show the verdict"],
  ["/ a", "search; ask another formula"],
  ["Escape", "choose nothing"],
];

// listen ties keys, pointer and controls to the page.
function listen(app) {
  const stage = byId("stage"), run = byId("run");
  const keys = {
    ArrowRight: () => app.step(1), ArrowLeft: () => app.step(-1), n: () => app.change(1), p: () => app.change(-1),
    Home: () => app.at(0), End: () => app.at(app.walk.length), ArrowUp: () => app.chooseBeside(-1), ArrowDown: () => app.chooseBeside(1),
    Enter: () => app.selected >= 0 && app.goTo(app.leastWith(app.selected)), Escape: () => app.choose(-1), r: () => app.showRun(app.run),
    e: () => (document.querySelector("#enabled button") || byId("state")).focus(), f: () => app.toggle("fold", "folded"), t: () => app.data.clock && app.toggle("time", "byTime"),
    "-": () => app.zoom(0.8), "+": () => app.zoom(1.25), "/": () => byId("search").focus(), a: () => byId("formula").focus(), "?": () => app.help(),
    "[": () => turn(-1), "]": () => turn(1),
  };
  const turn = by => {
    const k = app.run + by;
    if (app.data.runs[k]) pickRun(k);
  };
  const pickRun = k => {
    byId("runs").value = String(k);
    if (!app.data.runs[k].away) return app.showRun(k);
    if (app.data.served) app.open({ trace: app.data.trace, formula: app.data.formula, run: k }); else app.say("The saved page does not hold this run.");
  };
  document.addEventListener("keydown", event => {
    const inField = event.target.closest("input, select, textarea, dialog");
    const onButton = event.target.closest("button") && (event.key === "Enter" || event.key === " ");
    if (inField || onButton || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") app.chooseBeside(0, event.key === "ArrowLeft" ? -1 : 1);
      return event.preventDefault();
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const point = event => {
    const box = byId("canvas").getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let dragging = false;
  stage.addEventListener("pointerdown", event => {
    const [x, y] = point(event);
    dragging = app.diagram.eventAt(x, y) < 0 && app.diagram.onFrontier(x, y);
    if (dragging) stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", event => {
    const [x, y] = point(event);
    stage.style.cursor = app.diagram.eventAt(x, y) >= 0 ? "pointer" : dragging || app.diagram.onFrontier(x, y) ? "ew-resize" : "";
    if (!dragging) return;
    const p = app.diagram.laneAt(y);
    if (p < 0) return;
    const k = app.diagram.countAt(p, x), { model, cut } = app;
    const next = k > cut[p] ? model.with(cut, model.event(p, k)) : k < cut[p] ? model.without(cut, model.event(p, k + 1)) : cut;
    if (next !== cut && model.reachable(next)) app.goTo(next);
  });
  stage.addEventListener("pointerup", () => { dragging = false; });
  stage.addEventListener("click", event => {
    const e = app.diagram.eventAt(...point(event));
    if (e < 0) return;
    const { layout, model } = app;
    if (layout.count[layout.node[e]] > 1) {
      for (let i = 0; i < layout.count[layout.node[e]]; i++) app.opened.add(e + i);
      app.relayout();
      return app.show();
    }
    const step = model.step(e)[0];
    if (!event.shiftKey && app.enabled.includes(step)) app.take(step); else app.choose(e, event.shiftKey);
  });
  stage.addEventListener("scroll", () => app.draw());
  stage.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    app.zoom(event.deltaY < 0 ? 1.15 : 0.87);
  }, { passive: false });
  new ResizeObserver(() => requestAnimationFrame(() => app.show())).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.show());

  run.addEventListener("pointerdown", event => {
    const box = run.getBoundingClientRect(), { left, gap } = walkScale(app, run.clientWidth);
    app.at(Math.floor((event.clientX - box.left - left) / gap));
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
  on("colours", "change", name => { app.colour = name; app.palette = null; app.show(); });
  on("take", "change", what => { app.takeAway(what); byId("take").value = ""; });
  on("search", "input", text => app.find(text));
  byId("search").addEventListener("keydown", event => { if (event.key === "Enter") app.find(byId("search").value, true); });
  byId("keys").append(element("table", {}, element("tbody", {}, ...KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what))))));
  listenToFormula(app);
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
