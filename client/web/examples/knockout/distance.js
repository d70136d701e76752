// Knockout's panel for a distance: sliders that simulate a farther server, the same world without prediction beside
// this one, and figures of both: how long a key takes to move the player's own disc, and how often a prediction was
// right.

const MOVED_M = 0.005; // a disc this far from its old place has moved
const FIGURES_MS = 250; // interval between two updates of the figures
const RATE = 30; // snapshots a second of the picture without prediction

const $ = (id) => document.getElementById(id);
const ms = (value) => value === undefined ? '–' : `${Math.round(value)} ms`;

// Measures the time from a key to visible motion in one picture, once for each press from rest.
class KeyTime {
  #press = null; // {at, x, y}
  last = undefined;

  press(now, pose) {
    if (pose && this.#press === null) this.#press = {at: now, x: pose.x, y: pose.y};
  }

  frame(now, pose) {
    const press = this.#press;
    if (press === null || !pose) return;
    if (Math.hypot(pose.x - press.x, pose.y - press.y) < MOVED_M) return;
    this.last = now - press.at;
    this.#press = null;
  }
}

export class DistancePanel {
  #game;
  #field;
  #subscription = null; // key times of the picture without prediction
  #asked = false;
  #told = 0;
  #here = new KeyTime();
  #there = new KeyTime();

  constructor(game, field) {
    this.#game = game;
    this.#field = field;
    const {distance} = game;
    const slide = (name, set, text) => $(name).addEventListener('input', ({target}) => {
      set(Number(target.value));
      $(`${name}-text`).value = text(Number(target.value));
    });
    slide('delay', (value) => Object.assign(distance, {delayMs: value}), (value) => `${value} ms`);
    slide('stall', (value) => Object.assign(distance, {stall: value / 100}), (value) => `${value} %`);
    $('distance').addEventListener('change', () => this.#field.focus()); // the arrow keys steer the disc again
    $('beside').addEventListener('change', ({target}) => this.#setBeside(target.checked));
    $('far').hidden = false;
    $('far').addEventListener('click', () => this.open($('distance').hidden));
    addEventListener('keydown', (event) => {
      if (event.key === 'd' && event.target.tagName !== 'INPUT') this.open($('distance').hidden);
    });
  }

  open(open = true) {
    $('distance').hidden = !open;
    $('far').setAttribute('aria-expanded', open);
    if (!open) this.#field.focus();
  }

  /** How much of the window's height the panel covers. */
  get height() {
    return $('distance').hidden ? 0 : $('distance').offsetHeight + 24;
  }

  /** The picture without prediction; null while it is not shown. */
  get beside() {
    return this.#asked ? this.#subscription?.view ?? null : null;
  }

  async #setBeside(on) {
    this.#asked = on;
    if (on) this.#subscription ??= await this.#game.world.subscribe({describe: true, rate: RATE, events: []});
  }

  /** A steering key went down. */
  pressed() {
    const now = performance.now();
    const {view, disc} = this.#game;
    const body = view.bodies.get(disc);
    if (!body || Math.hypot(body.vx, body.vy) > 0.05) return; // a disc that is already moving shows no delay
    this.#here.press(now, body.pose);
    this.#there.press(now, this.beside?.bodies.get(disc)?.pose);
  }

  frame(frameMs) {
    const {view, disc} = this.#game;
    const now = performance.now(); // a frame's timestamp is the time at which its rendering began
    this.beside?.advance(frameMs);
    this.#here.frame(now, view.bodies.get(disc)?.pose);
    this.#there.frame(now, this.beside?.bodies.get(disc)?.pose);
    if ($('distance').hidden || now - this.#told < FIGURES_MS) return;
    this.#told = now;
    this.#tell();
  }

  #tell() {
    const {view, client} = this.#game;
    const figures = view.figures;
    const rows = [['key to motion', ms(this.#here.last)]];
    if (this.beside) rows.push(['without prediction', ms(this.#there.last)]);
    rows.push(['round trip', ms(client.clock.lastRtt)]);
    if (figures) {
      rows.push(['predicted to the bit', `${(Math.floor(1000 * figures.right) / 10).toFixed(1)} %`],
                ['rollbacks a second', figures.rollbacks.toFixed(1)], ['ticks a rollback', figures.depth.toFixed(1)],
                ['ahead of the server', `${figures.lead.toFixed(0)} ticks`],
                ['own disc corrected by', `${(100 * figures.error).toFixed(1)} cm`]);
    } else {
      rows.push(['no prediction', view.reason?.message ?? '']);
    }
    $('figures').replaceChildren(...rows.map(([name, value]) => {
      const line = document.createElement('div');
      line.append(Object.assign(document.createElement('dt'), {textContent: name}),
                  Object.assign(document.createElement('dd'), {textContent: value}));
      return line;
    }));
  }
}
