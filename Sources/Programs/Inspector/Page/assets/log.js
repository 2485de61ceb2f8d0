// The entries of the log that the page holds, in blocks of 256 numbers; blocks that are far from what is seen are let go.
// Rows are counted by block, so that a list of a million actions scrolls without having them.

import { paced } from "./dom.js";
import { Decimal } from "./door.js";
import { grouped } from "./format.js";

const size = 256;
const mostBlocks = 240;
// The characters of all entries that are kept; the blocks that were used last stay all the same.
const mostCharacters = 24_000_000;
const fewestBlocks = 2;
// An entry is kept whole up to so many characters, and of each text of a longer one the beginning.
const mostOfEntry = 16_000;
const mostOfText = 1000;
// The time without news, in milliseconds, after which gaps among the newest entries are filled.
const settled = 120;
// The time after which entries that the store did not have are asked for again.
const again = 1000;

// An action belongs to the group of its cause if it came within so many seconds, and up to so many rows: the newest stay on top.
const soon = 0.1;
const mostOfGroup = 20;

// Entries that a filter asks for at once, and the most requests for those that were left out.
const pageSize = 300;
const mostRounds = 10;
// A filter keeps so many entries and characters; the oldest go, so many at once.
const mostMatches = 20_000;
const goneAtOnce = 500;

/** The characters of the texts of a value, and some for each part. */
function sizeOf(value) {
  if (typeof value === "string") return value.length;
  if (value === null || typeof value !== "object") return 8;
  let size = 16;
  for (const name in value) size += name.length + sizeOf(value[name]);
  return size;
}

function begun(value) {
  if (typeof value === "string") return value.length > mostOfText ? `${value.slice(0, mostOfText)}…` : value;
  if (value === null || typeof value !== "object" || value instanceof Decimal) return value;
  if (Array.isArray(value)) return value.slice(0, mostOfText).map(begun);
  return Object.fromEntries(Object.entries(value).slice(0, mostOfText).map(([name, part]) => [name, begun(part)]));
}

/** An entry as it is kept: of a long one the beginnings of its texts, which `isShort` says. */
export function kept(entry) {
  if (entry.characters !== undefined) return entry;
  const size = sizeOf(entry);
  if (size <= mostOfEntry) return Object.assign(entry, { characters: size });
  const short = begun(entry);
  return Object.assign(short, { isShort: true, characters: sizeOf(short) });
}

const asRow = (entry) => ({ first: entry.id, last: entry.id, count: 1, action: entry.action, entry, depth: 0 });

/** A row of the list: one action, or a run of quiet ones. */
function makeRows(entries, hasFolds) {
  // Oldest first; an action that stands soon and right behind its cause belongs to the cause's group.
  const groups = [];
  for (const entry of entries) {
    const last = groups[groups.length - 1];
    if (hasFolds && entry.quiet && !entry.failure) {
      if (last?.isRun && last.rows[0].action === entry.action && last.rows[0].last === entry.id - 1) {
        const run = last.rows[0];
        run.last = entry.id;
        run.count += 1;
        run.entry = entry;
      } else {
        groups.push({ isRun: true, rows: [{ first: entry.id, last: entry.id, count: 1, action: entry.action, entry, depth: 0 }] });
      }
      continue;
    }
    const row = asRow(entry);
    const isNear = last && !last.isRun && last.rows.length < mostOfGroup && entry.at - last.rows[last.rows.length - 1].entry.at < soon;
    const parent = isNear && last.rows.find((other) => other.first === entry.source?.cause);
    if (parent) {
      row.depth = Math.min(parent.depth + 1, 4);
      last.rows.push(row);
    } else {
      groups.push({ isRun: false, rows: [row] });
    }
  }
  return groups.reverse().flatMap((group) => group.rows);
}

export class Log {
  #door;
  #changed;
  /** Blocks by index: entries by number, and rows once they are counted. */
  #blocks = new Map();
  /** The number of rows of a block that is known, also of one that was let go. */
  #counts = new Map();
  #loading = new Set();
  /** The moment at which a block was asked for of which the store had a part alone. */
  #tried = new Map();
  #layout = null;
  #lastAdded = 0;
  #characters = 0;
  head = 0;
  oldest = 0;
  hasFolds = true;
  /** The moment of the store's time 0, in milliseconds since 1970. */
  epoch = 0;

  constructor(door, changed) {
    this.#door = door;
    this.#changed = changed;
  }

  forget() {
    this.head = this.oldest = 0;
    this.#tried.clear();
    this.#blocks.clear();
    this.#characters = 0;
    this.#counts.clear();
    this.#loading.clear();
    this.#layout = null;
  }

