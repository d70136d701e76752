// The list of worlds: watch, make, copy, save to a file, load from one, end.

import {playersText, whyNever} from '../edit/rights.js';
import {$, counted, download, el, focusBack, toast} from './dom.js';
import {freeName} from './names.js';

const SCENES = ['', 'demo', 'gallery', 'pyramid', 'heap', 'drum', 'cradle', 'billiards'];
const END_AGAIN_MS = 8000; // time for the second press of the button
const ROWS_LAID_OUT = 200; // the longest list that is laid out whole; of others the browser lays out the rows that are seen
const IMAGE_ENDING = '.caromimage';

export class Worlds {
  #names = ''; // names of the worlds in the shown list
  #key = ''; // state for which the actions were built

  constructor(app) {
    this.app = app;
    this.armed = {world: '', until: -Infinity}; // armed by the first press of the button
    $('worlds-button').addEventListener('click', () => this.toggle());
    $('create-scene').append(...SCENES.map((name) => el('option', {value: name}, name || 'empty')));
    $('create').addEventListener('submit', (event) => {
      event.preventDefault();
      this.create($('create-name').value.trim(), $('create-scene').value);
    });
    app.session.on('worlds', () => this.#show());
    app.session.on('world', () => this.#show());
    addEventListener('pointerdown', (event) => {
      if (!event.target.closest('#worlds, #worlds-button')) this.close();
    });
  }

  toggle() {
    const panel = $('worlds');
    if (!panel.hidden) {
      this.close();
      return;
    }
    panel.hidden = false;
    this.app.session.lists = true;
    $('worlds-button').setAttribute('aria-expanded', true);
    this.app.session.look();
    this.#show();
    panel.querySelector('button')?.focus();
  }

  close() {
    if ($('worlds').hidden) return;
    focusBack($('worlds'));
    $('worlds').hidden = true;
    this.app.session.lists = false;
    $('worlds-button').setAttribute('aria-expanded', false);
  }

  async create(name, scene) {
    const args = {world: name};
    if (scene) args.scene = scene;
    if (!await this.#open('world.create', args, name)) return;
    $('create-name').value = '';
    if (!scene) this.#ground();
  }

  // Makes a world and goes to it. Returns whether it exists.
  async #open(method, args, name) {
    const {session} = this.app;
    if (session.offline()) return false;
    try {
      await session.client.call(method, args);
    } catch (error) {
      toast(error.message);
      return false;
    }
    this.close();
    await this.app.visit(name);
    session.look();
    return true;
  }

  /** Copies the world, and goes to the copy. */
  async fork() {
    const {session} = this.app;
    const {world} = session;
    const as = freeName(world.replace(/-\d+$/, ''), session.worlds);
    if (await this.#open('world.fork', {world, as}, as)) toast(`“${as}” goes on from here; “${world}” too`, {note: true});
  }

  /** Saves the whole state to a file. */
  async save() {
    const {world} = this.app.session;
    const answer = await this.app.session.act('world.image');
    if (!answer) return;
    download(answer.image, `${world}-${answer.tick}${IMAGE_ENDING}`);
    toast(`Saved “${world}” at tick ${answer.tick}`, {note: true});
  }

  /** Makes a world of an image, and goes to it. */
  async openImage(image, wanted, args = {}) {
    const name = freeName(wanted, this.app.session.worlds);
    if (await this.#open('world.create', {world: name, image, ...args}, name)) {
      toast(`“${name}” ${args.paused ? 'stands at' : 'goes on from'} that state`, {note: true});
    }
  }

  // Adds a floor to an empty world.
  #ground() {
    this.app.session.act('body.spawn', {type: 'static', tag: 'ground', position: [0, -1], shapes: [
      {kind: 'box', size: [40, 2], friction: 0.8}]});
  }

  #show() {
    if ($('worlds').hidden) return;
    const {session} = this.app;
    $('create').hidden = !this.#may('world.create');
    this.#tellMore(session.elsewhere.more);
    const names = session.worlds.map((info) => info.world).join();
    if (names !== this.#names) {
      this.#names = names;
      this.#build();
    }
    let row = $('world-list').firstElementChild;
    for (const info of session.worlds) {
      const button = row.firstElementChild;
      row = row.nextElementSibling;
      const [dot, , state, numbers] = button.children;
      const pressed = String(info.world === session.world);
      if (button.getAttribute('aria-pressed') !== pressed) button.setAttribute('aria-pressed', pressed);
      if (info.elsewhere !== undefined) {
        if (button.title === info.address && button.dataset.server === info.elsewhere) continue; // there may be thousands
        button.dataset.server = info.elsewhere;
        dot.className = '';
        state.textContent = `at server ${info.elsewhere}`;
        button.title = info.address;
        numbers.textContent = '';
        continue;
      }
      delete button.dataset.server;
      const pace = session.pace(info.world);
      dot.className = pace.state === 'running' && !info.unavailable ? '' : 'paused';
      state.textContent = info.unavailable ? 'not served' : pace.text;
      button.title = info.unavailable ?? playersText(info);
      const seats = info.seats === undefined ? '' : `${info.seats_taken} of ${counted(info.seats, 'seat', 'seats')} taken · `;
      numbers.textContent = `${seats}${counted(info.bodies, 'body', 'bodies')}, ${info.awake} awake · ${info.step_ms.toFixed(2)} ms a tick`;
    }
    this.#actions();
  }

  #tellMore(count) {
    const line = $('worlds-more');
    const text = count === 0 ? '' : `${counted(count, 'more world', 'more worlds')} of the fleet ${count === 1 ? 'is' : 'are'} not listed here. ` +
      'A world opens by its name in this page’s address: #world=NAME';
    line.hidden = text === '';
    if (line.textContent !== text) line.textContent = text;
  }

