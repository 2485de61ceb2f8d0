// Puts the page together around the list of `first.js`: a second conversation with the door, to act; what comes in goes to the store
// and from there to the parts that show it.

import { showAction } from "./action.js";
import { showCharts } from "./charts.js";
import { showConsole } from "./console.js";
import { showDispatch } from "./dispatch.js";
import { byId, element, keepPresses, paced, setText } from "./dom.js";
import { Door } from "./door.js";
import { actions, log, look, narrow, opened, store, takeNewest, times } from "./first.js";
import { grouped, safe, whoText } from "./format.js";
import { showHelp } from "./help.js";
import { askNewest, door, token } from "./link.js";
import { kept } from "./log.js";
import { showName } from "./name.js";
import { showBorders } from "./panes.js";
import { showCode } from "./code.js";
import { allows } from "./state.js";
import { showTimeline } from "./timeline.js";
import { showTree } from "./tree.js";
import { showUnits } from "./units.js";

let greeted = null;
// Whether entries are followed: a page that is not seen asks for nothing.
let isFollowing = false;

let first = opened;
// So many entries at a time are followed: all of 12,000 actions a second. Of more, those that are seen are asked for.
const followed = 400;

const commands = new Door(token, 2000);
// A statement may run for long; whether the store still answers, the other conversation tells.
let isAsking = false;
async function askWhether() {
  if (isAsking || !door.isOpen) return;
  isAsking = true;
  await door.ask({ time: true }).catch(() => {});
  isAsking = false;
}
commands.tell({
  greeted: (hello) => {
    name.introduce(hello);
    terminal.restart();
    if (store.state.times.isOn) measure(true);
  },
  lost: () => {},
  refused: () => {},
  silent: askWhether,
  heard: () => {},
  event: (event) => {
    if (event.event !== "times") return terminal.event(event);
    times.add(event);
    timed();
  },
});
const timed = paced(100, () => store.dispatch({ type: "timed" }));

const show = (number) => {
  store.dispatch({ type: "pane", name: narrow.matches ? "action" : store.state.pane });
  actions.show(number);
};
/** Looks at a point and shows its action, or the present. */
const visit = (number) => {
  look(number);
  if (number === null) actions.toNewest();
  else showVisited();
};
const showVisited = paced(100, () => {
  const { look: number, log } = store.state;
  if (number !== null && number > log.oldest) actions.show(number);
});
/** Whether the store has an action, and the door allows it. */
function canDispatch(name) {
  const { host, modules } = store.state;
  return allows(host, "dispatch", name) && modules.some(({ actions }) => actions.some((action) => action.name === name));
}
const openCode = showCode({ door, say });
const action = showAction({
  store, log, door, times, look, show, canDispatch, openCode,
  prefill: (action, given) => {
    store.dispatch({ type: "pane", name: "parts" });
    form.fill(action, given);
  },
});
const tree = showTree({
  store, door,
  filter: (text) => {
    store.dispatch({ type: "pane", name: "actions" });
    store.dispatch({ type: "filter", text });
  },
});
const charts = showCharts({ store, door, visit });
const timeline = showTimeline({ store, look: visit, run });
const form = showDispatch({ store, log, commands, show });
showUnits({ store, run, show, openCode });
const terminal = showConsole({ door: commands, store, ran: () => units() });
const name = showName({ commands, door, say });

// MARK: What the door says

async function begin(hello) {
  const mayRead = allows(hello, "read");
  if (!mayRead) first = null;
  const isAgain = greeted !== null;
  const isOther = isAgain && (hello.process !== greeted.process);
  let isAnew = isAgain && hello.head < log.head;
  try {
    if (mayRead && isOther && !isAnew) isAnew = !await isSameLog();
  } catch (error) {
    // The connection is lost again.
    if (error.code === "lost") return;
    isAnew = true;
  }
  const isClosed = isAgain && !mayRead && allows(greeted, "read");
  const before = Math.max(log.head, greeted?.head ?? 0);
  greeted = hello;
  if (isAnew || isClosed) {
    log.forget();
    people.clear();
    times.forget();
    store.dispatch({ type: "forgotten" });
    actions.restart();
    tree.restart();
    byId("code").close();
  }
  store.dispatch({ type: "greeted", host: hello });
  const note = !isAgain ? ""
    : isClosed ? `${isOther ? `the host was started again as process ${hello.process}; ` : ""}this door does not allow read any more`
    : isAnew ? `another store, or a shorter log: it begins anew at #${hello.head}`
    : isOther ? `the host was started again as process ${hello.process}; ${grouped(hello.head - before)} actions since`
    : `back after a loss; ${grouped(hello.head - before)} actions since`;
  store.dispatch({ type: "linked", note });
  if (!isAgain) commands.open();
  if (isClosed) charts.refresh(null);
  if (!mayRead) return;
  try {
    await resume();
    tree.refresh(null);
    charts.refresh(null);
    modules();
    units();
  } catch (error) {
    if (error.code !== "lost") say(error);
  }
}

