// Everything about the chosen body, and why it does not move.

import {whyNot} from '../edit/rights.js';
import {BodyEditor} from './body_editor.js';
import {$, el, figure, icon} from './dom.js';
import {say} from './news.js';
import {onPhone, raise} from './sheets.js';

const ASK_MS = 400;
const BODY_PX = 30; // pixels of a body that must stay visible
const TOUCHES_SHOWN = 12;
const TINY = 5e-4; // smaller positions, angles and velocities show as 0
const MOVING = ['position', 'angle', 'velocity', 'angular_velocity', 'awake', 'force', 'torque', 'center', 'frozen'];
const REST = 0.01; // m/s or rad/s: slower bodies count as at rest

// The first sentence: what the body does, or why it does nothing. `stands`: whether it rests on its contacts.
function motionOf(map, paused) {
  const speed = Math.hypot(...map.velocity);
  const turns = Math.abs(map.angular_velocity) >= REST;
  const words = [speed >= REST ? `${figure(speed)} m/s` : '', turns ? `${figure(Math.abs(map.angular_velocity))} rad/s` : '']
    .filter(Boolean).join(' and turns at ');
  const moves = speed >= REST || turns;
  if (map.frozen) return {stands: false, text: 'It is frozen: it left the world’s bounds, or its numbers overflowed.'};
  if (!map.enabled) return {stands: false, text: 'It is disabled: it neither moves nor collides.'};
  if (map.type === 'static') return {stands: true, text: 'It is static: nothing moves it.'};
  if (map.type === 'kinematic' && !moves) return {stands: true, text: 'It is kinematic, and its velocity is zero.'};
  if (map.type === 'dynamic' && !map.awake) {
    return {stands: true, text: 'It sleeps: it was at rest, and wakes when something touches or pushes it.'};
  }
  if (paused && moves) return {stands: false, text: `When the world goes on it ${speed >= REST ? 'moves at' : 'turns at'} ${words}.`};
  if (moves) {
    const why = map.type === 'kinematic' ? ', as its velocity says' : '';
    return {stands: false, text: `It ${speed >= REST ? 'moves at' : 'turns at'} ${words}${why}.`};
  }
  return {stands: true, text: map.allow_sleep === false ? 'It is awake and at rest; it never sleeps.' : 'It is awake and at rest.'};
}

/**
 * Explains in sentences why a body moves or does not. `map` is a full body map, `touches` its contacts, `joints` the
 * full maps of its joints, `paused` whether its world is paused.
 */
export function explain(map, touches, joints, paused) {
  const lines = [];
  if (paused) lines.push('The world is paused.');
  const {stands, text} = motionOf(map, paused);
  lines.push(text);
  if (map.type !== 'dynamic' || map.frozen || !map.enabled) return lines;
  if (map.fixed_rotation) lines.push('Its rotation is fixed.');
  if (map.gravity_scale === 0) lines.push('Gravity does not act on it.');
  const holding = joints.filter((joint) => joint.kind !== 'filter');
  if (holding.length > 0) lines.push(`${holding.length === 1 ? 'A joint holds' : `${holding.length} joints hold`} it.`);
  const below = touches.filter((contact) => {
    const [, ny] = contact.normal;
    return (contact.b === map.body ? ny : -ny) > 0.5;
  });
  const count = (list) => (list.length === 1 ? 'a shape' : `${list.length} shapes`);
  if (below.length > 0) lines.push(stands ? `It rests on ${count(below)}.` : `It touches ${count(below)} below it.`);
  else if (touches.length > 0) lines.push(`It touches ${count(touches)}.`);
  return lines;
}

function shapeLine(shape) {
  const size = {circle: () => `r ${figure(shape.radius)}`, capsule: () => `r ${figure(shape.radius)}`,
                polygon: () => `${shape.vertices.length} corners`, chain: () => `${shape.vertices.length} points`}[shape.kind];
  const more = [size?.(), `friction ${figure(shape.friction)}`, shape.restitution > 0 ? `bounce ${figure(shape.restitution)}` : '',
                shape.sensor ? 'sensor' : ''].filter(Boolean).join(', ');
  return [el('dt', {}, `${shape.kind} ${shape.shape}`), el('dd', {title: more}, more)];
}

export class Inspector {
  #asked = 0;
  #answer = null; // {map, contacts} from the server
  #key = '';
  #why = []; // sentences shown

