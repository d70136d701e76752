// Listeners by name. A listener that throws does not keep the others from being called: its error is reported as
// uncaught.

export class Emitter {
  #listeners = new Map();

  /** Calls `listener` for each event of that name. Returns a function that ends it. */
  on(name, listener) {
    if (typeof listener !== 'function') throw new TypeError('a listener is a function');
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
