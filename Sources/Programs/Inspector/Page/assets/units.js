// Middleware with gates as switches, effects with their next time, plugins with the permissions that they asked for and used.

import { byId, element, keeper, setText } from "./dom.js";
import { cut, grouped, quoted, safe } from "./format.js";
import { allows } from "./state.js";

// So many effects are shown, the first of the list.
const mostEffects = 100;
// So many faults of a plugin are shown, the newest first.
const mostFaults = 50;
const faultKey = ({ action, effect, message }) => `${action} ${effect} ${message}`;

export function showUnits({ store, run, show, openCode }) {
  const boxes = { middleware: byId("middleware"), effects: byId("effects"), plugins: byId("plugins") };

  /** A table with a row for each item, or a text where there is none.
   *  @param heads each [text, class, title]
   *  @param make of an item: its `cells`, each [content, class], and `update(item)` */
  function table(box, heads, key, make) {
    const cell = (tag, [content, kind, title]) => element(tag, { class: kind ?? "", title: title ?? "" }, content);
    const body = element("tbody");
    const whole = element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => cell("th", head)))), body);
    const empty = element("p", { class: "soft" });
    const show = keeper(body, key, (item) => {
      const { cells, update } = make(item);
      return { node: element("tr", {}, ...cells.map((part) => cell("td", part))), update };
    });
    box.append(whole, empty);
    return (items) => {
      // Rows go first, so that the focus of one that goes does not stand in what is hidden.
      show(items);
      whole.hidden = items.length === 0;
      empty.hidden = items.length > 0;
    };
  }

  // Rights stand in the keys: where they change, rows are made anew.
  const mayMove = ({ gate }) => (gate === "on" || gate === "off") && allows(store.state.host, "dispatch", "shell.setGate");
  const mayCancel = () => allows(store.state.host, "dispatch", "shell.cancelEffects");

  function gate(unit) {
    const word = element("span");
    if (!mayMove(unit)) return { node: word, update: ({ gate }) => setText(word, safe(gate)) };
    let isOn = false;
    let isAsked = false;
    const box = element("input", {
      type: "checkbox", role: "switch", "aria-label": `Gate of ${safe(unit.name)}`, id: `gate-${unit.name}`,
      onchange: async () => {
        isAsked = true;
        const wanted = box.checked;
        if (await run(`middleware ${wanted ? "on" : "off"} ${unit.name}`)) isOn = wanted;
        isAsked = false;
        box.checked = isOn;
        setText(word, isOn ? "on" : "off");
      },
    });
    return {
      node: element("label", { class: "gate" }, box, word),
      update({ gate }) {
        if (isAsked) return;
        isOn = gate === "on";
        box.checked = isOn;
        setText(word, safe(gate));
      },
    };
  }

  const showMiddleware = table(boxes.middleware,
    [["name"], ["gate"], ["seen", "number", "Actions that passed through it"], ["held", "number", "Actions that its gate, which was off, kept from it"],
      ["dropped", "number", "Actions that it dropped"]],
    (unit) => `${mayMove(unit)} ${unit.name}`, (unit) => {
      // A long one goes on in the next line, behind a dot.
      const name = element("code", {}, ...safe(unit.name).split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]));
      const counts = ["seen", "held", "dropped"].map((count) => [count, element("span")]);
      const { node, update } = gate(unit);
      return {
        cells: [[name], [node], ...counts.map(([, span]) => [span, "number"])],
        update(unit) {
          name.title = safe(`${unit.name}: ${unit.origin}`);
          update(unit);
          for (const [count, span] of counts) setText(span, grouped(unit[count]));
        },
      };
    });

  const showEffects = table(boxes.effects,
    [["id"], ["wakes"], ["by"], ["", "act"]], ({ id }) => `${mayCancel()} ${id}`, ({ id }) => {
      // A long one goes on in the next line, behind a slash.
      const name = element("code", {}, ...safe(id).split(/(?<=\/)/).flatMap((part) => [part, element("wbr")]));
      const wakes = element("span", { class: "number" });
      const by = element("span");
      let startedBy = "";
      const link = element("button", { type: "button", class: "link", onclick: () => show(Number(startedBy.slice(1))) });
      const cancel = mayCancel() ? element("button", {
        type: "button", class: "small", textContent: "cancel", "aria-label": `Cancel ${safe(id)}`, onclick: () => run(`effects cancel ${quoted(id)}`),
      }) : "";
      return {
        cells: [[name], [wakes, "wakes"], [element("span", {}, link, by)], [cancel, "act"]],
        update(effect) {
          name.title = safe(`for ${effect.age}`);
          setText(wakes, safe(effect.wakes ?? "when it is done"));
          startedBy = effect.startedBy ?? "";
          const isNumber = /^#\d+$/.test(startedBy);
          setText(link, isNumber ? startedBy : "");
          link.hidden = !isNumber;
          setText(by, isNumber ? "" : safe(startedBy));
        },
      };
    });

  const moreEffects = element("div", { class: "soft" });
  boxes.effects.append(moreEffects);
  const noPlugin = element("p", { class: "soft" });
  const pluginList = element("div");
  boxes.plugins.append(pluginList, noPlugin);
  const showPluginList = keeper(pluginList, ({ name }) => name, ({ name }) => {
    const version = element("span", { class: "soft" });
    const state = element("span");
    const acts = element("span", { class: "act" });
    const permissions = element("ul", { "aria-label": `Permissions of ${safe(name)}` });
    const showActs = keeper(acts, (act) => act, (act) => ({
      node: element("button", {
        type: "button", class: "small", textContent: act, "aria-label": `${act} ${safe(name)}`,
        onclick: () => act === "code" ? openCode(name) : run(`plugin ${act} ${name}`),
      }),
    }));
    const showPermissions = keeper(permissions, ({ permission }) => permission, ({ permission, required }) => {
      const uses = element("span", { class: "number" });
      return {
        node: element("li", {}, element("code", { textContent: safe(permission) }), required ? "" : "optional", uses),
        update: (one) => setText(uses, one.uses === 0 ? "unused" : one.uses === 1 ? "used once" : `used ${grouped(one.uses)} times`),
      };
    });
    const moreFaults = element("div", { class: "soft" });
    const faults = element("ul", { class: "faults", "aria-label": `Faults of ${safe(name)}` });
    const showFaults = keeper(faults, faultKey, ({ action, effect, message }) => ({
      node: element("li", {}, element("span", { textContent: `⚠ ${safe(cut(message, 300))}${effect ? `: ${safe(effect)}` : ""}` }),
        action ? element("button", { type: "button", class: "link number", textContent: `#${grouped(action)}`, onclick: () => show(action) }) : ""),
    }));
    return {
      node: element("div", { class: "plugin" },
        element("div", { class: "line" }, element("code", { class: "strong", textContent: safe(name) }), version, state, acts), permissions, faults, moreFaults),
      update(plugin) {
        setText(version, safe(plugin.version));
        setText(state, safe(plugin.state));
        state.className = plugin.state === "on" ? "soft" : "fault";
        showActs(allows(store.state.host, "plugins") ? ["reload", plugin.state === "on" ? "disable" : "enable", "code"] : []);
        showPermissions(store.state.units.permissions.filter((one) => one.plugin === name));
        const its = store.state.units.faults.filter((one) => one.plugin === name);
        showFaults(its.slice(-mostFaults).reverse());
        moreFaults.hidden = its.length <= mostFaults;
        setText(moreFaults, `… ${grouped(its.length - mostFaults)} more: show shell.faults`);
      },
    };
  });

  const notAllowed = "This door does not allow read.";
  const draw = (_, { units, host }) => {
    const isRefused = host.program !== "" && !allows(host, "read");
    for (const [box, text] of Object.entries({ middleware: "The store has no middleware.", effects: "No effect runs.", plugins: "No plugin is loaded." })) {
      setText(boxes[box].querySelector(":scope > p"), isRefused ? notAllowed : units.isKnown ? text : "…");
    }
    showMiddleware(units.middleware);
    showEffects(units.effects.slice(0, mostEffects));
    moreEffects.hidden = units.effects.length <= mostEffects;
    setText(moreEffects, `… ${grouped(units.effects.length - mostEffects)} more: show shell.effects`);
    showPluginList(units.plugins);
    noPlugin.hidden = units.plugins.length > 0;
  };
  store.watch((state) => state.units, draw);
  store.watch((state) => state.host, draw);
}
