// The list of verdicts on all traces, and on each binding of a formula about data that decides: what
// fails comes first. Whoever chooses one sees it.

const MOST_LISTED = 500;

// listVerdicts lists the traces, and asks for the verdicts on the formula of the page once that has
// stayed for a moment. What is open when the time of an answer is up comes with the next one, unless
// it takes longer than that. The list stays while a person goes from one verdict to another.
async function listVerdicts(app) {
  const { many, formula, traces } = app.data;
  if (app.listed && app.listed.formula === formula) return markVerdict(app);
  if (app.listed) app.listed.stop.abort();
  const listed = app.listed = { formula, stop: new AbortController() };
  showVerdicts(app, many ? traces.map((name, trace) => ({ trace, name, verdict: "", headline: "" })) : []);
  await new Promise(done => setTimeout(done, 300));
  let open = many && formula && app.listed === listed ? Infinity : 0;
  while (open > 0) {
    const { rows, all, open: left } = await request("many", { formula, most: MOST_LISTED }, null, listed.stop.signal);
    if (!rows || app.listed !== listed) return;
    showVerdicts(app, rows, all);
    open = left < open ? left : 0;
  }
}

// showVerdicts shows the list, where there is more than one verdict. Of all, rows are the first.
function showVerdicts(app, rows, all = rows.length) {
  const box = byId("many"), focus = document.activeElement, focused = box.contains(focus) ? focus.dataset.verdict : undefined;
  for (const e of [box, byId("listed")]) e.hidden = rows.length < 2;
  const listed = rows.slice(0, MOST_LISTED).map(({ trace, name, binding = [], verdict, headline }) => {
    const told = binding.join(", ") || name.replace(/^.*\//, "");
    const why = withoutFormula(headline, app.data.formula).replace(/^The formula (fails(: )?|holds ?)/, "");
    const item = button("", () => app.open({ trace, binding }), { data: { verdict: [trace, ...binding].join() }, title: name + "\n" + headline });
    item.append(element("b", { className: KINDS[verdict] || "unknown" }, (MARKS[verdict] || "·") + " " + told), element("span", {}, why));
    return item;
  });
  const more = all <= listed.length ? "" : element("a", { href: "/all?" + new URLSearchParams({ formula: app.data.formula }) }, "All verdicts");
  box.replaceChildren(element("h2", {}, (more && listed.length + " of ") + all.toLocaleString("en") + " verdicts"), ...listed, more);
  markVerdict(app);
  if (focused !== undefined) (box.querySelector(`[data-verdict=${JSON.stringify(focused)}]`) || box).focus();
}

// markVerdict marks the verdict that the page shows.
function markVerdict({ data: { trace, binding = [] } }) {
  for (const button of byId("many").querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset.verdict === [trace, ...binding].join()));
}
