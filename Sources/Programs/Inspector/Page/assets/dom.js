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

/** Makes an element of a drawing. */
export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

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
