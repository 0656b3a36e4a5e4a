// What people take away: a link, the walk as text, as Mermaid and as a Go test.

// textOf writes the steps of the walk up to the cut, one a line.
function textOf(app) {
  const { model } = app, lines = [app.data.title, app.data.formula + " " + app.data.verdict].filter(line => line.trim());
  app.taken().forEach((step, i) => {
    for (const e of model.step(step)) lines.push(String(i + 1).padStart(6) + "  " + model.tell(e));
  });
  lines.push("cut " + app.cutText());
  for (const { part } of app.rows) if (part !== undefined) lines.push("    " + app.data.parts[part].text + ": " + WORDS[app.truth[part].at(app.place)]);
  return lines.join("\n") + "\n";
}

// mermaidOf writes the walk up to the cut as a sequence diagram. An arrow stands where its
// message is received; one that is under way at the cut is lost.
function mermaidOf(app) {
  const { model, cut } = app, out = ["sequenceDiagram"], shown = new Set();
  const plain = text => text.replace(/[#;:<>{}\n\r]/g, c => "#" + c.charCodeAt(0) + ";");
  const line = [];
  for (const step of app.taken()) {
    for (const e of model.step(step)) {
      const p = model.process[e];
      shown.add(p);
      for (const m of model.received(e)) {
        if (m.from >= 0) line.push("P" + model.process[m.from] + "->>P" + p + ": " + plain(m.name));
      }
      const changes = model.changes(e);
      if (changes.length) line.push("Note over P" + p + ": " + plain(changes.join(", ").replaceAll(": ", " is ")));
    }
  }
  for (const m of model.transit(cut)) {
    if (m.from >= 0 && m.to >= 0) {
      shown.add(model.process[m.from]).add(model.process[m.to]);
      line.push("P" + model.process[m.from] + "-xP" + model.process[m.to] + ": " + plain(m.name));
    }
  }
  for (const p of [...shown].sort((a, b) => a - b)) out.push("participant P" + p + " as " + plain(model.processes[p].name));
  return out.concat(line).join("\n    ") + "\n";
}

// goOf writes a Go test that records the walk up to the cut and checks the formula on what
// it recorded.
function goOf(app) {
  const { model, cut } = app, quote = text => JSON.stringify(text), taken = app.taken();
  const members = new Set(taken.flatMap(step => model.step(step).map(e => model.process[e])));
  const set = (v, value) => "record.Set(" + quote(v.name) + ", " + (/^-?\d+(\.\d+)?(e[-+]?\d+)?$|^true$|^false$|^"/.test(value) ? value : quote(value)) + ")";
  const out = [];
  for (const p of [...members].sort((a, b) => a - b)) {
    const start = model.variablesOf[p].map(v => ", " + set(v, model.value(v, model.least()))).join("");
    out.push("p" + p + " := rec.Process(" + quote(model.processes[p].name) + start + ")");
  }
  const tokens = new Map(), sent = new Map(), token = m => {
    if (!tokens.has(m)) tokens.set(m, "m" + tokens.size);
    return tokens.get(m);
  };
  for (const step of taken) {
    for (const e of model.step(step)) for (const m of model.sent(e)) {
      if (m.to >= 0 && model.has(cut, m.to)) sent.set(m, token(m));
    }
  }
  if (tokens.size) out.push("var " + [...tokens.values()].join(", ") + " record.Token");
  for (const step of taken) {
    for (const e of model.step(step)) {
      const actions = ["record.ID(" + quote(model.name(e)) + ")"];
      for (const m of model.received(e)) if (sent.has(m)) actions.push("record.Receives(" + token(m) + ")");
      for (const m of model.sent(e)) if (sent.has(m)) actions.push("record.Sends(&" + token(m) + ", " + quote(model.receiver(m)) + ")");
      for (const [v, i] of model.assigns(e)) if (v.process >= 0) actions.push(set(v, model.assigned(v, i)));
      out.push("p" + model.process[e] + ".Event(" + actions.join(", ") + ")");
    }
  }
  if (app.data.formula) out.push("potatest.Check(t, rec, " + quote(app.data.formula) + ")");
  return 'package run_test\n\nimport (\n\t"testing"\n\n\t"github.com/pota-project/pota/graphs/record"\n\t"github.com/pota-project/pota/rctl/potatest"\n)\n\n' +
    "func TestRun(t *testing.T) {\n\trec := potatest.Record(t)\n\t" + out.join("\n\t") + "\n}\n";
}

// save offers a file for download.
function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
