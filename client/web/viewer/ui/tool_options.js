// The options of the current tool: the form to spawn, the kind of joint.

import {$, el, figure} from './dom.js';
import {DRIVEN, GEARED, JOINT_KINDS, SPRUNG} from '../tools/joint.js';

const FORMS = ['circle', 'box', 'plank', 'capsule', 'polygon', 'cross'];
const HINTS = {
  push: 'Draw from a body: the longer, the harder.',
  spawn: 'Click to put one down, drag to throw it.',
  polygon: 'Draw an outline in one stroke, or click its corners; it may be hollow anywhere.',
  chain: 'Draw a line, or click its points and press Enter. Closed, it is solid inside.',
  joint: 'Drag from a body to another, or to a fixed place.',
  erase: 'Click a body or a joint; a stroke takes all that moves.',
};

export class ToolOptions {
  constructor(app) {
    this.app = app;
    app.on('tool', () => this.#show());
  }

  #changed() {
    this.app.tool.renew?.();
    this.app.touch();
  }

  #range(label, options, key, least, most, unit = '', log = false) {
    const to = (value) => (log ? Math.log(value) : value);
    const from = (value) => (log ? Math.exp(value) : Number(value));
    const value = el('b', {});
    const tell = () => {
      value.textContent = `${figure(options[key], 2)}${unit}`;
    };
    tell();
    const input = el('input', {type: 'range', min: to(least), max: to(most), step: 'any', value: to(options[key]),
                               'aria-label': label, oninput: () => {
      options[key] = key === 'count' ? Math.round(from(input.value)) : Number(figure(from(input.value), 2));
      tell();
      this.#changed();
    }});
    return el('label', {}, el('span', {}, `${label} `, value), input);
  }

  #choice(label, options, key, values) {
    const buttons = values.map((value) => el('button', {'aria-pressed': String(options[key] === value), onclick: () => {
      options[key] = value;
      for (const button of buttons) button.setAttribute('aria-pressed', button.textContent === value);
      this.#changed();
    }}, value));
    return el('div', {class: 'choices', role: 'group', 'aria-label': label}, ...buttons);
  }

  #select(label, options, key, values) {
    const select = el('select', {'aria-label': label, onchange: () => {
      options[key] = select.value;
      this.#changed();
      this.#show();
    }}, ...values.map((value) => el('option', {value, selected: options[key] === value}, value)));
    return el('label', {}, el('span', {}, label), select);
  }

  #show() {
    const {tool} = this.app;
    const panel = $('options');
    const {options} = tool;
    panel.hidden = !HINTS[tool.name];
    if (panel.hidden) return;
    const parts = [];
    if (tool.name === 'spawn') {
      parts.push(this.#select('Form', options, 'form', FORMS), this.#range('Size', options, 'size', 0.1, 10, ' m', true),
                 this.#range('How many', options, 'count', 1, 100), this.#choice('Type', options, 'type', ['dynamic', 'static']));
    } else if (tool.name === 'polygon') {
      parts.push(this.#choice('Type', options, 'type', ['dynamic', 'static']));
    } else if (tool.name === 'chain') {
      const box = el('input', {type: 'checkbox', checked: options.turned, onchange: () => {
        options.turned = box.checked;
      }});
      parts.push(el('label', {class: 'check'}, box, 'Solid on the other side'));
    } else if (tool.name === 'joint') {
      parts.push(this.#select('Kind', options, 'kind', JOINT_KINDS));
      if (SPRUNG.includes(options.kind)) parts.push(this.#range('Spring', options, 'hertz', 0, 20, ' Hz'));
      if (DRIVEN.includes(options.kind)) parts.push(this.#range('Motor', options, 'motor', -20, 20, ' rad/s'));
      if (GEARED.includes(options.kind)) parts.push(this.#range('Ratio', options, 'ratio', 0.1, 10, '', true));
      if (options.kind === 'pulley') parts.push(this.#range('Height of the wheels', options, 'height', 1, 20, ' m'));
    }
    if (options && 'restitution' in options) {
      parts.push(this.#range('Bounce', options, 'restitution', 0, 1), this.#range('Friction', options, 'friction', 0, 2));
      if ('density' in options) parts.push(this.#range('Density', options, 'density', 0.05, 50, '', true));
    }
    panel.replaceChildren(...parts, el('p', {class: 'hint'}, HINTS[tool.name]));
  }
}
