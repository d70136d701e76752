// Changes the chosen body in place: its tag and motion, its shapes, its joints.
//
// The fields stay the same elements while the body's numbers change, so that a slider is not lost under the pointer.

import {asBox} from '../draw/shapes.js';
import {whyNot} from '../edit/rights.js';
import {shapeArgs} from '../edit/maps.js';
import {TABLE} from '../../src/table.js';
import {el} from './dom.js';
import {NumberField, TextField} from './field.js';
import {jointFields} from './joint_editor.js';

const SHAPES_LISTED = 24;
const TAG_BYTES = TABLE['body.set'].args.tag.max;
const SET = TABLE['body.set'].args;
const SHAPE = TABLE['shape.set'].args;
const SIZE = {min: 0.001, max: 10000, unit: 'm'}; // what forms of every kind may measure

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
  #coming = null; // {id, shapes, until}: a shape that no snapshot has described yet
  #select = null;

  constructor(app) {
    this.app = app;
    this.element = el('details', {class: 'edit'});
    this.element.open = true;
  }

  /** Shows the values of a body's full map and of its joints' maps. */
  show(given, joints) {
    const map = this.#withComing(given);
    const entered = map.body === this.#map?.body && this.#fields.some(({field}) => field.entered);
    if (entered && this.#keyOf(map, joints) !== this.#key) return; // new fields would take the focus, and what is typed
    this.#map = map;
    this.#joints = joints;
    if (!map.shapes.some(({shape}) => shape === this.#chosen)) this.#chosen = map.shapes[0]?.shape ?? 0;
    const key = this.#keyOf(map, joints);
    if (key !== this.#key) {
      this.#key = key;
      this.#build();
    }
    this.#listShapes();
    for (const {field, value, method} of this.#fields) {
      field.show(value(map));
      field.close(whyNot(this.app, method));
    }
    const why = whyNot(this.app, 'body.set');
    if (this.why.textContent !== why) this.why.textContent = why;
    this.why.hidden = why === '';
  }

  // The fields are made anew when this changes.
  #keyOf(map, joints) {
    const shape = map.shapes.find(({shape: id}) => id === this.#chosen) ?? map.shapes[0];
    return [map.body, map.type, map.shapes.length, shape && `${shape.kind} ${formsOf(shape).map(([label]) => label)}`,
            ...joints.map(({joint, kind}) => `${joint} ${kind}`)].join('|');
  }

  get #shape() {
    return this.#map.shapes.find(({shape}) => shape === this.#chosen);
  }

  #withComing(map) {
    const coming = this.#coming;
    if (!coming || map.shapes.some(({shape}) => shape === coming.id)) this.#coming = null;
    else if (coming.body === map.body && performance.now() < coming.until) return {...map, shapes: coming.shapes};
    return map;
  }

  // The body as it is now: the map that is shown may lack the changes before.
  #read(body) {
    const {client, world} = this.app.session;
    return client.call('body.get', {world, body});
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
    const shape = this.#shape;
    const many = this.#map.shapes.length > 1;
    const parts = [el('h3', {}, many ? 'Shape' : `Shape: ${shape.kind}`)];
    this.#select = many ? el('select', {'aria-label': 'Shape', onchange: () => {
      this.#chosen = Number(this.#select.value);
      this.show(this.#map, this.#joints);
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
        async () => [['shape.set', {shape: this.#chosen, [argument]: value}]], drag && `${argument} ${drag}`);
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
      ({shapes} = await this.#read(body));
      old = shapes.find(({shape}) => shape === this.#chosen);
      if (!old) throw new Error('The shape is gone.');
      args = make(old);
      return [['shape.add', {body, shape: args}], ['shape.remove', {shape: old.shape}]];
    };
    try {
      const [{shape: id}] = await app.changes.change(label, commands, {merge});
      this.#coming = {body, id, until: performance.now() + COMING_MS,
                      shapes: shapes.map((shape) => (shape === old ? {...old, ...args, shape: id} : shape))};
      this.#chosen = id;
      this.show({...this.#map, shapes: this.#coming.shapes}, this.#joints);
      return '';
    } catch (error) {
      return error.message;
    }
  }

  #joint(joint) {
    const fields = jointFields(joint, (label, args, merge) =>
      this.#change(`${label} of ${joint.kind} ${joint.joint}`, [['joint.set', {joint: joint.joint, ...args}]], merge));
    if (fields.length === 0) return [];
    const now = () => this.#joints.find((one) => one.joint === joint.joint) ?? joint;
    return [el('h3', {}, `Joint: ${joint.kind} ${joint.joint}`),
            ...fields.map(({field, value}) => this.#add(field, () => value(now()), 'joint.set'))];
  }
}