/** Whether the log has the newest action that this page knows, as this page knows it. */
async function isSameLog() {
  const known = log.newest(() => true);
  if (!known) return log.head === 0;
  const { entries: [found] } = await door.ask({ log: known.id, to: known.id });
  return found !== undefined && ["action", "at", "when"].every((name) => kept(found)[name] === known[name]);
}

/** Learns where the store is now, and follows it from there. */
async function resume() {
  const asked = first ?? takeNewest(askNewest());
  first = null;
  const { entries, answer } = await asked;
  actions.catchUp(answer.head);
  notice(entries);
  if (document.hidden || isFollowing) return;
  isFollowing = true;
  // What came between both answers is told by the first event.
  await door.ask({ follow: answer.head + 1, count: followed });
}

function take(event) {
  if (event.event !== "actions") return;
  const { entries, head, folded } = event;
  const from = log.head;
  actions.add(entries, head);
  action.add(entries, from, head);
  store.dispatch({ type: "entries", head });
  notice(entries);
  if (entries.some(({ action }) => action.startsWith("shell."))) {
    modules();
    units();
  }
  if (folded || head - from > entries.length) touched = null;
  if (touched) for (const { changes } of entries) for (const { path } of changes ?? []) touched.add(path);
  if (touched && touched.size > 400) touched = null;
  refresh();
  units();
}

// The paths that changed since the state was last drawn; null: any may have.
let touched = new Set();
const refresh = paced(120, () => {
  if (document.hidden) return;
  const paths = touched && [...touched];
  touched = new Set();
  if (store.state.look === null) tree.refresh(paths);
  charts.refresh(paths);
});

const mostPeople = 100;
const people = new Map();
function notice(entries) {
  for (const entry of entries) {
    if (!entry.source?.who) continue;
    const isUndo = entry.action === "shell.restore";
    if (name.isOwn(entry) && (isUndo || !entry.action.startsWith("shell."))) {
      store.dispatch({ type: "acted", number: entry.id, action: entry.action, isUndo });
    }
    people.set(whoText(entry), entry.id);
  }
  const byLast = [...people].sort((left, right) => right[1] - left[1]);
  for (const [name] of byLast.slice(mostPeople)) people.delete(name);
  const latest = byLast.slice(0, 12).map(([name]) => name).sort();
  if (latest.join() !== store.state.people.join()) store.dispatch({ type: "people", people: latest });
}

const modules = paced(500, async () => {
  try {
    const list = await door.data("describe");
    const described = await Promise.all(list.map(({ module }) => door.data(`describe ${module}`)));
    store.dispatch({ type: "modules", modules: described });
  } catch (error) {
    if (error.code !== "lost") say(error);
  }
});

const units = paced(1000, async () => {
  if (document.hidden || !door.isOpen || !allows(store.state.host, "read")) return;
  try {
    const names = ["middleware", "effects", "plugins", "permissions"];
    // An earlier host lists no faults.
    const faults = door.data("show shell.faults").catch(() => []);
    const lists = await Promise.all(names.map((name) => door.data(`show shell.${name}`)));
    // The history moves on where it has a bound.
    const { oldest, head } = await door.ask({ time: true });
    log.setRange(oldest, log.head);
    store.dispatch({ type: "time", head, oldest });
    const listed = Object.fromEntries(names.map((name, index) => [name, lists[index]]));
    store.dispatch({ type: "units", units: { ...listed, faults: await faults } });
    // Their time goes on without an action.
    if (lists[1].length > 0) units();
  } catch (error) {
    if (error.code !== "lost") say(error);
  }
});

// MARK: What the page does

/** Runs a statement that changes the store, and says what came of it.
 *  @returns whether it was done. */
async function run(statement) {
  try {
    const { output, status } = await commands.ask({ run: statement, form: "text", utf8: true, styles: true, width: 100 });
    terminal.write(`${store.state.host.prompt}${statement}\n`, "typed-line");
    terminal.pieces(output);
    terminal.expand(true);
    units();
    return status === 0;
  } catch (error) {
    say(error);
    return false;
  }
}

function say(error) {
  store.dispatch({ type: "say", text: error.lines?.join("\n") ?? error.message, isError: true });
}

/** Has the phases of actions timed, or no longer. A page that is not seen measures nothing. */
async function measure(isOn) {
  store.dispatch({ type: "times", isOn });
  if (isOn && document.hidden) return;
  try {
    await commands.data(isOn ? "trace on --times" : "trace off");
  } catch (error) {
    store.dispatch({ type: "times", isOn: false });
    say(error);
  }
}

byId("measure").addEventListener("change", ({ target }) => measure(target.checked));
store.watch((state) => state.times.isOn, (isOn) => { byId("measure").checked = isOn; });

