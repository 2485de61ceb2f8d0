// Middleware with gates as switches, effects with their next time, plugins with the permissions that they asked for and used.

import { byId, element } from "./dom.js";
import { grouped, safe } from "./format.js";
import { allows } from "./state.js";

export function showUnits({ store, run }) {
  const boxes = { middleware: byId("middleware"), effects: byId("effects"), plugins: byId("plugins") };

  const none = (text) => element("p", { class: "soft", textContent: text });

  function table(heads, rows) {
    const cell = (tag, [text, kind]) => {
      const made = element(tag, { class: kind ?? "" });
      made.append(text);
      return made;
    };
    return element("table", {},
      element("thead", {}, element("tr", {}, ...heads.map((head) => cell("th", head)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((part) => cell("td", part))))));
  }

  function gate(unit, host) {
    const isGated = unit.gate === "on" || unit.gate === "off";
    const isOn = unit.gate === "on";
    if (!isGated || !allows(host, "dispatch", "shell.setGate")) return unit.gate;
    const box = element("input", {
      type: "checkbox", role: "switch", checked: isOn, "aria-label": `Gate of ${unit.name}`, id: `gate-${unit.name}`,
      onchange: () => run(`middleware ${box.checked ? "on" : "off"} ${unit.name}`).then((isDone) => {
        if (!isDone) box.checked = isOn;
      }),
    });
    return element("label", { class: "gate" }, box, isOn ? "on" : "off");
  }

  function middleware({ units, host }) {
    if (units.middleware.length === 0) return none("The store has no middleware.");
    return table([["name"], ["gate"], ["seen", "number"], ["held", "number"], ["dropped", "number"]],
      units.middleware.map((unit) => [
        [element("code", { textContent: safe(unit.name), title: unit.origin })], [gate(unit, host)],
        [grouped(unit.seen), "number"], [grouped(unit.held), "number"], [grouped(unit.dropped), "number"],
      ]));
  }

  function effects({ units, host }) {
    if (units.effects.length === 0) return none("No effect runs.");
    const mayCancel = allows(host, "dispatch");
    return table([["id"], ["wakes"], ["by"], ["", "act"]], units.effects.map((effect) => [
      [element("code", { textContent: safe(effect.id), title: `for ${effect.age}` })],
      [element("span", { class: "number", textContent: safe(effect.wakes ?? "when it is done") })],
      [safe(effect.startedBy ?? "")],
      [mayCancel ? element("button", {
        type: "button", class: "quiet", textContent: "cancel", "aria-label": `Cancel ${effect.id}`,
        onclick: () => run(`effects cancel ${effect.id}`),
      }) : "", "act"],
    ]));
  }

  function plugins({ units, host }) {
    if (units.plugins.length === 0) return none("No plugin is loaded.");
    const mayChange = allows(host, "plugins");
    return element("div", {}, ...units.plugins.map((plugin) => {
      const act = (text, statement) => element("button", {
        type: "button", class: "quiet", textContent: text, "aria-label": `${text} ${plugin.name}`, onclick: () => run(statement),
      });
      return element("div", { class: "plugin" },
        element("div", { class: "line" },
          element("code", { class: "strong", textContent: safe(plugin.name) }),
          element("span", { class: "soft", textContent: safe(plugin.version) }),
          element("span", { class: plugin.state === "on" ? "soft" : "fault", textContent: safe(plugin.state) }),
          mayChange ? element("span", { class: "act" }, act("reload", `plugin reload ${plugin.name}`),
            plugin.state === "on" ? act("disable", `plugin disable ${plugin.name}`) : act("enable", `plugin enable ${plugin.name}`)) : null),
        element("ul", { "aria-label": `Permissions of ${plugin.name}` },
          ...units.permissions.filter((one) => one.plugin === plugin.name).map((one) => element("li", {},
            element("code", { textContent: safe(one.permission) }), one.required ? "" : "optional",
            element("span", { class: "number", textContent: one.uses === 0 ? "unused" : `used ${grouped(one.uses)}` })))));
    }));
  }

  function keepFocus(box, content) {
    const active = box.contains(document.activeElement) ? document.activeElement : null;
    const id = active?.id;
    const label = active?.getAttribute("aria-label");
    box.replaceChildren(content);
    if (!active) return;
    const again = id ? byId(id) : [...box.querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === label);
    again?.focus();
  }

  const draws = { middleware, effects, plugins };
  const shown = {};
  const draw = (_, state) => {
    for (const [name, make] of Object.entries(draws)) {
      const key = JSON.stringify([state.units[name], name === "plugins" ? state.units.permissions : 0, state.host.allow]);
      if (shown[name] === key) continue;
      shown[name] = key;
      keepFocus(boxes[name], make(state));
    }
  };
  store.watch((state) => state.units, draw);
  store.watch((state) => state.host, draw);
}
