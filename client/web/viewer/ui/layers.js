// Overlays and colours: what is drawn over the bodies, and the meaning of their colours.

import {$, el, focusBack} from './dom.js';
import {store, stored} from './address.js';
import {onPhone, raise} from './sheets.js';

const OVERLAYS = [
  ['joints', 'Joints'], ['contacts', 'Contacts and normals'], ['impulses', 'Impulses'],
  ['velocities', 'Velocities'], ['ids', 'Ids'], ['area', 'Area of interest'], ['sparks', 'Sparks of impacts'],
  ['prediction', 'Prediction and distance'],
];
const KBD = ['1', '2', '3', '4', '5', '6', '', 'D'];
// Each visit starts without the overlays that change what the server sends.
const COSTLY = ['contacts', 'impulses', 'area', 'prediction'];
const COLOURS = [['tag', 'Tag'], ['speed', 'Speed'], ['state', 'Sleep']];

export class Layers {
  constructor(app) {
    this.app = app;
    this.boxes = new Map();
    OVERLAYS.forEach(([name, label], i) => {
      const box = el('input', {type: 'checkbox', id: `show-${name}`, checked: app.overlays.shown[name],
                               onchange: () => this.set(name, box.checked)});
      this.boxes.set(name, box);
      $('overlay-list').append(el('label', {class: 'check'}, box, label, KBD[i] ? el('kbd', {}, KBD[i]) : null));
    });
    this.choices = COLOURS.map(([name, label]) => el('button', {
      role: 'radio', 'aria-checked': 'false', 'data-colour': name, onclick: () => this.colour(name)}, label));
    $('colour-list').append(...this.choices);
    $('layers-button').addEventListener('click', () => this.toggle());
    addEventListener('pointerdown', (event) => {
      if (!event.target.closest('#layers, #layers-button') && onPhone()) this.close();
    });
    this.colour(stored('colour') ?? 'tag');
    const kept = (stored('overlays') ?? '').split(',');
    for (const [name] of OVERLAYS) {
      if (kept.includes(name) && !COSTLY.includes(name)) this.set(name, true);
    }
  }

  toggle() {
    if (raise('layers')) return;
    const panel = $('layers');
    if (!panel.hidden) focusBack(panel);
    panel.hidden = !panel.hidden;
    if (!panel.hidden) panel.querySelector('input')?.focus();
  }

  close() {
    if ($('layers').hidden) return;
    raise('layers');
    this.toggle();
  }

  flip(index) {
    const [name] = OVERLAYS[index];
    this.set(name, !this.app.overlays.shown[name]);
  }

  set(name, on) {
    const {app} = this;
    const {shown} = app.overlays;
    shown[name] = on;
    this.boxes.get(name).checked = on;
    if (name === 'prediction') app.panels.prediction.open(on);
    const contacts = shown.contacts || shown.impulses;
    const area = shown.area ? app.session.wish.area ?? app.camera.area(0.4) : undefined;
    const asks = contacts !== app.session.wish.contacts || (area === undefined) !== (app.session.wish.area === undefined);
    app.session.wish.contacts = contacts;
    app.session.wish.area = area;
    if (asks) app.session.refresh();
    store('overlays', OVERLAYS.map(([key]) => key).filter((key) => shown[key]).join(','));
    app.touch();
  }

  colour(name) {
    const known = COLOURS.some(([key]) => key === name) ? name : 'tag';
    this.app.picture.mode = known;
    for (const button of this.choices) button.setAttribute('aria-checked', button.dataset.colour === known);
    store('colour', known);
    this.app.touch();
  }
}
