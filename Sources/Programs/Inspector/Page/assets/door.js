// A conversation with the door: requests that are answered in order, events, and coming back after a loss.

// An integer of so many digits that a number may not hold them all, or a decimal that ends in a zero.
const hasDigits = /[[:,]\s*-?\d{16,}\s*[,\]}]|\.\d+0\s*[,\]}]/;

/** A number that is shown as it is written: 8.40 of a store has a scale that 8.4 has not. */
export class Decimal extends Number {
  constructor(text) {
    super(text);
    this.text = text;
  }

  toString() { return this.text; }
}

/** The value of a line; an integer that a number cannot hold with all digits becomes a `BigInt`, and a decimal that ends in a
 *  zero a `Decimal`. A browser that does not tell a reviver the digits keeps the nearest number. */
function parsed(line) {
  if (!hasDigits.test(line)) return JSON.parse(line);
  return JSON.parse(line, (_, value, { source } = {}) => {
    if (typeof value !== "number") return value;
    if (!Number.isSafeInteger(value) && /^-?\d+$/.test(source)) return BigInt(source);
    return /^-?\d+\.\d+0$/.test(source) ? new Decimal(source) : value;
  });
}

export class Door {
  #address;
  #token;
  #handlers = null;
  // What came before there were handlers.
  #early = [];
  #socket = null;
  #asked = [];
  #nextId = 1;
  // The pieces of a line whose end has not come.
  #pieces = [];
  #decoder = null;
  #wait = 250;
  #isGreeted = false;
  #isFirst = true;
  #waiting = [];
  #patience;
  // Set while requests wait for their answers.
  #silence = 0;

  /** @param patience the milliseconds without news after which requests that wait are told of, again and again */
  constructor(token, patience) {
    this.#address = `ws://${location.host}/door`;
    this.#token = token;
    this.#patience = patience;
  }

  /** Begins to tell of what comes, from the first greeting on.
   *  @param handlers greeted(hello), lost(reason), refused(reason), event(event), silent() where requests wait for long,
   *  heard() where news come */
  tell(handlers) {
    this.#handlers = handlers;
    for (const [name, value] of this.#early.splice(0)) handlers[name](value);
  }

  #say(name, value) {
    if (this.#handlers) this.#handlers[name](value);
    else this.#early.push([name, value]);
  }

  open() {
    const socket = new WebSocket(this.#address);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#decoder = new TextDecoder();
    this.#pieces = [];
    this.#isGreeted = false;
    socket.onopen = () => {
      socket.send(this.#token);
      this.#sendWaiting();
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = ({ code }) => this.#end(code);
  }

  /** Whether requests reach the door. */
  get isOpen() { return this.#isGreeted && this.#socket?.readyState === WebSocket.OPEN; }

  /** Sends a request.
   *  @param told gets pieces of output as they come, which are no part of the answer then
   *  @returns the answer; of one in several lines all of them, put together. Rejected with the door's error. */
  ask(request, told = null) {
    const id = this.#nextId++;
    // Half a surrogate pair is no text to the door.
    const line = JSON.stringify({ id, ...request }, (_, value) => typeof value === "string" ? value.toWellFormed() : value);
    if (this.isOpen) this.#socket.send(line);
    // What is asked before the door has answered for the first time waits for it.
    else if (this.#isFirst) this.#waiting.push(line);
    else return Promise.reject(new DoorError({ code: "lost", message: "the connection is lost" }));
    if (!this.#silence) this.#listen();
    return new Promise((resolve, reject) => this.#asked.push({ id, resolve, reject, told, output: [], results: [], part: "" }));
  }

  /** Runs a statement whose answer is data. */
  async data(statement) {
    const { results } = await this.ask({ run: statement, form: "json" });
    const result = results[results.length - 1];
    if (result && !result.ok) throw new DoorError(result.error);
    return result?.data ?? null;
  }

  /** Stops what runs. */
  interrupt() {
    if (this.isOpen) this.#socket.send(JSON.stringify({ interrupt: true }));
  }

  #listen() {
    clearInterval(this.#silence);
    this.#silence = setInterval(() => this.#say("silent"), this.#patience);
  }

  #rest() {
    clearInterval(this.#silence);
    this.#silence = 0;
  }

  #take(data) {
    this.#say("heard");
    const text = this.#decoder.decode(data, { stream: true });
    let start = 0;
    for (let end; (end = text.indexOf("\n", start)) >= 0; start = end + 1) {
      this.#pieces.push(text.slice(start, end));
      this.#line(parsed(this.#pieces.join("")));
      this.#pieces = [];
    }
    if (start < text.length) this.#pieces.push(text.slice(start));
    if (this.#asked.length > 0) this.#listen();
    else this.#rest();
  }

  #sendWaiting() {
    for (const line of this.#waiting.splice(0)) this.#socket.send(line);
  }

  #line(line) {
    if (line.door !== undefined) {
      this.#isGreeted = true;
      this.#isFirst = false;
      this.#wait = 250;
      this.#sendWaiting();
      this.#say("greeted", line);
      return;
    }
    const first = this.#asked[0];
    if (line.event !== undefined) {
      if (line.event !== "token") this.#say("event", line);
      return;
    }
    // An error without a number is the answer to a line that the door could not read: the oldest that waits.
    const isUnread = line.error && (line.id ?? null) === null;
    if (!first || (line.id !== first.id && !isUnread)) return;
    if (line.output && first.told) first.told(line.output);
    else if (line.output) first.output = first.output.concat(line.output);
    if (line.results) first.results = first.results.concat(line.results);
    if (line.part !== undefined) first.part += line.part;
    if (line.whole) {
      first.results.push(parsed(first.part));
      first.part = "";
    }
    // All lines of an answer but the last hold nothing else.
    const isLast = Object.keys(line).some((name) => !["id", "output", "results", "steps", "line", "part", "whole"].includes(name));
    if (!isLast) return;
    this.#asked.shift();
    if (line.error) first.reject(new DoorError(line.error));
    else first.resolve({ ...line, output: first.output, results: first.results });
  }

  #end(code) {
    const reasons = {
      4401: "this address is old: take the one that stsh-inspector printed last",
      4404: "no store listens at this door",
      4410: "the door has ended the conversation",
    };
    for (const { reject } of this.#asked.splice(0)) {
      reject(new DoorError({ code: "lost", message: "the connection was lost" }));
    }
    this.#isGreeted = false;
    this.#waiting = [];
    this.#rest();
    if (code === 4401) return this.#say("refused", reasons[code]);
    this.#say("lost", reasons[code] ?? "stsh-inspector does not answer");
    setTimeout(() => this.open(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, 2000);
  }
}

/** An error of the shell, with its code, details, hint and column. */
export class DoorError extends Error {
  /** All of it, a line each. */
  get lines() { return [this.message, ...this.details, ...(this.hint ? [this.hint] : [])]; }

  constructor(error) {
    super(error.message);
    Object.assign(this, { code: error.code, details: error.details ?? [], hint: error.hint, column: error.column });
  }
}
