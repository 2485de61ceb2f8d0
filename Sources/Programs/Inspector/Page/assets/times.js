// How long actions took, phase by phase, while that is measured.

const most = 5000;

export class Times {
  #byNumber = new Map();

  add(time) {
    this.#byNumber.set(time.action, time);
    if (this.#byNumber.size > most) this.#byNumber.delete(this.#byNumber.keys().next().value);
  }

  of(number) { return this.#byNumber.get(number); }

  forget() { this.#byNumber.clear(); }
}
