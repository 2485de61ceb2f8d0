// What is typed into the filter: words that actions or their arguments hold, patterns of names, and words with a colon.
// `milk tasks.* by:ann changed:tasks.items failed`; a space within quotes is part of its word.

import { Decimal } from "./door.js";
import { matches } from "./state.js";
import { sourceText, whoText } from "./format.js";

/** @returns `jump`, a number to go to; `request`, what the door is asked for; `accepts(entry)` of an entry that came, `isUnsure(entry)`
 *  where the door has to be asked whether it does, and `refines(entry)` of an entry that the door has found */
export function parseFilter(text) {
  const filter = { request: {}, jump: null };
  const tests = [];
  // The door takes one pattern of a kind; further ones are tested here.
  const rest = [];
  const unsure = [];
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
      if (value) {
        add("changed", value, (entry) => (entry.changes ?? []).some((change) =>
          isWithin(change.path, value) || isWithin(value, change.path) || isMovedBy(value, change)));
        // Whether it is a list, whose elements move, or a map, the door knows.
        unsure.push((entry) => (entry.changes ?? []).some((change) => isMovedBy(value, change)));
      }
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
      // A text that the name of the action, an argument or a value that it wrote holds; `id=7` names the argument.
      const [, name, wanted] = /^(\w+)=(.+)$/.exec(word) ?? [];
      const text = bare(wanted ?? word).toLowerCase();
      const inArguments = ({ args }, withNames) => (name ? [args?.[name]] : Object.values(args ?? {})).some((value) => holds(value, text, withNames));
      const inChanges = ({ changes }, withNames) =>
        !name && (changes ?? []).some(({ from, to }) => holds(from, text, withNames) || holds(to, text, withNames));
      const isNamed = ({ action }) => !name && action.toLowerCase().includes(text);
      const test = (entry) => isNamed(entry) || inArguments(entry, true) || inChanges(entry, false);
      // Whether a name within a value is the key of a map, which is searched, or a field, the door knows.
      unsure.push((entry) => (inArguments(entry, true) || inChanges(entry, true))
        && !isNamed(entry) && !inArguments(entry, false) && !inChanges(entry, false));
      if (name) rest.push(test);
      add("find", text, test);
    }
  }
  filter.isEmpty = tests.length === 0;
  filter.isUnsure = (entry) => unsure.some((test) => test(entry));
  filter.accepts = (entry) => tests.every((test) => test(entry));
  filter.refines = (entry) => rest.every((test) => test(entry));
  return filter;
}

/** Whether a value holds a text, as the door finds it.
 *  @param withNames whether the names of its parts count */
function holds(value, text, withNames) {
  if (value === null || value === undefined) return false;
  if (typeof value !== "object" || value instanceof Decimal) return String(value).toLowerCase().includes(text);
  return Object.entries(value).some(([name, part]) =>
    holds(part, text, withNames) || (withNames && !Array.isArray(value) && name.toLowerCase().includes(text)));
}

const bare = (word) => word.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1");

const asPattern = (word) => word.includes("*") ? word : `*${word}*`;

/** Whether a path leads to another or into it. */
export function isWithin(path, outer) {
  if (outer === "") return true;
  return path === outer || (path.startsWith(outer) && ".[".includes(path[outer.length]));
}

/** Whether a path names an element by its position, or what is in one, and a change brought or took an element before it. */
export function isMovedBy(path, change) {
  if (change.op !== "add" && change.op !== "remove") return false;
  const [, list, index] = /^(.*)\[(\d+)\]$/.exec(change.path) ?? [];
  if (list === undefined || !path.startsWith(`${list}[`)) return false;
  const [, position] = /^\[(\d+)\]/.exec(path.slice(list.length)) ?? [];
  return position !== undefined && Number(index) < Number(position);
}
