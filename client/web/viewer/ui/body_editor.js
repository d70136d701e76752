// Changes the chosen body in place: its tag and motion, its shapes, its joints.
//
// The fields stay the same elements while the body's numbers change, so that a slider is not lost under the pointer.

import {asBox} from '../draw/shapes.js';
import {whyNot} from '../edit/rights.js';
import {shapeArgs} from '../edit/maps.js';
import {REPLACED_MAX, Replaced} from '../edit/replaced.js';
import {TABLE} from '../../src/table.js';
import {el, toast} from './dom.js';
import {NumberField, TextField} from './field.js';
import {jointFields} from './joint_editor.js';

const SHAPES_LISTED = 24;
const TAG_BYTES = TABLE['body.set'].args.tag.max;
const SET = TABLE['body.set'].args;
const SHAPE = TABLE['shape.set'].args;
const SIZE = {min: 0.001, max: 10000, unit: 'm'}; // bounds of the size of every form

// [label, argument, index of the coordinate, slider, unit, only of dynamic bodies]
const MOTION = [
  ['Velocity x', 'velocity', 0, [-30, 30]], ['Velocity y', 'velocity', 1, [-30, 30]], ['Turning', 'angular_velocity', -1, [-20, 20]],
  ['Damping', 'linear_damping', -1, [0, 5], true], ['Damping of turning', 'angular_damping', -1, [0, 5], true],
  ['Gravity', 'gravity_scale', -1, [-2, 2], true],
];
const SURFACE = [['Friction', 'friction', [0, 2]], ['Bounce', 'restitution', [0, 1]], ['Density', 'density', [0.05, 50, true]]];

// The measures of a shape's form: [label, its value, the shape's arguments with another value].
function formsOf(shape) {
  const box = shape.kind === 'polygon' && !shape.radius ? boxOf(shape.vertices) : null;
  if (shape.kind === 'circle') return [['Radius', (one) => one.radius, (one, value) => ({...shapeArgs(one), radius: value})]];
  if (shape.kind === 'capsule') {
    return [['Radius', (one) => one.radius, (one, value) => ({...shapeArgs(one), radius: value})],
            ['Length', (one) => lengthOf(one), (one, value) => stretched(one, value / lengthOf(one))]];
  }
  if (shape.kind === 'segment') return [['Length', lengthOf, (one, value) => stretched(one, value / lengthOf(one))]];
  if (box) {
    return [['Width', (one) => 2 * boxOf(one.vertices).w, (one, value) => resized(one, value, 2 * boxOf(one.vertices).h)],
            ['Height', (one) => 2 * boxOf(one.vertices).h, (one, value) => resized(one, 2 * boxOf(one.vertices).w, value)]];
  }
  return [['Size', (one) => extent(one), (one, value) => shapeArgs(one, value / extent(one))]];
}

// A rectangle whose width is along the body's own x axis, or nearest to it: a polygon may begin with any of its corners.
function boxOf(vertices) {
  const box = asBox(vertices);
  if (!box || Math.abs(box.cos) >= Math.abs(box.sin)) return box;
  return {...box, w: box.h, h: box.w, cos: box.sin, sin: -box.cos};
}

const lengthOf = ({a, b}) => Math.hypot(b[0] - a[0], b[1] - a[1]);

// The longer side of the box around a polygon or a chain.
function extent({vertices}) {
  const side = (axis) => Math.max(...vertices.map((point) => point[axis])) - Math.min(...vertices.map((point) => point[axis]));
  return Math.max(side(0), side(1));
}

// A capsule or a segment of another length.
function stretched(shape, factor) {
  const {a, b} = shape;
  const to = (end, other) => end.map((value, i) => (value + other[i]) / 2 + (value - other[i]) / 2 * factor);
  return {...shapeArgs(shape), a: to(a, b), b: to(b, a)};
}

function resized(shape, width, height) {
  const {x, y, cos, sin} = boxOf(shape.vertices);
  const corner = (u, v) => [x + cos * u - sin * v, y + sin * u + cos * v];
  const [w, h] = [width / 2, height / 2];
  return {...shapeArgs(shape), vertices: [corner(-w, -h), corner(w, -h), corner(w, h), corner(-w, h)]};
}

const COMING_MS = 30000; // a new shape is in the next snapshots; on a slow machine they take their time

export class BodyEditor {
  #key = '';
  #map = null;
  #joints = [];
  #fields = []; // {field, value(map), method}
  #chosen = 0; // id of the shape that is changed
  #coming = null; // {body, shapes, until}: a body's shapes that no snapshot has described yet
  #replaced = new Replaced(() => toast(`${REPLACED_MAX} shapes were replaced since the last snapshot: the panel may show one that is gone`));
  #select = null;

