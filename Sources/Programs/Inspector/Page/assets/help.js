// Keys, and a list of them.

import { byId, element } from "./dom.js";

const list = [
  ["/", "filter of actions"], ["a", "actions"], ["s", "state"], ["f", "search in the state"], ["d", "dispatch"],
  ["c", "console"], ["[ ]", "look one action back, ahead"], [".", "look at the present"],
  ["Tab", "next control; arrow keys move a border between panes"], ["?", "this list"],
];
const inLists = [
  ["↑ ↓ j k", "row before, behind"], ["Home End", "first, last row"], ["Enter", "look at the state behind an action; open a part"],
  ["← →", "close, open a part of the state"], ["p", "pin a part: its value over the actions"], ["h", "list the actions that changed a part"],
];
const filters = [
  ["milk", "with that text in the name, an argument or a value that changed"], ["id=7", "with that argument"], ["tasks.*", "actions of that name"], ["by:ann", "by whom or from where"], ["changed:tasks.items", "that changed something there"],
  ["failed", "refused or dropped"], ["#120", "go to an action"],
];

export function showHelp({ keys }) {
  const dialog = byId("keys");
  const facts = (pairs, tag) => {
    const box = element("dl", { class: "facts" });
    for (const [name, text] of pairs) {
      box.append(element("dt", {}, element(tag, { textContent: name })), element("dd", { textContent: text }));
    }
    return box;
  };
  dialog.append(
    element("h2", { id: "keys-title", textContent: "Keys" }), facts(list, "kbd"),
    element("h2", { textContent: "In lists" }), facts(inLists, "kbd"),
    element("h2", { textContent: "Filters" }), facts(filters, "code"),
    element("form", { method: "dialog" }, element("button", { type: "submit", textContent: "close" })));

  byId("help").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    const isTyped = event.target.closest?.("input:not([type=checkbox]):not([type=range]), select, textarea, dialog");
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (isTyped) {
      if (event.key === "Escape" && event.target.matches("input[type=search]")) {
        event.preventDefault();
        if (!event.target.value) return event.target.blur();
        event.target.value = "";
        event.target.dispatchEvent(new Event("input"));
      }
      return;
    }
    if (event.key === "?") {
      event.preventDefault();
      dialog.showModal();
    } else if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}
