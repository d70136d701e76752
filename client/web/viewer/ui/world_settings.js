// The settings of the watched world, changed in place: gravity, damping, sleep, thresholds; and its rate, which is set when
// a world is made; and what players may call.

import {playersText, whyNot} from '../edit/rights.js';
import {TABLE} from '../../src/table.js';
import {$, el, figure} from './dom.js';
import {CheckField, NumberField} from './field.js';
import {raise} from './sheets.js';

const SET = TABLE['world.set'].args;
const DAMPING = TABLE['body.set'].args.linear_damping;
const CHUNK = 1000; // commands of one world.apply
const BODIES_MAX = 5000; // bodies whose damping one slider changes
const ROWS = [ // [label, setting, index of the coordinate, slider]
  ['Gravity x', 'gravity', 0, [-20, 20]], ['Gravity y', 'gravity', 1, [-20, 20]],
  ['Bounce from', 'restitution_threshold', -1, [0, 5]], ['Sleep below', 'sleep_speed', -1, [0, 1]],
];

export class WorldSettings {
  constructor(app) {
    this.app = app;
    this.sent = {}; // settings on their way: a coordinate goes together with the newest of the other
    this.why = el('p', {class: 'hint', hidden: true});
    this.rate = el('p', {class: 'hint'});
    this.players = el('p', {class: 'hint', hidden: true});
    this.fields = ROWS.map(([label, name, axis, slider]) => {
      const {min, max, unit} = SET[name];
      const commit = (value, drag) => this.#change(label.toLowerCase(), [['world.set', {[name]: this.#whole(name, axis, value)}]],
                                                   drag && `world ${name} ${axis} ${drag}`);
      const field = new NumberField({label, range: {min, max, unit}, slider, commit});
      return {field, method: 'world.set', value: (info) => (axis < 0 ? info[name] : (this.sent[name] ?? info[name])[axis])};
    });
    const sleep = new CheckField({label: 'Bodies at rest may sleep', commit: (value) => this.#change('sleep', [['world.set', {sleep: value}]])});
    this.fields.push({field: sleep, method: 'world.set', value: (info) => info.sleep});
    const {min, max, unit} = DAMPING;
    const damping = new NumberField({label: 'Damping of all', name: 'Damping of all bodies', range: {min, max, unit}, slider: [0, 5],
                                     commit: (value, drag) => this.#damp(value, drag)});
    this.fields.push({field: damping, method: 'body.set', value: () => this.#damping()});
    $('settings-body').append(this.why, ...this.fields.map(({field}) => field.element), this.rate, this.players);
    $('settings-close').addEventListener('click', () => this.close());
    app.on('frame', () => this.#show());
    app.session.on('info', () => this.#show());
    app.session.on('world', (name) => {
      if (!name) this.close();
    });
    app.on('time', () => this.#show());
  }

  open() {
    if ($('settings').hidden) this.toggle();
    else raise('settings');
  }

  toggle() {
    if (!this.app.session.world || raise('settings')) return;
    if (!$('settings').hidden) {
      this.close();
      return;
    }
    $('settings').hidden = false;
    this.#show();
    // Not a field: the key that opened the panel would be typed into it instead of closing the panel.
    $('settings-title').focus({preventScroll: true});
  }

  close() {
    $('settings').hidden = true;
  }

  #whole(name, axis, value) {
    if (axis < 0) return value;
    return (this.sent[name] ?? this.app.session.info[name]).map((old, i) => (i === axis ? value : old));
  }

  async #change(label, commands, merge) {
    const {app} = this;
    if (app.session.offline()) return 'There is no connection.';
    const settings = commands.find(([method]) => method === 'world.set')?.[1] ?? {};
    Object.assign(this.sent, settings);
    try {
      for (let i = 0; i < commands.length; i += CHUNK) {
        await app.changes.change(label, commands.slice(i, i + CHUNK), {merge: commands.length > CHUNK ? 0 : merge});
      }
      if (app.session.info) Object.assign(app.session.info, settings);
      return '';
    } catch (error) {
      return error.message;
    } finally {
      for (const name of Object.keys(settings)) if (this.sent[name] === settings[name]) delete this.sent[name];
    }
  }

  #dynamic() {
    return [...this.app.live?.drawn() ?? []].filter(({type}) => type === 'dynamic');
  }

  // The damping that all bodies have; NaN if they differ, or there are none.
  #damping() {
    const values = new Set(this.#dynamic().map(({description}) => description?.linear_damping));
    return values.size === 1 ? [...values][0] : NaN;
  }

  #damp(value, drag) {
    const bodies = this.#dynamic();
    if (bodies.length > BODIES_MAX) return `Damping of all: at most ${BODIES_MAX} bodies are changed from here; this world shows ${bodies.length}.`;
    const commands = bodies.map(({id}) => ['body.set', {body: id, linear_damping: value}]);
    return commands.length > 0 ? this.#change('damping of all bodies', commands, drag && `damping ${drag}`) : '';
  }

  #show() {
    const {info} = this.app.session;
    if ($('settings').hidden || !info) return;
    for (const {field, method, value} of this.fields) {
      field.show(value(info));
      field.close(whyNot(this.app, method));
    }
    const why = whyNot(this.app, 'world.set');
    if (this.why.textContent !== why) this.why.textContent = why;
    this.why.hidden = why === '';
    const rate = `${figure(info.hz)} ticks a second in ${info.substeps} steps each: set when a world is made. ` +
                 'The speed below slows or speeds it up.';
    if (this.rate.textContent !== rate) this.rate.textContent = rate;
    const players = playersText(info);
    if (this.players.textContent !== players) this.players.textContent = players;
    this.players.hidden = players === '';
  }
}
