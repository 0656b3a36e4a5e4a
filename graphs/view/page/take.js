// What people take away: a link, the walk as text, as Mermaid and as a Go test, and the view.

// takes returns what people can take away: the text of its button, and what that does.
function takes(app) {
  const { canvas } = app.diagram, show = (title, textOf) => () => {
    byId("text").value = textOf(app);
    showDialog(title, "text");
  };
  const copy = blob => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })])
    .then(() => say("The picture is copied."), error => say("It cannot be copied: " + error.message));
  const save = (name, url) => element("a", { href: url, download: name }).click();
  return {
    link: ["Link", show("Link to what you see", () => app.address())],
    text: ["Run as text", show("The run to this cut", textOf)],
    mermaid: ["Run as Mermaid", show("The run to this cut, as Mermaid", mermaidOf)],
    go: ["Run as Go test (potatest)", show("The run to this cut, as a Go test", goOf)],
    "svg code": ["View as SVG", show("The view, as SVG", () => app.diagram.svg())],
    "png copy": ["Copy view as PNG", () => canvas.toBlob(copy)],
    svg: ["Save view as SVG", () => save("view.svg", "data:image/svg+xml," + encodeURIComponent(app.diagram.svg()))],
    png: ["Save view as PNG", () => save("view.png", canvas.toDataURL())],
  };
}

// textOf writes the steps of the walk up to the cut, one a line.
function textOf(app) {
  const { model, data } = app;
  const steps = app.taken().flatMap((step, i) => model.step(step).map(e => String(i + 1).padStart(6) + "  " + model.tell(e)));
  const parts = app.rows.filter(({ part }) => part !== undefined);
  const truth = parts.map(({ part }) => "    " + data.parts[part].text + ": " + WORDS[app.truth[part].at(app.place)]);
  const title = [data.title, data.formula + " " + data.verdict].filter(line => line.trim());
  return [...title, ...steps, "cut " + app.cutText(), ...truth].join("\n") + "\n";
}

// mermaidOf writes the walk up to the cut as a sequence diagram. An arrow stands where its
// message is received; one that is under way at the cut is lost.
function mermaidOf(app) {
  const { model, cut } = app, name = e => "P" + model.process[e], lines = [];
  const plain = text => text.replace(/[#;:<>{}\n\r]/g, c => "#" + c.charCodeAt(0) + ";");
  const events = app.events(), lost = model.transit(cut).filter(m => m.from >= 0 && m.to >= 0);
  for (const e of events) {
    for (const m of model.received(e)) if (m.from >= 0) lines.push(name(m.from) + "->>" + name(e) + ": " + plain(m.name));
    const changes = model.changes(e);
    if (changes.length) lines.push("Note over " + name(e) + ": " + plain(changes.join(", ").replaceAll(": ", " is ")));
  }
  for (const m of lost) lines.push(name(m.from) + "-x" + name(m.to) + ": " + plain(m.name));
  const shown = new Set(events.concat(lost.flatMap(m => [m.from, m.to])).map(e => model.process[e]));
  const participants = [...shown].sort((p, q) => p - q).map(p => "participant P" + p + " as " + plain(model.processes[p].name));
  return ["sequenceDiagram", ...participants, ...lines].join("\n    ") + "\n";
}

// goOf writes a Go test that records the walk up to the cut and checks the formula on what
// it recorded.
function goOf(app) {
  const { model, cut, data: { formula } } = app, quote = text => JSON.stringify(text), events = app.events(), out = [];
  const isGo = value => /^-?\d+(\.\d+)?(e[-+]?\d+)?$|^true$|^false$|^"/.test(value);
  const set = (v, value) => "record.Set(" + quote(v.name) + ", " + (isGo(value) ? value : quote(value)) + ")";
  for (const p of [...new Set(events.map(e => model.process[e]))].sort((p, q) => p - q)) {
    const start = model.variablesOf[p].map(v => set(v, model.value(v, model.least())));
    out.push("p" + p + " := rec.Process(" + [quote(model.processes[p].name), ...start].join(", ") + ")");
  }
  const sent = events.flatMap(e => model.sent(e)).filter(m => m.to >= 0 && model.has(cut, m.to));
  const tokens = new Map(sent.map((m, i) => [m, "m" + i]));
  if (tokens.size) out.push("var " + [...tokens.values()].join(", ") + " record.Token");
  for (const e of events) {
    const receives = model.received(e).filter(m => tokens.has(m)).map(m => "record.Receives(" + tokens.get(m) + ")");
    const sends = model.sent(e).filter(m => tokens.has(m)).map(m => "record.Sends(&" + tokens.get(m) + ", " + quote(model.receiver(m)) + ")");
    const sets = model.assigns(e).filter(([v]) => v.process >= 0).map(([v, i]) => set(v, model.assigned(v, i)));
    out.push("p" + model.process[e] + ".Event(" + ["record.ID(" + quote(model.name(e)) + ")", ...receives, ...sends, ...sets].join(", ") + ")");
  }
  if (formula) out.push("potatest.Check(t, rec, " + quote(formula) + ")");
  return 'package run_test\n\nimport (\n\t"testing"\n\n\t"github.com/pota-project/pota/graphs/record"\n\t"github.com/pota-project/pota/rctl/potatest"\n)\n\n' +
    "func TestRun(t *testing.T) {\n\trec := potatest.Record(t)\n\t" + out.join("\n\t") + "\n}\n";
}
