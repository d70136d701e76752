// A scene or a recipe as a small living picture: a world of the engine, drawn with plain lines and areas, since a page has
// room for a few WebGL pictures only. A thumbnail costs nothing while it is out of sight.

import {THEMES, bodyColour} from '../draw/theme.js';

const MANY = 600; // bodies of a scene that plays only while it is pointed at
const ROW = 8; // numbers of a row of the engine
const MARGIN = 0.04;

export class Thumbnail {
  #drawn = -1;
  #bodies = new Map(); // id -> full map, of when it came
  #owed = 0;
  #busy = false;

  /** `made`: {world, view, step()}, `step` being undefined for scenes without rules. */
  constructor(canvas, made) {
    Object.assign(this, {canvas, world: made.world, view: made.view, rules: made.step});
    this.hz = this.world.info().hz;
    this.many = this.world.info().bodies > MANY;
    this.seen = false;
    this.pointed = false;
  }

  /** Whether it moves now. */
  get alive() {
    return this.seen && (!this.many || this.pointed);
  }

  /** Lets `seconds` pass, at most until the time `until`. */
  async advance(seconds, until) {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#owed = Math.min(this.#owed + seconds * this.hz, this.hz / 8);
      for (; this.#owed >= 1 && performance.now() < until; this.#owed--) {
        if (this.rules) await this.rules();
        else this.world.step();
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Draws the world if it has changed. */
  draw(theme) {
    const {canvas, world} = this;
    const scale = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    const key = `${world.tick} ${width} ${theme}`;
    if (width === 0 || this.#drawn === key) return;
    this.#drawn = key;
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    const rows = world.rows().slice();
    this.#describe(rows);
    this.#place(context, width, height, rows);
    for (let i = 0; i < rows.length; i += ROW) this.#body(context, rows.subarray(i, i + ROW), THEMES[theme]);
  }

  #describe(rows) {
    const before = this.#bodies;
    this.#bodies = new Map();
    for (let i = 0; i < rows.length; i += ROW) {
      const id = rows[i];
      this.#bodies.set(id, before.get(id) ?? this.world.call('body.get', {body: id}));
    }
  }

  // The view of the scene in the middle, y upward.
  #place(context, width, height, rows) {
    const [x0, y0, x1, y1] = this.view ??= boundsOf(rows);
    const scale = Math.min(width / (x1 - x0), height / (y1 - y0)) * (1 - MARGIN);
    context.setTransform(scale, 0, 0, -scale, width / 2 - scale * (x0 + x1) / 2, height / 2 + scale * (y0 + y1) / 2);
    context.lineWidth = Math.max(1, width / 360) / scale;
    context.lineJoin = 'round';
  }

  #body(context, [id, x, y, angle], theme) {
    const description = this.#bodies.get(id);
    const {shapes} = description;
    const mixed = [0, 0, 0, 1];
    bodyColour(theme, {id, description, vx: 0, vy: 0}, 'tag', false, mixed, 0);
    const colour = `rgb(${mixed.slice(0, 3).map((value) => Math.round(255 * Math.min(1, value)))})`;
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.strokeStyle = colour;
    for (const shape of shapes) {
      context.beginPath();
      trace(context, shape);
      context.globalAlpha = shape.sensor ? 0.15 : 0.45;
      context.fillStyle = colour;
      if (shape.vertices === undefined || shape.kind === 'polygon') context.fill();
      context.globalAlpha = shape.sensor ? 0.4 : 1;
      context.stroke();
    }
    context.restore();
  }
}

function trace(context, shape) {
  if (shape.kind === 'circle') {
    const [x, y] = shape.center;
    context.moveTo(x + shape.radius, y);
    context.arc(x, y, shape.radius, 0, 2 * Math.PI);
  } else if (shape.kind === 'capsule') {
    const {a, b, radius} = shape;
    const turn = Math.atan2(b[1] - a[1], b[0] - a[0]);
    context.arc(...a, radius, turn + Math.PI / 2, turn - Math.PI / 2);
    context.arc(...b, radius, turn - Math.PI / 2, turn + Math.PI / 2);
    context.closePath();
  } else {
    (shape.vertices ?? [shape.a, shape.b]).forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    if (shape.kind === 'polygon' || shape.loop) context.closePath();
  }
}

function boundsOf(rows) {
  let [x0, y0, x1, y1] = [-5, -5, 5, 5];
  for (let i = 0; i < rows.length; i += ROW) {
    [x0, y0, x1, y1] = [Math.min(x0, rows[i + 1]), Math.min(y0, rows[i + 2]), Math.max(x1, rows[i + 1]), Math.max(y1, rows[i + 2])];
  }
  return [x0 - 1, y0 - 1, x1 + 1, y1 + 1];
}
