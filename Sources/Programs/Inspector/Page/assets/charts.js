// Values that are pinned, drawn over the actions that changed them.

import { byId, drawing, element, paced } from "./dom.js";
import { Decimal } from "./door.js";
import { grouped, safe, valueText } from "./format.js";
import { isMovedBy, isWithin } from "./filter.js";

const most = 400;
// The characters of a text that are read, more than are shown; a list is read for its count.
const shown = 80;

const isNumber = (value) => Number.isFinite(value) || typeof value === "bigint" || value instanceof Decimal;

/** How far a value stands between two others that are not the same, from 0 to 1: without overflow, and of integers exactly. */
function fraction(at, low, high) {
  const values = [at, low, high];
  if (values.some((value) => typeof value === "bigint") && values.every((value) => typeof value === "bigint" || Number.isInteger(value))) {
    return Number(BigInt(at) - BigInt(low)) / Number(BigInt(high) - BigInt(low));
  }
  const [from, to] = [Number(low), Number(high)];
  const unit = Math.max(Math.abs(from), Math.abs(to));
  // Two that are nearly the same may be the same in units.
  return (Number(at) / unit - from / unit) / (to / unit - from / unit || 1);
}

/** The number that a value is drawn as; of a list its length is drawn. */
function numberOf(value) {
  if (isNumber(value)) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (Array.isArray(value)) return value.length;
  return null;
}

