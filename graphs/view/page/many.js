// The list of verdicts on all traces and, for a formula about data, on each binding that decides.
// Failures come first. A click shows the verdict.

const MOST_VERDICTS = 500;

// listVerdicts lists the traces, and requests the verdicts on the formula of the page once it has
// stayed the same for a moment. Verdicts that are open at the time limit of an answer are requested
// again while fewer are open each time. The list stays while the user goes from one verdict to
// another.
async function listVerdicts(app) {
  const { many, formula, traces } = app.data;
  if (app.listed && app.listed.formula === formula) return markVerdict(app);
  if (app.listed) app.listed.stop.abort();
  const listed = app.listed = { formula, stop: new AbortController() };
  showVerdicts(app, many ? traces.map((name, trace) => ({ trace, name })) : []);
  await new Promise(done => setTimeout(done, 300));
  let open = many && formula && app.listed === listed ? Infinity : 0;
  while (open > 0) {
    const { rows, all, open: left } = await request("many", { formula, most: MOST_VERDICTS }, listed.stop.signal);
    if (!rows || app.listed !== listed) return;
    showVerdicts(app, rows, all);
    open = left < open ? left : 0;
  }
}

// showVerdicts shows the list if there is more than one verdict. rows are the first of all
// verdicts.
function showVerdicts(app, rows, all = rows.length) {
  const some = rows.slice(0, MOST_VERDICTS), isPart = some.length < all, { formula } = app.data;
  for (const id of ["many", "listed"]) byId(id).hidden = all < 2;
  const listed = some.map(({ trace, name, binding = [], verdict = "", headline = "" }) => {
    const told = binding.join(", ") || name.replace(/^.*\//, "");
    const why = withoutFormula(headline, formula).replace(/^The formula (fails(: )?|holds ?)/, "");
    const mark = element("b", { class: KINDS[verdict] || "unknown" }, (MARKS[verdict] || "·") + " " + told);
    return button([mark, element("span", {}, why)], () => app.open({ trace, binding }),
      { data: { verdict: [trace, ...binding] }, title: name + "\n" + headline });
  });
  const title = (isPart ? some.length + " of " : "") + all.toLocaleString("en") + " verdicts";
  const link = isPart && element("a", { href: "/all?" + query({ formula }) }, "All verdicts");
  refill(byId("many"), [element("h2", {}, title), ...listed, link]);
  markVerdict(app);
}

// markVerdict marks the verdict that the page shows.
function markVerdict({ data: { trace, binding = [] } }) {
  for (const button of byId("many").querySelectorAll("button")) {
    button.setAttribute("aria-current", button.dataset.verdict === String([trace, ...binding]));
  }
}
