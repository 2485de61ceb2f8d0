// The name under which the page acts. A tab keeps its own; a person may choose another.

import { byId } from "./dom.js";
import { safe } from "./format.js";

/** @param commands the conversation that acts
 *  @param door the one that looks, which has the same name */
export function showName({ commands, door, say }) {
  const field = byId("who");
  let name = sessionStorage.getItem("who");

  function show(isFault = false) {
    field.setAttribute("aria-invalid", String(isFault));
    if (isFault) return;
    field.value = safe(name, 64);
    field.size = Math.max(8, field.value.length);
  }

  async function take(wanted) {
    await commands.ask({ who: wanted, chosen: true });
    name = wanted;
    sessionStorage.setItem("who", name);
    door.ask({ who: name, chosen: true }).catch(() => {});
  }

  /** Tells the door the name of this page. If the door refuses it, its own stays. An earlier door knows no names. */
  async function introduce(hello) {
    if (hello.who === undefined) return;
    try {
      await take(name ?? madeName(hello.user));
    } catch (error) {
      if (error.code === "lost") return;
      name = hello.who;
      sessionStorage.removeItem("who");
      say(error);
    }
    field.parentElement.hidden = false;
    show();
  }

  field.addEventListener("change", async () => {
    const wanted = field.value.trim();
    try {
      if (wanted !== name) await take(wanted);
      show();
    } catch (error) {
      show(true);
      say(error);
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show();
  });
  return { introduce, isOwn: (entry) => name !== null && entry.source?.who === name };
}

/** The name of a tab whose person has chosen none: `ann@page-k3f`. */
function madeName(user) {
  const mark = [...crypto.getRandomValues(new Uint8Array(3))].map((byte) => (byte % 36).toString(36)).join("");
  return user ? `${user.replace(/[^\w.@/-]/g, "_").slice(0, 48)}@page-${mark}` : `page-${mark}`;
}
