// The list of actions: live, newest first, with a filter.

import { byId, element, setClass, setText } from "./dom.js";
import { argumentsText, clockText, cut, dateText, durationText, grouped, safe, sourceText, whoText } from "./format.js";
import { parseFilter } from "./filter.js";
import { Matches } from "./log.js";
import { Rows } from "./rows.js";
import { allows } from "./state.js";

export function showActions({ store, log, door, times, look, opened }) {
  const list = byId("actions");
  const filterField = byId("filter");
  const newest = byId("newest");
  const unfilter = byId("unfilter");
  const empty = byId("actions-empty");
  let filter = parseFilter("");
  let matches = null;
  // Whether the newest action stays on top.
  let isFollowing = true;
  // Whether the first row is selected once it is there.
  let wantsFirst = false;
  // The first row that is seen: it stays there when rows above it come or are folded.
  let anchor = null;

  // The column of who did it is as wide as the longest name so far.
  let widest = 8;

  // Why the door does not take the filter.
  let fault = "";
  // What went wrong beside an action, by its number.
  let faults = new Map();

  const source = () => matches ?? log;
  const moment = (entry) => log.moment(entry);

  const rows = new Rows(list, {
    count: () => source().count,
    make: () => {
      const parts = ["n", "when", "what", "who", "took"].map((name) => element("span", { class: name }));
      parts[2].append(
        element("span", { class: "depth" }), element("span", { class: "name" }), element("span", { class: "times" }),
        element("span", { class: "args" }));
      return element("div", { class: "row", role: "option" }, ...parts);
    },
    draw,
    item: (position) => source().row(position)?.last ?? null,
    place: (number) => source().position(number),
    open: opened,
    moved: (position) => {
      const row = source().row(position);
      isFollowing = isFollowing && rows.isAtTop;
      if (row?.first) store.dispatch({ type: "select", number: row.last });
    },
    enter: (position) => lookAt(position),
    key: (event, position) => {
      if (event.key === "Enter" || event.key === "l") return lookAt(position), true;
      return false;
    },
  });

  function lookAt(position) {
    const row = source().row(position);
    if (row?.first) look(row.last);
  }

  function draw(element, position) {
    const [number, when, what, who, took] = element.children;
    const [depth, name, count, args] = what.children;
    const row = source().row(position);
    const { state } = store;
    if (!row || row.note !== undefined) {
      [number, when, who, took, depth, count, name].forEach((part) => setText(part, ""));
      setText(args, row?.note ?? "");
      element.className = "row";
      element.setAttribute("aria-selected", "false");
      return;
    }
    const { entry } = row;
    if (position === rows.firstSeen) anchor = { number: row.last, position };
    setText(number, `#${grouped(row.last)}`);
    setClass(element, "looked", state.look === row.last);
    setClass(element, "after", state.look !== null && row.first > state.look);
    const isChosen = state.selected >= row.first && state.selected <= row.last;
    setClass(element, "chosen", isChosen);
    element.setAttribute("aria-selected", String(isChosen));
    if (!entry) {
      [when, who, took, depth, count, args].forEach((part) => setText(part, ""));
      setText(name, "…");
      setClass(element, "failed", false);
      return;
    }
    const isFailed = Boolean(entry.failure || entry.droppedBy);
    setClass(element, "failed", isFailed);
    // An entry that is too large for a line has its number and name alone.
    setText(when, entry.at === undefined ? "" : clockText(moment(entry)));
    when.title = entry.at === undefined ? "" : `${dateText(moment(entry))}, ${entry.at.toFixed(3)} s of the store's time`;
    setText(depth, row.depth ? `${"  ".repeat(row.depth - 1)}└ ` : "");
    setText(name, `${isFailed ? "⚠ " : ""}${safe(entry.action)}`);
    setText(count, row.count > 1 ? `  ×${grouped(row.count)}` : isFailed ? `  ${entry.failure ? "refused" : "dropped"}` : "");
    const isUnchanged = entry.changes?.length === 0 && !isFailed && row.count === 1;
    const why = entry.reason ? `  ${safe(cut(entry.reason.split("\n", 1)[0], 160))}` : "";
    const wrong = faults.get(row.last);
    const beside = wrong ? `  ⚠ ${safe(cut(wrong, 160))}` : "";
    setText(args, `  ${row.count > 1 ? "" : argumentsText(entry.args)}${isUnchanged ? "  (changed nothing)" : ""}${why}${beside}`);
    const doer = safe(whoText(entry));
    setText(who, doer);
    if (Math.min(doer.length, 18) > widest) {
      widest = Math.min(doer.length, 18);
      list.style.setProperty("--who", widest);
    }
    who.title = safe(sourceText(entry));
    const time = times.of(row.last);
    setText(took, time ? durationText(time.seconds) : "");
  }

  function applyFilter(text) {
    filter = parseFilter(text.toWellFormed());
    fault = "";
    matches = filter.isEmpty ? null : new Matches(door, filter, log.head, (error) => {
      if (error && error.code !== "lost") fault = error.message;
      changed();
    });
    rows.active = -1;
    anchor = null;
    isFollowing = true;
    rows.scrollTo(0);
    if (filter.jump !== null && filter.jump >= 1) show(filter.jump);
    changed();
  }

  function show(number) {
    store.dispatch({ type: "select", number });
    if (matches && !matches.has(number)) {
      rows.active = -1;
      return rows.draw();
    }
    const position = source().position(number);
    isFollowing = false;
    anchor = { number, position };
    rows.active = position;
    if (position < rows.top || position > rows.top + rows.seen - 2) rows.scrollTo(Math.max(0, position - 4));
    else rows.draw();
  }

  function toNewest() {
    isFollowing = true;
    rows.active = -1;
    changed();
  }

  function changed() {
    if (isFollowing) {
      rows.scrollTo(0);
    } else {
      const position = anchor ? source().position(anchor.number) : 0;
      if (anchor && position !== anchor.position) rows.scrollTo(position + rows.top - rows.firstSeen);
      else rows.draw();
    }
    if (wantsFirst && source().row(0)?.entry) {
      wantsFirst = false;
      rows.activate(0);
    }
    const isEmpty = source().count === 0;
    if (isEmpty) sayEmpty();
    filterField.setAttribute("aria-invalid", String(fault !== ""));
    empty.hidden = !isEmpty;
    list.style.setProperty("--digits", grouped(log.head).length);
    list.hidden = isEmpty;
    newest.hidden = isFollowing;
    unfilter.hidden = filter.isEmpty;
    const isMore = matches && matches.reached !== null;
    setText(unfilter, matches ? `clear, ${grouped(matches.size)}${isMore ? "+" : ""} found` : "clear");
  }

  /** Takes entries that came. */
  function add(entries, head) {
    log.add(entries, head);
    matches?.add(entries, head);
    changed();
  }

  /** Looks for what came while the page did not listen. */
  const catchUp = (head) => matches?.add([], head);
  /** Begins anew: the log is another. */
  const restart = () => applyFilter(store.state.log.filter);

  let said = null;
  function sayEmpty() {
    const { host, link } = store.state;
    const mayRead = allows(host, "read");
    const isWaiting = !host.program || (mayRead && log.head === 0 && host.head > 0);
    const saying = `${matches !== null} ${log.head} ${fault} ${mayRead} ${isWaiting} ${link.status}`;
    if (said === saying) return;
    said = saying;
    if (isWaiting) {
      empty.replaceChildren(link.status === "connecting" ? "Connecting…" : link.status === "live" ? "Loading…" : "");
      return;
    }
    if (!mayRead) {
      empty.replaceChildren("This door does not allow ", element("code", { textContent: "read" }),
        ". The page shows nothing of the store; the line at the bottom takes what the door allows.");
      return;
    }
    if (fault) {
      empty.replaceChildren(`This filter cannot be read: ${safe(fault)}.`);
      return;
    }
    if (matches) {
      empty.replaceChildren(`No action up to #${grouped(log.head)} fits the filter. An action that fits is listed here when it comes.`);
      return;
    }
    if (log.head > 0) {
      empty.replaceChildren(`The store keeps no action up to #${grouped(log.head)} in its history. What comes from now on is listed here.`);
      return;
    }
    empty.replaceChildren(
      "Nothing has happened yet.", element("br"), "Type at the bottom of this page, for example ",
      element("code", { textContent: "dispatch counter.increment" }), ", or fill in the form under ",
      element("b", { textContent: "dispatch" }), ".");
  }

  list.addEventListener("wheel", () => { isFollowing = rows.isAtTop && isFollowing; }, { passive: true });
  list.addEventListener("scroll", () => {
    if (isFollowing !== rows.isAtTop) {
      isFollowing = rows.isAtTop && rows.active < 1;
      newest.hidden = isFollowing;
    }
  }, { passive: true });
  newest.addEventListener("click", () => {
    toNewest();
    list.focus();
  });
  unfilter.addEventListener("click", () => {
    store.dispatch({ type: "filter", text: "" });
    list.focus();
  });

  let typing = 0;
  filterField.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => store.dispatch({ type: "filter", text: filterField.value }), 150);
  });
  filterField.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      clearTimeout(typing);
      store.dispatch({ type: "filter", text: filterField.value });
      applyFilter(filterField.value);
    }
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      list.focus();
      if (rows.active < 0) wantsFirst = true;
      changed();
    }
  });
  byId("fold").addEventListener("change", (event) => {
    store.dispatch({ type: "fold", isOn: event.target.checked });
    log.setFolds(event.target.checked);
    changed();
  });

  store.watch((state) => state.log.filter, (text) => {
    const isTyped = filterField.value === text;
    if (!isTyped) filterField.value = text;
    applyFilter(text);
    // Of a long path the end tells most.
    if (!isTyped) filterField.scrollLeft = filterField.scrollWidth;
  });
  store.watch((state) => state.log.version, changed);
  store.watch((state) => state.host, changed);
  store.watch((state) => state.link, changed);
  store.watch((state) => state.selected, () => rows.draw());
  store.watch((state) => state.times, ({ isOn }) => {
    setClass(list, "timed", isOn);
    rows.draw();
  });
  store.watch((state) => state.look, () => rows.draw());
  store.watch((state) => state.units.faults, (list) => {
    faults = new Map(list.map(({ action, message }) => [action, message]));
    rows.draw();
  });

  return { add, catchUp, restart, show, toNewest, changed, focus: () => list.focus(), get isFollowing() { return isFollowing; } };
}
