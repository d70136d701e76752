// Pause, step, speed, and time. A world on the server is either paused or running, so this page makes other speeds: it
// pauses the world and steps it, and resumes it when the page is left.
//
// The timeline covers the last minutes that the page has recorded. Looking back changes nothing on the server, where
// the world continues.

import {mayAct, whyNever, whyNot} from '../edit/rights.js';
import {changeAddress} from './address.js';
import {$, clockText, disable, icon, el, toast} from './dom.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const DRIVE_MS = 33; // interval between steps of a world that this page drives
const DRIVERS = [['play', 'world.pause'], ['step', 'world.step'], ['speed', 'world.step']];
const BRANCH_TITLE = 'A world of its own that stands at this tick, to go on from';
const BEHIND_MAX = 0.25; // the longest delay that the page catches up with [s]

export class Transport {
  #drive = null; // {world, timer, owed, last, busy}
  #dragging = false;
  #lost = ''; // the world that this page drove when the connection was lost

  constructor(app) {
    this.app = app;
    this.speed = 1;
    $('speed').append(...SPEEDS.map((speed) => el('option', {value: speed, selected: speed === 1}, `${speed}×`)));
    $('play').addEventListener('click', () => this.toggle());
    $('step').addEventListener('click', () => this.step());
    $('speed').addEventListener('change', () => this.setSpeed(Number($('speed').value)));
    $('live').addEventListener('click', () => app.setScrub(null));
    $('share').addEventListener('click', () => this.#share());
    $('branch').addEventListener('click', () => this.#branch());
    const timeline = $('timeline');
    timeline.addEventListener('input', () => {
      this.#dragging = true;
      app.setScrub(Number(timeline.value));
    });
    timeline.addEventListener('change', () => {
      this.#dragging = false;
      timeline.blur();
    });
    app.on('time', () => this.#show());
    app.on('frame', () => this.#show());
    app.session.on('info', (info) => {
      if (this.#lost === info.world) this.#goOn(info);
      this.#show();
    });
    app.session.on('world', () => {
      this.#letGo(true);
      this.#lost = '';
      this.speed = 1;
      $('speed').value = 1;
      this.#show();
    });
    app.session.on('state', () => {
      if (app.session.state !== 'open') {
        this.#lost = this.#drive?.world ?? this.#lost;
        this.#letGo(false);
      }
      this.#show();
    });
    app.session.on('leave', () => this.#letGo(true));
  }

  /** Whether this page drives the watched world by steps. */
  get driving() {
    return this.#drive !== null;
  }

  get #paused() {
    return this.app.session.info?.paused === true && !this.#drive;
  }

  /** In the past: plays or stops the replay; else pauses or resumes the world. */
  async toggle() {
    const {app} = this;
    if (app.scrub) {
      app.scrub.rate = app.scrub.rate === 0 ? this.speed : 0;
      this.#show();
      return;
    }
    if (!mayAct(app, 'world.pause')) return;
    if (this.#drive) {
      this.#letGo(false);
    } else if (this.#paused) {
      if (this.speed === 1) await this.#tell('world.resume', false);
      else this.#begin();
    } else {
      await this.#tell('world.pause', true);
    }
    this.#show();
  }

  async #tell(method, paused) {
    const done = await this.app.session.act(method);
    if (done && this.app.session.info) this.app.session.info.paused = paused;
  }

  async step() {
    const {app} = this;
    if (app.scrub) {
      this.back(-1 / (app.session.info?.hz ?? 60));
      return;
    }
    if (!mayAct(app, 'world.step')) return;
    if (this.#drive) this.#letGo(false);
    if (!this.#paused) await this.#tell('world.pause', true);
    await app.session.act('world.step');
    this.#show();
  }

  /** Looks `seconds` further back. */
  back(seconds) {
    const {app} = this;
    if (app.history.empty) return;
    const from = app.scrub ? app.scrub.time : app.history.end;
    app.setScrub(from - seconds);
  }

  faster(step) {
    const index = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + step));
    this.setSpeed(SPEEDS[index]);
  }

  async setSpeed(speed) {
    const {app} = this;
    if (!app.scrub && !mayAct(app, 'world.step')) return;
    this.speed = speed;
    $('speed').value = speed;
    if (app.scrub) {
      if (app.scrub.rate !== 0) app.scrub.rate = speed;
    } else if (this.#drive && speed === 1) {
      this.#letGo(false);
      await this.#tell('world.resume', false);
    } else if (!this.#drive && !this.#paused && speed !== 1) {
      await this.#tell('world.pause', true);
      this.#begin();
    }
    this.#show();
  }

  // ---- driving a paused world by steps

  #begin() {
    if (this.app.session.info?.paused !== true) return;
    this.#drive = {world: this.app.session.world, owed: 0, last: performance.now(), busy: false,
                   timer: setInterval(() => this.#turn(), DRIVE_MS)};
  }

  // The connection is back: a world that this page had paused to drive it would stand still for everyone. One that was made
  // anew runs.
  #goOn({paused}) {
    this.#lost = '';
    if (paused && this.speed !== 1) {
      this.#begin();
    } else {
      this.speed = 1;
      $('speed').value = 1;
    }
  }

  async #turn() {
    const drive = this.#drive;
    const now = performance.now();
    const {session} = this.app;
    const hz = session.info?.hz ?? 60;
    drive.owed = Math.min(BEHIND_MAX * hz * this.speed, drive.owed + (now - drive.last) / 1000 * hz * this.speed);
    drive.last = now;
    const ticks = Math.floor(drive.owed);
    if (drive.busy || ticks < 1) return;
    drive.owed -= ticks;
    drive.busy = true;
    const done = await this.#stepBy(drive, ticks);
    drive.busy = false;
    if (!done && this.#drive === drive) this.#letGo(false);
  }

  // The page tells by itself that the connection is lost, or that the world has ended: the answer to a step would tell it again.
  async #stepBy(drive, ticks) {
    const {session} = this.app;
    try {
      return await session.client.call('world.step', {world: drive.world, ticks});
    } catch (error) {
      if (this.#drive === drive && error.code !== 'not_found') session.emit('fault', error);
      return undefined;
    }
  }

  #letGo(resume) {
    if (!this.#drive) return;
    const {timer, world} = this.#drive;
    clearInterval(timer);
    this.#drive = null;
    if (resume) this.app.session.notify('world.resume', {world});
  }

  // ---- display

  async #share() {
    if (this.app.session.serverless) {
      await (await import('../local/start.js')).shareScene(this.app);
      return;
    }
    $('share').disabled = true;
    try {
      const made = this.app.scrub && !this.app.sharing.whyNoBranch;
      const link = await this.app.sharing.link();
      const what = this.app.scrub ? 'this tick' : 'this view';
      const lasts = made ? '. It works while this page is open' : '';
      // The world of a shared tick ends with this page, so the page's address names it only where nothing else can.
      if (!made) changeAddress(link);
      await navigator.clipboard.writeText(link).then(
        () => toast(`The link to ${what} is in the clipboard${lasts}`, {note: true}),
        () => {
          changeAddress(link);
          toast(`The address of this page is the link to ${what}${lasts}`, {note: true});
        });
    } catch (error) {
      toast(error.message);
    } finally {
      $('share').disabled = false;
    }
  }

  async #branch() {
    $('branch').disabled = true;
    await this.app.sharing.branch();
    $('branch').disabled = this.app.sharing.whyNoBranch !== '';
  }

  #show() {
    const {app} = this;
    const {history, scrub, source} = app;
    const runs = scrub ? scrub.rate !== 0 : !this.#paused;
    const play = $('play');
    if (play.dataset.runs !== String(runs)) {
      play.dataset.runs = runs;
      play.replaceChildren(icon(runs ? 'pause' : 'play'));
      play.setAttribute('aria-label', runs ? 'Pause' : 'Go on');
    }
    const live = $('live');
    live.setAttribute('aria-pressed', String(!scrub));
    live.textContent = scrub ? 'to now' : app.session.state !== 'open' ? 'offline' : app.session.absent ? 'waiting' : 'live';
    live.classList.toggle('offline', !scrub && (app.session.state !== 'open' || app.session.absent));
    for (const [id, method] of DRIVERS) disable($(id), scrub ? '' : whyNot(app, method)); // a replay changes nothing
    const why = scrub ? app.sharing.whyNoBranch : '';
    const branch = $('branch');
    branch.hidden = !scrub || whyNever(app, 'world.create') !== '';
    if (branch.dataset.why !== why) {
      branch.dataset.why = why;
      branch.disabled = why !== '';
      branch.title = why || BRANCH_TITLE;
    }
    const timeline = $('timeline');
    timeline.disabled = history.empty;
    if (!history.empty) {
      timeline.min = history.begin;
      timeline.max = Math.max(history.end, history.begin + 1e-3);
      if (!this.#dragging) timeline.value = scrub ? scrub.time : history.end;
    }
    const time = scrub ? scrub.time : source?.time;
    timeline.setAttribute('aria-valuetext', scrub ? `${(history.end - scrub.time).toFixed(1)} seconds ago` : 'now');
    const tick = source && Number.isFinite(time) ? source.tick : undefined;
    $('clock').replaceChildren(el('b', {}, clockText(time)), el('small', {}, tick === undefined ? '' : ` · ${tick}`));
    document.body.classList.toggle('past', scrub !== null);
  }
}
