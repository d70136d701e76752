// Ids of shapes that others have taken the place of. A snapshot that still describes one of them is older than the change.

export const REPLACED_MAX = 10000; // ids that are kept until a newer snapshot comes; beyond it the oldest are forgotten

export class Replaced {
  #ids = new Set();
  #full = false;

  /** `full` () is called once, when the first id is forgotten, and again after clear(). */
  constructor(full, most = REPLACED_MAX) {
    Object.assign(this, {full, most});
  }

  has(id) {
    return this.#ids.has(id);
  }

  add(id) {
    this.#ids.add(id);
    if (this.#ids.size <= this.most) return;
    this.#ids.delete(this.#ids.values().next().value);
    if (!this.#full) this.full();
    this.#full = true;
  }

  clear() {
    this.#ids.clear();
    this.#full = false;
  }
}
