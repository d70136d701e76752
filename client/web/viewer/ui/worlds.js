// The list of worlds: watch, make, copy, save to a file, load from one, end.

import {$, download, el, toast} from './dom.js';
import {freeName} from './names.js';

const SCENES = ['', 'demo', 'gallery', 'pyramid', 'heap', 'drum', 'cradle', 'billiards'];
const END_AGAIN_MS = 8000; // time for the second press of the button
const IMAGE_ENDING = '.caromimage';

export class Worlds {
  #names = ''; // names of the worlds in the shown list
  #key = ''; // state for which the actions were built

  constructor(app) {
    this.app = app;
    this.armed = {world: '', until: -Infinity}; // by the first press of the button
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
    panel.hidden = !panel.hidden;
    $('worlds-button').setAttribute('aria-expanded', !panel.hidden);
    if (panel.hidden) return;
    this.app.session.look();
    this.#show();
    panel.querySelector('button')?.focus();
  }

  close() {
    if ($('worlds').hidden) return;
    if ($('worlds').contains(document.activeElement)) $('worlds-button').focus();
    $('worlds').hidden = true;
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
    $('create').hidden = session.role !== 'admin';
    const names = session.worlds.map((info) => info.world).join();
    if (names !== this.#names) {
      this.#names = names;
      this.#build();
    }
    session.worlds.forEach((info, i) => {
      const button = $('world-list').children[i].firstElementChild;
      const [dot, , state, numbers] = button.children;
      button.setAttribute('aria-pressed', String(info.world === session.world));
      const pace = session.pace(info.world);
      dot.className = pace.state === 'running' && !info.unavailable ? '' : 'paused';
      state.textContent = info.unavailable ? 'not served' : pace.text;
      button.title = info.unavailable ?? '';
      const seats = info.seats === undefined ? '' : `${info.seats_taken} of ${info.seats} seats taken · `;
      numbers.textContent = `${seats}${info.bodies} bodies, ${info.awake} awake · ${info.step_ms.toFixed(2)} ms a tick`;
    });
    this.#actions();
  }

  // Buttons are rebuilt only when the worlds change, so that no click is lost in between.
  #build() {
    const focused = document.activeElement?.dataset?.world;
    $('world-list').replaceChildren(...this.app.session.worlds.map(({world}) => el('li', {},
      el('button', {'data-world': world, onclick: () => {
        this.close();
        this.app.visit(world);
      }}, el('i'), el('b', {}, world), el('em'), el('small')))));
    if (focused) $('world-list').querySelector(`[data-world="${CSS.escape(focused)}"]`)?.focus();
  }

  #actions() {
    const {session} = this.app;
    const armed = this.#armed;
    const admin = session.role === 'admin';
    const key = `${session.world} ${admin} ${armed}`;
    if (key === this.#key) return;
    this.#key = key;
    const button = (text, title, onclick, className) => el('button', {title, onclick, class: className}, text);
    const actions = [];
    if (session.world && admin) {
      actions.push(button('Fork', 'A second world that goes on from this state', () => this.fork()),
                   button('Save', 'The whole state into a file', () => this.save()));
    }
    if (session.world) {
      actions.push(button('Export', 'Settings, bodies and joints into a scene file', () => this.app.files.exportScene()));
      actions.push(button('Settings', 'Gravity and other settings of this world (K)', () => {
        this.close();
        this.app.panels.settings.open();
      }));
    }
    actions.push(el('a', {class: 'button', href: new URL('../gallery.html', import.meta.url).href, title: 'Scenes and recipes that play in this page'}, 'Gallery'));
    if (admin) actions.push(button('Load …', 'A world from an image or a scene file; or drop it on the page', () => $('image-file').click()));
    if (session.world && admin) {
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
