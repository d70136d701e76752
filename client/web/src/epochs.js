// Which world of a name is meant: the epochs that a client knows.
//
// A world that was destroyed and made again has its old name, another epoch, and ids that begin at
// 1 again. A call that is sent on another connection than the one that it was made for names the
// epoch that was known then, so that it reaches that world or none (PROTOCOL.md, "Epochs").

const KNOWN_MAX = 256; // worlds; past that the one that was told first is forgotten

// They make a world, or ask for the one that there is.
const FREE = new Set(['world.create', 'world.info', 'world.subscribe']);

/** Whether a call of the method that is sent again is held to its world's epoch. */
export function guardsEpoch(method) {
  return !FREE.has(method);
}

export class Epochs {
  #known = new Map(); // name -> epoch, in the order in which they were told

  /** The world has that epoch. */
  note(world, epoch) {
    if (typeof world !== 'string' || !(epoch > 0) || this.#known.get(world) === epoch) return;
    this.#known.delete(world);
    this.#known.set(world, epoch);
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value);
  }

  /** The same of all that an answer tells; `asked`: the world that its call named. */
  noteAnswer(asked, answer) {
    if (Array.isArray(answer)) {
      for (const one of answer) this.note(one?.world, one?.epoch);
    } else {
      this.note(answer?.world ?? asked, answer?.epoch);
    }
  }

  /** It has ended. */
  forget(world) {
    this.#known.delete(world);
  }

  get(world) {
    return this.#known.get(world);
  }
}
