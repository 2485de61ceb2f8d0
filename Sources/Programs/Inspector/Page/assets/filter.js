// What is typed into the filter: names of actions, and words with a colon. `tasks.* by:ann changed:tasks.items failed`;
// a space within quotes is part of its word

import { matches } from "./state.js";
import { sourceText, whoText } from "./format.js";

export function parseFilter(text) {
  const filter = { request: {}, jump: null, accepts: () => true, isEmpty: true };
  const tests = [];
  for (const word of text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const [, key, rest] = /^(by|source|changed):(.*)$/.exec(word) ?? [];
    if (/^#\d+$/.test(word)) {
      filter.jump = Number(word.slice(1));
      continue;
    }
    if (key === "changed") {
      if (!rest) continue;
      filter.request.changed = rest;
      tests.push((entry) => (entry.changes ?? []).some(({ path }) => isWithin(path, rest) || isWithin(rest, path)));
    } else if (key) {
      if (!rest) continue;
      const pattern = rest.includes("*") ? rest : `*${rest}*`;
      filter.request.source = pattern;
      tests.push((entry) => [sourceText(entry), whoText(entry), entry.source?.kind, entry.source?.info, entry.source?.plugin]
        .some((name) => name && matches(pattern, name)));
    } else if (word === "failed") {
      filter.request.failed = true;
      tests.push((entry) => Boolean(entry.failure || entry.droppedBy));
    } else {
      const pattern = word.includes("*") ? word : `*${word}*`;
      filter.request.action = pattern;
      tests.push((entry) => matches(pattern, entry.action));
    }
  }
  filter.isEmpty = tests.length === 0;
  filter.accepts = (entry) => tests.every((test) => test(entry));
  return filter;
}

/** Whether a path leads to another or into it. */
export function isWithin(path, outer) {
  if (outer === "") return true;
  return path === outer || (path.startsWith(outer) && ".[".includes(path[outer.length]));
}