  constructor(app) {
    this.app = app;
    this.element = el('details', {class: 'edit'});
    this.element.open = true;
  }

  /** Shows the values of a body's full map, as snapshots describe it, and of its joints' maps. */
  show(map, joints) {
    this.#present(this.#withComing(map), joints);
  }

  #present(map, joints) {
    const entered = map.body === this.#map?.body && this.#fields.some(({field}) => field.entered);
    if (entered && this.#keyOf(map, joints) !== this.#key) return; // new fields would discard the visitor's focus and text
    this.#chosen = (this.#find(map.shapes, map.body) ?? map.shapes[0])?.shape ?? 0;
    this.#map = map;
    this.#joints = joints;
    const key = this.#keyOf(map, joints);
    if (key !== this.#key) {
      this.#key = key;
      this.#build();
    }
    this.#listShapes();
    for (const {field, value, method} of this.#fields) {
      field.show(value(map));
      field.close(whyNot(this.app, method, map));
    }
    const why = whyNot(this.app, 'body.set', map);
    if (this.why.textContent !== why) this.why.textContent = why;
    this.why.hidden = why === '';
  }

  // The fields are made again when this changes.
  #keyOf(map, joints) {
    const shape = this.#find(map.shapes, map.body) ?? map.shapes[0];
    return [map.body, map.type, map.shapes.length, shape && `${shape.kind} ${formsOf(shape).map(([label]) => label)}`,
            ...joints.map(({joint, kind}) => `${joint} ${kind}`)].join('|');
  }

  get #shape() {
    return this.#map.shapes.find(({shape}) => shape === this.#chosen);
  }

  // Answers come before the snapshots of the same commands, or after them, and some snapshots are never sent. A
  // snapshot with a replaced shape is older than the answer. Every other one is newer, and shows whether the new shape is
  // still there.
  #withComing(map) {
    const coming = this.#coming;
    if (!coming || this.app.scrub) return map;
    const older = coming.body === map.body && map.shapes.some(({shape}) => this.#replaced.has(shape));
    if (older && performance.now() < coming.until) return {...map, shapes: coming.shapes};
    this.#coming = null;
    this.#replaced.clear();
    return map;
  }

  // The chosen shape among the shapes that a body has now, or the one that has taken its place: by this page's undo, by a
  // change whose answer was lost, or by somebody else. Undefined if it is gone.
  #find(shapes, body) {
    if (body !== this.#map?.body) return undefined;
    const now = this.app.changes.now('shape', this.#chosen);
    const found = shapes.find(({shape}) => shape === this.#chosen) ?? shapes.find(({shape}) => shape === now);
    if (found) return found;
    const known = new Set(this.#map.shapes.map(({shape}) => shape));
    const fresh = shapes.filter(({shape, kind}) => kind === this.#shape?.kind && !known.has(shape));
    return fresh.length === 1 ? fresh[0] : undefined;
  }

  // The body as it is now: the map that is shown may lack the changes before.
  #read(body) {
    const {client, world} = this.app.session;
    return client.call('body.get', {world, body});
  }

  // The shapes of the body as they are now, and the chosen one.
  async #readShapes(body) {
    const {shapes} = await this.#read(body);
    const chosen = this.#find(shapes, body);
    if (!chosen) throw new Error('The shape is gone.');
    return {shapes, chosen};
  }

  // Carries a change out. Resolves to what was wrong, or ''.
  async #change(label, commands, merge) {
    const {app} = this;
    if (app.session.offline()) return 'There is no connection.';
    try {
      await app.changes.change(label, commands, {merge});
      return '';
    } catch (error) {
      return error.message;
    }
  }

  #add(field, value, method) {
    this.#fields.push({field, value, method});
    return field.element;
  }

  #build() {
    this.#fields = [];
    this.#select = null;
    this.why = el('p', {class: 'hint', hidden: true});
    const map = this.#map;
    const name = `body ${map.body}`;
    const tag = new TextField({label: 'Tag', most: TAG_BYTES, commit: (value) => this.#change(`tag of ${name}`, [['body.set', {body: map.body, tag: value}]])});
    const parts = [this.#add(tag, (now) => now.tag, 'body.set')];
    if (map.type !== 'static') parts.push(...MOTION.filter(([, , , , dynamic]) => !dynamic || map.type === 'dynamic').map((row) => this.#motion(row, name)));
    if (map.shapes.length > 0) parts.push(...this.#shapeFields(name));
    for (const joint of this.#joints) parts.push(...this.#joint(joint));
    const {open} = this.element;
    this.element.replaceChildren(el('summary', {}, 'Change'), this.why, ...parts);
    this.element.open = open;
  }

  #motion([label, argument, axis, slider], name) {
    const {min, max, unit} = SET[argument];
    const {body} = this.#map;
    const whole = async (value) => (axis < 0 ? value : (await this.#read(body)).velocity.map((old, i) => (i === axis ? value : old)));
    const commit = (value, drag) => this.#change(`${label.toLowerCase()} of ${name}`,
      async () => [['body.set', {body, [argument]: await whole(value)}]], drag && `${argument} ${axis} ${drag}`);
    const field = new NumberField({label, range: {min, max, unit}, slider, commit});
    return this.#add(field, (now) => (axis < 0 ? now[argument] : now[argument][axis]), 'body.set');
  }

  #listShapes() {
    if (!this.#select) return;
    const {shapes} = this.#map;
    const key = `${shapes.map(({shape}) => shape)}`;
    if (this.#select.dataset.shapes !== key) {
      this.#select.dataset.shapes = key;
      this.#select.replaceChildren(...shapes.slice(0, SHAPES_LISTED).map(({kind, shape}) => el('option', {value: shape}, `${kind} ${shape}`)));
    }
    this.#select.value = this.#chosen;
  }

  #shapeFields(name) {
    const {body} = this.#map;
    const shape = this.#shape;
    const many = this.#map.shapes.length > 1;
    const parts = [el('h3', {}, many ? 'Shape' : `Shape: ${shape.kind}`)];
    this.#select = many ? el('select', {'aria-label': 'Shape', onchange: () => {
      this.#chosen = Number(this.#select.value);
      this.#present(this.#map, this.#joints);
    }}) : null;
    if (many) parts.push(this.#select);
    for (const [label, read, make] of formsOf(shape)) {
      const commit = (value, drag) => this.#reshape(`${label.toLowerCase()} of ${name}`, (old) => make(old, value), drag && `${label} ${drag}`);
      parts.push(this.#add(new NumberField({label, range: SIZE, slider: [0.05, 20, true], commit}), () => read(this.#shape), 'shape.add'));
    }
    for (const [label, argument, slider] of SURFACE) {
      const {min, max, unit} = SHAPE[argument];
      // The shape that is chosen when the changes before are done: one of them may have put another in its place.
      const commit = (value, drag) => this.#change(`${label.toLowerCase()} of ${name}`,
        async () => [['shape.set', {shape: (await this.#readShapes(body)).chosen.shape, [argument]: value}]], drag && `${argument} ${drag}`);
      parts.push(this.#add(new NumberField({label, range: {min, max, unit}, slider, commit}), () => this.#shape[argument], 'shape.set'));
    }
    return parts;
  }

  // A shape's form never changes: another shape takes its place. `make` returns its arguments from the old one's map.
  async #reshape(label, make, merge) {
    const {body} = this.#map;
    const {app} = this;
    if (app.session.offline()) return 'There is no connection.';
    let shapes;
    let old;
    let args;
    const commands = async () => {
      ({shapes, chosen: old} = await this.#readShapes(body));
      args = make(old);
      return [['shape.add', {body, shape: args}], ['shape.remove', {shape: old.shape}]];
    };
    try {
      const [{shape: id}] = await app.changes.change(label, commands, {merge});
      if (body !== this.#map.body) return ''; // another one has been chosen meanwhile
      this.#replaced.add(old.shape);
      this.#coming = {body, until: performance.now() + COMING_MS,
                      shapes: shapes.map((shape) => (shape === old ? {...old, ...args, shape: id} : shape))};
      this.#chosen = id;
      this.#present({...this.#map, shapes: this.#coming.shapes}, this.#joints);
      return '';
    } catch (error) {
      return error.message;
    }
  }

  #joint(joint) {
    const fields = jointFields(joint, (label, args, merge) => this.#change(`${label} of ${joint.kind} ${joint.joint}`,
      async () => [['joint.set', {joint: this.app.changes.now('joint', joint.joint), ...args}]], merge));
    if (fields.length === 0) return [];
    const now = () => this.#joints.find((one) => one.joint === joint.joint) ?? joint;
    return [el('h3', {}, `Joint: ${joint.kind} ${joint.joint}`),
            ...fields.map(({field, value}) => this.#add(field, () => value(now()), 'joint.set'))];
  }
}
