// A world's speed, measured from its ticks over some seconds. A rate measured in one second varies by the few ticks at
// either end; over some seconds that does not matter.
//
// A world that is paused but still advances is being stepped, for example by a page that slows it, as here.

const WINDOW_S = 5; // ticks are counted over this time
const LEAST_S = 1.5; // least time for a rate
const STEPS = 3; // least number of different ticks: more than one press of a key causes
const SPREAD_S = 0.25; // the rate ignores observations that took longer than the shortest by more
const SPREADS = 8; // the shortest is that of so many observations: a connection may become slower
const STILL_S = 1.2; // without a tick for this long the world is paused

export class Pace {
  #seen = []; // {at, to, tick}, oldest first
  #spreads = []; // how long the last observations took [s]
  #paused = false;
  #hz = 60;
  #epoch;

  /**
   * Adds an observation from world.info or world.list, made between the server times `from` and `to` [s]. How long each
   * takes is the round trip, which differs from page to page. An observation that took much longer than others shows only whether
   * the world is paused: on a machine with much to do, a world may answer seconds after the server has stated its time.
   */
  add({tick, hz, paused, epoch}, from, to = from) {
    const spreads = this.#spreads;
    spreads.push(to - from);
    if (spreads.length > SPREADS) spreads.shift();
    const late = to - from > Math.min(...spreads) + SPREAD_S;
    const at = (from + to) / 2;
    const seen = this.#seen;
    const last = seen.at(-1);
    const other = paused !== this.#paused || epoch !== this.#epoch || hz !== this.#hz;
    const back = last && (tick < last.tick || at < last.at);
    if (!other && (late || (back && from < last.to))) return; // or it began before the last one ended
    if (other || back) seen.length = 0;
    this.#paused = paused;
    this.#epoch = epoch;
    this.#hz = hz;
    seen.push({at, to, tick});
    // The window begins with the last observation before it.
    while (seen.length > STEPS && at - seen[1].at >= WINDOW_S) seen.shift();
  }

  /** `running`, `paused`, or `stepped`: paused, but stepped repeatedly. */
  get state() {
    if (!this.#paused) return 'running';
    const last = this.#seen.at(-1);
    const before = this.#seen.findLast(({at}) => at <= last.at - STILL_S);
    const ticks = new Set(this.#seen.map(({tick}) => tick));
    return ticks.size >= STEPS && before?.tick !== last.tick ? 'stepped' : 'paused';
  }

  /** Ticks per second; undefined until known, 0 for a paused world. A world that runs by itself is never faster than `hz`. */
  get rate() {
    const {state} = this;
    if (state === 'paused') return 0;
    const seen = this.#seen;
    if (seen.length < 2 || seen.at(-1).at - seen[0].at < LEAST_S) return undefined;
    // A least-squares line through all observations: a late one changes it little.
    const middle = (name) => seen.reduce((sum, one) => sum + one[name], 0) / seen.length;
    const [at, tick] = [middle('at'), middle('tick')];
    const share = seen.reduce((sum, one) => sum + (one.at - at) * (one.tick - tick), 0);
    const rate = share / seen.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
    return state === 'running' ? Math.min(rate, this.#hz) : rate;
  }

  /**
   * Text for people: `60 Hz`, `paused`, `slowed to 15 Hz`, `sped up to 120 Hz`, or `running` while the rate is unknown.
   */
  get text() {
    const {rate, state} = this;
    if (state === 'paused') return 'paused';
    if (rate === undefined) return 'running';
    const hertz = `${rate < 9.95 ? Number(rate.toFixed(1)) : Math.round(rate)} Hz`;
    return state === 'running' ? hertz : `${rate < this.#hz ? 'slowed' : 'sped up'} to ${hertz}`;
  }
}
