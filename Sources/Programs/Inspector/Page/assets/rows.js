// A list of which only what is seen is drawn. The scroll bar stands for any number of rows: where they would be taller than a
// browser can draw, a pixel of it stands for several.

import { setClass } from "./dom.js";

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
  active = -1;

  /** @param options count(), make() of a row's element, draw(element, position), open(position, event), moved(position) */
  constructor(scroller, options) {
    this.#scroller = scroller;
    this.#measure();
    this.#count = options.count;
    this.#draw = options.draw;
    this.#make = options.make;
    this.options = options;
    this.#sheet = document.createElement("div");
    this.#sheet.className = "sheet";
    scroller.append(this.#sheet);
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    scroller.addEventListener("keydown", (event) => this.#key(event));
    scroller.addEventListener("click", (event) => {
      const row = event.target.closest("[data-position]");
      if (!row) return;
      const position = Number(row.dataset.position);
      this.activate(position);
      options.open?.(position, event);
    });
    scroller.addEventListener("dblclick", (event) => {
      const row = event.target.closest("[data-position]");
      if (row) options.enter?.(Number(row.dataset.position), event);
    });
    new ResizeObserver(() => {
      this.#measure();
      this.draw();
    }).observe(scroller);
  }

  #measure() { this.#rowHeight = parseInt(getComputedStyle(this.#scroller).getPropertyValue("--row"), 10) || 24; }

  get #seen() { return Math.max(1, this.#scroller.clientHeight / this.#rowHeight); }
  get #height() { return this.#count() * this.#rowHeight; }
  get #scale() {
    const room = Math.min(this.#height, tallest) - this.#scroller.clientHeight;
    return room > 0 ? Math.max(1, (this.#count() - this.#seen) * this.#rowHeight / room) : 1;
  }

  get isAtTop() { return this.#top < 0.5; }
  get top() { return this.#top; }
  get firstSeen() { return Math.floor(this.#top); }

  /** Shows other rows at the top. */
  scrollTo(row) {
    this.#top = Math.max(0, Math.min(row, this.#count() - this.#seen));
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
    requestAnimationFrame(() => {
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
    this.#pool.forEach((row, index) => {
      row.hidden = index >= needed;
      if (row.hidden) return;
      const position = first + index;
      row.style.transform = `translateY(${Math.round(position * this.#rowHeight + shift)}px)`;
      if (row.dataset.position !== String(position)) row.dataset.position = String(position);
      row.id = `${this.#scroller.id}-${position}`;
      row.setAttribute("aria-posinset", position + 1);
      row.setAttribute("aria-setsize", count);
      const isActive = position === this.active;
      setClass(row, "active", isActive);
      this.#draw(row, position);
    });
    const isDrawn = this.active >= first && this.active < last;
    if (isDrawn) this.#scroller.setAttribute("aria-activedescendant", `${this.#scroller.id}-${this.active}`);
    else this.#scroller.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#seen) - 1);
    const from = this.active < 0 ? this.firstSeen - 1 : this.active;
    const steps = {
      ArrowDown: from + 1, j: from + 1, ArrowUp: Math.max(0, from - 1), k: Math.max(0, from - 1),
      PageDown: from + page, PageUp: from - page, Home: 0, End: this.#count() - 1,
    };
    if (event.key in steps) {
      event.preventDefault();
      this.activate(Math.max(0, Math.min(steps[event.key], this.#count() - 1)));
    } else if (this.options.key?.(event, this.active)) {
      event.preventDefault();
    }
  }
}
