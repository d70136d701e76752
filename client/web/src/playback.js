// The time at which a world is shown: Playback turns the arrival of snapshots into a smooth time, behind the newest
// snapshot by the interval between snapshots plus their jitter.
//
// Times are in milliseconds where they are the local clock's (performance.now()), and in seconds where they are a
// world's. Nothing here reads a clock: the caller passes the time, so that tests can choose it.

import {Cadence} from './cadence.js';

const WINDOW_MS = 2000; // time over which arrivals are used; two clocks drift apart by less than 1 ms in it
const ARRIVALS_MAX = 256; // arrivals in the window; 2 s at 128 Hz
const BREAK_MS = 250; // a larger deviation of an arrival is no jitter: the world was paused, or its rate changed
const JITTER_SHARE = 0.95; // share of the snapshots that must have arrived when they are shown
const DELAY_MS_MAX = 1000; // the largest delay beyond the interval between snapshots
const CATCH_UP = 0.1; // the largest relative change of playback's speed
const JUMP_MS = 400; // a larger error is corrected by a jump

/** Decides which world time to show when. */
export class Playback {
  #arrivals = []; // {at, lead}: local time, and world time minus local time
  #lead = NaN; // lead of the earliest arrival, without jitter
  #cadence = new Cadence();
  #shown = NaN; // world time that was shown last [ms]
  #shownAt = 0;
  #newest = -Infinity; // world time of the newest snapshot [ms]
  #speed = 1;

  /** @param {number} extraMs added to the delay, to cover lost packets */
  constructor(extraMs = 0) {
    this.extraMs = extraMs;
  }

  /**
   * Adds a snapshot of world time `seconds` that arrived at `nowMs`, before which the server left out `skipped`. Returns the time
   * until which the world was as the snapshot before had it [s].
   */
  add(nowMs, seconds, skipped = 0) {
    const since = this.#cadence.add(seconds, skipped);
    const time = seconds * 1000;
    const lead = time - nowMs;
    const before = this.#newest;
    if (time < this.#newest || Math.abs(lead - this.#lead) > BREAK_MS) this.#arrivals = [];
    this.#newest = time;
    this.#arrivals.push({at: nowMs, lead});
    while (this.#arrivals.length > ARRIVALS_MAX || this.#arrivals[0].at < nowMs - WINDOW_MS) {
      this.#arrivals.shift();
    }
    this.#lead = Math.max(...this.#arrivals.map((arrival) => arrival.lead));
    if (this.#shown >= before) this.#pass(nowMs, since * 1000);
    return since;
  }

  // All that was known is shown, and nothing moved until `since`: nobody sees the time go there at once.
  #pass(nowMs, since) {
    const wanted = Math.min(since, nowMs + this.#lead - this.delay);
    if (!(wanted > this.#shown)) return;
    this.#shown = wanted;
    this.#shownAt = nowMs;
  }

  reset() {
    this.#arrivals = [];
    this.#lead = NaN;
    this.#cadence.reset();
    this.#shown = NaN;
    this.#newest = -Infinity;
  }

  /** How far behind the newest snapshot the world is shown [ms]. */
  get delay() {
    const late = this.#arrivals.map((arrival) => this.#lead - arrival.lead).sort((a, b) => a - b);
    const jitter = late.length > 0 ? late[Math.floor((late.length - 1) * JITTER_SHARE)] : 0;
    return this.#cadence.interval * 1000 + Math.min(jitter + this.extraMs, DELAY_MS_MAX);
  }

  /** The server's present world time, estimated from arrivals [s]; NaN before the first. */
  newest(nowMs) {
    return Math.max(this.#newest, nowMs + this.#lead) / 1000;
  }

  /** The earliest world time that show() can still return from `nowMs` on [s]; NaN before the first snapshot. */
  earliest(nowMs) {
    const wanted = nowMs + this.#lead - this.delay;
    return Math.min(this.#newest, wanted - JUMP_MS) / 1000;
  }

  /**
   * The world's time to show at `nowMs` [s]; NaN before the first snapshot. Never runs ahead of the
   * newest snapshot, and goes backward only when the world's own time does.
   */
  show(nowMs) {
    if (this.#arrivals.length === 0) return NaN;
    const wanted = nowMs + this.#lead - this.delay;
    const passed = nowMs - this.#shownAt;
    let shown = this.#shown + passed * this.#speed;
    const off = wanted - shown;
    if (!(Math.abs(off) <= JUMP_MS)) shown = wanted; // also true for the first snapshot, when `off` is NaN
    else this.#speed = 1 + Math.max(-CATCH_UP, Math.min(CATCH_UP, off / JUMP_MS));
    if (shown < this.#shown && this.#shown <= this.#newest) shown = this.#shown;
    this.#shown = Math.min(shown, this.#newest);
    this.#shownAt = nowMs;
    return this.#shown / 1000;
  }
}
