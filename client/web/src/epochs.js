// The epochs that a client knows, which distinguish worlds of the same name.
//
// A world that was destroyed and made again has its old name but a new epoch, and its ids begin at 1 again. A call that
// is repeated over another connection names the epoch known when it was first made, so that it reaches that world or
// none (PROTOCOL.md, "Epochs").

const KNOWN_MAX = 256; // worlds; beyond that the oldest entry is dropped

// Methods that make a world, or ask for the present one, and so name no epoch.
const FREE = new Set(['world.create', 'world.info', 'world.subscribe']);

/** Whether a repeated call of the method must carry its world's epoch. */
export function guardsEpoch(method) {
  return !FREE.has(method);
}

export class Epochs {
  #known = new Map(); // name -> epoch, oldest first

  /** Records the world's epoch. */
  note(world, epoch) {
    if (typeof world !== 'string' || !(epoch > 0) || this.#known.get(world) === epoch) return;
    this.#known.delete(world);
    this.#known.set(world, epoch);
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value);
  }

  /** Records all epochs in an answer; `asked` is the world that its call named. */
  noteAnswer(asked, answer) {
    if (Array.isArray(answer)) {
      for (const one of answer) this.note(one?.world, one?.epoch);
    } else {
      this.note(answer?.world ?? asked, answer?.epoch);
    }
  }

  /** Forgets a world that has ended. */
  forget(world) {
    this.#known.delete(world);
  }

  get(world) {
    return this.#known.get(world);
  }
}
