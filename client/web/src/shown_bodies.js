// Tells which bodies come into a picture, change their description, and go: the life of a sprite. It compares what is drawn
// in two frames, so that it fits any picture, and does nothing while nobody listens.

/** The events of a picture. */
export const SHOWN_EVENTS = ['add', 'change', 'remove'];

/** Emits `add`, `change` and `remove` (body) for the bodies of a picture. */
export class ShownBodies {
  #emitter;
  #told = new Map(); // body: version of its description

  constructor(emitter) {
    this.#emitter = emitter;
  }

  /** Compares what is drawn in this frame with the last. `drawn()` gives the bodies. */
  update(drawn) {
    if (!this.#emitter.hears(...SHOWN_EVENTS)) {
      this.#told.clear(); // the next listener gets `add` for every body
      return;
    }
    const before = this.#told;
    this.#told = new Map();
    for (const body of drawn()) this.#told.set(body, body.version);
    for (const body of before.keys()) if (!this.#told.has(body)) this.#emitter.emit('remove', body);
    for (const [body, version] of this.#told) {
      const known = before.get(body);
      if (known === undefined) this.#emitter.emit('add', body);
      else if (known !== version) this.#emitter.emit('change', body);
    }
  }
}