document.addEventListener("visibilitychange", () => {
  if (!door.isOpen) return;
  if (store.state.times.isOn) commands.data(document.hidden ? "trace off" : "trace on --times").catch(() => {});
  if (document.hidden) {
    isFollowing = false;
    door.ask({ follow: false }).catch(() => {});
  } else {
    resume().then(() => {
      tree.refresh(null);
      charts.refresh(null);
      units();
    }).catch(() => {});
  }
});

// MARK: The frame

keepPresses();
showBorders([
  ["pane-action", "Border before one action"], ["pane-state", "Border before the state"],
  ["pane-state", "Border above the state", true], ["pane-parts", "Border before the controls"],
]);

store.watch((state) => state.host, (host) => {
  if (!host.program) return;
  setText(byId("name"), safe(host.program));
  setText(byId("about"), `process ${host.process} · ${host.allow.length === 1 ? "right" : "rights"} ${host.allow.map((right) => safe(right)).join(", ")}`);
  setText(byId("prompt"), safe(host.prompt, 80));
  document.title = `${safe(host.program)} · stsh-inspector`;
});
store.watch(({ log, host }) => allows(host, "read") ? log.head : null, (head) => {
  setText(byId("total"), head === null ? "" : `${grouped(head)} ${head === 1 ? "action" : "actions"}`);
});
store.watch((state) => state.people, (names) => {
  const text = names.slice(0, 4).map((name) => safe(name, 100)).join(", ");
  setText(byId("people"), names.length > 4 ? `${text} +${names.length - 4}` : text);
  byId("people").title = names.map((name) => safe(name, 100)).join(", ");
});
const banner = byId("lost");
let bannerTimer = 0;
store.watch((state) => state.link, ({ status, note, isSilent }) => {
  const words = { live: "live", connecting: "connecting…", lost: "lost", refused: "refused" };
  const field = byId("status");
  setText(field, isSilent ? "no answer" : words[status]);
  field.className = isSilent ? "lost" : status === "live" ? "live" : status === "connecting" ? "" : "lost";
  document.body.classList.toggle("lost", status === "lost" || status === "refused");
  clearTimeout(bannerTimer);
  banner.hidden = !isSilent && (status === "connecting" || !note);
  setText(banner, isSilent ? "⚠ the store does not answer" : status === "lost" ? `⚠ ${note}; trying again…` : status === "refused" ? `⚠ ${note}` : note);
  if (status === "live" && note) bannerTimer = setTimeout(() => store.dispatch({ type: "noted" }), 8000);
});
store.watch((state) => state.message, ({ text, isError }) => {
  if (text) terminal.write(`${text}\n`, isError ? "error" : "");
});

const panes = [["actions", "actions"], ["action", "one action"], ["state", "state"], ["parts", "controls"]];
byId("tabs").append(...panes.map(([name, text]) => element("button", {
  type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, textContent: text,
  onclick: () => store.dispatch({ type: "pane", name }),
})));
store.watch((state) => state.pane, (shown) => {
  for (const [name] of panes) {
    byId(`pane-${name}`).classList.toggle("shown", name === shown);
    byId(`tab-${name}`).setAttribute("aria-selected", String(name === shown));
    byId(`tab-${name}`).tabIndex = name === shown ? 0 : -1;
  }
});
byId("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const index = (panes.findIndex(([name]) => name === store.state.pane) + step + panes.length) % panes.length;
  store.dispatch({ type: "pane", name: panes[index][0] });
  byId(`tab-${panes[index][0]}`).focus();
});
showHelp({
  keys: {
    "/": () => focus("actions", "filter"), a: () => focus("actions", "actions"), s: () => focus("state", "tree"),
    f: () => focus("state", "find"), d: () => focus("parts", "dispatch-action"), c: () => terminal.focus(),
    "[": () => timeline.step(-1), "]": () => timeline.step(1), ".": () => visit(null),
  },
});

function focus(pane, id) {
  const isShown = !narrow.matches || store.state.pane === pane;
  store.dispatch({ type: "pane", name: pane });
  if (isShown) byId(id)?.focus();
  else requestAnimationFrame(() => byId(id)?.focus());
}

if (token) {
  door.tell({
    greeted: (hello) => begin(hello),
    lost: (note) => {
      isFollowing = false;
      first = null;
      store.dispatch({ type: "unlinked", status: "lost", note });
    },
    refused: (note) => store.dispatch({ type: "unlinked", status: "refused", note }),
    event: take,
    silent: () => store.dispatch({ type: "silent", isSilent: true }),
    heard: () => store.dispatch({ type: "silent", isSilent: false }),
  });
} else {
  store.dispatch({ type: "unlinked", status: "refused", note: "this address has no token: take the one that stsh-inspector printed" });
}
