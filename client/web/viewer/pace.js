// How fast a world goes, as its ticks tell over the last seconds. A rate that a server measures in one second varies by
// the few ticks that fall to one side of its end or the other; over some seconds that is nothing.
//
// A world that is paused and goes on all the same is stepped by somebody: by a page that slows it, as here.

const WINDOW_S = 5; // over which ticks are counted
const LEAST_S = 1.5; // that a rate is told from
const STEPS = 3; // ticks that differ, of which it is told: more than a press of a key brings
const STILL_S = 1.2; // without a step: it stands

export class Pace {
  #seen = []; // {at, tick}, oldest first
  #paused = false;
  #hz = 60;
  #epoch;

  /** What world.info or world.list says of the world, at a time of the server's clock [s]. */
  add({tick, hz, paused, epoch}, at) {
    const seen = this.#seen;
    const last = seen.at(-1);
    if (last && (tick < last.tick || at < last.at || paused !== this.#paused || epoch !== this.#epoch || hz !== this.#hz)) seen.length = 0;
    this.#paused = paused;
    this.#epoch = epoch;
    this.#hz = hz;
    seen.push({at, tick});
    // The window begins with the last observation that is older than it.
    while (seen.length > STEPS && at - seen[1].at >= WINDOW_S) seen.shift();
  }

  /** `running`, `paused`, or `stepped`: paused, but somebody steps it on and on. */
  get state() {
    if (!this.#paused) return 'running';
    const last = this.#seen.at(-1);
    const before = this.#seen.findLast(({at}) => at <= last.at - STILL_S);
    const ticks = new Set(this.#seen.map(({tick}) => tick));
    return ticks.size >= STEPS && before?.tick !== last.tick ? 'stepped' : 'paused';
  }

  /** Ticks a second; undefined until it is known, and 0 of a world that stands. */
  get rate() {
    if (this.state === 'paused') return 0;
    const seen = this.#seen;
    if (seen.length < 2 || seen.at(-1).at - seen[0].at < LEAST_S) return undefined;
    // The straight line that is nearest to all observations: one that was late moves it little.
    const middle = (name) => seen.reduce((sum, one) => sum + one[name], 0) / seen.length;
    const [at, tick] = [middle('at'), middle('tick')];
    const share = seen.reduce((sum, one) => sum + (one.at - at) * (one.tick - tick), 0);
    return share / seen.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  }

  /** For people: `60 Hz`, `paused`, `slowed to 15 Hz`, `sped up to 120 Hz`, or `running` while no rate is known. */
  get text() {
    const {rate, state} = this;
    if (state === 'paused') return 'paused';
    if (rate === undefined) return 'running';
    const hertz = `${rate < 9.95 ? Number(rate.toFixed(1)) : Math.round(rate)} Hz`;
    return state === 'running' ? hertz : `${rate < this.#hz ? 'slowed' : 'sped up'} to ${hertz}`;
  }
}
