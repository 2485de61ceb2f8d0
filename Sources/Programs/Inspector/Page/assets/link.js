// The conversation that looks. It begins while the other modules are still on their way, and asks for what is seen first.

import { Door } from "./door.js";

// The token leaves the address at once; the tab keeps it, so that it can be loaded again.
export const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (location.hash) history.replaceState(null, "", location.pathname);
if (token) sessionStorage.setItem("token", token);

export const door = new Door(token, 4000);

/** Asks for the newest entries, and where the store is. */
export const askNewest = () => Promise.all([door.ask({ log: 1, newest: true, count: 100 }), door.ask({ time: true })]);

/** The first answers. */
export const opening = token ? askNewest() : null;
// A loss is told to the handlers of the door.
opening?.catch(() => {});
if (token) door.open();
