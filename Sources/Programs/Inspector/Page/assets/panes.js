// The borders between panes: dragged, or moved by arrow keys. A tab keeps its sizes, for three and for four columns apart.

import { byId, element } from "./dom.js";

// The least size of a pane and the step of a key, in pixels.
const least = 160;
const step = 24;

/** @param borders each [id of the pane behind the border, what is sized, whether it is one between rows] */
export function showBorders(borders) {
  const panes = byId("panes");
  const sides = {
    columns: { property: "gridTemplateColumns", start: "left", point: "clientX", keys: { ArrowLeft: -step, ArrowRight: step }, orientation: "vertical" },
    rows: { property: "gridTemplateRows", start: "top", point: "clientY", keys: { ArrowUp: -step, ArrowDown: step }, orientation: "horizontal" },
  };
  const kept = JSON.parse(sessionStorage.getItem("sizes") ?? "{}");
  const lines = [];

  const tracks = (side) => getComputedStyle(panes)[side.property].split(" ").map(parseFloat);
  const nameOf = (side) => `${side.property} of ${tracks(sides.columns).length}`;

  function lay(side, sizes) {
    panes.style[side.property] = sizes ? sizes.map((size) => `minmax(0, ${Math.round(size)}fr)`).join(" ") : "";
    if (sizes) kept[nameOf(side)] = sizes;
    else delete kept[nameOf(side)];
    sessionStorage.setItem("sizes", JSON.stringify(kept));
    lines.forEach((line) => line.tell());
  }

  /** The sizes that the style sheet has hold anew, then those that were chosen for so many columns. */
  function restore() {
    for (const side of Object.values(sides)) panes.style[side.property] = "";
    // To measure before the first rows would lay out the page.
    if (Object.keys(kept).length === 0) return;
    for (const side of Object.values(sides)) {
      const sizes = kept[nameOf(side)];
      if (sizes?.length === tracks(side).length) lay(side, sizes);
    }
  }

  for (const [id, label, isOfRows] of borders) {
    const side = isOfRows ? sides.rows : sides.columns;
    const pane = byId(id);
    const line = element("div", {
      class: `border ${side.orientation}`, role: "separator", tabIndex: 0, "aria-orientation": side.orientation, "aria-label": label,
      "aria-controls": id, "aria-valuenow": 50, title: "Drag, or move by arrow keys; a double click brings the usual sizes back",
    });

    /** The track before the border. */
    function index() {
      const start = pane.getBoundingClientRect()[side.start] - panes.getBoundingClientRect()[side.start];
      let end = 0;
      return tracks(side).findIndex((size) => (end += size) > start - 2);
    }

    function move(sizes, at, distance) {
      if (at < 0 || at + 1 >= sizes.length) return;
      const room = Math.min(least, sizes[at], sizes[at + 1]);
      const by = Math.max(room - sizes[at], Math.min(distance, sizes[at + 1] - room));
      lay(side, sizes.map((size, index) => index === at ? size + by : index === at + 1 ? size - by : size));
    }

    line.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      line.focus();
      line.setPointerCapture(event.pointerId);
      const [from, sizes, at] = [event[side.point], tracks(side), index()];
      const drag = (event) => move(sizes, at, event[side.point] - from);
      line.addEventListener("pointermove", drag);
      line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", drag), { once: true });
    });
    // A drag selects no text.
    line.addEventListener("mousedown", (event) => event.preventDefault());
    line.addEventListener("dblclick", () => lay(side, null));
    line.addEventListener("keydown", (event) => {
      const distance = side.keys[event.key];
      if (!distance || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(tracks(side), index(), distance);
    });
    line.addEventListener("focus", () => line.tell());
    line.tell = () => {
      const [sizes, at] = [tracks(side), index()];
      if (at < 0 || at + 1 >= sizes.length) return;
      line.setAttribute("aria-valuenow", Math.round(100 * sizes[at] / (sizes[at] + sizes[at + 1])));
    };
    lines.push(line);
    pane.append(line);
  }

  for (const width of ["(min-width: 1900px)", "(max-width: 1100px)"]) matchMedia(width).addEventListener("change", restore);
  restore();
}
