// Values, numbers and times as text.

import { Decimal } from "./door.js";

/** A number with its digits in groups of three. The formats of `Intl` take milliseconds before the first rows. */
export function grouped(number) {
  // A thousandth is told of what has room for it.
  const isPlain = typeof number === "number" && Math.abs(number) < 1e15 && (number === 0 || Math.abs(number) >= 1e-3);
  const [whole, ...part] = String(isPlain ? Math.round(number * 1000) / 1000 : number).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...part].join(".");
}

// Characters that control a screen or turn the order of others are shown by their number.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const named = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
const escaped = (text) => text.replace(unsafe, (mark) => named[mark] ?? `\\u{${mark.codePointAt(0).toString(16)}}`);

/** A text as it may be shown; of a long one the beginning, since a browser takes seconds to lay out megabytes. */
export const safe = (text, most = 1000) => escaped(cut(text, most));

/** The same for text of several lines. */
export function safeLines(text, most = 200_000) {
  const rest = text.length - most;
  return text.slice(0, most).split("\n").map(escaped).join("\n") + (rest > 0 ? `… ${grouped(rest)} more characters` : "");
}

/** The name of a part; the key of a map may be an empty text. */
export const nameText = (name, most) => name === "" ? '""' : safe(name, most);

export function cut(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** A text as a statement has it. */
export const quoted = (text) => `"${text.replace(/["\\]|\$(?=[\w({?@*#!])/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;

/** A value as JSON, with all digits. */
export const json = (value) =>
  JSON.stringify(value, (_, part) => typeof part === "bigint" || part instanceof Decimal ? JSON.rawJSON(String(part)) : part);

/** A value in one line, as the command language writes it. */
export function valueText(value, length = 200) {
  return cut(written(value, length), length);
}

function written(value, room) {
  if (value === null || value === undefined) return "nil";
  if (value instanceof Decimal) return value.text;
  switch (typeof value) {
    case "string": return `"${escaped(value.slice(0, room + 1))}"`;
    case "number": case "bigint": case "boolean": return String(value);
    default: break;
  }
  const out = [];
  let used = 0;
  const isList = Array.isArray(value);
  for (const [name, part] of Object.entries(value)) {
    const text = isList ? written(part, room - used) : `${nameText(name)} = ${written(part, room - used)}`;
    out.push(text);
    used += text.length + 2;
    if (used > room) break;
  }
  return isList ? `[${out.join(", ")}]` : out.length ? `{ ${out.join(", ")} }` : "{}";
}

/** What a part of the state shows beside its name. */
export function partText(part, length = 240) {
  const { value, count } = part;
  if (value instanceof Decimal) return value.text;
  if (Array.isArray(value)) return count === 1 ? "1 element" : `${grouped(count)} elements`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).length;
    if (names === 0) return "empty";
    const text = Object.entries(value).map(([name, inner]) => `${nameText(name)} ${bare(inner)}`).join(", ");
    return cut(count > names ? `${text}, … ${grouped(count)} in all` : text, length);
  }
  if (typeof value === "string" && part.opens) return safe(value);
  if (typeof value === "string" && count) return `"${safe(value)}… ${grouped(count)} characters`;
  return valueText(value, length);
}

function bare(value) {
  return typeof value === "string" && /^(\{…\}|\[\d+\])$/.test(value) ? value : valueText(value, 60);
}

/** The arguments of an action in one line. */
export function argumentsText(args, length = 160) {
  const out = [];
  let used = 0;
  for (const [name, value] of Object.entries(args ?? {})) {
    if (value === null) continue;
    const text = `${safe(name)}=${written(value, length)}`;
    out.push(text);
    used += text.length;
    if (used > length) break;
  }
  return cut(out.join(" "), length);
}

/** Where an action came from, in short. */
export function sourceText(entry) {
  const { source } = entry;
  if (!source) return "";
  if (source.kind === "plugin" || source.kind === "effect") {
    const unit = [source.plugin, source.unit].filter(Boolean).join("/");
    return unit ? `plugin:${unit}` : source.kind;
  }
  return `${source.file}:${source.line}`;
}

/** Who did it: the name that the log has, with the user where it begins otherwise (no user is known over TCP), or the source. */
export function whoText(entry) {
  const { source } = entry;
  if (source?.who) {
    const { user, who } = source;
    if (!user) return `${who}?`;
    return who === user || who.startsWith(`${user}@`) || who.startsWith(`${user}/`) ? who : `${who} (${user})`;
  }
  if (!source) return "";
  const where = sourceText(entry);
  return source.plugin ? where.replace(/^plugin:/, "") : where.split("/").pop();
}

const pad = (number, width = 2) => String(number).padStart(width, "0");

/** The time of day of a moment in milliseconds since 1970. */
export function clockText(moment) {
  const date = new Date(moment);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

export function dateText(moment) {
  const date = new Date(moment);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

export function durationText(seconds) {
  if (seconds < 1e-6) return `${Math.round(seconds * 1e9)} ns`;
  if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(seconds < 1e-5 ? 1 : 0)} µs`;
  if (seconds < 1) return `${(seconds * 1e3).toFixed(seconds < 1e-2 ? 1 : 0)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(Math.floor(seconds % 60))} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor(seconds / 60) % 60)} min`;
}
