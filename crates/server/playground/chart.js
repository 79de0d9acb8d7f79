// Time of the mask and time of the model for each token, on a logarithmic axis.

import { time } from "./chips.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 190;
const EDGE = { left: 46, right: 8, top: 8, bottom: 22 };

function svg(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(sorted.length / 2)] : 0;
}

export function draw(place, words, tokens) {
  const asked = tokens.map((token, index) => ({ ...token, index })).filter((token) => token.mask_us !== undefined);
  if (asked.length === 0) {
    place.replaceChildren();
    words.textContent = "Nothing was measured yet.";
    return;
  }
  const WIDTH = Math.max(280, place.clientWidth);
  const times = asked.flatMap((token) => [Math.max(token.mask_us, 0.1), token.model_us]);
  const low = Math.floor(Math.log10(Math.min(...times, 1)));
  const high = Math.ceil(Math.log10(Math.max(...times, 1e4)));
  const x = (index) => EDGE.left + ((index + 0.5) / tokens.length) * (WIDTH - EDGE.left - EDGE.right);
  const y = (us) => {
    const part = (Math.log10(Math.max(us, 0.1)) - low) / (high - low);
    return HEIGHT - EDGE.bottom - part * (HEIGHT - EDGE.top - EDGE.bottom);
  };
  const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": "chart-title chart-words" });
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power);
    root.append(svg("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: at, y2: at }));
    root.append(svg("text", { x: EDGE.left - 6, y: at + 4, "text-anchor": "end" }, axis(power)));
  }
  for (const [index, token] of tokens.entries()) {
    if (token.mask_us !== undefined) continue;
    root.append(svg("rect", { class: "jump", x: x(index) - 2, y: HEIGHT - EDGE.bottom + 4, width: 4, height: 4, rx: 1 }));
  }
  for (const [kind, field] of [["model-time", "model_us"], ["mask", "mask_us"]]) {
    const points = asked.map((token) => `${x(token.index).toFixed(1)},${y(token[field]).toFixed(1)}`);
    root.append(svg("polyline", { class: `line ${kind}`, points: points.join(" ") }));
    for (const point of points) {
      const [cx, cy] = point.split(",");
      root.append(svg("circle", { class: kind, cx, cy, r: asked.length > 120 ? 1.5 : 2.4 }));
    }
  }
  place.replaceChildren(root);
  const [mask, model] = [median(asked.map((t) => t.mask_us)), median(asked.map((t) => t.model_us))];
  const share = ((100 * mask) / Math.max(model, 1e-9)).toPrecision(2);
  const jumped = tokens.length - asked.length;
  words.textContent =
    `Half of the masks took less than ${time(mask)}, half of the model's rounds less than ${time(model)}: ${share}\u00a0%.` +
    (jumped ? ` ${jumped} forced tokens (the small squares) took neither.` : "");
}

function axis(power) {
  const labels = { "-1": "0.1 µs", 0: "1 µs", 1: "10 µs", 2: "100 µs", 3: "1 ms", 4: "10 ms", 5: "100 ms", 6: "1 s", 7: "10 s", 8: "100 s" };
  return labels[power] ?? `10^${power} µs`;
}
