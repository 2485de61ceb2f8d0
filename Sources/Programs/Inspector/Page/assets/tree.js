// The state as a tree. Only what is opened and seen is asked for; a list of any length is read by pages.

import { byId, element, setClass, setText } from "./dom.js";
import { cut, grouped, nameText, partText, safe } from "./format.js";
import { isWithin } from "./filter.js";
import { Rows } from "./rows.js";

const page = 100;

/** A node that is open: the number of its parts, and the pages that are there. */
class Node {
  pages = new Map();
  stale = new Set();
  children = new Map();
  count = 0;
  isKnown = false;
  error = "";
  type = "";

  /** @param parent the node that holds it; null: it is the root */
  constructor(path, parent, isWhole = false) {
    this.path = path;
    this.parent = parent;
    // An element that a search has found is opened whole.
    this.isWhole = isWhole;
    this.depth = parent ? parent.depth + 1 : 0;
  }

  part(index) { return this.pages.get(Math.floor(index / page))?.[index % page]; }

  /** The index of a part; -1: it is not there. It is looked for near where it was. */
  index(path, near) {
    if (this.part(near)?.path === path) return near;
    for (const [number, parts] of this.pages) {
      const at = parts.findIndex((part) => part.path === path);
      if (at >= 0) return number * page + at;
    }
    return -1;
  }

  /** The rows before a part, from the root on; -1: this node is open no more. */
  position(index) {
    let at = index;
    for (const child of this.children.values()) if (child.index < index) at += child.node.rows;
    if (!this.parent) return at;
    const own = this.parent.children.get(this.path);
    const before = own?.node === this ? this.parent.position(own.index) : -1;
    return before < 0 ? -1 : before + 1 + at;
  }

  /** The rows below it. */
  get rows() {
    // One that is empty, or not there yet, says so in a row.
    let rows = Math.max(this.count, 1);
    for (const [, child] of this.children) rows += child.node.rows;
    return rows;
  }
}

