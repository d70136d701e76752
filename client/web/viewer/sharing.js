// Worlds made of a past tick: to go on from, or to show to others by a link.

import {whyNever} from './edit/rights.js';
import {serverEngine} from './recording.js';
import {toast} from './ui/dom.js';
import {freeName} from './ui/names.js';

const SHARED_MAX = 8; // worlds made for shared ticks; the oldest ends when another is made

export class Sharing {
  #app;
  #shared = new Map(); // tick -> the world made for a link to it

  constructor(app) {
    this.#app = app;
    app.session.on('renewed', () => this.#shared.clear()); // the shared worlds ended with the previous session
  }

  /** Makes a paused world of the shown tick, and goes to it. */
  async branch() {
    try {
      const {image, world, tick} = await this.#computeTick();
      await this.#app.panels.worlds.openImage(image, `${world}-at-${tick}`, {paused: true});
    } catch (error) {
      toast(error.message);
    }
  }

  // The image of the shown tick, computed from this page's log of the world.
  async #computeTick() {
    const {session, source, recorder} = this.#app;
    const {tick} = source;
    const {world} = session;
    const engine = await serverEngine(session.client.hello);
    const past = await recorder.recording.restore(engine, tick, () => new Promise((next) => setTimeout(next)));
    const image = past.save();
    past.free();
    return {image, world, tick};
  }

  /** Why no world can be made of the shown tick; '' if it can. */
  get whyNoBranch() {
    const {past, recorder} = this.#app;
    const why = whyNever(this.#app, 'world.create');
    if (why) return why;
    return recorder.recording.covers(past.tick) ? '' : recorder.why || 'This page has not kept the world’s log of that tick';
  }

  /**
   * A link that shows others the present view. For a tick of the past, which only this page knows, a paused world is
   * made that exists while this page is open. Without the right to make worlds the link names the tick, which works in
   * pages that have seen it.
   */
  async link() {
    const app = this.#app;
    if (!app.scrub || this.whyNoBranch) return app.link();
    const key = `${app.live.view.epoch} ${app.session.world} ${app.source.tick}`;
    if (!this.#shared.has(key)) this.#shared.set(key, await this.#makeShared());
    return app.link(this.#shared.get(key));
  }

  // Makes a world for a link to a tick; it ends with this page's session.
  async #makeShared() {
    const {session} = this.#app;
    const {client} = session;
    const {image, world, tick} = await this.#computeTick();
    const name = freeName(`${world}-at-${tick}`, session.worlds);
    await client.call('world.create', {world: name, image, paused: true, lifetime: 'session'});
    for (const [key, oldest] of this.#shared) {
      if (this.#shared.size < SHARED_MAX) break;
      this.#shared.delete(key);
      client.call('world.destroy', {world: oldest}).catch(() => {}); // another session may have ended it
    }
    session.look();
    return name;
  }
}
