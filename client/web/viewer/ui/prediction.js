// The panel for prediction and distance: whether to predict, a simulated distance to the server, and figures about both
// for developers. While it is closed, no distance is simulated and nothing is predicted.

import {$, counted, el, figure} from './dom.js';
import {raise} from './sheets.js';

const DELAY_MS_MAX = 200;
const STALLS_MAX = 5; // %

export class PredictionPanel {
  #traffic = null; // {in, out, at}

  constructor(app) {
    this.app = app;
    const {distance} = app.session;
    this.predict = el('input', {type: 'checkbox', checked: true, onchange: () => this.#want()});
    this.values = el('dl');
    $('prediction-body').append(
      el('label', {class: 'check'}, this.predict, 'Predict'),
      this.#slider('Distance, one way', 'ms', DELAY_MS_MAX, (value) => Object.assign(distance, {delayMs: value})),
      this.#slider('Stalls', '%', STALLS_MAX, (value) => Object.assign(distance, {stall: value / 100})),
      this.values, el('p', {class: 'hint'}, 'Outlines are where the server had the bodies when its news left it.'));
    $('prediction-close').addEventListener('click', () => app.panels.layers.set('prediction', false));
    app.on('frame', () => this.#show());
    app.predicted.on('change', () => {
      app.touch();
      this.#show();
    });
  }

  #slider(label, unit, most, set) {
    const value = el('b', {}, `0 ${unit}`);
    const input = el('input', {type: 'range', min: 0, max: most, step: most / 40, value: 0, 'aria-label': label, oninput: () => {
      value.textContent = `${input.value} ${unit}`;
      set(Number(input.value));
    }});
    this.sliders = [...this.sliders ?? [], input];
    return el('label', {}, el('span', {}, label, ' ', value), input);
  }

  /** Shows or hides the panel. Hiding it ends the simulated distance. */
  open(on) {
    const panel = $('prediction');
    if (panel.hidden === !on) return;
    panel.hidden = !on;
    if (on) raise('prediction');
    this.app.session.setFar(on);
    for (const input of on ? [] : this.sliders) {
      input.value = 0;
      input.dispatchEvent(new Event('input'));
    }
    this.#traffic = null;
    this.#want();
    this.#show();
  }

  #want() {
    this.app.predicted.want(!$('prediction').hidden && this.predict.checked);
    this.#show();
  }

  // The page's traffic in kbit/s since the last call.
  #kbits() {
    const {bytesIn, bytesOut} = this.app.session.client.traffic;
    const at = performance.now();
    const before = this.#traffic;
    this.#traffic = {in: bytesIn, out: bytesOut, at};
    if (!before) return null;
    return {down: 8 * (bytesIn - before.in) / (at - before.at), up: 8 * (bytesOut - before.out) / (at - before.at)};
  }

  #show() {
    if ($('prediction').hidden) return;
    const {predicted, session} = this.app;
    const {figures} = predicted;
    const rows = [['Round trip', `${figure(session.client.clock.lastRtt, 3)} ms`]];
    const kbits = this.#kbits();
    if (kbits) rows.push(['Down', `${figure(kbits.down)} kbit/s`], ['Up', `${figure(kbits.up)} kbit/s`]);
    if (figures) {
      rows.push(['Ahead', counted(Math.round(figures.lead), 'tick', 'ticks')], ['Right to the bit', `${figure(Math.floor(1000 * figures.right) / 10)} %`],
                ['Rollbacks', `${figure(figures.rollbacks)}/s`], ['Ticks a rollback', figure(figures.depth)],
                ['Own error', `${figure(100 * figures.error, 2)} cm`], ['Others’ error', `${figure(100 * figures.error_others, 2)} cm`],
                ['A step', `${figure(figures.step_ms, 2)} ms`]);
    } else if (predicted.wanted) {
      rows.push(['Not predicted', predicted.why]);
    }
    this.values.replaceChildren(...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
  }
}
