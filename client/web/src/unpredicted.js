// The substitute for a prediction (prediction.js) that is not possible: the world as snapshots show it, a little in the
// past, and commands that are sent at once for the next tick.

const INPUTS_MAX = 4; // most ticks that a late frame catches up with
const MADE_MAX = 256; // batches whose results are kept

export class Unpredicted {
  #client;
  #args;
  #subscription = null;
  #asked = 0; // the last tick for which there was input
  #made = new Map(); // tick -> results of its batch

  constructor(client, world, {rate, events}) {
    this.#client = client;
    this.#args = {world, rate, events, describe: true};
    this.stopped = false;
  }

  /** Resolves when there is a picture. `ended(error)` is called when it ends by itself. */
  async start(ended) {
    const subscription = await this.#client.subscribe(this.#args);
    this.#subscription = subscription;
    if (this.stopped) {
      this.stop();
      return;
    }
    const off = subscription.on('ended', (error) => this.stopped || ended(error));
    await subscription.next().finally(() => this.stopped && off());
  }

  stop() {
    this.stopped = true;
    this.#subscription?.unsubscribe().catch(() => {});
  }

  get view() {
    return this.#subscription?.view ?? null;
  }

  get tick() {
    const {view} = this;
    return view?.time > 0 ? Math.round(view.tick * (view.shownTime / view.time)) || 0 : view?.tick ?? 0;
  }

  /** Before each frame: `ask(tick)` gives the commands for a tick, `refused(tick, error)` receives errors. */
  advance(nowMs, ask, refused) {
    const {view} = this;
    if (view === null || Number.isNaN(view.advance(nowMs))) return;
    const present = view.time > 0 ? Math.floor(view.playback.newest(nowMs) * (view.tick / view.time)) : view.tick;
    if (!Number.isSafeInteger(present)) return; // a tick and a time that do not belong together
    if (present < this.#asked) this.#asked = present; // another world of that name has begun
    for (let tick = Math.max(this.#asked, present - INPUTS_MAX) + 1; tick <= present; tick++) {
      this.#asked = tick;
      const commands = ask(tick);
      if (commands.length > 0) this.#send(tick, commands, refused);
    }
  }

  async #send(tick, commands, refused) {
    try {
      const {results} = await this.#client.call('world.apply', {world: this.#args.world, commands});
      this.#made.set(tick, results);
      if (this.#made.size > MADE_MAX) this.#made.delete(this.#made.keys().next().value);
    } catch (error) {
      refused(tick, error);
    }
  }

  /** As PredictionCore.made(). */
  made(tick, index) {
    const {body, shape, joint} = this.#made.get(tick)?.[index] ?? {};
    const id = body ?? joint ?? shape;
    return id === undefined ? null : {id, confirmed: true};
  }

  takeEvents() {
    return this.view?.takeEvents() ?? [];
  }
}
