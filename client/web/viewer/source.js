// A world to draw: the live one, from the client's view, or the past, from the page's history (history.js). Both have
//   drawn()      the bodies to draw: {id, pose, description, version, vx, vy, type}
//   body(id)     one of them, or undefined
//   asleep(id)   whether it sleeps
//   joints       Map of full joint maps;  contacts  an array
//   time, tick   of the drawn state

export class LiveSource {
  #asleep = new Set();
  #known = new WeakMap(); // body -> version of its last seen description
  #version = -1;

  constructor(view) {
    this.view = view;
  }

  drawn() {
    return this.view.drawn();
  }

  body(id) {
    return this.view.bodies.get(id);
  }

  get joints() {
    return this.view.joints;
  }

  get contacts() {
    return this.view.contacts;
  }

  get time() {
    return this.view.shownTime;
  }

  get tick() {
    const {view} = this;
    return view.time > 0 ? Math.round(view.tick * (view.shownTime / view.time)) : view.tick;
  }

  asleep(id) {
    return this.#asleep.has(id);
  }

  get asleepIds() {
    return this.#asleep;
  }

  /** Before each frame: finds bodies described since the last one. */
  look() {
    if (this.#version === this.view.version) return;
    this.#version = this.view.version;
    for (const [id, body] of this.view.bodies) {
      if (this.#known.get(body) === body.version) continue;
      const first = this.#known.get(body) === undefined;
      this.#known.set(body, body.version);
      if (!first) continue;
      if (body.description?.awake === false && body.type === 'dynamic') this.#asleep.add(id);
      else this.#asleep.delete(id);
    }
  }

  /** An event whose time is now drawn. */
  event(event) {
    if (event.kind === 'sleep') this.#asleep.add(event.a);
    else if (event.kind === 'wake' || event.kind === 'remove') this.#asleep.delete(event.a);
  }
}
