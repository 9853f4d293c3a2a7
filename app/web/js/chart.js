// Line charts in SVG: a few series over iterations, a band where a series has an error, values under the pointer.
import { h, replace, svg } from "./dom.js";

const kMargin = { left: 54, right: 14, top: 14, bottom: 28 };

// Round numbers that cover a range, about `wanted` of them.
export function ticks(low, high, wanted) {
  const span = high - low || Math.abs(high) || 1, raw = span / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const first = Math.ceil(low / step - 1e-9) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, index) => Number((first + index * step).toPrecision(12)));
}

export const compact = (value) => {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return size > 0 && size < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
};

export class Chart {
  // format(value) -> text
  constructor({ title, note = "", format = compact, zero = false, xName = "iteration" }) {
    Object.assign(this, { title, format, zero, xName, series: [] });
    this.plot = h("div", { class: "plot" });
    this.legend = h("p", { class: "legend" });
    this.element = h("figure", { class: "chart" }, h("figcaption", {}, h("h3", {}, title), note && h("span", { class: "quiet" }, note), this.legend), this.plot);
    new ResizeObserver(() => this.#draw()).observe(this.plot);
    this.plot.addEventListener("pointermove", (event) => this.#point(event.offsetX));
    this.plot.addEventListener("pointerleave", () => this.#point(null));
  }

  // series: [{name, points: [[x, y, error?], ...]}]
  show(series) {
    this.series = series;
    this.#draw();
  }

  #draw() {
    const width = Math.round(this.plot.clientWidth);
    this.height = this.plot.clientHeight;
    if (!width || !this.series.length) return;
    const points = this.series.flatMap((entry) => entry.points), xs = points.map(([x]) => x);
    const lows = points.map(([, y, error]) => y - (error ?? 0)), highs = points.map(([, y, error]) => y + (error ?? 0));
    let [low, high] = [Math.min(...lows), Math.max(...highs)];
    if (this.zero) low = Math.min(low, 0);
    const pad = (high - low || Math.abs(high) || 1) * 0.06;
    [low, high] = [this.zero && low === 0 ? 0 : low - pad, high + pad];
    const [first, last] = [Math.min(...xs), Math.max(...xs)], { left, right, top, bottom } = kMargin;
    this.x = (value) => (last === first ? (left + width - right) / 2 : left + ((value - first) / (last - first)) * (width - left - right));
    this.y = (value) => this.height - bottom - ((value - low) / (high - low)) * (this.height - top - bottom);
    const grid = svg("g", { class: "grid" }), labels = svg("g", { class: "axis" });
    for (const value of ticks(low, high, 4)) {
      grid.append(svg("line", { x1: left, x2: width - right, y1: this.y(value), y2: this.y(value) }));
      labels.append(svg("text", { x: left - 8, y: this.y(value) + 4, "text-anchor": "end" }, this.format(value)));
    }
    for (const value of ticks(first, last, Math.max(3, Math.floor(width / 90))).filter(Number.isInteger)) {
      labels.append(svg("text", { x: this.x(value), y: this.height - 8, "text-anchor": "middle" }, compact(value)));
    }
    this.cursor = svg("g", { class: "cursor" });
    const drawn = svg("svg", { viewBox: `0 0 ${width} ${this.height}`, role: "img", "aria-label": this.#summary() }, grid, labels, this.series.map((entry, index) => this.#line(entry, index)), this.cursor);
    replace(this.plot, drawn);
    this.#point(null);
  }

  #line({ points }, index) {
    const group = svg("g", { class: `series series-${index}` }), at = ([x, y]) => `${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`;
    const sure = points.filter(([, , error]) => error !== undefined && error !== null);
    if (sure.length > 1) {
      const edge = (sign) => sure.map(([x, y, error]) => at([x, y + sign * error]));
      group.append(svg("path", { class: "band", d: `M${edge(1).join("L")}L${edge(-1).reverse().join("L")}Z` }));
    }
    group.append(svg("path", { class: "curve", d: `M${points.map(at).join("L")}` }));
    if (points.length < 40) group.append(...points.map((point) => svg("circle", { cx: this.x(point[0]), cy: this.y(point[1]), r: 2.6 })));
    return group;
  }

  #value([, y, error]) {
    return this.format(y) + (error !== undefined && error !== null ? ` ± ${this.format(error)}` : "");
  }

  #summary() {
    return `${this.title}: ${this.series.map((entry) => `${entry.name} ${this.#value(entry.points.at(-1))} at ${this.xName} ${entry.points.at(-1)[0]}`).join("; ")}`;
  }

  // The values at a place under the pointer, or the newest ones.
  #point(offset) {
    if (!this.cursor) return;
    const nearest = (points) => (offset === null ? points.at(-1) : points.reduce((best, point) => (Math.abs(this.x(point[0]) - offset) < Math.abs(this.x(best[0]) - offset) ? point : best)));
    const chosen = this.series.map(({ points }) => nearest(points));
    replace(this.legend, this.series.map((entry, index) => h("span", { class: `key series-${index}` }, h("i", { "aria-hidden": "true" }), `${entry.name} `, h("b", {}, this.#value(chosen[index])))),
      offset !== null && h("span", { class: "quiet" }, `${this.xName} ${chosen[0][0]}`));
    replace(this.cursor, offset !== null && [
      svg("line", { x1: this.x(chosen[0][0]), x2: this.x(chosen[0][0]), y1: kMargin.top, y2: this.height - kMargin.bottom }),
      chosen.map((point, index) => svg("circle", { class: `series-${index}`, cx: this.x(point[0]), cy: this.y(point[1]), r: 4 }))]);
  }
}
