// How far apart a world's snapshots are while something moves. The server sends one a second of a world in which nothing
// moves, so the time since the last snapshot says nothing then: a body that sets off was at rest until just before.
//
// Times are a world's, in seconds. client/lib/cadence.c is the same in libcarom, by the same constants.

const SHARE = 1 / 8; // the share of a step in the mean
const STILL_STEPS = 2.5; // a step of more intervals has snapshots between that were not sent, as nothing moved

/** Measures the interval between snapshots. */
export class Cadence {
  /** Interval between snapshots [s]; 0: not known. */
  interval = 0;
  #newest = -Infinity;

  /**
   * Adds a snapshot of world time `seconds`, before which the server left out `skipped`, because the reader was slow. Returns the
   * time until which everything was as the snapshot before had it [s].
   */
  add(seconds, skipped = 0) {
    const before = this.#newest;
    this.#newest = seconds;
    const step = seconds - before;
    if (!Number.isFinite(before)) return seconds;
    if (!(step > 0)) return before;
    if (this.interval > 0 && skipped === 0 && step > STILL_STEPS * this.interval) return seconds - this.interval;
    if (this.interval === 0 || step < this.interval / 2) this.interval = step;
    else this.interval += SHARE * (step - this.interval);
    return before;
  }

  reset() {
    this.interval = 0;
    this.#newest = -Infinity;
  }
}
