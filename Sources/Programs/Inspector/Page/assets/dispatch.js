// A form made from the type of an action. What is wrong with it the shell says, at the field.

import { byId, element, keeper, setText } from "./dom.js";
import { grouped, json, quoted, safe, safeLines } from "./format.js";
import { allows } from "./state.js";

export function showDispatch({ store, log, commands, show }) {
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
  // The action whose fields are shown, as it was described; null: none are.
  let described = null;
  let isSending = false;
  let hasBegun = false;

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

  /** Makes fields for the chosen action, where it is another than before or has other arguments now. */
  function drawFields() {
    const action = actions.get(select.value);
    if (json(action) === json(described)) return;
    const given = described && action?.name === described.name
      ? new Map(inputs.filter(({ isTouched }) => isTouched).map(({ argument, control }) => [argument.name, control.value])) : new Map();
    described = action ?? null;
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
        element("label", { for: id, textContent: safe(argument.name), title: safe(`${argument.name}: ${argument.type}`) }), control, error);
      if (argument.doc) line.title = safe(argument.doc);
      fields.append(line);
      if (given.has(argument.name)) control.value = given.get(argument.name);
      inputs.push({ argument, control, error, isTouched: given.has(argument.name) });
    }
  }

  /** The statement, and where in it each argument stands. */
  function statement() {
    let text = `dispatch ${select.value}`;
    const places = [];
    for (const one of inputs) {
      const type = bare(one.argument.type);
      const given = type === "Int" || type === "Double" ? one.control.value.trim() : one.control.value;
      if (given === "" && (isOptional(one.argument.type) || type !== "String" || !one.isTouched)) continue;
      const isText = type === "String" || (one.control.tagName === "INPUT" && !/^[-\d.[{"'$]|^(true|false|nil|null)$/.test(given));
      text += " ";
      const from = text.length + 1;
      text += `${one.argument.name}=${isText ? quoted(given) : given}`;
      places.push({ one, from, to: text.length + 1 });
    }
    return { text, places };
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
    if (isSending) return;
    const { text, places } = statement();
    for (const { control, error } of inputs) {
      control.removeAttribute("aria-invalid");
      error.textContent = "";
    }
    fault.textContent = "";
    isSending = true;
    sayWaiting();
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
      answer.textContent = "";
      const place = places.find(({ from, to }) => error.column >= from && error.column < to)?.one
        ?? (error.code === "missing-argument"
          ? inputs.find(({ argument, control }) => control.value === "" && !isOptional(argument.type)) : null);
      if (place) {
        place.control.setAttribute("aria-invalid", "true");
        place.error.textContent = safe(error.message);
        place.control.focus();
      } else {
        fault.textContent = safeLines(error.lines.join("\n"), 20_000);
      }
    } finally {
      isSending = false;
    }
  });

  /** Says beside the button why the answer does not come. */
  function sayWaiting() {
    if (isSending) setText(answer, store.state.link.isSilent ? "the store does not answer" : "");
  }
  store.watch((state) => state.link.isSilent, sayWaiting);

  const none = element("p", { class: "soft" });
  const showGroups = keeper(select, ({ name }) => name, ({ name }) => {
    const group = element("optgroup", { label: safe(name, 100) });
    const showOptions = keeper(group, (action) => action, (action) => ({ node: element("option", { value: action, textContent: safe(action, 100) }) }));
    return { node: group, update: ({ names }) => showOptions(names) };
  });

  function draw({ modules, host }) {
    const groups = modules
      .map(({ module, actions }) => ({ name: module, actions: actions.filter(({ name }) => allows(host, "dispatch", name)) }))
      .filter(({ actions }) => actions.length > 0);
    actions = new Map(groups.flatMap((group) => group.actions.map((action) => [action.name, action])));
    showGroups(groups.map(({ name, actions }) => ({ name, names: actions.map((action) => action.name) })));
    const isNone = actions.size === 0;
    if (isNone === form.isConnected || !box.hasChildNodes()) box.replaceChildren(...(isNone ? [none] : [form, fault]));
    if (host.program && !allows(host, "read")) {
      return setText(none, "This door does not allow read, so the page knows no actions. Type at the bottom, for example dispatch counter.increment.");
    }
    setText(none, isNone && modules.length > 0 ? `This door allows ${host.allow.map((right) => safe(right)).join(", ")}: no action may be dispatched.` : "");
    // At first it shows what was dispatched last.
    if (!hasBegun && actions.size > 0) {
      hasBegun = true;
      const newest = log.newest((entry) => entry.source?.who && actions.has(entry.action));
      if (newest) select.value = newest.action;
    }
    drawFields();
  }

  store.watch((state) => state.modules, (_, state) => draw(state));
  store.watch((state) => state.host, (_, state) => draw(state));

  return {
    /** Fills the form with an action and its arguments. */
    fill(action, given) {
      select.value = action;
      described = null;
      drawFields();
      for (const one of inputs) {
        const value = given?.[one.argument.name];
        if (value === undefined || value === null) continue;
        one.control.value = typeof value === "object" ? json(value) : String(value);
        one.isTouched = true;
      }
      (inputs[0]?.control ?? send).focus();
    },
  };
}
