// Exports: a link, the walk as Mermaid or as a Go test, and the view.

// takes returns the exports: for each, the text of its button and its action.
function takes(app) {
  const { canvas } = app.diagram, show = (title, textOf) => () => {
    byId("text").value = textOf(app);
    showDialog(title, "text");
  };
  const copy = blob => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })])
    .then(() => say("The picture is copied."), error => say("It cannot be copied: " + error.message));
  return {
    link: ["Link", show("Link to what you see", () => app.address())],
    mermaid: ["Run as Mermaid", show("The run to this cut, as Mermaid", mermaidOf)],
    go: ["Run as Go test (potatest)", show("The run to this cut, as a Go test", goOf)],
    svg: ["View as SVG", show("The view, as SVG", () => app.diagram.svg())],
    png: ["Copy view as PNG", () => canvas.toBlob(copy)],
  };
}

// mermaidOf writes the walk up to the cut as a sequence diagram. An arrow is at the receive of its
// message. A message in transit at the cut is shown as lost.
function mermaidOf(app) {
  const { model } = app, events = app.events(), name = e => "P" + model.process[e], lines = [];
  const plain = text => text.replace(/[#;:<>{}\n\r]/g, c => `#${c.charCodeAt(0)};`);
  for (const e of events) {
    for (const m of model.received(e)) if (m.from >= 0) lines.push(`${name(m.from)}->>${name(e)}: ${plain(m.name)}`);
    const changes = model.changes(e).join(", ").replaceAll(": ", " is ");
    if (changes) lines.push(`Note over ${name(e)}: ${plain(changes)}`);
  }
  const lost = model.transit(app.cut).filter(m => m.from >= 0 && m.to >= 0);
  for (const m of lost) lines.push(`${name(m.from)}-x${name(m.to)}: ${plain(m.name)}`);
  const shown = processesOf(model, [...events, ...lost.flatMap(m => [m.from, m.to])]);
  const participants = shown.map(p => `participant P${p} as ${plain(model.processes[p].name)}`);
  return ["sequenceDiagram", ...participants, ...lines].join("\n    ") + "\n";
}

// processesOf returns the processes of some events, in order.
function processesOf(model, events) { return [...new Set(events.map(e => model.process[e]))].sort((p, q) => p - q); }

const GO_TEST = `package run_test

import (
	"testing"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl/potatest"
)

func TestRun(t *testing.T) {
	rec := potatest.Record(t)
`;

// goOf writes a Go test that records the walk up to the cut and checks the formula on the
// recording.
function goOf(app) {
  const { model, cut, data: { formula } } = app, quote = text => JSON.stringify(text);
  const events = app.events(), out = [];
  const isGo = value => /^-?\d+(\.\d+)?(e[-+]?\d+)?$|^true$|^false$|^"/.test(value);
  const set = (v, value) => `record.Set(${quote(v.name)}, ${isGo(value) ? value : quote(value)})`;
  for (const p of processesOf(model, events)) {
    const start = model.variablesOf[p].map(v => set(v, model.value(v, model.least())));
    out.push(`p${p} := rec.Process(${[quote(model.processes[p].name), ...start].join(", ")})`);
  }
  const sent = events.flatMap(e => model.sent(e)).filter(m => m.to >= 0 && model.has(cut, m.to));
  const tokens = new Map(sent.map((m, i) => [m, "m" + i])), isSent = m => tokens.has(m);
  if (tokens.size) out.push(`var ${[...tokens.values()].join(", ")} record.Token`);
  for (const e of events) {
    const options = [
      `record.ID(${quote(model.name(e))})`,
      ...model.received(e).filter(isSent).map(m => `record.Receives(${tokens.get(m)})`),
      ...model.sent(e).filter(isSent).map(m => `record.Sends(&${tokens.get(m)}, ${quote(model.receiver(m))})`),
      ...model.assigns(e).filter(([v]) => v.process >= 0).map(([v, i]) => set(v, model.assigned(v, i))),
    ];
    out.push(`p${model.process[e]}.Event(${options.join(", ")})`);
  }
  if (formula) out.push(`potatest.Check(t, rec, ${quote(formula)})`);
  return GO_TEST + out.map(line => "\t" + line + "\n").join("") + "}\n";
}
