// The slider through the history: it looks, and the store is not touched. What touches it are buttons with a verb.

import { byId, confirmed, element, keeper } from "./dom.js";
import { grouped, safe } from "./format.js";
import { allows } from "./state.js";

export function showTimeline({ store, look, run }) {
  const slider = byId("slider");
  const point = byId("point");
  const mode = byId("mode");
  const changes = byId("changes");
  const buttons = Object.fromEntries(["first", "back", "ahead", "live"].map((name) => [name, byId(name)]));

  const here = () => store.state.look ?? store.state.log.head;
  const step = (count) => {
    const { head } = store.state.log;
    look(here() + count >= head ? null : here() + count);
  };

  // While the pointer holds the slider it has the range that it had, so that the thumb stays under the pointer.
  let isHeld = false;
  slider.addEventListener("pointerdown", () => { isHeld = true; });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    addEventListener(end, () => {
      if (!isHeld) return;
      isHeld = false;
      draw(store.state);
    });
  }

  slider.addEventListener("input", () => {
    const number = Number(slider.value);
    look(number >= Number(slider.max) ? null : number);
  });
  buttons.first.addEventListener("click", () => look(store.state.log.oldest));
  buttons.back.addEventListener("click", () => step(-1));
  buttons.ahead.addEventListener("click", () => step(1));
  buttons.live.addEventListener("click", () => look(null));

  const undo = button("undo mine", "Takes back what was last dispatched from this page", "undo");
  const redo = button("redo", "Brings back what this page took back", "redo");
  const restore = element("button", {
    type: "button", textContent: "return the store to here",
    title: "Takes back all later actions, for everybody; itself a new action",
    onclick: async () => {
      const { look: number, log } = store.state;
      const isWanted = await confirmed({
        title: `Return the store to #${grouped(number)}?`,
        text: `This takes back all ${grouped(log.head - number)} actions after #${grouped(number)}, of everybody. It is an action itself, which undo takes back.`,
        yes: "return the store",
      });
      if (isWanted && await run(`undo --to ${number}`)) look(null);
    },
  });

  function button(text, title, statement) {
    const made = element("button", {
      type: "button", textContent: text, title, onclick: () => made.getAttribute("aria-disabled") === "false" && run(statement),
    });
    return made;
  }

  const showChanges = keeper(changes, ({ textContent }) => textContent, (node) => ({ node }));

  function draw({ look: number, log, host, mine }) {
    const isPast = number !== null;
    document.body.classList.toggle("past", isPast);
    if (!isHeld) {
      slider.min = log.oldest;
      slider.max = log.head;
      slider.value = isPast ? number : log.head;
    }
    slider.setAttribute("aria-valuetext", isPast ? `behind action ${number}, look only` : `the present, action ${log.head}`);
    slider.disabled = log.head === log.oldest;
    point.textContent = `#${grouped(here())}`;
    mode.textContent = isPast ? "look only" : "live";
    // A button that is disabled would lose the focus.
    for (const name of ["first", "back"]) buttons[name].setAttribute("aria-disabled", String(here() <= log.oldest));
    for (const name of ["ahead", "live"]) buttons[name].setAttribute("aria-disabled", String(!isPast));
    const mayUndo = allows(host, "dispatch", "shell.restore") || host.allow.includes("all");
    const wanted = !mayUndo ? [] : isPast ? (host.allow.includes("all") ? [restore] : []) : [undo, redo];
    // An earlier door tells no names, so that nobody knows what this page did.
    const isKnown = host.who !== undefined;
    const isNothing = isKnown && mine.number === null;
    undo.setAttribute("aria-disabled", String(isNothing));
    undo.title = isNothing ? "This page has dispatched nothing"
      : `Takes back what this page dispatched last${isKnown ? `: #${grouped(mine.number)} ${safe(mine.action)}` : ""}`;
    redo.setAttribute("aria-disabled", String(isKnown && !mine.canRedo));
    showChanges(wanted);
  }

  let last = null;
  store.subscribe((state) => {
    const key = [state.look, state.log.head, state.log.oldest, state.host, state.mine];
    if (last && key.every((part, index) => part === last[index])) return;
    last = key;
    draw(state);
  });
  draw(store.state);
  return { step };
}
