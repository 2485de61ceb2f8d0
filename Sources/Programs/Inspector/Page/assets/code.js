// The code that runs in a plugin, in a dialog. The lines that name an action are marked, and the first that defines it is seen.

import { byId, element, setText } from "./dom.js";
import { grouped, quoted, safe } from "./format.js";

// A browser takes seconds to lay out more lines.
const most = 5000;

/** @param door the conversation that looks */
export function showCode({ door, say }) {
  const dialog = byId("code");
  const body = byId("code-files");

  /** The first line of the text that defines an action, and all that name it. */
  function linesOf(lines, name) {
    const word = new RegExp(`(?<![\\w.])${name.replace(/\W/g, "\\$&")}(?!\\w)`);
    const named = lines.flatMap((line, index) => word.test(line.replace(/--.*$/, "")) ? [index] : []);
    const defined = named.find((index) => /=\s*function\b|\bfunction\s/.test(lines[index])) ?? named[0];
    return { named: new Set(named), defined };
  }

  function file({ file, text }, name) {
    const lines = text.replace(/\n$/, "").split("\n");
    const { named, defined } = name && file.endsWith(".lua") ? linesOf(lines, name) : { named: new Set() };
    const code = element("div", { class: "code", role: "group", "aria-label": safe(file) });
    let target = null;
    lines.slice(0, most).forEach((line, index) => {
      const row = element("div", { class: named.has(index) ? "named" : "" }, safe(line.replace(/\t/g, "  ")) || "\u200b");
      if (index === defined) target = row;
      code.append(row);
    });
    const rest = lines.length - most;
    return {
      target,
      node: element("section", {}, element("h3", { textContent: safe(file) }), code,
        rest > 0 ? element("p", { class: "soft", textContent: `… ${grouped(rest)} more lines` }) : null),
    };
  }

  /** Shows the code of a plugin.
   *  @param action the name of an action of the plugin, without that of its module, to which the code is scrolled */
  return async function open(plugin, action) {
    let files;
    try {
      files = await door.data(`plugin source ${quoted(plugin)}`);
    } catch (error) {
      return say(error);
    }
    setText(byId("code-title"), safe(action ? `${plugin}.${action} in the plugin ${plugin}` : `plugin ${plugin}`));
    const shown = files.map((one) => file(one, action));
    // The manifest stands behind the code.
    body.replaceChildren(...[...shown.slice(1), ...shown.slice(0, 1)].map(({ node }) => node));
    dialog.showModal();
    body.scrollTop = 0;
    shown.find(({ target }) => target)?.target.scrollIntoView({ block: "center" });
    body.focus();
  };
}