  setFolds(hasFolds) {
    this.hasFolds = hasFolds;
    for (const block of this.#blocks.values()) block.rows = null;
    this.#counts.clear();
    this.#layout = null;
  }

  setRange(oldest, head) {
    if (oldest !== this.oldest) {
      // The block that the range now begins in has other rows.
      const index = Math.floor(oldest / size);
      this.#counts.delete(index);
      const block = this.#blocks.get(index);
      if (block) block.rows = null;
    }
    this.oldest = oldest;
    this.head = Math.max(this.head, head);
    this.#layout = null;
  }

  /** Takes entries that the door has told of. */
  add(entries, head) {
    for (const entry of entries) this.#keep(entry);
    if (head > this.head) this.head = head;
    this.#lastAdded = performance.now();
    this.#layout = null;
    this.#letGo();
  }

  /** Takes entries that were asked for. */
  keep(entries) {
    for (const entry of entries) this.#keep(entry);
    this.#layout = null;
    this.#letGo();
  }

  #keep(entry) {
    const index = Math.floor((entry.id - 1) / size);
    let block = this.#blocks.get(index);
    if (!block) {
      block = { entries: new Map(), characters: 0, rows: null, used: 0 };
      this.#blocks.set(index, block);
    }
    const known = kept(entry);
    const more = known.characters - (block.entries.get(entry.id)?.characters ?? 0);
    block.entries.set(entry.id, known);
    block.characters += more;
    this.#characters += more;
    block.rows = null;
    block.used = performance.now();
  }

  /** The time of an action, in milliseconds since 1970. */
  moment(entry) { return entry.when ?? this.epoch + entry.at * 1000; }

