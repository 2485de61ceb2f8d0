// Elements made by hand: text is only ever set as text, so what the store holds cannot become markup.

/** Makes an element. Properties of `on…` are listeners; names with a dash and `role` are attributes. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  assign(made, properties);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function assign(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith("on")) target.addEventListener(name.slice(2), value);
    else if (name === "class") target.className = value;
    else if (name.includes("-") || name === "role" || name === "for") {
      if (value === null) target.removeAttribute(name);
      else target.setAttribute(name, value);
    } else target[name] = value;
  }
}

/** Sets a text where it is another. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setClass(node, name, isOn) {
  node.classList.toggle(name, isOn);
}

/** Keeps a child of an element for each item, by the item's key. A child that stays is updated where it is, never made anew: a
 *  pressed pointer, the focus and a selection stay with it. The focus of a child that goes moves to a control beside it, or to
 *  the element.
 *  @param key a text of an item
 *  @param make of an item: its `node`, and `update(item)`
 *  @returns a function that shows items */
export function keeper(parent, key, make) {
  let kept = new Map();
  return (items) => {
    const next = new Map();
    for (const item of items) {
      let name = key(item);
      while (next.has(name)) name += " again";
      next.set(name, kept.get(name) ?? make(item));
      next.get(name).update?.(item);
    }
    const gone = [...kept].filter(([name]) => !next.has(name)).map(([, { node }]) => node);
    const focused = gone.find((node) => node.contains(document.activeElement));
    const near = focused && [focused.nextElementSibling, focused.previousElementSibling].find((node) => node && !gone.includes(node));
    gone.forEach((node) => node.remove());
    let place = parent.firstElementChild;
    for (const { node } of next.values()) {
      if (node === place) place = place.nextElementSibling;
      else parent.insertBefore(node, place);
    }
    kept = next;
    if (focused) (near?.querySelector("button, input") ?? parent.closest("[tabindex]"))?.focus();
  };
}

/** Lets a press of the pointer reach the control on which it began, though what arrives before the release moves the control away.
 *  A press from which the pointer goes away does nothing, as ever. */
export function keepPresses() {
  let pressed = null;
  document.addEventListener("pointerdown", (event) => {
    const control = event.button === 0 ? event.target.closest("button, label") : null;
    pressed = control && { control, x: event.clientX, y: event.clientY };
    control?.setPointerCapture(event.pointerId);
  });
  document.addEventListener("click", (event) => {
    if (!pressed || event.detail === 0) return;
    const { control, x, y } = pressed;
    pressed = null;
    const isNear = Math.hypot(event.clientX - x, event.clientY - y) <= 8;
    if (isNear || control.contains(document.elementFromPoint(event.clientX, event.clientY))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

/** Makes an element of a drawing. */
export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Asks before something is done; Escape says no.
 *  @returns whether it is wanted. */
export function confirmed({ title, text, yes }) {
  const dialog = byId("confirm");
  setText(byId("confirm-title"), title);
  setText(byId("confirm-text"), text);
  setText(byId("confirm-yes"), yes);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

let due = null;

/** Calls a function in the next frame. A function that a call in a frame asks for is called in the same frame. */
export function inFrame(body) {
  if (due) return void due.push(body);
  due = [body];
  requestAnimationFrame(() => {
    const bodies = due;
    let done = 0;
    try {
      while (done < bodies.length) bodies[done++]();
    } finally {
      // A fault of one keeps none of the others from the next frame.
      due = null;
      bodies.slice(done).forEach(inFrame);
    }
  });
}

/** Calls a function once in a while at most, the last time included. */
export function paced(milliseconds, body) {
  let timer = 0;
  let last = -Infinity;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + milliseconds - performance.now());
    timer = setTimeout(() => {
      timer = 0;
      last = performance.now();
      body();
    }, wait);
  };
}