  // Buttons are rebuilt only when the worlds change, so that no click is lost in between.
  #build() {
    const focused = document.activeElement?.dataset?.world;
    $('world-list').classList.toggle('many', this.app.session.worlds.length > ROWS_LAID_OUT);
    $('world-list').replaceChildren(...this.app.session.worlds.map(({world}) => el('li', {},
      el('button', {'data-world': world, onclick: () => {
        this.close();
        this.app.visit(world);
      }}, el('i'), el('b', {}, world), el('em'), el('small')))));
    if (focused) $('world-list').querySelector(`[data-world="${CSS.escape(focused)}"]`)?.focus();
  }

  #may(method) {
    return whyNever(this.app, method) === '';
  }

  #actions() {
    const {session} = this.app;
    const armed = this.#armed;
    const rights = ['world.fork', 'world.image', 'world.create', 'world.destroy'].map((method) => this.#may(method));
    const [fork, save, load, end] = rights;
    const key = `${session.world} ${rights} ${armed}`;
    if (key === this.#key) return;
    this.#key = key;
    const button = (text, title, onclick, className) => el('button', {title, onclick, class: className}, text);
    const actions = [];
    if (session.world && fork) actions.push(button('Fork', 'A second world that goes on from this state', () => this.fork()));
    if (session.world && save) actions.push(button('Save', 'The whole state into a file', () => this.save()));
    if (session.world) {
      actions.push(button('Export', 'Settings, bodies and joints into a scene file', () => this.app.files.exportScene()));
      actions.push(button('Settings', 'Gravity and other settings of this world (K)', () => {
        this.close();
        this.app.panels.settings.open();
      }));
    }
    actions.push(el('a', {class: 'button', href: new URL('../gallery.html', import.meta.url).href, title: 'Scenes and recipes that play in this page'}, 'Gallery'));
    if (load) actions.push(button('Load …', 'A world from an image or a scene file; or drop it on the page', () => $('image-file').click()));
    if (session.world && end) {
      actions.push(button(armed ? 'Really end it?' : 'End', `Ends “${session.world}” for everyone`,
                          () => this.#end(), 'danger last'));
    }
    const focused = [...$('world-actions').children].indexOf(document.activeElement);
    $('world-actions').replaceChildren(...actions);
    $('world-actions').children[focused]?.focus();
  }

  // Whether the next press ends the watched world. One press before another was chosen does not count for it.
  get #armed() {
    return this.armed.world === this.app.session.world && performance.now() < this.armed.until;
  }

  #end() {
    if (this.#armed) {
      this.armed.until = -Infinity;
      this.app.end();
      this.close();
    } else {
      this.armed = {world: this.app.session.world, until: performance.now() + END_AGAIN_MS};
      this.#show();
    }
  }
}
