// The log of events, newest last. Kinds that are off are not requested from the server, where possible.

import {$, el} from './dom.js';
import {raise} from './sheets.js';

const LINES_MAX = 300;
const KINDS = ['begin', 'end', 'hit', 'sensor', 'sleep', 'spawn', 'remove', 'break', 'freeze', 'message', 'seat'];
const WIRE = {
  begin: ['begin'], end: ['end'], hit: ['hit'], sensor: ['sensor_begin', 'sensor_end'], sleep: ['sleep', 'wake'],
  spawn: ['spawn'], remove: ['remove'], break: ['joint_break'], freeze: ['freeze'], message: ['message'],
  seat: ['join', 'leave'],
};
const FIRST = ['begin', 'hit', 'sensor', 'spawn', 'remove', 'break', 'freeze', 'message', 'seat'];
const DATA_SHOWN = 200; // characters of the data of a message or a join

function dataText(data) {
  if (data === undefined) return '';
  const json = JSON.stringify(data, (_, value) => typeof value === 'bigint' ? String(value) : value);
  return ` ${json.length > DATA_SHOWN ? `${json.slice(0, DATA_SHOWN)}…` : json}`;
}

// The text of an event that a client's command made: a message's sender, name and data; who has which seat.
function clientText({kind, name, seat, data, session, subject}) {
  const who = subject ?? `session ${session}`;
  const what = kind === 'message' ? `${who}: ${name}` : `${who} ${kind === 'join' ? 'takes' : 'leaves'} seat ${seat}`;
  return what + dataText(data);
}

export class EventLog {
  #waiting = [];
  #on = new Set(FIRST);

  constructor(app) {
    this.app = app;
    this.#showKinds();
    $('log-button').addEventListener('click', () => this.toggle());
    $('log-close').addEventListener('click', () => this.close());
    app.on('frame', () => this.#flush());
    app.session.on('world', () => {
      this.#waiting = [];
      $('log-list').replaceChildren();
    });
  }

  get open() {
    return !$('log').hidden;
  }

  toggle() {
    if (!raise('log')) this.#show(!this.open);
  }

  close() {
    this.#show(false);
  }

  #show(open) {
    $('log').hidden = !open;
    this.#ask();
    this.#flush();
  }

  #ask() {
    const kinds = this.open ? [...this.#on].flatMap((kind) => WIRE[kind]) : [];
    this.app.session.wish.events = new Set(kinds);
    this.app.session.refresh();
  }

  #showKinds() {
    $('log-kinds').replaceChildren(...KINDS.map((kind) => el('button', {
      'aria-pressed': String(this.#on.has(kind)), onclick: ({currentTarget}) => {
        if (!this.#on.delete(kind)) this.#on.add(kind);
        currentTarget.setAttribute('aria-pressed', this.#on.has(kind)); // the same button keeps the focus
        this.#ask();
      }}, kind)));
  }

  add(event) {
    if (!this.open || ![...this.#on].some((kind) => WIRE[kind].includes(event.kind))) return;
    this.#waiting.push(event);
    if (this.#waiting.length > LINES_MAX) this.#waiting.shift();
  }

  #body(id) {
    return el('a', {tabindex: 0, role: 'button', onclick: () => this.app.choose(id),
                    onkeydown: (event) => event.key === 'Enter' && this.app.choose(id)}, id);
  }

  #line(event) {
    const parts = [];
    if (event.a !== undefined) parts.push(this.#body(event.a));
    if (event.b !== undefined) parts.push(' ', this.#body(event.b));
    if (event.joint !== undefined) parts.push(` joint ${event.joint}`);
    if (event.speed > 0.005) parts.push(`  ${event.speed.toFixed(2)} m/s`);
    if (event.session !== undefined) parts.push(clientText(event));
    return el('li', {}, el('time', {}, event.tick), el('span', {}, event.kind), el('span', {}, ...parts));
  }

  #flush() {
    if (!this.open || this.#waiting.length === 0) return;
    const list = $('log-list');
    const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 20;
    list.append(...this.#waiting.map((event) => this.#line(event)));
    this.#waiting = [];
    while (list.children.length > LINES_MAX) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  }
}
