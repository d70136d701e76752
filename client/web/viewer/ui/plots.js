// Small plots of the server's and the page's performance over the last minute.

import {store, stored} from './address.js';
import {$, bytes, el} from './dom.js';
import {raise} from './sheets.js';

const POINTS = 120; // one for each half second
const FIGURES = [
  ['step', 'Tick', 'What a tick takes to compute', (value) => `${value.toFixed(value < 1 ? 2 : 1)} ms`],
  ['late', 'Late', 'Ticks a second that began late', (value) => `${Math.round(value)}/s`],
  ['rate', 'Rate', 'Ticks a second', (value) => `${Math.round(value)} Hz`],
  ['bytes', 'Data', 'Bytes a second from the server', (value) => `${bytes(value)}/s`],
  ['latency', 'Latency', 'There and back to the server', (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`],
  ['fps', 'Frames', 'Frames a second on this page', (value) => `${Math.round(value)}`],
];

export class Plots {
  #values = new Map(FIGURES.map(([name]) => [name, []]));
  #late = null;
  #bytes = null;

  constructor(app) {
    this.app = app;
    this.figures = FIGURES.map(([name, label, title, text]) => {
      const value = el('b', {}, '–');
      const canvas = el('canvas', {'aria-hidden': 'true'});
      $('plots').append(el('figure', {title}, el('figcaption', {}, label), value, canvas));
      return {name, value, canvas, text};
    });
    $('plots-button').addEventListener('click', () => this.toggle());
    app.on('frame', (numbers) => this.#take(numbers));
    app.on('theme', () => this.#draw());
    app.session.on('world', () => {
      this.#late = null;
    });
    if (stored('plots') === 'on') this.toggle();
  }

  toggle() {
    if (!raise('plots')) this.#show($('plots').hidden);
  }

  close() {
    this.#show(false);
  }

  #show(open) {
    $('plots').hidden = !open;
    document.body.classList.toggle('plots', open);
    store('plots', open ? 'on' : 'off');
    this.#draw();
  }

  #add(name, value) {
    const values = this.#values.get(name);
    values.push(value);
    if (values.length > POINTS) values.shift();
  }

  #take({fps}) {
    const {session} = this.app;
    const {info, client} = session;
    const now = performance.now();
    this.#add('fps', fps);
    if (client.state === 'open') {
      if (info) {
        if (this.#late) this.#add('late', Math.max(0, info.ticks_late - this.#late.count) / ((now - this.#late.at) / 1000));
        this.#late = {count: info.ticks_late, at: now};
        this.#add('step', info.step_ms);
        this.#add('rate', session.pace(info.world).rate ?? info.rate);
      }
      if (this.#bytes) this.#add('bytes', (client.traffic.bytesIn - this.#bytes.count) / ((now - this.#bytes.at) / 1000));
      this.#bytes = {count: client.traffic.bytesIn, at: now};
      if (client.clock.synchronised) this.#add('latency', client.clock.lastRtt);
    }
    this.#draw();
  }

  #draw() {
    if ($('plots').hidden) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--accent');
    for (const {name, value, canvas, text} of this.figures) {
      const values = this.#values.get(name);
      value.textContent = values.length > 0 ? text(values.at(-1)) : '–';
      this.#curve(canvas, values, ink);
    }
  }

  #curve(canvas, values, ink) {
    const dpr = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = Math.round(width * dpr);
    canvas.height = Math.round(height * dpr);
    const context = canvas.getContext('2d');
    context.scale(dpr, dpr);
    if (values.length < 2) return;
    const most = Math.max(...values) * 1.15 || 1;
    const x = (i) => width * (1 - (values.length - 1 - i) / (POINTS - 1));
    const y = (v) => height - 1.5 - (height - 4) * (v / most);
    context.beginPath();
    values.forEach((v, i) => context.lineTo(x(i), y(v)));
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.stroke();
    context.lineTo(width, height);
    context.lineTo(x(0), height);
    context.globalAlpha = 0.14;
    context.fillStyle = ink;
    context.fill();
  }
}