  entry(number) { return this.#blocks.get(Math.floor((number - 1) / size))?.entries.get(number); }

  /** The newest entry that is there and passes a test. */
  newest(test) {
    for (const index of [...this.#blocks.keys()].sort((left, right) => right - left)) {
      const entries = [...this.#blocks.get(index).entries.values()].sort((left, right) => right.id - left.id);
      const found = entries.find(test);
      if (found) return found;
    }
    return undefined;
  }

  /** Fetches an entry that is not there.
   *  @param isWhole one of which the beginnings are there is fetched, too */
  async fetch(number, isWhole = false) {
    const known = this.entry(number);
    if (known && !(isWhole && known.isShort)) return known;
    const { entries } = await this.#door.ask({ log: number, to: number });
    entries.forEach((entry) => this.#keep(entry));
    this.#layout = null;
    return entries[0];
  }

  /** The range of numbers of a block that the store has. */
  #range(index) {
    return [Math.max(index * size + 1, this.oldest + 1), Math.min((index + 1) * size, this.head)];
  }

  /** The blocks from the newest on, with the row at which each begins. */
  get layout() {
    if (this.#layout) return this.#layout;
    const blocks = [];
    let start = 0;
    if (this.head > this.oldest) {
      for (let index = Math.floor((this.head - 1) / size); index >= Math.floor(this.oldest / size); index--) {
        const block = this.#blocks.get(index);
        const [first, last] = this.#range(index);
        const isWhole = block && block.entries.size >= last - first + 1;
        if (isWhole && !block.rows) {
          const entries = [...block.entries.values()].filter(({ id }) => id >= first && id <= last);
          entries.sort((left, right) => left.id - right.id);
          block.rows = makeRows(entries, this.hasFolds);
          if (last === (index + 1) * size) this.#counts.set(index, block.rows.length);
        }
        const count = isWhole ? block.rows.length : this.#counts.get(index) ?? last - first + 1;
        blocks.push({ index, start, count });
        start += count;
      }
    }
    this.#layout = { blocks, count: start };
    return this.#layout;
  }

  get count() { return this.layout.count; }

  #blockAt(row) {
    const { blocks } = this.layout;
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (blocks[middle].start <= row) low = middle;
      else high = middle - 1;
    }
    return blocks[low];
  }

  /** A row from the newest; of one that is not there its number alone, and it is fetched. */
  row(position) {
    const place = this.#blockAt(position);
    if (!place) return undefined;
    const block = this.#blocks.get(place.index);
    const [, last] = this.#range(place.index);
    if (block?.rows) {
      block.used = performance.now();
      return block.rows[position - place.start];
    }
    this.#load(place.index);
    const number = last - (position - place.start);
    const entry = block?.entries.get(number);
    return { first: number, last: number, count: 1, action: entry?.action, entry, depth: 0 };
  }

  /** The position of the row that shows an action. */
  position(number) {
    const index = Math.floor((number - 1) / size);
    const place = this.layout.blocks.find((block) => block.index === index);
    if (!place) return 0;
    const rows = this.#blocks.get(index)?.rows;
    const found = rows?.findIndex((row) => row.first <= number && number <= row.last) ?? -1;
    if (found >= 0) return place.start + found;
    return place.start + Math.min(place.count - 1, this.#range(index)[1] - number);
  }

  async #load(index) {
    if (this.#loading.has(index) || !this.#door.isOpen || performance.now() < (this.#tried.get(index) ?? -Infinity) + again) return;
    this.#tried.delete(index);
    this.#loading.add(index);
    // While actions come fast, a block is out of sight before it is here.
    const wait = this.#lastAdded + settled - performance.now();
    if (wait > 0) {
      setTimeout(() => {
        this.#loading.delete(index);
        this.#changed();
      }, settled);
      return;
    }
    let [next, last] = this.#range(index);
    try {
      while (next && next <= last) {
        const answer = await this.#door.ask({ log: next, to: last });
        for (const entry of answer.entries) this.#keep(entry);
        // What the store has let go of is not asked for at once again.
        if (!answer.next && answer.entries.length === 0) {
          this.#tried.set(index, performance.now());
          break;
        }
        next = answer.next;
      }
      this.#layout = null;
      this.#letGo();
      this.#changed();
    } catch {
      // The connection is lost, which is said elsewhere.
    } finally {
      this.#loading.delete(index);
    }
  }

  #letGo() {
    const isTooMuch = () => this.#blocks.size > mostBlocks || (this.#characters > mostCharacters && this.#blocks.size > fewestBlocks);
    if (!isTooMuch()) return;
    for (const [index, { characters }] of [...this.#blocks].sort((left, right) => left[1].used - right[1].used)) {
      if (!isTooMuch()) break;
      this.#blocks.delete(index);
      this.#characters -= characters;
    }
    this.#layout = null;
  }
}

/** The entries that a filter lets through, newest first, fetched as far as the reader scrolls. */
export class Matches {
  #door;
  #changed;
  #request;
  #isLoading = false;
  // The newest number that has come, and the first of those that were left out; null: none was.
  #head;
  #gap = null;
  #fill = paced(300, () => this.#fillNow());
  // The rows that came, oldest first, and those that were found behind them, newest first.
  #came = [];
  #found = [];
  #characters = 0;
  /** The number down to which the log was searched; null: to its end. */
  reached;

  constructor(door, filter, head, changed) {
    this.#door = door;
    this.#changed = changed;
    this.filter = filter;
    this.#request = filter.request;
    this.#head = head;
    this.reached = head;
  }

  /** The number of entries that are found. */
  get size() { return this.#came.length + this.#found.length; }
  get count() { return this.size + (this.reached === null ? 0 : 1); }
  get #isFull() { return this.size >= mostMatches || this.#characters >= mostCharacters; }

  #at(position) {
    const came = this.#came.length;
    return position < came ? this.#came[came - 1 - position] : this.#found[position - came];
  }

  row(position) {
    if (position >= this.size - 40) this.#more();
    return this.#at(position) ?? { note: this.reached === null ? "" : `searched back to #${grouped(this.reached)}` };
  }

  position(number) {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#at(middle).first <= number) high = middle;
      else low = middle + 1;
    }
    return low < this.size ? low : 0;
  }

  has(number) { return this.#at(this.position(number))?.first === number; }

  /** Takes entries that came, up to the head. Those that were left out, or may fit, are asked for, once in a while. */
  add(entries, head) {
    const isAsked = head - this.#head > entries.length || entries.some(this.filter.isUnsure);
    if (this.#gap === null && isAsked) this.#gap = this.#head + 1;
    this.#head = head;
    if (this.#gap !== null) return this.#fill();
    this.#take(entries.filter(this.filter.accepts));
  }

  /** Takes entries in the order of their numbers, before those that are there. */
  #take(entries) {
    const newest = this.#at(0)?.first ?? 0;
    for (const entry of entries) if (entry.id > newest) this.#came.push(this.#rowOf(entry));
    if (this.size > mostMatches + goneAtOnce || this.#characters > mostCharacters) this.#letGo();
  }

  #rowOf(entry) {
    const row = asRow(kept(entry));
    this.#characters += row.entry.characters;
    return row;
  }

  /** Lets the oldest go, which are found again where the reader scrolls down to them. */
  #letGo() {
    while (this.size > goneAtOnce && this.#isFull) {
      const gone = this.#found.length > 0 ? this.#found.splice(-goneAtOnce) : this.#came.splice(0, goneAtOnce);
      for (const { entry } of gone) this.#characters -= entry.characters;
    }
    this.reached = this.#at(this.size - 1).first - 1;
  }

  async #fillNow() {
    const from = this.#gap;
    const head = this.#head;
    const found = [];
    let last = head;
    try {
      for (let rounds = 0; last && rounds < mostRounds && found.length < pageSize; rounds++) {
        const { entries, next } = await this.#door.ask({ log: from, to: last, count: pageSize, newest: true, ...this.#request });
        found.push(...entries);
        last = next;
      }
    } catch {
      // The connection is lost, which is said elsewhere.
      return;
    }
    // Of more than that the list begins anew at the newest.
    if (last) {
      this.#came = [];
      this.#found = [];
      this.#characters = 0;
      this.reached = last;
    }
    this.#take(found.filter(this.filter.refines).reverse());
    this.#gap = this.#head > head ? head + 1 : null;
    if (this.#gap !== null) this.#fill();
    this.#changed();
  }

  async #more() {
    if (this.#isLoading || this.#isFull || this.reached === null || this.reached < 1) return;
    this.#isLoading = true;
    try {
      const answer = await this.#door.ask({ log: 1, to: this.reached, count: pageSize, newest: true, ...this.#request });
      for (const entry of answer.entries.filter(this.filter.refines)) this.#found.push(this.#rowOf(entry));
      this.reached = answer.next ?? null;
      this.#isLoading = false;
      this.#changed();
    } catch (error) {
      this.reached = null;
      this.#isLoading = false;
      this.#changed(error);
    }
  }
}
