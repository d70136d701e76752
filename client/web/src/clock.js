// The server's clock, as seen from here.
//
// A ping bounds the offset between two clocks rigorously: it lies within half a round trip of what the ping measured.
// Of the last samples, the one with the smallest bound counts (D. Mills, "Internet Time Synchronization", 1991: the
// minimum filter), and a sample's bound grows with its age, because two clocks never run equally fast. How much faster
// the server's runs is measured over minutes, from the best sample of each half minute, so that nothing drifts between
// pings. A correction is spread over a second: the time never runs backward, unless a clock was set or stopped.
//
// Times are in milliseconds where they are the local clock's (performance.now()), and in seconds where they are the
// server's. Nothing here reads a clock: the caller passes the time, so that tests can choose it.

const SAMPLES_MAX = 16; // pings used
const ANCHORS_MAX = 32; // best pings of earlier windows of SAMPLES_MAX: a quarter of an hour
const RATE_SPAN_MS = 120000; // shortest time over which the rate is measured
const RATE_MAX = 500e-6; // larger than the error of crystals in use; NTP's daemon corrects no more either
const AGING = 200e-6; // growth of a sample's bound while the rate is unknown
const AGING_MEASURED = 20e-6; // growth once the rate is known: crystals change with the temperature
const STEP_RATE = 2 * RATE_MAX; // growth of a difference beyond which a clock must have been set
const STEP_MS = 1; // rounding of the clocks of browsers
const SLEW_MS = 1000; // time over which a correction is spread
const SLEW_MAX_MS = 250; // larger corrections are made at once

/** The offset between the server's monotonic clock and the local one, and the round trip time. */
export class ServerClock {
  #samples = []; // {at, rtt, offset}: offset is the server's time minus the local time [ms] at the local time `at`
  #anchors = [];
  #count = 0; // samples since the last anchor
  #rate = NaN; // growth of the offset
  #best = null;
  #slew = 0; // correction that is still to be withdrawn at `#slewAt`
  #slewAt = 0;

  /** Adds a ping sent at `sentMs` and answered at `nowMs` with the server's time `seconds`. */
  add(sentMs, nowMs, seconds) {
    const rtt = Math.max(0, nowMs - sentMs);
    const at = nowMs - rtt / 2;
    const sample = {at, rtt, offset: seconds * 1000 - at};
    if (this.#best !== null && this.#stepped(sample)) this.reset();
    const before = this.at(nowMs) * 1000;
    this.#samples.push(sample);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    if (++this.#count === SAMPLES_MAX) this.#anchor();
    this.#best = this.#choose(nowMs);
    const correction = before - this.#target(nowMs);
    this.#slew = Math.abs(correction) <= SLEW_MAX_MS ? correction : 0; // NaN for the first sample
    this.#slewAt = nowMs;
  }

  reset() {
    this.#samples = [];
    this.#anchors = [];
    this.#count = 0;
    this.#rate = NaN;
    this.#best = null;
    this.#slew = 0;
  }

  get synchronised() {
    return this.#best !== null;
  }

  /** The shortest recent round trip [ms]; NaN before the first ping. */
  get rtt() {
    return this.#samples.length > 0 ? Math.min(...this.#samples.map((sample) => sample.rtt)) : NaN;
  }

  /** The last round trip [ms]; NaN before the first ping. */
  get lastRtt() {
    return this.#samples.at(-1)?.rtt ?? NaN;
  }

  /** The mean excess of round trips over the shortest [ms]. */
  get jitter() {
    const least = this.rtt;
    const total = this.#samples.reduce((sum, sample) => sum + sample.rtt - least, 0);
    return this.#samples.length > 0 ? total / this.#samples.length : NaN;
  }

  /** How much faster the server's clock runs than the local one, such as 50e-6; NaN until it is measured. */
  get rate() {
    return this.#rate;
  }

  /** The server's monotonic clock at the local time `nowMs` [s]; NaN before the first ping. */
  at(nowMs) {
    const left = Math.max(0, 1 - Math.max(0, nowMs - this.#slewAt) / SLEW_MS);
    return (this.#target(nowMs) + this.#slew * left) / 1000;
  }

  // The server's time [ms] without the slew.
  #target(nowMs) {
    return this.#best === null ? NaN : nowMs + this.#offset(this.#best, nowMs);
  }

  #offset({at, offset}, nowMs) {
    return offset + (nowMs - at) * (this.#rate || 0);
  }

  // Whether the new sample contradicts steady clocks: one of them was set, or stopped while the machine slept.
  #stepped(sample) {
    const best = this.#best;
    const bound = (sample.rtt + best.rtt) / 2 + Math.abs(sample.at - best.at) * STEP_RATE + STEP_MS;
    return Math.abs(sample.offset - best.offset) > bound;
  }

  #choose(nowMs) {
    const aging = Number.isNaN(this.#rate) ? AGING : AGING_MEASURED;
    const bound = ({at, rtt}) => rtt / 2 + (nowMs - at) * aging;
    return this.#samples.reduce((best, sample) => bound(sample) <= bound(best) ? sample : best);
  }

  #anchor() {
    this.#count = 0;
    this.#anchors.push(this.#samples.reduce((best, sample) => sample.rtt <= best.rtt ? sample : best));
    if (this.#anchors.length > ANCHORS_MAX) this.#anchors.shift();
    if (this.#anchors.at(-1).at - this.#anchors[0].at >= RATE_SPAN_MS) this.#rate = slope(this.#anchors);
  }
}

// The slope of a line through samples, by least squares; a sample with a longer round trip has less weight.
function slope(samples) {
  const least = Math.min(...samples.map(({rtt}) => rtt));
  const weights = samples.map(({rtt}) => 1 / (rtt - least + 1) ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (pick) => samples.reduce((sum, sample, i) => sum + weights[i] * pick(sample), 0) / total;
  const at = mean((sample) => sample.at);
  const offset = mean((sample) => sample.offset);
  const spread = mean((sample) => (sample.at - at) ** 2);
  const rate = mean((sample) => (sample.at - at) * (sample.offset - offset)) / spread;
  return Math.max(-RATE_MAX, Math.min(RATE_MAX, rate));
}