export function showCharts({ store, door, visit }) {
  const box = byId("pins");
  const charts = new Map();

  class Chart {
    points = [];
    // Those that are numbers, and the numbers of actions between which they are drawn.
    known = [];
    span = [0, 0];
    summary = "";
    // The value at the point that is looked at, as text.
    past = "…";
    value = null;
    isList = false;

    constructor(path) {
      this.path = path;
      this.now = element("code", { class: "strong" });
      this.range = element("span", { class: "soft number" });
      this.svg = drawing("svg", { viewBox: "0 0 400 48", preserveAspectRatio: "none", role: "slider", tabindex: "0" });
      this.svg.addEventListener("pointermove", (event) => this.tell(this.under(event)));
      this.svg.addEventListener("pointerleave", () => this.tell(null));
      this.svg.addEventListener("click", (event) => {
        const point = this.under(event);
        if (point) visit(point[0]);
      });
      this.svg.addEventListener("keydown", (event) => {
        const point = this.beside({ ArrowLeft: -1, ArrowRight: 1 }[event.key]);
        if (!point) return;
        event.preventDefault();
        visit(point[0]);
      });
      this.element = element("div", { class: "pinned-chart" },
        element("code", { textContent: safe(path), title: safe(path) }), this.now,
        element("button", {
          type: "button", class: "quiet", textContent: "unpin", "aria-label": `Unpin ${safe(path)}`,
          onclick: () => store.dispatch({ type: "unpin", path }),
        }), this.svg, this.range);
      this.again = paced(500, () => this.load());
      this.readSoon = paced(100, () => this.readPast());
      this.load();
    }

    async load() {
      try {
        const [{ value, count }, { entries }] = await Promise.all([
          door.ask({ read: this.path, count: shown }),
          door.ask({ log: 1, changed: this.path, newest: true, count: most }),
        ]);
        this.isList = count !== undefined && typeof value === "object";
        this.value = this.isList ? count : value;
        this.points = [];
        let at = this.isList ? count : numberOf(value);
        for (const entry of entries) {
          at ??= this.behind(entry);
          this.points.push([entry.id, at]);
          for (const change of [...entry.changes].reverse()) at = this.before(change, at);
        }
        this.points.push([entries.length ? entries[entries.length - 1].id - 1 : 0, at]);
        this.points.reverse();
      } catch (error) {
        if (error.code === "lost") return;
        this.points = [];
        this.value = undefined;
        this.error = error.message;
      }
      this.draw();
      this.readSoon();
    }

    /** The last change at or before the pointer; undefined: there is none. */
    under({ clientX }) {
      const box = this.svg.getBoundingClientRect();
      const [first, last] = this.span;
      const number = first + (last - first) * (clientX - box.x + 1) / box.width;
      return this.known.findLast(([changed]) => changed <= number);
    }

    /** The change before or behind the point that is looked at. */
    beside(step) {
      const at = store.state.look ?? this.span[1] + 1;
      if (step < 0) return this.known.findLast(([number]) => number < at);
      return step > 0 ? this.known.find(([number]) => number > at) : undefined;
    }

    /** Tells a change and the value behind it; null: the range of all. */
    tell(point) {
      if (this.known.length < 2) return;
      this.range.textContent = point ? `#${grouped(point[0])}: ${grouped(point[1])}` : this.summary;
    }

    /** The value behind an action, as far as its changes tell it. */
    behind({ changes }) {
      const own = changes.find(({ path }) => path === this.path);
      if (!own || own.op === "remove" || changes.some((change) => isMovedBy(this.path, change))) return null;
      return this.isList ? own.to?.length ?? null : numberOf(own.to);
    }

    /** The value before a change, from the value behind it. */
    before(change, at) {
      if (change.path === this.path) {
        return change.op === "add" ? null : this.isList ? change.from?.length ?? null : numberOf(change.from);
      }
      // A change around the path, or one that moved what stands there, does not tell what stood there.
      if (isWithin(this.path, change.path) || isMovedBy(this.path, change)) return null;
      if (!this.isList || !isWithin(change.path, this.path)) return at;
      const isElement = /^(\[[^\]]*\]|\.\w+)$/.test(change.path.slice(this.path.length));
      if (!isElement || change.op === "replace") return at;
      return change.op === "add" ? at - 1 : at + 1;
    }

    text(value, isList) { return isList ? `${grouped(value)} elements` : valueText(value, 60); }

    /** The number at a point, as far as the changes tell it. */
    numberAt(look) {
      const at = this.points.findLast(([number]) => number <= look)?.[1];
      return isNumber(at) && isNumber(this.value) ? at : undefined;
    }

    /** Reads the value at the point that is looked at, if the changes do not tell it. */
    async readPast() {
      const { look } = store.state;
      if (look === null || this.numberAt(look) !== undefined) return;
      let text;
      try {
        const { value, count } = await door.ask({ read: this.path, at: look, count: shown });
        const isList = count !== undefined && typeof value === "object";
        text = this.text(isList ? count : value, isList);
      } catch (error) {
        text = `⚠ ${safe(error.message)}`;
      }
      if (store.state.look !== look) return;
      this.past = text;
      this.draw();
    }

    draw() {
      const { look } = store.state;
      // The value at the point that is looked at, as far back as the points go.
      const past = look === null ? undefined : this.numberAt(look);
      this.now.textContent = look !== null && past === undefined ? this.past
        : this.value === undefined ? `⚠ ${safe(this.error)}` : this.text(past ?? this.value, this.isList);
      const known = this.known = this.points.filter(([, at]) => isNumber(at));
      const text = known.length === 0 ? "only numbers and lengths are drawn" : known.length < 2 ? "no change that is kept" : "";
      this.svg.setAttribute("aria-label", text || `${this.path} over actions #${known[0][0]} to #${known[known.length - 1][0]}`);
      this.range.textContent = text;
      this.svg.replaceChildren();
      this.svg.classList.toggle("none", text !== "");
      if (text) return;
      const last = Math.max(known[known.length - 1][0], store.state.log.head);
      const [first] = known[0];
      this.span = [first, last];
      const values = known.map(([, at]) => at instanceof Decimal ? Number(at) : at);
      const low = values.reduce((least, at) => at < least ? at : least);
      const high = values.reduce((most, at) => at > most ? at : most);
      const x = (number) => 400 * (number - first) / Math.max(1, last - first);
      const y = (at) => high === low ? 24 : 45 - 42 * fraction(at, low, high);
      // A line ends where the value is not known.
      let [line, area, piece, start] = ["", "", "", 0];
      const end = (right) => {
        if (!piece) return;
        line += `${piece}H${right}`;
        area += `${piece}H${right}V48H${start}Z`;
        piece = "";
      };
      for (const [number, at] of this.points) {
        const here = x(number).toFixed(1);
        if (!isNumber(at)) end(here);
        else if (piece) piece += `H${here}V${y(at).toFixed(1)}`;
        else [start, piece] = [here, `M${here} ${y(at).toFixed(1)}`];
      }
      end(400);
      this.svg.append(drawing("path", { class: "area", d: area }), drawing("path", { class: "line", d: line }));
      if (look !== null && look >= first) {
        this.svg.append(drawing("line", { class: "here", x1: x(look), x2: x(look), y1: 0, y2: 48 }));
      }
      this.summary = `from ${grouped(low)} to ${grouped(high)} since #${grouped(first)}`;
      this.tell(null);
      const [number, at] = (look === null ? null : known.findLast(([number]) => number <= look)) ?? known[known.length - 1];
      this.svg.setAttribute("aria-valuemin", first);
      this.svg.setAttribute("aria-valuemax", last);
      this.svg.setAttribute("aria-valuenow", number);
      this.svg.setAttribute("aria-valuetext", `#${number}: ${at}`);
    }
  }

  store.watch((state) => state.pins, (pins) => {
    for (const [path, chart] of charts) {
      if (pins.some((pin) => pin.path === path)) continue;
      chart.element.remove();
      charts.delete(path);
    }
    for (const { path } of pins) {
      if (charts.has(path)) continue;
      const chart = new Chart(path);
      charts.set(path, chart);
      box.append(chart.element);
    }
  });
  store.watch((state) => state.look, () => charts.forEach((chart) => {
    chart.past = "…";
    chart.draw();
    chart.readSoon();
  }));

  return {
    refresh(paths) {
      for (const chart of charts.values()) {
        const concerns = !paths || paths.some((path) => isWithin(path, chart.path) || isWithin(chart.path, path));
        if (concerns) chart.again();
      }
    },
  };
}
