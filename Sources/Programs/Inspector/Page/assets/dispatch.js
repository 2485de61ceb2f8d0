// A form made from the type of an action. What is wrong with it the shell says, at the field.

import { byId, element } from "./dom.js";
import { grouped, safe } from "./format.js";
import { allows } from "./state.js";

export function showDispatch({ store, commands, show }) {
  const box = byId("dispatch");
  const select = element("select", { id: "dispatch-action" });
  const about = element("div", { class: "about" });
  const fields = element("div");
  const send = element("button", { type: "submit", class: "main", textContent: "dispatch" });
  const answer = element("output", { class: "soft", "aria-live": "polite" });
  const fault = element("div", { class: "error", role: "alert" });
  const form = element("form", { noValidate: true, autocomplete: "off" },
    element("div", { class: "field" }, element("label", { for: "dispatch-action", textContent: "action" }), select),
    about, fields, element("div", { class: "send" }, send, answer));
  let actions = new Map();
  let inputs = [];

  const isOptional = (type) => type.endsWith("?");
  const bare = (type) => type.replace(/\?$/, "");

  function input(argument, id) {
    const type = bare(argument.type);
    const choices = type === "Bool" ? ["true", "false"] : /^[\w-]+(\|[\w-]+)+$/.test(type) ? type.split("|") : null;
    if (choices) {
      return element("select", { id }, element("option", { value: "", textContent: isOptional(argument.type) ? "none" : "" }),
        ...choices.map((name) => element("option", { value: name, textContent: name })));
    }
    return element("input", {
      id, type: "text", spellcheck: type === "String", inputMode: type === "Int" ? "numeric" : type === "Double" ? "decimal" : "text",
      placeholder: argument.type,
    });
  }

  function drawFields() {
    const action = actions.get(select.value);
    inputs = [];
    fields.replaceChildren();
    fault.textContent = "";
    about.textContent = safe(action?.doc ?? "");
    about.hidden = !action?.doc;
    for (const argument of action?.arguments ?? []) {
      const id = `argument-${argument.name}`;
      const control = input(argument, id);
      const error = element("div", { class: "error", id: `${id}-error`, role: "alert" });
      control.setAttribute("aria-describedby", error.id);
      const line = element("div", { class: "field" },
        element("label", { for: id, textContent: safe(argument.name), title: `${argument.name}: ${argument.type}` }), control, error);
      if (argument.doc) line.title = safe(argument.doc);
      fields.append(line);
      inputs.push({ argument, control, error });
    }
  }

  /** The statement, and where in it each argument stands. */
  function statement() {
    let text = `dispatch ${select.value}`;
    const places = [];
    for (const one of inputs) {
      const given = one.control.value;
      const type = bare(one.argument.type);
      if (given === "" && (isOptional(one.argument.type) || type !== "String" || !one.isTouched)) continue;
      const isText = type === "String" || (one.control.tagName === "INPUT" && !/^[-\d.[{"'$]|^(true|false|nil|null)$/.test(given));
      text += " ";
      const from = text.length + 1;
      text += `${one.argument.name}=${isText ? quoted(given) : given}`;
      places.push({ one, from, to: text.length + 1 });
    }
    return { text, places };
  }

  function quoted(text) {
    return `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;
  }

  form.addEventListener("input", (event) => {
    const one = inputs.find(({ control }) => control === event.target);
    if (!one) return;
    one.isTouched = true;
    one.control.removeAttribute("aria-invalid");
    one.error.textContent = "";
  });
  select.addEventListener("change", drawFields);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { text, places } = statement();
    for (const { control, error } of inputs) {
      control.removeAttribute("aria-invalid");
      error.textContent = "";
    }
    fault.textContent = "";
    answer.textContent = "";
    send.disabled = true;
    try {
      const entry = await commands.data(text);
      const count = entry?.changes?.length ?? 0;
      answer.replaceChildren(element("button", {
        type: "button", class: "link", textContent: `#${grouped(entry.id)}`, onclick: () => show(entry.id),
      }), count === 0 ? " changed nothing" : count === 1 ? " 1 change" : ` ${grouped(count)} changes`);
      for (const one of inputs) {
        if (one.control.tagName === "INPUT") one.control.value = "";
        one.isTouched = false;
      }
      inputs[0]?.control.focus();
    } catch (error) {
      const place = places.find(({ from, to }) => error.column >= from && error.column < to)?.one
        ?? (error.code === "missing-argument"
          ? inputs.find(({ argument, control }) => control.value === "" && !isOptional(argument.type)) : null);
      const message = safe(error.message);
      if (place) {
        place.control.setAttribute("aria-invalid", "true");
        place.error.textContent = message;
        place.control.focus();
      } else {
        fault.textContent = error.hint ? `${message}; ${safe(error.hint)}` : message;
      }
    } finally {
      send.disabled = false;
    }
  });

  function draw({ modules, host }) {
    const chosen = select.value;
    actions = new Map();
    const groups = [];
    for (const module of modules) {
      const allowed = module.actions.filter(({ name }) => allows(host, "dispatch", name));
      if (allowed.length === 0) continue;
      for (const action of allowed) actions.set(action.name, action);
      groups.push(element("optgroup", { label: module.module },
        ...allowed.map(({ name }) => element("option", { value: name, textContent: name }))));
    }
    if (actions.size === 0) {
      const text = modules.length === 0 ? "" : `This door allows ${host.allow.join(", ")}: no action may be dispatched.`;
      box.replaceChildren(element("p", { class: "soft", textContent: text }));
      return;
    }
    select.replaceChildren(...groups);
    if (actions.has(chosen)) select.value = chosen;
    if (!form.isConnected) box.replaceChildren(form, fault);
    if (select.value !== chosen || inputs.length === 0) drawFields();
  }

  store.watch((state) => state.modules, (_, state) => draw(state));
  store.watch((state) => state.host, (_, state) => draw(state));

  return {
    has: (action) => actions.has(action),
    /** Fills the form with an action and its arguments. */
    fill(action, given) {
      select.value = action;
      drawFields();
      for (const one of inputs) {
        const value = given?.[one.argument.name];
        if (value === undefined || value === null) continue;
        one.control.value = typeof value === "object" ? JSON.stringify(value) : String(value);
        one.isTouched = true;
      }
      (inputs[0]?.control ?? send).focus();
    },
  };
}
