// Pens draw lines, boxes, circles and texts, on a canvas or as SVG.
//
// They get the colours of the style sheet, so that a picture looks like the page. The colour null
// draws nothing.

const FONT = "'DejaVu Sans', Helvetica, Arial, sans-serif";
const HALO = 3; // around texts, so that lines behind them do not touch letters

const INKS = "paper text strong faint line lane event done message other added out fold cut " +
  "frontier enabled marked wrong yes no unknown";

// colours returns the colours of the style sheet, which depend on the colour scheme of the user.
function colours() {
  if (colours.ink) return colours.ink;
  const style = getComputedStyle(document.documentElement);
  const get = name => style.getPropertyValue("--" + name).trim();
  colours.ink = Object.fromEntries(INKS.split(" ").map(name => [name, get(name)]));
  colours.ink.values = [0, 1, 2, 3, 4, 5, 6, 7].map(i => get("value" + i));
  return colours.ink;
}

const ruler = document.createElement("canvas").getContext("2d"), widths = new Map();

// widthOf returns the width of a text in pixels.
function widthOf(text, size) {
  const key = size + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    ruler.font = size + "px " + FONT;
    widths.set(key, width = ruler.measureText(text).width);
  }
  return width;
}

// shortened cuts a text to a width in pixels, by O(log length) measurements.
function shortened(text, width, size) {
  const start = text.slice(0, 300);
  if (start === text && widthOf(text, size) <= width) return text;
  const letters = Array.from(start), first = n => letters.slice(0, n).join("");
  const most = firstWith(0, letters.length, n => widthOf(first(n + 1) + "…", size) > width);
  return most > 0 ? first(most).trimEnd() + "…" : "";
}

// A Pen draws its shapes by lines, boxes and circles.
class Pen {
  cross(x, y, radius, colour) {
    const r = radius * 0.7;
    this.line([[x - r, y - r], [x + r, y + r]], colour, 2);
    this.line([[x - r, y + r], [x + r, y - r]], colour, 2);
  }

  diamond(x, y, r, colour) {
    this.line([[x - r, y], [x, y - r], [x + r, y], [x, y + r], [x - r, y]], colour, 2);
  }

  arrow(x1, y1, x2, y2, colour, width, dashed, inset) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length;
    const dy = (y2 - y1) / length;
    const [x, y] = [x2 - dx * inset, y2 - dy * inset];
    this.line([[x1 + dx * inset, y1 + dy * inset], [x, y]], colour, width, dashed);
    const barb = side => [x - 6 * dx + side * 3 * dy, y - 6 * dy - side * 3 * dx];
    this.line([barb(1), [x, y], barb(-1)], colour, width);
  }
}

class CanvasPen extends Pen {
  // The constructor sets the size of the canvas, in pixels of the page, and clears the canvas.
  constructor(canvas, width, height) {
    super();
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [width, height].map(size => Math.round(size * ratio));
    this.c = canvas.getContext("2d");
    if (canvas.width !== w || canvas.height !== h) {
      Object.assign(canvas, { width: w, height: h });
      Object.assign(canvas.style, { width: width + "px", height: height + "px" });
    }
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.c.clearRect(0, 0, width, height);
    this.c.lineJoin = "round";
  }

  line(points, colour, width, dashed) {
    this.c.setLineDash(dashed ? [4, 3] : []);
    this.c.beginPath();
    points.forEach(([x, y]) => this.c.lineTo(x, y));
    this.stroke(colour, width);
    this.c.setLineDash([]);
  }

  stroke(colour, width) {
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.stroke();
  }

  box(x, y, width, height, fill, edge, line = 1.5) {
    this.c.beginPath();
    this.c.rect(x, y, width, height);
    this.shape(fill, edge, line);
  }

  circle(x, y, radius, fill, edge, width = 1.5) {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.shape(fill, edge, width);
  }

  shape(fill, edge, width) {
    this.c.fillStyle = fill;
    if (fill) this.c.fill();
    if (edge) this.stroke(edge, width);
  }

  // text draws a text from x on, with its middle at the height y.
  text(x, y, text, colour, size, halo) {
    this.c.font = size + "px " + FONT;
    if (halo) {
      this.c.strokeStyle = halo;
      this.c.lineWidth = HALO;
      this.c.strokeText(text, x, y + size * 0.36);
    }
    this.c.fillStyle = colour;
    this.c.fillText(text, x, y + size * 0.36);
  }
}

class SVGPen extends Pen {
  marks = [];

  // mark adds an element with attributes.
  mark(name, attributes, text = "") {
    const write = value => typeof value === "number" ? round(value) : escaped(value);
    const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${write(value)}"`);
    this.marks.push(`<${name}${written.join("")}>${escaped(text)}</${name}>`);
  }

