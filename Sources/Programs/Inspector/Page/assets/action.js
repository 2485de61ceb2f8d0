// One action: its arguments, where it came from, what it changed, what caused it and what it caused.

import { byId, drawing, element, keeper, paced, setText } from "./dom.js";
import { cut, durationText, clockText, dateText, grouped, partText, safe, safeLines, sourceText, valueText, whoText } from "./format.js";
import { kept } from "./log.js";
import { allows } from "./state.js";

// So many entries behind an action are searched for what it caused.
const searched = 1000;

export function showAction({ store, log, door, times, look, show, canDispatch, prefill, openCode }) {
  const body = byId("action");
  const buttons = byId("action-buttons");
  const title = byId("title-action");
  let shown = null;

  function part(name, ...children) {
    return element("div", { class: "part" }, element("h4", { textContent: name }), ...children);
  }

  function link(entry) {
    return element("button", {
      type: "button", class: "link", textContent: `#${grouped(entry.id)} ${safe(entry.action)}`,
      onclick: () => show(entry.id),
    });
  }

  function value(kind, content) {
    const text = valueText(content, 4000);
    const long = text.length > 400;
    const line = element("span", { textContent: long ? cut(text, 400) : text });
    const more = long && element("button", {
      type: "button", class: "link", textContent: " show all",
      onclick: (event) => {
        line.textContent = text;
        event.target.remove();
      },
    });
    return element("div", { class: kind }, element("div", {}, line, more || ""));
  }

  function change({ path, op, from, to }) {
    return element("div", { class: "change" },
      element("div", { class: "path", textContent: safe(path) }), element("div", { class: "soft of", hidden: true }),
      op !== "add" ? value("old", from) : null,
      op !== "remove" ? value("new", to) : null);
  }

  /** Tells which element of a list a change is in, where its path has the position alone. */
  async function describeElements(number, changes) {
    const lines = [...body.querySelectorAll(".change .of")];
    for (const [index, { path }] of changes.slice(0, 20).entries()) {
      const [, list, position] = /^(.*)\[(\d+)\]\./.exec(path) ?? [];
      if (!list) continue;
      try {
        const { parts } = await door.ask({ parts: list, from: Number(position), count: 1, at: number });
        if (shown !== number) return;
        if (parts.length === 0) continue;
        setText(lines[index], `of ${partText(parts[0])}`);
        lines[index].hidden = false;
      } catch {
        // A change is shown without it.
        return;
      }
    }
  }

  function facts(pairs) {
    const list = element("dl", { class: "facts" });
    for (const [name, text] of pairs) {
      if (text) list.append(element("dt", { textContent: name }), element("dd", { textContent: text }));
    }
    return list;
  }

  function phases(time) {
    const box = element("div");
    for (const phase of time.phases) {
      const from = time.seconds ? 100 * phase.begin / time.seconds : 0;
      const width = time.seconds ? Math.max(0.6, 100 * phase.seconds / time.seconds) : 0;
      box.append(element("div", { class: "phase", title: phase.unit ?? phase.phase },
        element("span", { textContent: phase.unit ? safe(phase.unit.split(/[./]/).pop()) : phase.phase, class: "soft" }),
        drawing("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
          drawing("rect", { x: from.toFixed(2), y: 0, width: width.toFixed(2), height: 6 })),
        element("span", { class: "number", textContent: durationText(phase.seconds) })));
    }
    return box;
  }

  /** The whole error: its first line, the lines behind it, such as the place in a plugin, and its code. */
  function failure({ failure: code, reason }) {
    const [first, ...rest] = cut(reason ?? code, 20_000).split("\n");
    const box = element("div", { class: "warning" }, element("p", { textContent: `⚠ refused: ${safe(first)}` }));
    if (rest.length) box.append(element("pre", { textContent: safeLines(rest.join("\n")) }));
    if (reason) box.append(element("p", { class: "soft" }, "code ", element("code", { textContent: safe(code) })));
    return box;
  }

  // Shows the description of the shown action, and whether it may be dispatched, once that is known.
  let showDescribed = () => {};
  // Shows the times of the shown action once they are there.
  let showTime = () => {};
  // Shows the effects of the shown action that run, and what went wrong beside it.
  let showStarted = () => {};
  // Takes what comes while an action is shown, in case that it caused it.
  let takeCaused = () => {};
  // Asks for it, since some was left out.
  let askCaused = () => {};
  const missed = paced(500, () => askCaused()?.catch(() => {}));

  const docOf = (name) => store.state.modules.flatMap(({ actions }) => actions).find((action) => action.name === name)?.doc;

  async function draw(number) {
    shown = number;
    takeCaused = askCaused = showTime = showDescribed = showStarted = () => {};
    if (number === null) {
      title.textContent = "action";
      buttons.replaceChildren();
      body.replaceChildren(element("p", { class: "soft", textContent: "Select an action of the list to see what it did." }));
      return;
    }
    let entry = log.entry(number);
    if (!entry || entry.isShort) {
      title.textContent = `#${grouped(number)}`;
      try {
        entry = await log.fetch(number, true);
      } catch { return; }
      if (shown !== number) return;
      if (!entry) {
        const text = number > log.head ? `There is no action of this number yet; the last is #${grouped(log.head)}.` : "The store has let go of this action.";
        buttons.replaceChildren();
        body.replaceChildren(element("p", { class: "soft", textContent: text }));
        return;
      }
    }
    title.textContent = `#${grouped(number)}`;
    const again = element("button", {
      type: "button", class: "small", textContent: "again…", title: "Fill the form with this action and its arguments",
      onclick: () => prefill(entry.action, entry.args),
    });
    const [module, ...rest] = entry.action.split(".");
    const code = element("button", {
      type: "button", class: "small", textContent: "code", title: "Read the plugin's code of this action",
      onclick: () => openCode(module, rest.join(".")),
    });
    const doc = element("p", { class: "soft" });
    showDescribed = () => {
      again.hidden = !entry.args || !canDispatch(entry.action);
      setText(doc, safe(docOf(entry.action) ?? ""));
      doc.hidden = doc.textContent === "";
      const { host, units } = store.state;
      code.hidden = !allows(host, "plugins") || !units.plugins.some(({ name }) => name === module);
    };
    showDescribed();
    buttons.replaceChildren(again, element("button", {
      type: "button", class: "small", textContent: "look here", title: "Look at the state behind this action (l)",
      onclick: () => look(number),
    }), element("button", {
      type: "button", class: "small", textContent: "look before", title: "Look at the state before this action",
      onclick: () => look(number - 1),
    }), code);

    const moment = log.moment(entry);
    const previous = log.entry(number - 1);
    const out = [element("h3", { textContent: safe(entry.action) })];
    out.push(doc);
    if (entry.bytes) out.push(element("p", { class: "soft", textContent: `This entry has ${grouped(entry.bytes)} bytes; type: log --json` }));
    if (entry.failure) out.push(failure(entry));
    if (entry.droppedBy) out.push(element("p", { class: "warning", textContent: `⚠ dropped by ${safe(entry.droppedBy)}` }));
    const args = Object.entries(entry.args ?? {}).filter(([, given]) => given !== null);
    if (args.length) {
      const list = element("dl", { class: "facts arguments" });
      for (const [name, given] of args) {
        list.append(element("dt", { textContent: safe(name) }), element("dd", { textContent: valueText(given, 2000) }));
      }
      out.push(part("arguments", list));
    }
    const { source } = entry;
    const changes = entry.changes ?? [];
    if (entry.changes) out.push(part(changes.length === 0 ? "changed nothing" : changes.length === 1 ? "1 change" : `${grouped(changes.length)} changes`,
      ...changes.slice(0, 200).map(change),
      changes.length > 200 ? element("p", { class: "soft", textContent: `… ${grouped(changes.length - 200)} more: diff ${number - 1} ${number}` }) : null));
    const causes = part("caused by", element("span", { class: "soft", textContent: "…" }));
    const caused = part("caused", element("span", { class: "soft", textContent: "…" }));
    causes.hidden = !source?.cause;
    caused.hidden = true;
    out.push(causes, caused);
    const started = part("started");
    const startedList = element("ul", { class: "chain" });
    started.append(startedList);
    out.push(started);
    const showStartedItems = keeper(startedList, ({ id }) => id, ({ id }) => {
      const said = element("span");
      return { node: element("li", {}, element("code", { textContent: safe(id) }), " ", said), update: ({ text }) => setText(said, text) };
    });
    showStarted = () => {
      const { effects, faults } = store.state.units;
      const running = effects.filter(({ startedBy }) => startedBy === `#${number}`)
        .map(({ id, wakes }) => ({ id, text: wakes ? `goes on ${safe(wakes)}` : "runs" }));
      const failed = faults.filter(({ action }) => action === number)
        .map(({ plugin, unit, effect, message }) => ({ id: effect ?? `${plugin}/${unit}`, text: `⚠ ${safe(cut(message, 1000))}` }));
      showStartedItems([...running, ...failed]);
      started.hidden = running.length + failed.length === 0;
      setText(started.firstElementChild, running.length > 0 ? "effects" : "faults beside the action");
    };
    showStarted();
    const phasesPart = part("phases");
    out.push(phasesPart);
    showTime = () => {
      const time = times.of(number);
      phasesPart.hidden = !time;
      if (!time || phasesPart.childElementCount > 1) return;
      setText(phasesPart.firstElementChild, `phases, ${durationText(time.seconds)}`);
      phasesPart.append(phases(time));
    };
    showTime();
    if (source) {
      out.push(part("source", facts([
        ["who", safe(whoText(entry))], ["user", source.user && safe(source.user)],
        ["where", safe(sourceText(entry))], ["through", safe(`${source.function} (${source.kind})`)],
        ["info", source.info && safe(source.info)],
        ["when", `${dateText(moment)} ${clockText(moment)}`],
        ["since", previous ? `${durationText(Math.max(0, entry.at - previous.at))} after #${grouped(number - 1)}` : `${durationText(entry.at)} after the store began`],
      ])));
    }
    body.replaceChildren(...out.filter(Boolean));
    body.scrollTop = 0;

    // Who walks through the list by keys does not wait for what each action caused.
    await new Promise((done) => setTimeout(done, 80));
    if (shown !== number) return;
    describeElements(number, changes);
    try {
      if (source?.cause) {
        const chain = element("ol", { class: "chain" });
        let next = source.cause;
        for (let depth = 0; next && depth < 20; depth++) {
          const cause = await log.fetch(next);
          if (shown !== number) return;
          if (!cause) break;
          const item = element("li", {}, link(cause), element("span", { class: "soft", textContent: `  ${safe(whoText(cause))}` }));
          item.style.setProperty("--depth", depth);
          chain.append(item);
          next = cause.source?.cause;
        }
        causes.replaceChildren(element("h4", { textContent: "caused by" }), chain);
      }
      const below = new Map([[number, 0]]);
      const found = [];
      const head = element("h4");
      const list = element("ol", { class: "chain" });
      const showFound = keeper(list, ({ other }) => String(other.id), ({ other, depth }) => {
        const item = element("li", {}, link(other), element("span", {
          class: "soft", textContent: `  ${(other.changes ?? []).map(({ path }) => safe(path)).slice(0, 3).join(", ")}`,
        }));
        item.style.setProperty("--depth", depth);
        return { node: item };
      });
      caused.replaceChildren(head, list);
      takeCaused = (entries) => {
        const before = found.length;
        for (const other of entries) {
          const depth = below.get(other.source?.cause);
          if (depth === undefined || below.has(other.id) || other.id > number + searched) continue;
          below.set(other.id, depth + 1);
          found.push({ other: kept(other), depth });
        }
        found.sort((left, right) => left.other.id - right.other.id);
        if (found.length === before) return;
        const isCut = store.state.log.head > number + searched;
        setText(head, `caused ${grouped(found.length)}${isCut ? ` among the next ${grouped(searched)}` : ""}`);
        showFound(found.slice(0, 100));
        caused.hidden = false;
      };
      askCaused = async () => {
        const { entries } = await door.ask({ log: number + 1, to: number + searched });
        if (shown === number) takeCaused(entries);
      };
      await askCaused();
    } catch {
      // The connection is lost, which is said elsewhere.
    }
  }

  store.watch((state) => state.selected, draw);
  store.watch((state) => state.times.version, () => showTime());
  store.watch((state) => state.modules, () => showDescribed());
  store.watch((state) => state.units, () => {
    showDescribed();
    showStarted();
  });
  return {
    /** Takes entries that came behind a number. */
    add: (entries, from, head) => {
      takeCaused(entries);
      if (head - from > entries.length && from < shown + searched) missed();
    },
  };
}
