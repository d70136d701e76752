// The page's centre: the watched world, the chosen body, the current tool, and the frame loop. Panels listen to its
// events and call its methods; they do not know each other.
//
// Events: `choose` (id), `tool` (name), `theme` (name), `frame` (numbers of the last second), `time` (), `setting` (),
// `sight` (): the first picture of a world is there.

import {Camera} from './draw/camera.js';
import {Canvas} from './draw/canvas.js';
import {frameOf} from './draw/frame.js';
import {drawGrid} from './draw/grid.js';
import {Lines} from './draw/lines.js';
import {Overlays} from './draw/overlays.js';
import {Picture} from './draw/picture.js';
import {THEMES, forgetTags, themeOf} from './draw/theme.js';
import {Changes} from './edit/changes.js';
import {duplicateArgs} from './edit/duplicate.js';
import {mayAct} from './edit/rights.js';
import {History, PastSource} from './history.js';
import {PredictedSource} from './predicted_source.js';
import {Recorder} from './recording.js';
import {RPC, Session} from './session.js';
import {Sharing} from './sharing.js';
import {Emitter} from '../src/emitter.js';
import {leftVisit, visitBy} from '../src/visit.js';
import {makeTools} from './tools/tools.js';
import {changeHash, readAddress, stored, store, writeAddress} from './ui/address.js';
import {counted, toast} from './ui/dom.js';
import {onPhone} from './ui/sheets.js';

const DEMO = 'demo'; // the world shown first if the address names none
const VIEW_OF_A_WORLD = ['at', 'follow', 'tick']; // in the page's address: they mean the world that it names
const FRAMES_MAX = 32; // worlds whose first frame the browser remembers
const AREA_MARGIN = 0.4; // share of the view added on each side
const FRAME_MS_MAX = 100; // a longer pause between frames counts as this
const SLOW_FPS = 40; // fewer frames per second than this count as slow
const SLOW_TIMES = 5; // half seconds in a row before the picture gets plainer
const SUMMARY_MS = 5000; // pause between summaries for screen readers

// The world to show if the address names none.
function firstOf(worlds) {
  const served = worlds.filter((info) => !info.unavailable);
  const here = served.filter((info) => info.elsewhere === undefined);
  const list = here.length > 0 ? here : served;
  return list.find((info) => info.world === DEMO) ?? list.find((info) => !info.paused && info.bodies > 0) ?? list[0];
}

export class App extends Emitter {
  #last = 0;
  #drawn = {time: NaN, source: null, version: -1};
  #frames = {count: 0, since: 0, work: 0, longest: 0};
  #summaryAt = 0;
  #missing = ''; // what the address named, or what has ended, until another world is shown instead
  #slow = 0; // slow half seconds in a row

  /** `local`: a client within the page, for worlds without a server. */
  constructor(local = null) {
    super();
    this.scene = document.getElementById('scene');
    this.labels = document.getElementById('labels');
    this.labelsContext = this.labels.getContext('2d');
    this.address = readAddress();
    this.#takeToken(local !== null);
    this.#mindPolicy();
    this.canvas = new Canvas(this.scene);
    this.camera = new Camera();
    this.picture = new Picture(this.canvas);
    this.overlays = new Overlays();
    this.lines = new Lines(this.canvas.lines, this.camera);
    this.below = new Lines(this.canvas.below, this.camera);
    this.grid = new Lines(this.canvas.grid, this.camera);
    this.history = new History();
    this.past = new PastSource(this.history);
    /** The past world time shown, or null for now. `rate`: its speed. */
    this.scrub = null;
    this.live = null;
    /** Whether the watched world has been seen and framed. */
    this.fitted = false;
    this.chosen = 0;
    this.following = 0;
    this.hovered = 0;
    this.dirty = true;
    this.fps = NaN;
    this.panels = {};
    this.#followSystem();
    this.session = new Session(this.address.server, local);
    this.changes = new Changes(this.session);
    this.recorder = new Recorder(this.session);
    this.sharing = new Sharing(this);
    this.predicted = new PredictedSource(this.session);
    this.session.predicted = this.predicted;
    this.tools = makeTools(this);
    this.tool = this.tools.hand;
    this.#listen();
  }