  line(points, stroke, width, dashed) {
    const dashes = dashed ? { "stroke-dasharray": "4 3" } : {};
    const at = points.map(p => p.map(round).join()).join(" ");
    this.mark("polyline", { points: at, fill: "none", stroke, "stroke-width": width, ...dashes });
  }

  box(x, y, width, height, fill, edge, line) {
    this.shape("rect", { x, y, width: Math.max(width, 0), height }, fill, edge, line);
  }

  circle(cx, cy, r, fill, edge, width) { this.shape("circle", { cx, cy, r }, fill, edge, width); }

  shape(name, attributes, fill, edge, width = 1.5) {
    this.mark(name, { ...attributes, fill: fill || "none", stroke: edge || "none", "stroke-width": width });
  }

  text(x, y, text, fill, size, halo) {
    const behind = halo ? { stroke: halo, "stroke-width": HALO, "paint-order": "stroke" } : {};
    this.mark("text", { x, y: y + size * 0.36, "font-size": size, fill, ...behind }, text);
  }

  document(width, height, title) {
    const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    const marks = [`<title>${escaped(title)}</title>`, ...this.marks].join("\n");
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(FONT)}">\n${marks}\n</svg>\n`;
  }
}

function round(x) { return Math.round(x * 10) / 10; }
function escaped(text) { return text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`); }

// A Turned pen draws with another pen and exchanges x and y, because time goes down on a narrow
// page. Texts stay upright, so their positions are turned by the caller.
class Turned extends Pen {
  constructor(pen) {
    super();
    this.pen = pen;
  }

  line(points, ...rest) { this.pen.line(points.map(([x, y]) => [y, x]), ...rest); }
  box(x, y, width, height, ...rest) { this.pen.box(y, x, height, width, ...rest); }
  circle(x, y, ...rest) { this.pen.circle(y, x, ...rest); }
}

const CELL = 40; // the size of a cell of the grid in which boxes are looked up
const SIDES = ["right", "left", "above", "below"]; // of a point

// Labels are drawn after everything else, the most important ones first. Each goes beside its
// point, where it overlaps neither a node nor another label. It is shortened if it has to be, or
// left out.
class Labels {
  constructor(width, height) {
    Object.assign(this, { width, height, cells: new Map(), wishes: [] });
  }

  // cellsOf yields the cells of the grid that a box [x, y, width, height] touches.
  *cellsOf([x, y, width, height]) {
    for (let i = Math.floor(x / CELL); i <= (x + width) / CELL; i++) {
      for (let j = Math.floor(y / CELL); j <= (y + height) / CELL; j++) yield i * 65536 + j;
    }
  }

  // keep reserves a box, so that no label overlaps it.
  keep(box) {
    for (const cell of this.cellsOf(box)) grouped(this.cells, cell, box);
  }

  isFree(box) {
    const [x, y, width, height] = box;
    if (x < 0 || y < 0 || x + width > this.width || y + height > this.height) return false;
    for (const cell of this.cellsOf(box)) {
      const meets = ([a, b, w, h]) => a < x + width && x < a + w && b < y + height && y < b + h;
      if (this.cells.get(cell)?.some(meets)) return false;
    }
    return true;
  }

  // wish requests a text at the distance away from a point, on the first of its sides that is free.
  // Texts with a lower rank are placed first. A text with an end is not shortened, and may be
  // further to the right, but before end.
  wish(text, [x, y], { away = 10, sides = SIDES, rank, colour, most = 240, end = 0 }) {
    if (text) this.wishes.push({ text, x, y, away, sides, rank, colour, most, end });
  }

  draw(pen, halo) {
    for (const wish of this.wishes.sort((a, b) => a.rank - b.rank)) {
      const { x, y, away, colour, end } = wish, size = 11, height = size + 3;
      const full = Math.min(widthOf(wish.text.slice(0, 300), size), wish.most);
      for (const wide of new Set([full, 96, 60, 34].map(most => Math.min(full, most)))) {
        const text = shortened(wish.text, wide, size), width = widthOf(text, size);
        const inside = Math.max(1, Math.min(x - width / 2, this.width - width - 1)); // inside the page
        const top = y - height / 2, right = x + away;
        const at = { above: [inside, y - away - height], below: [inside, y + away], right: [right, top], left: [x - away - width, top] };
        const boxes = text ? wish.sides.map(side => [...at[side], width, height]) : [];
        for (let next = right + 24; next < end - width && boxes.length < 30; next += 24) {
          boxes.push([next, top, width, height]);
        }
        const box = boxes.find(box => this.isFree(box));
        if (!box && end) break;
        if (!box) continue;
        this.keep([box[0] - 2, box[1], width + 4, height]);
        pen.text(box[0], box[1] + height / 2, text, colour, size, halo);
        break;
      }
    }
  }
}
