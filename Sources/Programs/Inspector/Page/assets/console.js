// The command language, with completion, in a conversation of its own: what runs long there holds up nothing else.

import { byId, element, setText } from "./dom.js";
import { grouped, json, safe, safeLines } from "./format.js";

const mostLines = 2000;
// A browser takes seconds to lay out megabytes: so many characters of an answer are shown, and of all answers together.
const mostOfAnswer = 200_000;
const mostOfAll = 1_000_000;
const encoder = new TextEncoder();
const bytes = (text) => encoder.encode(text).length;

export function showConsole({ door, store, ran }) {
  const log = byId("console-log");
  const form = byId("console-form");
  const field = byId("console");
  const prompt = byId("prompt");
  const hint = byId("hint");
  const stop = byId("stop");
  const list = byId("candidates");
  const toggle = byId("console-toggle");
  const size = byId("console-size");
  const history = [];
  let place = 0;
  let draft = "";
  // The lines of a statement that is not whole yet.
  let open = [];
  let running = 0;
  let candidates = [];
  let chosen = -1;
  let replacedFrom = 0;

  // The characters of each line of the log, and of all.
  const sizes = [];
  let total = 0;
  // The characters of the running statement's answer that may still be shown, and those that are not.
  let room = mostOfAnswer;
  let hidden = 0;

  function append(text, style) {
    if (!text) return;
    toggle.hidden = false;
    const last = log.lastElementChild;
    const shown = safeLines(text).replace(/\n$/, "");
    if (last && last.dataset.open === "1" && !style?.startsWith("typed")) {
      last.append(element("span", { class: style ?? "", textContent: shown }));
      last.dataset.open = text.endsWith("\n") ? "0" : "1";
      sizes[sizes.length - 1] += shown.length;
    } else {
      const line = element("div", {}, element("span", { class: style ?? "", textContent: shown || " " }));
      line.dataset.open = text.endsWith("\n") ? "0" : "1";
      log.append(line);
      sizes.push(shown.length);
    }
    total += shown.length;
    while (sizes.length > 1 && (sizes.length > mostLines || total > mostOfAll)) {
      total -= sizes.shift();
      log.firstElementChild.remove();
    }
  }

  /** Appends to the log, whose end stays seen if it was. */
  function atEnd(body) {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    body();
    if (!isAtEnd) return;
    // Of what is longer than the console the beginning is shown.
    const typed = [...log.children].findLast((line) => line.firstElementChild?.classList.contains("typed-line"));
    log.scrollTop = Math.min(log.scrollHeight, typed ? typed.offsetTop - log.offsetTop : Infinity);
  }

  const write = (text, style) => atEnd(() => append(text, style));

  /** Writes pieces of text, joined to whole lines.
   *  @param isAnswer they belong to the answer of the statement that runs */
  function pieces(output, isAnswer = false) {
    atEnd(() => {
      for (const piece of output ?? []) {
        const text = piece.out ?? piece.err;
        const shown = isAnswer ? text.slice(0, room) : text;
        append(shown, piece.style ?? (piece.err !== undefined ? "err" : ""));
        if (!isAnswer) continue;
        room -= shown.length;
        hidden += text.length - shown.length;
      }
    });
  }

  function hideCandidates() {
    list.hidden = true;
    candidates = [];
    chosen = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  function setHint(form) {
    hint.replaceChildren();
    if (!form || field.selectionStart !== field.value.length) return;
    hint.append(element("span", { class: "ghost", textContent: field.value }), safe(form));
  }

  let asked = 0;
  async function decorate() {
    const number = ++asked;
    setHint("");
    if (!field.value || !door.isOpen || running) return;
    try {
      const look = await door.ask({ decorate: field.value, cursor: bytes(field.value), open: open });
      if (number === asked) setHint(look.form);
    } catch { /* said elsewhere */ }
  }

  async function complete() {
    const line = field.value;
    const cursor = field.selectionStart;
    const answer = await door.ask({ complete: line, cursor: bytes(line.slice(0, cursor)), open });
    if (field.value !== line) return;
    // The place is told in bytes.
    const before = encoder.encode(line).slice(0, answer.from);
    replacedFrom = new TextDecoder().decode(before).length;
    candidates = answer.candidates;
    if (candidates.length === 1) return take(candidates[0], cursor);
    if (candidates.length === 0) {
      if (answer.note) write(`${answer.note}\n`, "typed-line");
      return hideCandidates();
    }
    const common = answer.common ?? shared(candidates.map(({ text }) => text));
    const typed = line.slice(replacedFrom, cursor);
    if (common.length > typed.length && common.startsWith(typed)) {
      field.setRangeText(common, replacedFrom, cursor, "end");
    }
    showCandidates(answer);
  }

  function shared(texts) {
    let length = texts[0].length;
    for (const text of texts) while (!text.startsWith(texts[0].slice(0, length))) length -= 1;
    return texts[0].slice(0, length);
  }

  function showCandidates(answer) {
    list.replaceChildren(...candidates.slice(0, 200).map((candidate, index) => element("div", {
      role: "option", id: `candidate-${index}`, "aria-selected": "false",
      onmousedown: (event) => {
        event.preventDefault();
        take(candidate, field.selectionStart);
      },
    }, safe(candidate.display), candidate.meaning ? element("span", { textContent: safe(candidate.meaning) }) : "")));
    if (answer.more) list.append(element("div", { class: "soft", textContent: `and ${answer.more} more` }));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    choose(-1);
  }

  function choose(index) {
    chosen = index;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    if (index >= 0) {
      list.children[index].scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", `candidate-${index}`);
    } else field.removeAttribute("aria-activedescendant");
  }

  function take(candidate, cursor) {
    field.setRangeText(candidate.text + candidate.suffix, replacedFrom, cursor, "end");
    hideCandidates();
    decorate();
  }

  async function run(line) {
    expand(true);
    write(`${prompt.textContent}${line}\n`, "typed-line");
    if (line.trim()) {
      if (history[history.length - 1] !== line) history.push(line);
      if (history.length > 500) history.shift();
    }
    place = history.length;
    draft = "";
    if (running === 0) [room, hidden] = [mostOfAnswer, 0];
    running += 1;
    stop.hidden = false;
    open.push(line);
    try {
      const columns = Math.max(40, Math.floor((log.clientWidth || form.clientWidth) / 7.3) - 2);
      const answer = await door.ask({
        run: `${line}\n`, form: "text", more: true, anew: open.length === 1, width: columns, utf8: true, styles: true,
      }, (output) => pieces(output, true));
      if (hidden > 0) write(`… ${grouped(hidden)} more characters, which are not shown here\n`, "soft");
      if (answer.open === undefined) open = [];
      setText(prompt, safe(answer.open ?? answer.prompt ?? store.state.host.prompt, 80));
      if (answer.quit !== undefined) write("This conversation has ended; the page begins another.\n", "typed-line");
    } catch (error) {
      open = [];
      write(`${(error.lines ?? [error.message]).join("\n")}\n`, "error");
    } finally {
      running -= 1;
      if (running === 0 && document.activeElement === stop) field.focus();
      stop.hidden = running === 0;
      ran();
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (chosen >= 0) return take(candidates[chosen], field.selectionStart);
    hideCandidates();
    const line = field.value;
    field.value = "";
    setHint("");
    run(line);
  });
  field.addEventListener("input", () => {
    hideCandidates();
    decorate();
  });
  field.addEventListener("blur", hideCandidates);
  field.addEventListener("keydown", (event) => {
    const isListed = !list.hidden;
    switch (event.key) {
      case "Tab":
        // An empty line lets the focus go on.
        if (event.shiftKey || (!field.value && !isListed)) return;
        event.preventDefault();
        if (isListed) choose((chosen + 1) % candidates.length);
        else complete().catch(() => {});
        return;
      case "Escape":
        if (isListed) hideCandidates();
        else if (running) door.interrupt();
        else if (field.value) field.value = "", setHint("");
        else field.blur();
        event.stopPropagation();
        return;
      case "ArrowUp": case "ArrowDown": {
        event.preventDefault();
        const step = event.key === "ArrowUp" ? -1 : 1;
        if (isListed) return choose((chosen + step + candidates.length) % candidates.length);
        if (place === history.length) draft = field.value;
        place = Math.max(0, Math.min(history.length, place + step));
        field.value = history[place] ?? draft;
        field.setSelectionRange(field.value.length, field.value.length);
        return decorate();
      }
      case "c":
        if (event.ctrlKey && field.selectionStart === field.selectionEnd) {
          if (running) door.interrupt();
          else {
            open = [];
            field.value = "";
            setHint("");
            setText(prompt, safe(store.state.host.prompt, 80));
          }
        }
        return;
      case "l":
        if (event.ctrlKey) {
          event.preventDefault();
          log.replaceChildren();
          sizes.length = total = 0;
          toggle.hidden = true;
        }
        return;
      default: return;
    }
  });
  stop.addEventListener("click", () => door.interrupt());
  toggle.addEventListener("click", () => expand(log.hidden));
  size.addEventListener("click", () => {
    const isTall = log.classList.toggle("tall");
    size.setAttribute("aria-pressed", String(isTall));
    setText(size, isTall ? "lower" : "taller");
  });

  function expand(isShown) {
    log.hidden = !isShown;
    size.hidden = !isShown;
    setText(toggle, isShown ? "hide" : "show");
    toggle.setAttribute("aria-expanded", String(isShown));
    log.scrollTop = log.scrollHeight;
  }

  return {
    write, pieces, expand,
    focus: () => field.focus(),
    /** Puts a line into the field. */
    offer(line) {
      field.value = line;
      field.focus();
      decorate();
    },
    event(event) {
      if (event.event === "output") pieces(event.output, running > 0);
      else if (event.event === "watch") {
        const start = `[watch ${event.id}] `, end = `  (#${event.action})\n`;
        if (event.differences) {
          for (const change of event.differences) {
            write(`${start}${change.path}  ${json(change.from ?? null)} -> ${json(change.to ?? null)}${end}`, "err");
          }
        } else if (event.added !== undefined) {
          write(`${start}${event.path}  ${event.added} added, ${event.removed} removed, ${event.changed} changed${end}`, "err");
        } else {
          write(`${start}${event.path}  ${json(event.from ?? null)} -> ${json(event.to ?? null)}${end}`, "err");
        }
      } else if (event.text !== undefined) write(`${event.text}\n`, "err");
    },
    restart() {
      open = [];
      setText(prompt, safe(store.state.host.prompt, 80));
    },
  };
}
