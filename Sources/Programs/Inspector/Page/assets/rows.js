// A list of which only what is seen is drawn. The scroll bar stands for any number of rows: where they would be taller than a
// browser can draw, a pixel of it stands for several.

import { inFrame, setClass } from "./dom.js";

const tallest = 8_000_000;

export class Rows {
  #scroller;
  #sheet;
  #rowHeight = 24;
  #count = () => 0;
  #draw;
  #make;
  #pool = [];
  #isDue = false;
  // The first row that is seen, with a fraction; the scroll bar follows it.
  #top = 0;
  #lastScroll = 0;
  // The row on which the pointer was pressed, with the place; rows may move before it is released.
  #pressed = null;
  #active = -1;
  #activeItem = null;

  /** @param options count(), make() of a row's element, draw(element, position), open(position, event), moved(position);
   *  item(position) is the same wherever its row moves, null of a row that stands for nothing; place(item) is its position, or -1 */
  constructor(scroller, options) {
    this.#scroller = scroller;
    this.#count = options.count;
    this.#draw = options.draw;
    this.#make = options.make;
    this.options = options;
    this.#sheet = document.createElement("div");
    this.#sheet.className = "sheet";
    scroller.append(this.#sheet);
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    scroller.addEventListener("keydown", (event) => this.#key(event));
    scroller.addEventListener("mousedown", (event) => {
      // The second press of a double click is one of the same row.
      if (event.detail > 1 && this.#pressed) return;
      const row = event.target.closest("[data-position]");
      this.#pressed = row && {
        item: options.item(Number(row.dataset.position)), target: event.target, x: event.clientX, y: event.clientY,
      };
    });
    scroller.addEventListener("click", (event) => {
      const { position, target } = this.#aimed(event);
      if (position < 0) return;
      this.activate(position);
      options.open?.(position, target);
    });
    scroller.addEventListener("dblclick", (event) => {
      const { position } = this.#aimed(event);
      if (position >= 0) options.enter?.(position);
    });
    new ResizeObserver(() => {
      this.#measure();
      this.draw();
    }).observe(scroller);
  }

  /** The row that a click is meant for: what was under the pointer when it was pressed. A program's click has no press. */
  #aimed(event) {
    const pressed = event.detail > 0 ? this.#pressed : null;
    if (!pressed?.item) {
      const row = event.target.closest("[data-position]");
      return { position: row ? Number(row.dataset.position) : -1, target: event.target };
    }
    const isDragged = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 8;
    return { position: isDragged ? -1 : this.options.place(pressed.item), target: pressed.target };
  }

  #measure() { this.#rowHeight = parseInt(getComputedStyle(this.#scroller).getPropertyValue("--row"), 10) || 24; }

  get #seen() { return Math.max(1, this.#scroller.clientHeight / this.#rowHeight); }
  get #height() { return this.#count() * this.#rowHeight; }
  get #scale() {
    const room = Math.min(this.#height, tallest) - this.#scroller.clientHeight;
    return room > 0 ? Math.max(1, (this.#count() - this.#seen) * this.#rowHeight / room) : 1;
  }

  /** The position of the active row, which keeps its item when rows before it come or go; -1: none. */
  get active() {
    if (this.#activeItem !== null) {
      const place = this.options.place(this.#activeItem);
      if (place >= 0) this.#active = place;
    }
    return this.#active;
  }
  set active(position) {
    this.#active = position;
    this.#activeItem = position < 0 ? null : this.options.item(position);
  }

  get isAtTop() { return this.#top < 0.5; }
  get top() { return this.#top; }
  /** The rows that fit, with a fraction. */
  get seen() { return this.#seen; }
  get firstSeen() { return Math.floor(this.#top); }

  /** Shows other rows at the top. */
  scrollTo(row) {
    // How far it goes is known once it is drawn: to measure now would lay out the page.
    this.#top = Math.max(0, row);
    this.draw();
  }

  /** Makes sure that a row is seen. */
  reveal(position) {
    if (position < this.#top) this.scrollTo(position);
    else if (position > this.#top + this.#seen - 1) this.scrollTo(position - this.#seen + 1.5);
    else this.draw();
  }

  activate(position) {
    if (position < 0 || position >= this.#count()) return;
    this.active = position;
    this.reveal(position);
    this.options.moved?.(position);
  }

  #scrolled() {
    const at = this.#scroller.scrollTop;
    if (at === this.#lastScroll) return;
    const delta = at - this.#lastScroll;
    this.#lastScroll = at;
    // Small steps are pixels; a pull of the bar is a place in the whole.
    if (this.#scale === 1 || Math.abs(delta) > 2000) this.#top = at * this.#scale / this.#rowHeight;
    else this.#top += delta / this.#rowHeight;
    this.#top = Math.max(0, Math.min(this.#top, Math.max(0, this.#count() - this.#seen)));
    this.#drawNow();
  }

  draw() {
    if (this.#isDue) return;
    this.#isDue = true;
    inFrame(() => {
      this.#isDue = false;
      this.#drawNow();
    });
  }

  #drawNow() {
    const count = this.#count();
    const height = Math.min(this.#height, tallest);
    if (this.#sheet.dataset.height !== String(height)) {
      this.#sheet.dataset.height = String(height);
      this.#sheet.style.height = `${height}px`;
    }
    this.#top = Math.max(0, Math.min(this.#top, Math.max(0, count - this.#seen)));
    const scrollTop = Math.round(this.#top * this.#rowHeight / this.#scale);
    if (Math.abs(this.#scroller.scrollTop - scrollTop) >= 1) {
      this.#scroller.scrollTop = scrollTop;
      this.#lastScroll = this.#scroller.scrollTop;
    }
    const first = Math.max(0, Math.floor(this.#top) - 2);
    const last = Math.min(count, Math.ceil(this.#top + this.#seen) + 2);
    const needed = Math.max(0, last - first);
    while (this.#pool.length < needed) {
      const row = this.#make();
      this.#pool.push(row);
      this.#sheet.append(row);
    }
    while (this.#pool.length > needed + 8) this.#pool.pop().remove();
    const shift = this.#scroller.scrollTop - this.#top * this.#rowHeight;
    const { active } = this;
    this.#pool.forEach((row, index) => {
      row.hidden = index >= needed;
      if (row.hidden) return;
      const position = first + index;
      row.style.transform = `translateY(${Math.round(position * this.#rowHeight + shift)}px)`;
      if (row.dataset.position !== String(position)) row.dataset.position = String(position);
      row.id = `${this.#scroller.id}-${position}`;
      row.setAttribute("aria-posinset", position + 1);
      row.setAttribute("aria-setsize", count);
      setClass(row, "active", position === active);
      this.#draw(row, position);
    });
    const isDrawn = active >= first && active < last;
    if (isDrawn) this.#scroller.setAttribute("aria-activedescendant", `${this.#scroller.id}-${active}`);
    else this.#scroller.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#seen) - 1);
    const { active } = this;
    const from = active < 0 ? this.firstSeen - 1 : active;
    const steps = {
      ArrowDown: from + 1, j: from + 1, ArrowUp: Math.max(0, from - 1), k: Math.max(0, from - 1),
      PageDown: from + page, PageUp: from - page, Home: 0, End: this.#count() - 1,
    };
    if (event.key in steps) {
      event.preventDefault();
      this.activate(Math.max(0, Math.min(steps[event.key], this.#count() - 1)));
    } else if (this.options.key?.(event, active)) {
      event.preventDefault();
    }
  }
}
