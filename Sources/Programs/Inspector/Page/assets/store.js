// A store of the page's own shape: one state, actions as plain objects, reducers without side effects. Listeners run once
// a frame, however many actions came in between.

import { inFrame } from "./dom.js";

/** @param {Object<string, function(*, Object): *>} reducers one for each member of the state */
export function makeStore(reducers, initial) {
  let state = initial;
  let isDue = false;
  const listeners = new Set();

  function draw() {
    isDue = false;
    for (const listener of listeners) listener(state);
  }

  return {
    get state() { return state; },
    dispatch(action) {
      let next = state;
      for (const [name, reduce] of Object.entries(reducers)) {
        const part = reduce(state[name], action, state);
        if (part !== state[name]) next = { ...next, [name]: part };
      }
      if (next === state) return;
      state = next;
      if (!isDue) {
        isDue = true;
        inFrame(draw);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Calls back where what is selected of the state is another than before. */
    watch(select, body) {
      let last;
      const look = (state) => {
        const value = select(state);
        if (value === last) return;
        last = value;
        body(value, state);
      };
      listeners.add(look);
      look(state);
    },
  };
}