  constructor(app) {
    this.app = app;
    this.editor = new BodyEditor(app);
    this.head = el('div', {class: 'title'});
    this.first = el('div', {class: 'part'});
    this.rest = el('div', {class: 'part'});
    $('inspector').append(this.head, el('div', {class: 'body'}, this.first, this.editor.element, this.rest));
    app.changes.on('change', () => this.#renew());
    app.on('choose', () => {
      this.#answer = null;
      this.#show();
      if (app.chosen) raise('inspector');
      this.#uncover();
      this.#ask();
    });
    app.on('frame', () => {
      this.#show();
      this.#ask();
    });
  }

  // On a phone the panel covers the lower half of the world: pans so that the chosen body is visible.
  #uncover() {
    const {camera, source, chosen} = this.app;
    const body = chosen && !$('inspector').hidden ? source.body(chosen) : undefined;
    if (!body || !onPhone()) return;
    const [, y] = camera.toScreen(body.pose.x, body.pose.y);
    const {top} = $('inspector').getBoundingClientRect();
    if (y > top - BODY_PX) camera.centre(camera.goal.x, camera.goal.y - (y - top * 0.6) / camera.scale);
  }

  // Asks again soon: the body may have been changed.
  #renew() {
    this.#asked = -Infinity;
    this.#ask();
  }

  async #ask() {
    const {app} = this;
    const now = performance.now();
    const {chosen} = app;
    if (!chosen || app.scrub || app.session.state !== 'open' || now - this.#asked < ASK_MS) return;
    this.#asked = now;
    const {client, world} = app.session;
    try {
      const [map, {contacts}, ...joints] = await Promise.all([
        client.call('body.get', {world, body: chosen}), client.call('world.contacts', {world, body: chosen}),
        ...this.#joints(chosen).slice(0, 8).map((joint) =>
          client.call('joint.get', {world, joint: joint.joint}).catch(() => joint)),
      ]);
      if (app.chosen !== chosen) return;
      const first = this.#answer === null;
      this.#answer = {map, contacts, joints};
      this.#show();
      if (first) say(`${map.tag || map.type} ${chosen}: ${this.#why.join(' ')}`);
    } catch (error) {
      if (error.code === 'not_found' && app.chosen === chosen) app.choose(0);
    }
  }

  #joints(id) {
    return [...(this.app.source?.joints.values() ?? [])].filter((joint) => joint.a === id || joint.b === id);
  }

  #show() {
    const {app} = this;
    const panel = $('inspector');
    const body = app.chosen ? app.source?.body(app.chosen) : undefined;
    panel.hidden = !body?.description;
    if (panel.hidden) return;
    const map = {...body.description}; // the newest values that only commands change
    for (const name of MOVING) map[name] = this.#answer?.map[name] ?? map[name];
    const known = this.#joints(body.id);
    const joints = this.#answer ? this.#answer.joints.filter(({joint}) => this.app.source.joints.has(joint)) : known;
    const touches = app.scrub ? [] : this.#answer?.contacts ?? [];
    if (app.scrub || !this.#answer) {
      Object.assign(map, {position: [body.pose.x, body.pose.y], angle: body.pose.angle, velocity: [body.vx, body.vy]});
      map.awake = !app.source.asleep(body.id);
    }
    // Buttons are rebuilt only when they change, so that clicks and the focus are not lost.
    const key = [body.id, body.version, app.following, this.#allowed(body), joints.map((joint) => joint.joint).join()].join('|');
    if (key !== this.#key) {
      this.#key = key;
      this.#build(body, map, joints);
    }
    this.wake.hidden = map.type === 'static' || map.awake !== false; // only a body that sleeps can wake
    this.#fill(map, touches, joints);
    this.editor.show(map, joints);
    this.#fillTouches(new Set(touches.map((contact) => (contact.a === body.id ? contact.b : contact.a))));
  }

  // A body in a pile touches others at every look: the button of one that it still touches stays the same element.
  #fillTouches(others) {
    const ids = [...others].sort((a, b) => a - b);
    const links = this.touches.lastElementChild;
    const buttons = new Map([...links.children].map((link) => [Number(link.dataset.body), link]));
    ids.slice(0, TOUCHES_SHOWN).forEach((id, i) => {
      const link = buttons.get(id) ?? el('button', {'data-body': id, onclick: () => this.app.choose(id)}, `body ${id}`);
      buttons.delete(id);
      if (links.children[i] !== link) links.insertBefore(link, links.children[i] ?? null);
    });
    for (const link of buttons.values()) link.remove();
    this.touches.hidden = ids.length === 0;
    const more = ids.length > TOUCHES_SHOWN ? `Touches, ${ids.length - TOUCHES_SHOWN} more` : 'Touches';
    if (this.touches.firstElementChild.textContent !== more) this.touches.firstElementChild.textContent = more;
  }

  #build(body, map, joints) {
    const {app} = this;
    const button = (text, action) => el('button', {onclick: action}, text);
    this.why = el('div', {class: 'why'});
    this.numbers = el('dl');
    const following = app.following === body.id;
    const parts = [this.why, this.numbers];
    parts.push(this.#actions(body, map));
    const rest = [];
    if (joints.length > 0) {
      this.forces = joints.map((joint) => el('dd', {}, '–'));
      rest.push(el('section', {}, el('h3', {}, 'Joints'), el('dl', {}, ...joints.flatMap((joint, i) => [
        el('dt', {}, `${joint.kind} ${joint.joint}`), this.forces[i]])),
        el('div', {class: 'links'}, ...joints.map((joint) => (joint.a === body.id ? joint.b : joint.a))
          .filter((id) => id).map((id) => button(`body ${id}`, () => app.choose(id))))));
    } else {
      this.forces = [];
    }
    this.touches = el('section', {}, el('h3', {}, 'Touches'), el('div', {class: 'links'}));
    rest.push(this.touches, el('section', {}, el('h3', {}, 'Shapes'),
                               el('dl', {}, ...map.shapes.slice(0, 24).flatMap(shapeLine))));
    this.head.replaceChildren(el('h2', {}, map.tag || map.type, ' ', el('small', {}, body.id)),
      el('button', {class: 'icon small', 'aria-label': 'Follow', title: 'Follow (F)', 'aria-pressed': String(following),
                    onclick: () => app.follow(body.id)}, icon('follow')),
      el('button', {class: 'icon small', 'aria-label': 'Close', onclick: () => app.choose(0)}, icon('close')));
    this.first.replaceChildren(...parts);
    this.rest.replaceChildren(...rest);
  }

  // Whether this session may set, copy and remove the body: buttons for anything else are not shown.
  #allowed(body) {
    return ['body.set', 'body.spawn', 'body.remove'].map((method) => whyNot(this.app, method, method === 'body.spawn' ? undefined : body) === '');
  }

  #actions(body, {type}) {
    const {app} = this;
    const {id} = body;
    const [change, copy, remove] = this.#allowed(body);
    const button = (text, action) => el('button', {onclick: action}, text);
    const set = (label, values) => app.changes.act(`${label} of body ${id}`, [['body.set', {body: id, ...values}]]);
    this.wake = button('Wake', () => app.session.act('body.set', {body: id, awake: true}));
    return el('div', {class: 'links'},
      change ? this.wake : null,
      !change ? null : type === 'static' ? button('Make dynamic', () => set('type', {type: 'dynamic'})) : button('Make static', () => set('type', {type: 'static'})),
      copy ? button('Duplicate', () => app.duplicate(id)) : null,
      remove ? button('Remove', () => app.remove(id)) : null);
  }

  #fill(map, touches, joints) {
    const {session, scrub} = this.app;
    const paused = session.pace(session.world).state === 'paused' && !this.app.panels.transport.driving && !scrub;
    const why = explain(map, touches, joints, paused);
    this.#why = why;
    if (this.why.textContent !== why.join('')) {
      this.why.replaceChildren(...why.map((line, i) => el(i === 0 ? 'b' : 'span', {}, line)));
    }
    const small = (value) => figure(value, 3, TINY);
    const pair = ([x, y]) => `${small(x)}, ${small(y)}`;
    const rows = [['type', map.type], ['place', `${pair(map.position)} m`], ['angle', `${small(map.angle * 180 / Math.PI)}°`],
                  ['velocity', `${pair(map.velocity)} m/s`], ['turning', `${small(map.angular_velocity)} rad/s`]];
    if (map.type === 'dynamic') {
      rows.push(['mass', `${figure(map.mass)} kg`], ['inertia', `${figure(map.inertia)} kg m²`]);
      if (map.force?.some((value) => value !== 0)) rows.push(['force', `${pair(map.force)} N`]);
      if (map.torque) rows.push(['torque', `${figure(map.torque)} N m`]);
      if (map.linear_damping || map.angular_damping) rows.push(['damping', `${figure(map.linear_damping)}, ${figure(map.angular_damping)}`]);
      if (map.gravity_scale !== 1) rows.push(['gravity', `× ${figure(map.gravity_scale)}`]);
      rows.push(['bears', `${figure(touches.reduce((sum, contact) =>
        sum + contact.points.reduce((all, point) => all + point.impulse, 0), 0))} N s a tick`]);
    }
    if (map.owner) rows.push(['owner', map.owner]);
    this.numbers.replaceChildren(...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
    joints.forEach((joint, i) => {
      const {force = [0, 0], torque = 0} = joint.state ?? {};
      if (this.forces[i]) this.forces[i].textContent = `${figure(Math.hypot(...force))} N, ${figure(torque)} N m`;
    });
  }
}
