// Spawns bodies: a tap places one, a drag throws it.

import {mayAct} from '../edit/rights.js';
import {outline} from '../draw/overlays.js';

const THROW_PER_SECOND = 4; // m/s for each metre of the drag
const SPEED_MAX = 4000;
const TURN = 2 * Math.PI;

/** The shapes of a form of `size` [m across], as arguments of body.spawn. */
export function formShapes(form, size, rest = {}) {
  const r = size / 2;
  switch (form) {
    case 'box':
      return [{kind: 'box', size: [size, size], ...rest}];
    case 'plank':
      return [{kind: 'box', size: [size * 2, size * 0.35], ...rest}];
    case 'capsule':
      return [{kind: 'capsule', a: [-r, 0], b: [r, 0], radius: r * 0.6, ...rest}];
    case 'polygon': {
      const corners = 3 + Math.floor(Math.random() * 5);
      const vertices = Array.from({length: corners}, (_, i) =>
        [r * Math.cos(TURN * i / corners), r * Math.sin(TURN * i / corners)]);
      return [{kind: 'polygon', vertices, ...rest}];
    }
    case 'cross':
      return [{kind: 'box', size: [size, size * 0.34], ...rest}, {kind: 'box', size: [size * 0.34, size], ...rest}];
    default:
      return [{kind: 'circle', radius: r, ...rest}];
  }
}

// The shape as the server would describe it, to draw its outline before the body exists.
function told(shape) {
  if (shape.kind !== 'box') return shape;
  const [w, h] = [shape.size[0] / 2, shape.size[1] / 2];
  return {kind: 'polygon', vertices: [[-w, -h], [w, -h], [w, h], [-w, h]]};
}

export class Spawn {
  name = 'spawn';
  needs = 'body.spawn';
  options = {form: 'circle', size: 1, type: 'dynamic', restitution: 0.2, friction: 0.6, density: 1, count: 1};
  #from = null;
  #to = null;
  #at = null; // where the pointer hovers
  #next = null; // shapes of the next body

  constructor(app) {
    this.app = app;
  }

  /** Called when the options change. */
  renew() {
    this.#next = null;
    this.app.touch();
  }

  #shapes() {
    const {form, size, restitution, friction, density} = this.options;
    this.#next ??= formShapes(form, size, {restitution, friction, density});
    return this.#next;
  }

  hover(point) {
    this.#at = point;
  }

  down(point) {
    if (!mayAct(this.app, this.needs)) return false;
    this.#from = this.#to = point;
    return true;
  }

  move(point) {
    this.#to = point;
  }

  up(point) {
    const from = this.#from;
    const clamp = (value) => Math.max(-SPEED_MAX, Math.min(SPEED_MAX, value * THROW_PER_SECOND));
    this.cancel();
    if (from) this.#spawn(from, [clamp(point.x - from.x), clamp(point.y - from.y)]);
  }

  /** Resolves to what was made; undefined if it was refused. */
  tap(point) {
    this.cancel();
    return mayAct(this.app, this.needs) ? this.#spawn(point, [0, 0]) : undefined;
  }

  async #spawn(point, velocity) {
    const {type, form, size, count} = this.options;
    const commands = [];
    const side = Math.ceil(Math.sqrt(count));
    for (let i = 0; i < count; i++) {
      // Places many in a grid, with gaps.
      const column = i % side - (Math.min(side, count) - 1) / 2;
      const row = Math.floor(i / side);
      const pitch = size * (form === 'plank' ? 2.05 : form === 'capsule' ? 1.7 : 1.05);
      commands.push(['body.spawn', {
        type, tag: form, position: [point.x + column * pitch, point.y + row * size * 1.05],
        velocity: type === 'static' ? [0, 0] : velocity, shapes: this.#shapes()}]);
      if (form === 'polygon') this.#next = null;
    }
    this.#next = null;
    return this.app.changes.act(count > 1 ? `${count} new bodies` : 'a new body', commands);
  }

  cancel() {
    this.#from = this.#to = null;
  }

  draw(lines, theme) {
    const place = this.#from ?? this.#at;
    if (!place) return;
    const ghost = {pose: {x: place.x, y: place.y, angle: 0}};
    const colour = [...theme.draw.slice(0, 3), this.#from ? 1 : 0.6];
    for (const shape of this.#shapes()) outline(lines, ghost, told(shape), colour, 1.5);
    if (this.#from) lines.arrow([place.x, place.y], [this.#to.x, this.#to.y], theme.draw, 2.5);
  }
}

