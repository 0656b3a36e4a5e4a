"use strict";
(function () {
  const main = document.querySelector("main");
  const svg = main.querySelector("svg");
  const names = svg.querySelector(".names");
  const events = new Map(), next = new Map(), back = new Map();
  for (const g of svg.querySelectorAll("[data-event]")) {
    const id = g.dataset.event;
    events.set(id, g);
    g.setAttribute("tabindex", "0");
    next.set(id, g.dataset.next.split(" ").filter(Boolean));
  }
  for (const id of events.keys()) back.set(id, []);
  for (const [id, list] of next) for (const f of list) back.get(f).push(id);

  function reach(from, edges) {
    const seen = new Set([from]), todo = [from];
    while (todo.length) for (const f of edges.get(todo.pop())) if (!seen.has(f)) { seen.add(f); todo.push(f); }
    return seen;
  }
  function pick(id) {
    const past = id === null ? new Set() : reach(id, back);
    const future = id === null ? new Set() : reach(id, next);
    svg.classList.toggle("picked", id !== null);
    for (const [e, g] of events) {
      g.classList.toggle("chosen", e === id);
      g.classList.toggle("past", past.has(e) && e !== id);
      g.classList.toggle("future", future.has(e) && e !== id);
      g.classList.toggle("on", past.has(e) || future.has(e));
    }
    for (const g of svg.querySelectorAll("[data-from]")) {
      const ends = [g.dataset.from, g.dataset.to];
      g.classList.toggle("on", ends.every(e => past.has(e)) || ends.every(e => future.has(e)));
    }
  }
  let picked = null, dragged = false;
  function choose(g) {
    const id = g ? g.dataset.event : null;
    picked = id === picked ? null : id;
    pick(picked);
  }
  svg.addEventListener("click", e => { if (!dragged) choose(e.target.closest("[data-event]")); });
  svg.addEventListener("keydown", e => {
    if (e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    choose(e.target.closest("[data-event]"));
  });
  document.addEventListener("keydown", e => { if (e.key === "Escape") choose(null); });

  const width = svg.width.baseVal.value, height = svg.height.baseVal.value;
  let zoom = 1;
  function follow() { names.setAttribute("transform", "translate(" + main.scrollLeft / zoom + " 0)"); }
  function scale(z, x, y) {
    z = Math.min(Math.max(z, 0.05), 8);
    const left = (main.scrollLeft + x) * z / zoom - x, top = (main.scrollTop + y) * z / zoom - y;
    zoom = z;
    svg.setAttribute("width", width * z);
    svg.setAttribute("height", height * z);
    main.scrollTo(left, top);
    follow();
  }
  function at(id, f) { document.getElementById(id).addEventListener("click", f); }
  at("in", () => scale(zoom * 1.25, main.clientWidth / 2, main.clientHeight / 2));
  at("out", () => scale(zoom / 1.25, main.clientWidth / 2, main.clientHeight / 2));
  at("fit", () => scale(Math.min(main.clientWidth / width, main.clientHeight / height), 0, 0));
  at("one", () => scale(1, 0, 0));
  main.addEventListener("scroll", follow);
  main.addEventListener("wheel", e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const box = main.getBoundingClientRect();
    scale(zoom * Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });

  let grip = null;
  main.addEventListener("pointerdown", e => {
    dragged = false;
    if (e.button === 0 && e.pointerType === "mouse") grip = { x: e.clientX, y: e.clientY, left: main.scrollLeft, top: main.scrollTop };
  });
  window.addEventListener("pointermove", e => {
    if (!grip) return;
    if (Math.hypot(e.clientX - grip.x, e.clientY - grip.y) > 4) dragged = true;
    if (dragged) main.scrollTo(grip.left + grip.x - e.clientX, grip.top + grip.y - e.clientY);
  });
  window.addEventListener("pointerup", () => { grip = null; });
})();
