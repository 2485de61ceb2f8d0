// The state of the page, and the actions that change it. Entries of the log stand in `log.js`, since there may be a million;
// the state holds their count.

export const initial = {
  link: { status: "connecting", note: "", isSilent: false },
  host: { program: "", process: 0, allow: [], prompt: "", name: "" },
  log: { head: 0, oldest: 0, filter: "", version: 0, hasFolds: true },
  // The number of the selected action; null: none.
  selected: null,
  // The point that is looked at; null: the present.
  look: null,
  // The pane that a narrow screen shows.
  pane: "actions",
  state: { find: "", version: 0 },
  pins: [],
  modules: [],
  units: { middleware: [], effects: [], plugins: [], permissions: [], faults: [], isKnown: false },
  people: [],
  // The last action of this page, and whether redo brings back what it took back.
  mine: { number: null, action: "", canRedo: false },
  times: { isOn: false, version: 0 },
  message: { text: "", isError: false },
};

export const reducers = {
  link(link, action) {
    switch (action.type) {
      case "linked": return { status: "live", note: action.note ?? "", isSilent: false };
      case "unlinked": return { status: action.status, note: action.note, isSilent: false };
      case "noted": return { ...link, note: "" };
      case "silent": return action.isSilent === link.isSilent ? link : { ...link, isSilent: action.isSilent };
      default: return link;
    }
  },
  host(host, action) {
    return action.type === "greeted" ? { ...host, ...action.host } : host;
  },
  log(log, action) {
    switch (action.type) {
      case "time":
        if (action.head <= log.head && action.oldest === log.oldest) return log;
        return { ...log, head: Math.max(action.head, log.head), oldest: action.oldest, version: log.version + 1 };
      case "entries": return { ...log, head: Math.max(action.head, log.head), version: log.version + 1 };
      case "filter": return action.text === log.filter ? log : { ...log, filter: action.text, version: log.version + 1 };
      case "forgotten": return { ...log, head: 0, oldest: 0, version: log.version + 1 };
      case "fold": return { ...log, hasFolds: action.isOn, version: log.version + 1 };
      default: return log;
    }
  },
  selected(selected, action) {
    if (action.type === "select") return action.number;
    return action.type === "forgotten" ? null : selected;
  },
  look(look, action, all) {
    switch (action.type) {
      case "look": {
        if (action.number === null || action.number >= all.log.head) return null;
        return Math.max(action.number, all.log.oldest);
      }
      case "forgotten": return null;
      default: return look;
    }
  },
  pane(pane, action) { return action.type === "pane" ? action.name : pane; },
  state(state, action) {
    switch (action.type) {
      case "find": return { ...state, find: action.text };
      case "changed": return { ...state, version: state.version + 1 };
      default: return state;
    }
  },
  pins(pins, action) {
    switch (action.type) {
      case "pin": return pins.some((pin) => pin.path === action.path) ? pins : [...pins, { path: action.path }];
      case "unpin": return pins.filter((pin) => pin.path !== action.path);
      default: return pins;
    }
  },
  modules(modules, action) {
    if (action.type === "forgotten") return initial.modules;
    return action.type === "modules" ? action.modules : modules;
  },
  units(units, action) {
    if (action.type === "forgotten") return initial.units;
    return action.type === "units" ? { ...units, ...action.units, isKnown: true } : units;
  },
  people(people, action) {
    if (action.type === "forgotten") return initial.people;
    return action.type === "people" ? action.people : people;
  },
  mine(mine, action) {
    if (action.type === "forgotten") return initial.mine;
    if (action.type !== "acted" || action.number < mine.number) return mine;
    return action.isUndo ? { ...mine, canRedo: true } : { number: action.number, action: action.action, canRedo: false };
  },
  times(times, action) {
    switch (action.type) {
      case "times": return { isOn: action.isOn, version: times.version + 1 };
      case "timed": return { ...times, version: times.version + 1 };
      default: return times;
    }
  },
  message(message, action) {
    return action.type === "say" ? { text: action.text, isError: action.isError ?? false } : message;
  },
};

/** Whether the door allows a right; of an action, by its full name. */
export function allows(host, right, action) {
  return host.allow.some((given) => {
    if (given === "all" || given === right) return true;
    return right === "dispatch" && action !== undefined && given.startsWith("dispatch:") && matches(given.slice(9), action);
  });
}

/** Whether a name fits a pattern, where * stands for anything. */
export function matches(pattern, name) {
  const parts = pattern.split("*");
  if (parts.length === 1) return pattern === name;
  if (!name.startsWith(parts[0])) return false;
  let from = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  const last = parts[parts.length - 1];
  return name.length - last.length >= from && name.endsWith(last);
}
