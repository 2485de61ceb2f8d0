// The list of actions, which is there before the other parts of the page have come.

import { showActions } from "./actions.js";
import { door, opening } from "./link.js";
import { Log } from "./log.js";
import { initial, reducers } from "./state.js";
import { makeStore } from "./store.js";
import { Times } from "./times.js";

export const store = makeStore(reducers, initial);
export const times = new Times();
export const log = new Log(door, () => actions.changed());
export const narrow = matchMedia("(max-width: 1100px)");
export const look = (number) => store.dispatch({ type: "look", number });
export const actions = showActions({
  store, log, door, times, look,
  // A selected action is shown at once where there is room for one pane alone.
  opened: () => narrow.matches && store.dispatch({ type: "pane", name: "action" }),
});

/** Takes the newest entries, with where the store is, once they are there. */
export async function takeNewest(asked) {
  const [{ entries }, answer] = await asked;
  log.epoch = Date.now() - answer.time * 1000;
  log.setRange(answer.oldest, answer.head);
  log.keep(entries);
  store.dispatch({ type: "time", head: answer.head, oldest: answer.oldest });
  return { entries, answer };
}

/** The first answers, taken; null: the address has no token. */
export const opened = opening && takeNewest(opening);

const after = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
// The page is laid out and painted once, with its first rows, if these come soon.
await Promise.race([after(150), opened?.catch(() => {})]);
document.body.hidden = false;
// The other parts follow them. A page that is not seen draws no frame.
await Promise.race([after(100), new Promise((done) => requestAnimationFrame(() => setTimeout(done)))]);
import("./main.js");
