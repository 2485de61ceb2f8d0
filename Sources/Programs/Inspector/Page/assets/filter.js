// What is typed into the filter: words that actions or their arguments hold, patterns of names, and words with a colon.
// `milk tasks.* by:ann changed:tasks.items failed`; a space within quotes is part of its word.

import { matches } from "./state.js";
import { sourceText, whoText } from "./format.js";

/** @returns `jump`, a number to go to; `request`, what the door is asked for; `accepts(entry)`, and `refines(entry)` of an entry that the
 *  door has found */
export function parseFilter(text) {
  const filter = { request: {}, jump: null };
  const tests = [];
  // The door takes one pattern of a kind; further ones are tested here.
  const rest = [];
  const add = (name, value, test) => {
    tests.push(test);
    if (name in filter.request) rest.push(test);
    else filter.request[name] = value;
  };
  for (const word of text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const [, key, value] = /^(by|source|changed):(.*)$/.exec(word) ?? [];
    if (/^#\d+$/.test(word)) {
      filter.jump = Number(word.slice(1));
    } else if (key === "changed") {
      if (value) add("changed", value, (entry) => (entry.changes ?? []).some(({ path }) => isWithin(path, value) || isWithin(value, path)));
    } else if (key) {
      const pattern = asPattern(bare(value));
      if (value) {
        add("source", pattern, (entry) => [sourceText(entry), whoText(entry), entry.source?.kind, entry.source?.plugin]
          .some((name) => name && matches(pattern, name)));
      }
    } else if (word === "failed") {
      add("failed", true, (entry) => Boolean(entry.failure || entry.droppedBy));
    } else if (word.includes("*")) {
      add("action", word, (entry) => matches(word, entry.action));
    } else {
      // A text that the name of the action or an argument holds; `id=7` names the argument.
      const [, name, given] = /^(\w+)=(.+)$/.exec(word) ?? [];
      const text = bare(given ?? word).toLowerCase();
      const test = name ? ({ args }) => args?.[name] !== undefined && holds(args[name], text)
        : ({ action, args }) => action.toLowerCase().includes(text) || Object.values(args ?? {}).some((value) => holds(value, text));
      if (name) rest.push(test);
      add("find", text, test);
    }
  }
  filter.isEmpty = tests.length === 0;
  filter.accepts = (entry) => tests.every((test) => test(entry));
  filter.refines = (entry) => rest.every((test) => test(entry));
  return filter;
}

/** Whether a value holds a text, as the door finds it. */
function holds(value, text) {
  if (value === null || value === undefined) return false;
  if (typeof value !== "object") return String(value).toLowerCase().includes(text);
  // The names of the arguments themselves are not searched; those within a value may be the keys of a map.
  return Object.entries(value).some(([name, part]) => holds(part, text) || (!Array.isArray(value) && name.toLowerCase().includes(text)));
}

const bare = (word) => word.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1");

const asPattern = (word) => word.includes("*") ? word : `*${word}*`;

/** Whether a path leads to another or into it. */
export function isWithin(path, outer) {
  if (outer === "") return true;
  return path === outer || (path.startsWith(outer) && ".[".includes(path[outer.length]));
}