export function showTree({ store, door, filter }) {
  const list = byId("tree");
  const find = byId("find");
  const point = byId("state-point");
  let root = new Node("", null);
  let text = "";
  // Answers to what was asked before are of another state.
  let loads = 0;
  let asked = 0;
  let isLookDue = false;
  let before = new Map();

  /** The row at a position: a node's part, with the node that holds it. */
  function row(position) {
    let node = root;
    let left = position;
    for (;;) {
      let passed = 0;
      let next = null;
      // Open children in order.
      const open = [...node.children.values()].sort((one, other) => one.index - other.index);
      let index = left;
      for (const child of open) {
        const start = child.index + 1 + passed;
        if (left < start) break;
        const rows = child.node.rows;
        if (left < start + rows) {
          next = { node: child.node, left: left - start };
          break;
        }
        passed += rows;
        index = left - passed;
      }
      if (!next) return { node, index: open.length ? index : left };
      ({ node, left } = next);
    }
  }

  async function load(node, number) {
    const request = { parts: node.path, from: number * page + 1, count: page };
    if (text && !node.isWhole) request.find = text;
    if (store.state.look !== null) request.at = store.state.look;
    node.stale.delete(number);
    const load = loads;
    if (!node.pages.has(number)) node.pages.set(number, []);
    asked += 1;
    try {
      const answer = await door.ask(request);
      if (load !== loads) return;
      node.count = answer.count;
      node.type = answer.type;
      node.isKnown = true;
      node.error = "";
      node.pages.set(number, answer.parts);
      // Elements that have come or gone move those that are open.
      for (const [path, child] of node.children) {
        const at = answer.parts.findIndex((part) => part.path === path);
        if (at >= 0) child.index = number * page + at;
        else if (Math.floor(child.index / page) === number) node.children.delete(path);
      }
    } catch (error) {
      if (load !== loads || error.code === "lost") return;
      // What is shown is of another point.
      node.pages = new Map([[0, []]]);
      node.children.clear();
      node.isKnown = true;
      node.count = 0;
      node.error = error.message;
    } finally {
      asked -= 1;
      if (asked === 0 && isLookDue) follow();
    }
    if (text && !node.isWhole && node.depth < 2 && answerIsSmall(node)) openAll(node);
    rows.draw();
    fit();
  }

  const answerIsSmall = (node) => node.count > 0 && node.count <= 12;

  function openAll(node) {
    for (let index = 0; index < node.count; index++) {
      const part = node.part(index);
      if (part?.opens && !node.children.has(part.path)) open(node, index, part, node.isWhole);
    }
  }

  function open(node, index, part, isWhole) {
    node.children.set(part.path, { index, node: new Node(part.path, node, isWhole) });
    rows.draw();
  }

  function fit() {
    list.setAttribute("aria-busy", String(!root.isKnown));
  }

  const rows = new Rows(list, {
    count: () => root.rows,
    make: () => element("div", { class: "row", role: "treeitem" },
      element("span", { class: "key" }, element("span", { class: "twist", "aria-hidden": "true" }), element("b")),
      element("span", { class: "value" }),
      element("span", { class: "acts" },
        element("button", { type: "button", class: "quiet why", tabIndex: -1, textContent: "changes" }),
        element("button", { type: "button", class: "quiet pin", tabIndex: -1, textContent: "pin" }))),
    draw,
    item: (position) => {
      const { node, index } = row(position);
      const part = node.part(index);
      return part ? { root, node, index, path: part.path } : null;
    },
    place: (item) => {
      if (item.root !== root) return -1;
      const index = item.node.index(item.path, item.index);
      item.index = index < 0 ? item.index : index;
      return index < 0 ? -1 : item.node.position(index);
    },
    open: (position, target) => {
      const { node, index } = row(position);
      const part = node.part(index);
      if (!part) return;
      if (target.closest(".pin")) return pin(part);
      if (target.closest(".why")) return filter(`changed:${part.path}`);
      toggle(position);
    },
    key: (event, position) => {
      if (position < 0) return false;
      const { node, index } = row(position);
      const part = node.part(index);
      const isOpen = part && node.children.has(part.path);
      switch (event.key) {
        case "Enter": case " ": toggle(position); return true;
        case "ArrowRight":
          if (part?.opens && !isOpen) toggle(position);
          else rows.activate(position + 1);
          return true;
        case "ArrowLeft":
          if (isOpen) toggle(position);
          else {
            for (let other = position - 1; other >= 0; other--) {
              if (row(other).node.depth < node.depth) { rows.activate(other); break; }
            }
          }
          return true;
        case "p": if (part) pin(part); return true;
        case "h": if (part) filter(`changed:${part.path}`); return true;
        default: return false;
      }
    },
  });

  function toggle(position) {
    const { node, index } = row(position);
    const part = node.part(index);
    if (!part?.opens) return;
    if (node.children.has(part.path)) {
      node.children.delete(part.path);
      rows.draw();
    } else {
      open(node, index, part, node.isWhole || node.type.startsWith("["));
    }
  }

  function countText({ count, type }) {
    if (count === undefined) return "";
    const [one, several] = type.startsWith("[") ? ["element", "elements"] : ["field", "fields"];
    return `${grouped(count)} ${count === 1 ? one : several}`;
  }

  function pin(part) {
    const isPinned = store.state.pins.some(({ path }) => path === part.path);
    store.dispatch(isPinned ? { type: "unpin", path: part.path } : { type: "pin", path: part.path });
  }

  function draw(line, position) {
    const { node, index } = row(position);
    const [key, value, acts] = line.children;
    const [why, button] = acts.children;
    const [twist, name] = key.children;
    const number = Math.floor(index / page);
    if (!node.pages.has(number) || node.stale.has(number)) load(node, number);
    const part = node.part(index);
    key.style.paddingLeft = `${node.depth * 16}px`;
    line.setAttribute("aria-level", node.depth + 1);
    acts.hidden = !part;
    if (!part) {
      setText(twist, "");
      setText(name, node.error ? "⚠" : node.isKnown && node.count === 0 ? "" : "…");
      setText(value, node.error || (node.isKnown && node.count === 0 ? (text ? "nothing found" : "empty") : ""));
      line.className = line.classList.contains("active") ? "row active" : "row";
      line.removeAttribute("aria-expanded");
      return;
    }
    const isOpen = node.children.has(part.path);
    if (part.opens) line.setAttribute("aria-expanded", String(isOpen));
    else line.removeAttribute("aria-expanded");
    setText(twist, part.opens ? (isOpen ? "▾" : "▸") : "");
    setText(name, nameText(part.name, 200));
    const shown = isOpen ? countText(part) : partText(part);
    setText(value, shown);
    line.title = safe(`${cut(part.path, 300)}: ${part.type}`);
    setClass(line, "plain", !part.opens);
    const isPinned = store.state.pins.some(({ path }) => path === part.path);
    setClass(line, "pinned", isPinned);
    setText(button, isPinned ? "pinned" : "pin");
    button.setAttribute("aria-label", safe(`${isPinned ? "Unpin" : "Pin"} ${part.path}`));
    why.setAttribute("aria-label", safe(`Actions that changed ${part.path}`));
    setClass(line, "changed", before.has(part.path));
  }

  /** Everything is read again; what is shown stays until it has come. */
  function refresh(paths) {
    before = new Map((paths ?? []).map((path) => [path, true]));
    const visit = (node) => {
      const concerns = !paths || paths.some((path) => isWithin(path, node.path) || isWithin(node.path, path));
      if (!concerns) return;
      for (const number of node.pages.keys()) node.stale.add(number);
      for (const { node: child } of node.children.values()) visit(child);
    };
    visit(root);
    rows.draw();
  }

  function restart() {
    loads += 1;
    root = new Node("", null);
    rows.active = -1;
    rows.scrollTo(0);
  }

  let typing = 0;
  find.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      text = find.value.trim();
      restart();
    }, 180);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      list.focus();
      rows.activate(0);
    }
  });

  /** Shows the point that is looked at. While the slider is dragged, one point is asked for at a time, the newest next. */
  function follow() {
    isLookDue = false;
    loads += 1;
    refresh(null);
  }

  store.watch((state) => state.look, (number) => {
    setText(point, number === null ? "now" : `behind #${grouped(number)}, look only`);
    if (asked > 0) isLookDue = true;
    else follow();
  });
  store.watch((state) => state.pins, () => rows.draw());

  return { refresh, restart, focus: () => list.focus() };
}