  // Removes a token from the address, where every copy of the link would reveal it. This visit uses it for this page's own
  // server: the author of a link may have named any other. Returns whether there was a token to use.
  #takeToken(serverless) {
    const {server, token} = this.address;
    if (!token) return false;
    changeHash((hash) => hash.delete('token'));
    this.address.token = undefined;
    if (serverless || (server && server !== RPC)) return false;
    visitBy(RPC, token);
    return true;
  }

  // The page's server decides to which other servers it may connect.
  #mindPolicy() {
    document.addEventListener('securitypolicyviolation', ({effectiveDirective}) => {
      if (effectiveDirective !== 'connect-src') return;
      const {origin} = new URL(this.session.server);
      this.session.forbid(`This page may show its own server alone. The operator of ${location.host} lets it show ` +
                          `another: caromd --viewer-server ${origin}`);
    });
  }

  // Follows the system's settings and their changes: reduced motion, and light or dark until one is chosen here.
  #followSystem() {
    const still = matchMedia('(prefers-reduced-motion: reduce)');
    const light = matchMedia('(prefers-color-scheme: light)');
    const move = () => {
      this.camera.still = still.matches;
    };
    const shine = () => this.setTheme(themeOf(this.address.theme, stored('theme'), light.matches ? 'light' : 'dark'));
    still.addEventListener('change', move);
    light.addEventListener('change', shine);
    move();
    shine();
  }

  #listen() {
    const {session} = this;
    session.on('fault', (error) => toast(error.message));
    session.on('gone', (error, world, shown) => {
      toast(`“${world}”: ${error.message}`);
      if (shown && error.code === 'not_found') this.#forget(world);
      this.address.world = undefined; // another world may be shown instead
      this.#missing = `“${world}”`;
      this.history.clear();
      this.setScrub(null);
      this.choose(0);
    });
    session.on('world', () => {
      this.history.clear();
      this.overlays.reset();
      forgetTags();
      this.choose(0);
      this.setScrub(null);
      this.fitted = false;
      this.dirty = true;
    });
    session.on('source', (source) => {
      this.live = source;
      this.dirty = true;
    });
    session.on('snapshot', (snapshot) => {
      this.history.add(snapshot, this.live.view, this.live.asleepIds);
    });
    session.on('info', (info) => this.#summary(info));
    session.on('worlds', (list) => {
      if (session.world) return;
      const wanted = this.address.world;
      const first = wanted ? list.find((info) => info.world === wanted) : firstOf(list);
      if (first) {
        if (this.#missing && this.#missing !== `“${first.world}”`) toast(`“${first.world}” is shown instead of ${this.#missing}`, {note: true});
        this.#missing = '';
        session.watch(first.world);
      } else if (wanted) session.find(wanted);
    });
    addEventListener('resize', () => this.touch());
    document.addEventListener('visibilitychange', () => this.touch());
    addEventListener('hashchange', () => this.#readdress());
    addEventListener('popstate', () => { // also where only the history's state differs: tokens have left the addresses
      if (!session.serverless && leftVisit()) location.reload();
    });
  }

  /** Shows a world that the visitor chose. The page's address names it from now on: a reload shows it again. */
  async visit(world) {
    this.#missing = '';
    if (!this.session.serverless) {
      changeHash((hash) => {
        for (const name of VIEW_OF_A_WORLD) hash.delete(name);
        hash.set('world', world);
      });
      this.address = readAddress();
    }
    await this.session.watch(world);
  }

  /** Ends the watched world for everyone; the page's address no longer names it. */
  async end() {
    const {world} = this.session;
    if (await this.session.act('world.destroy') !== undefined) this.#forget(world);
  }

  // Removes a world that has ended from the page's address: a reload would miss it.
  #forget(world) {
    if (this.session.serverless) return;
    changeHash((hash) => {
      if (hash.get('world') !== world) return;
      for (const name of ['world', ...VIEW_OF_A_WORLD]) hash.delete(name);
    });
  }

  #readdress() {
    const address = readAddress();
    this.address = address;
    if (this.session.serverless) {
      location.reload();
      return;
    }
    if (this.#takeToken(false) || leftVisit()) { // starts again with the rights of the other token
      location.reload();
      return;
    }
    this.#tellFaults();
    if (address.world && address.world !== this.session.world) this.session.watch(address.world);
    else this.#look(address);
    if (address.theme) this.setTheme(address.theme);
  }

  // Says what the address asks for that the page does not understand.
  #tellFaults() {
    const {session, address: {faults}} = this;
    for (const {name, text, why} of session.serverless ? [] : faults) {
      const still = name === 'world' && session.world ? `. “${session.world}” is shown` : '';
      toast(why + still);
      if (name === 'world' && !session.world) this.#missing = text;
    }
  }

  start() {
    this.#tellFaults();
    requestAnimationFrame((now) => this.#frame(now));
  }

  /** Something changed that the next frame must show. */
  touch() {
    this.dirty = true;
  }

  /** The source of the drawn bodies: the past while one looks back, else the predicted world or the live one. */
  get source() {
    if (this.scrub) return this.past;
    return this.live && this.predicted.shows ? this.predicted : this.live;
  }

  get theme() {
    return THEMES[this.themeName];
  }

  setTheme(name) {
    if (!Object.hasOwn(THEMES, name)) return;
    this.themeName = name;
    document.documentElement.dataset.theme = name;
    this.dirty = true;
    this.emit('theme', name);
  }

  choose(id) {
    if (this.chosen === id) return;
    this.chosen = id;
    if (id === 0) this.following = 0;
    else if (this.following) this.following = id;
    this.dirty = true;
    this.emit('choose', id);
  }

  follow(id) {
    this.following = this.following === id ? 0 : id;
    this.dirty = true;
    this.emit('choose', this.chosen);
  }

  // ---- changes

  /** Removes a body. */
  remove(id) {
    if (!mayAct(this, 'body.remove', this.live?.body(id))) return;
    if (this.chosen === id) this.choose(0);
    this.changes.act(`body ${id}`, [['body.remove', {body: id}]]);
  }

  /** Makes a second body like this one beside it, and chooses it. */
  async duplicate(id) {
    if (!mayAct(this, 'body.spawn')) return;
    const {session} = this;
    if (session.offline()) return;
    try {
      const map = await session.client.call('body.get', {world: session.world, body: id});
      const made = await this.changes.act(`copy of body ${id}`, [['body.spawn', duplicateArgs(map)]]);
      if (made) this.choose(made[0].body);
    } catch (error) {
      toast(error.message);
    }
  }

  /** Undoes the last change of this page, or with 'redo' repeats the last one undone; reports what was left as it is. */
  async turnBack(way = 'undo') {
    if (this.session.offline() || !mayAct(this, 'world.apply')) return;
    const word = way === 'undo' ? 'Undone' : 'Done again';
    try {
      const turned = await this.changes[way]();
      if (!turned) toast(`There is nothing to ${way}`, {note: true});
      else if (turned.left.length > 0) toast(`${turned.done ? `${word} in part` : `Not ${word.toLowerCase()}`}: ${turned.label}; ${turned.left.join('; ')}`);
      else toast(`${word}: ${turned.label}`, {note: true});
    } catch (error) {
      toast(error.message);
    }
  }

  setTool(name) {
    if (this.tool.name === name || !this.tools[name]) return;
    if (this.tools[name].needs && !mayAct(this, this.tools[name].needs)) return;
    this.tool.cancel?.();
    this.tool = this.tools[name];
    this.scene.dataset.cursor = name === 'hand' ? '' : 'cross';
    this.dirty = true;
    this.emit('tool', name);
  }

  /** Shows a time of the past; null: now. */
  setScrub(time) {
    if (time === null) {
      if (!this.scrub) return;
      this.scrub = null;
    } else if (!this.history.empty) {
      this.scrub = {time: this.past.seek(time), rate: 0};
      this.tool.cancel?.();
    }
    this.overlays.reset();
    this.dirty = true;
    this.emit('time');
  }

  // ---- the view

  // Runs when all bodies of a world have arrived and can be drawn.
  #firstSight() {
    const view = this.live?.view;
    if (!view || view.describing || (view.bodies.size > 0 && view.drawn().next().done)) return;
    this.fitted = true;
    this.emit('sight');
    this.fit();
    this.camera.jump();
    this.#look(this.address.world === this.session.world ? this.address : {});
  }

  #look(address) {
    if (address.at) {
      this.camera.look(address.at);
      this.camera.jump();
    }
    if (address.follow) {
      if (this.source?.body(address.follow) === undefined) toast(`“${this.session.world}” shows no body ${address.follow} to follow`);
      this.choose(address.follow);
      this.following = address.follow;
    }
    if (address.tick && this.live) this.#lookAtTick(address.tick);
    this.dirty = true;
  }

  // Shows a link's tick, if it is in the time since the page was opened.
  #lookAtTick(tick) {
    const time = tick / (this.session.info?.hz ?? 60);
    if (this.history.empty || time < this.history.begin || time > this.history.end + 1) {
      toast(`Tick ${tick} is not in what this page has seen of the world; who shares a link from there makes a world of it`);
    } else {
      this.setScrub(time);
    }
  }

  /** Frames the scene, or the present bodies. */
  fit() {
    const {source} = this;
    if (!source) return;
    this.following = 0;
    this.#measureInset();
    const view = this.live?.view.area;
    if (view) {
      this.camera.fit(view);
      return;
    }
    const frame = frameOf(source.drawn(), this.#firstFrame());
    if (frame) this.#firstFrame(frame);
    this.camera.fit(frame ?? [-12, -2, 12, 14]);
  }

  // The first frame of the watched world; stores `frame` if there is none yet.
  #firstFrame(frame) {
    const {server, world} = this.session;
    const key = `${server} ${world} ${this.live?.view.epoch}`;
    let all = [];
    try {
      all = JSON.parse(stored('frames') ?? '[]');
    } catch {
      // Stored by another version.
    }
    const known = all.find(([name]) => name === key)?.[1];
    if (!known && frame) store('frames', JSON.stringify([...all, [key, frame]].slice(-FRAMES_MAX)));
    return known;
  }

  #measureInset() {
    this.camera.resize(this.scene.clientWidth, this.scene.clientHeight);
    this.camera.inset = onPhone() ? [8, 58, 8, 122] : [66, 62, 16, 70];
  }

  /** A link to the present view, or to the same place of another world. */
  link(world = this.session.world) {
    const {camera, source} = this;
    const tick = this.scrub && world === this.session.world ? source?.tick : undefined;
    return writeAddress({server: this.address.server, world, tick,
                         at: [camera.goal.x, camera.goal.y, camera.goal.scale], follow: this.following});
  }

  // ---- frames

  #frame(now) {
    requestAnimationFrame((next) => this.#frame(next));
    const ms = Math.min(FRAME_MS_MAX, now - this.#last);
    this.#last = now;
    const began = performance.now();
    const time = this.#advance(began, ms);
    if (!this.fitted) this.#firstSight();
    if (this.canvas.resize()) this.dirty = true;
    this.camera.resize(this.scene.clientWidth, this.scene.clientHeight);
    this.#followChosen();
    if (this.camera.glide(ms)) this.dirty = true;
    this.#areaOfInterest();
    const version = this.live?.view.version ?? -1;
    const {source} = this;
    const seen = this.#drawn;
    if (!this.dirty && seen.time === time && seen.source === source && seen.version === version &&
        this.overlays.sparks.length === 0) {
      this.#count(began, false);
      return;
    }
    this.#drawn = {time, source, version};
    this.dirty = false;
    if (source) this.#draw(source, time);
    else this.#drawNothing();
    this.#count(began, true);
  }

  // The world time to draw; NaN if there is none.
  #advance(now, ms) {
    const {live, scrub} = this;
    let time = NaN;
    if (live) {
      time = live.view.advance(now);
      live.look();
      for (const event of live.view.takeEvents()) {
        live.event(event);
        if (!scrub) this.overlays.event(event, time);
        this.panels.log?.add(event);
      }
    }
    this.predicted.advance(now);
    if (!scrub && this.predicted.shows) this.dirty = true;
    if (!scrub) return time;
    if (scrub.rate !== 0) {
      scrub.time += scrub.rate * ms / 1000;
      if (scrub.time >= this.history.end) this.setScrub(null);
      this.emit('time');
    }
    if (!this.scrub) return time;
    scrub.time = this.past.seek(scrub.time);
    return scrub.time;
  }

  #followChosen() {
    if (!this.following) return;
    const body = this.source?.body(this.following);
    if (!body) return;
    const {camera} = this;
    camera.centre(body.pose.x, body.pose.y);
    camera.x += (camera.goal.x - camera.x) * 0.25;
    camera.y += (camera.goal.y - camera.y) * 0.25;
  }

  #areaOfInterest() {
    const {session, camera} = this;
    const wanted = session.wish.area;
    if (!this.overlays.shown.area || !wanted || !this.live) return;
    const [x0, y0, x1, y1] = camera.area();
    const inside = wanted[0] <= x0 && wanted[1] <= y0 && wanted[2] >= x1 && wanted[3] >= y1;
    const large = (wanted[2] - wanted[0]) > 3 * (x1 - x0);
    if (!inside || large) session.setArea(camera.area(AREA_MARGIN));
  }

  #drawNothing() {
    this.canvas.clearShapes();
    this.picture.stale = true;
    this.lines.begin(this.canvas.lines);
    this.below.begin(this.canvas.below);
    this.grid.begin(this.canvas.grid);
    drawGrid(this.grid, this.camera, this.theme);
    this.canvas.draw(this.camera, this.theme);
    this.labels.hidden = true;
  }

  #draw(source, time) {
    const {camera, picture, theme, overlays, lines, below, canvas} = this;
    picture.sync(source);
    const marked = new Set([this.chosen, this.hovered, this.tool.marked ?? 0]);
    picture.place(camera, theme, source, marked, this.chosen);
    below.begin(canvas.below);
    lines.begin(canvas.lines);
    this.grid.begin(canvas.grid);
    drawGrid(this.grid, camera, theme);
    picture.edges(below, camera, theme, source);
    overlays.draw(lines, {camera, theme, source, time, chosen: this.chosen,
                          areaOfInterest: this.session.wish.area});
    if (source === this.predicted) source.ghosts(lines, camera, theme.ghost);
    const body = this.chosen ? source.body(this.chosen) : undefined;
    if (body?.description) overlays.mark(lines, body, theme, time, picture.isUnion(body));
    this.tool.draw?.(lines, theme);
    canvas.draw(camera, theme);
    this.#drawLabels(source);
  }

  #drawLabels(source) {
    const {labels, canvas, labelsContext} = this;
    labels.hidden = !this.overlays.shown.ids; // an empty canvas over the page costs time, too
    if (labels.hidden) return;
    if (labels.width !== canvas.width || labels.height !== canvas.height) {
      labels.width = canvas.width;
      labels.height = canvas.height;
    }
    this.overlays.labels(labelsContext, {camera: this.camera, theme: this.theme, source, dpr: canvas.dpr});
  }

  #count(began, drawn) {
    const frames = this.#frames;
    const work = performance.now() - began;
    frames.count++;
    frames.work += work;
    frames.drawn = (frames.drawn ?? 0) + (drawn ? 1 : 0);
    frames.longest = Math.max(frames.longest, work);
    const passed = began - frames.since;
    if (passed < 500) return;
    this.fps = frames.count / passed * 1000;
    this.#adapt(frames);
    this.emit('frame', {fps: this.fps, workMs: frames.work / frames.count, longestMs: frames.longest,
                        drawn: frames.drawn});
    this.#frames = {count: 0, since: began, work: 0, longest: 0, drawn: 0};
  }

  // Draws a plainer picture on a slow machine, until the page is reloaded.
  #adapt(frames) {
    const slow = this.fps < SLOW_FPS && frames.drawn === frames.count && !document.hidden;
    this.#slow = slow ? this.#slow + 1 : 0;
    if (this.#slow < SLOW_TIMES || !this.canvas.fine) return;
    this.canvas.fine = false;
    this.dirty = true;
  }

  // The world's description for screen readers.
  #summary(info) {
    const now = performance.now();
    if (now - this.#summaryAt < SUMMARY_MS) return;
    this.#summaryAt = now;
    const chosen = this.chosen ? ` Body ${this.chosen} is chosen.` : '';
    document.getElementById('summary').textContent =
      `World ${info.world}: ${counted(info.bodies, 'body', 'bodies')}, ${info.awake} awake, ` +
      `${this.session.pace(info.world).text}.${chosen}`;
  }

  /** Steps through the bodies on the screen, from left to right, for the keyboard. */
  nextBody(step) {
    const bodies = this.picture.bodies.filter((body) => body.type !== 'static');
    if (bodies.length === 0) return;
    bodies.sort((a, b) => a.id - b.id);
    const index = bodies.findIndex((body) => body.id === this.chosen);
    const next = index < 0 ? (step > 0 ? 0 : bodies.length - 1) : (index + step + bodies.length) % bodies.length;
    this.choose(bodies[next].id);
  }

  /** Stores a setting for the next visit. */
  keep(name, value) {
    store(name, value);
  }
}
