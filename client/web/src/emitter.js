// Listeners by name; a class says which there are. A listener that throws does not keep the others from being called: its error is reported as
// uncaught.

import {meant} from './options.js';

export class Emitter {
  #events;
  #listeners = new Map();

  /** `events`: the names of all of its events, for on() and once(); null: not checked. */
  constructor(events = null) {
    this.#events = events;
  }

  /** Calls `listener` for each event of that name. Returns a function that ends it. */
  on(name, listener) {
    const events = this.#events;
    if (events !== null && !events.includes(name)) {
      throw new TypeError(`there is no event '${String(name)}'; there are ${events.join(', ')}${meant(name, events)}`);
    }
    if (typeof listener !== 'function') throw new TypeError(`'${name}': a listener is a function, got ${listener}`);
    const list = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, list);
    list.add(listener);
    return () => list.delete(listener);
  }

  /** Calls `listener` for the next event of that name only. */
  once(name, listener) {
    const off = this.on(name, (...values) => {
      off();
      listener(...values);
    });
    return off;
  }

  /** Whether anybody listens to one of these. */
  hears(...names) {
    return names.some((name) => this.#listeners.get(name)?.size > 0);
  }

  emit(name, ...values) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(...values);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
