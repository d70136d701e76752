// Chromium for the tests, over its DevTools protocol on a pipe (--remote-debugging-pipe: messages are
// JSON, each ended by a zero byte). It needs nothing but the browser: no package, no port, no WebSocket.
// The GPU is SwiftShader, so that pictures are the same wherever the tests run.
import {spawn} from 'node:child_process';
import {accessSync, constants, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const START_MS = 30000;
const UNTIL_MS = 20000;
const POLL_MS = 50;
const COMMAND_MS = 30000;
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where the browser is: the environment's CAROM_CHROMIUM, or from the PATH; null without one. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(':');
  const places = process.env.CAROM_CHROMIUM ? [process.env.CAROM_CHROMIUM]
    : folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  for (const place of places) {
    try {
      accessSync(place, constants.X_OK);
      return place;
    } catch {
      // The next one.
    }
  }
  return null;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Browser {
  #child;
  #profile;
  #next = 1;
  #waiting = new Map(); // id -> {resolve, reject, timer}
  #sessions = new Map(); // session -> listener
  #input = [];

  constructor(program) {
    this.#profile = mkdtempSync(path.join(tmpdir(), 'carom-chromium-'));
    this.#child = spawn(program, [
      '--headless=new', '--no-sandbox', '--remote-debugging-pipe', `--user-data-dir=${this.#profile}`,
      '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
      '--no-first-run', '--disable-extensions', '--disable-dev-shm-usage', '--mute-audio',
      '--disable-background-networking', '--disable-component-update', '--hide-scrollbars',
    ], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.#child.stdio[4].on('data', (bytes) => this.#receive(bytes));
    this.#child.stdio[3].on('error', () => {});
    this.ended = new Promise((resolve) => this.#child.on('exit', resolve));
    this.ended.then(() => {
      for (const {reject} of this.#waiting.values()) reject(new Error('the browser has ended'));
    });
  }

  static async start(program = findChromium()) {
    const browser = new Browser(program);
    await browser.send('Browser.getVersion', {}, undefined, START_MS);
    return browser;
  }

  #receive(bytes) {
    let from = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      this.#input.push(bytes.subarray(from, end));
      const message = JSON.parse(Buffer.concat(this.#input).toString());
      this.#input = [];
      from = end + 1;
      this.#take(message);
    }
    if (from < bytes.length) this.#input.push(bytes.subarray(from));
  }

  #take(message) {
    const {id, sessionId, method, params, error, result} = message;
    if (id === undefined) {
      this.#sessions.get(sessionId)?.(method, params);
      return;
    }
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!call) return;
    clearTimeout(call.timer);
    if (error) call.reject(new Error(`${call.method}: ${error.message}`));
    else call.resolve(result);
  }

  send(method, params = {}, sessionId = undefined, ms = COMMAND_MS) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method}: no answer in ${ms} ms`));
      }, ms);
      this.#waiting.set(id, {method, resolve, reject, timer});
      this.#child.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    });
  }

  /** A page with cookies and storage of its own. `onEvent(method, params)` sees what it reports. */
  async newPage({width = 1280, height = 800, dpr = 1, touch = false, theme = 'dark'} = {}) {
    const {browserContextId} = await this.send('Target.createBrowserContext');
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank', browserContextId});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId, browserContextId);
    this.#sessions.set(sessionId, (method, params) => page.take(method, params));
    for (const domain of ['Page', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: dpr, mobile: touch});
    await page.send('Emulation.setTouchEmulationEnabled', {enabled: touch, maxTouchPoints: touch ? 5 : 1});
    await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: theme}]});
    return page;
  }

  async stop() {
    this.send('Browser.close').catch(() => {});
    await this.ended;
    rmSync(this.#profile, {recursive: true, force: true, maxRetries: 5});
  }
}

const KEYS = {Enter: 13, Escape: 27, Delete: 46, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40};

export class Page {
  constructor(browser, session, context) {
    this.browser = browser;
    this.session = session;
    this.context = context;
    /** Errors of scripts and of the console, of which a good page has none. */
    this.errors = [];
    this.loads = 0;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  take(method, params) {
    if (method === 'Page.loadEventFired') this.loads++;
    else if (method === 'Runtime.exceptionThrown') {
      const {text, exception} = params.exceptionDetails;
      this.errors.push(exception?.description ?? text);
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
    }
  }

  async open(url) {
    const {loads} = this;
    const {errorText} = await this.send('Page.navigate', {url});
    if (errorText) throw new Error(`${url}: ${errorText}`);
    for (let i = 0; this.loads === loads; i++) {
      if (i * POLL_MS > UNTIL_MS) throw new Error(`${url}: not loaded in ${UNTIL_MS} ms`);
      await sleep(POLL_MS);
    }
  }

  /** What a function answers in the page; its arguments and answer are JSON. */
  async evaluate(action, ...args) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {
      expression: `(${action})(...${JSON.stringify(args)})`, awaitPromise: true, returnByValue: true, userGesture: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until a function answers something that is true; that answer. */
  async until(action, ...args) {
    const end = performance.now() + UNTIL_MS;
    for (;;) {
      const value = await this.evaluate(action, ...args);
      if (value) return value;
      if (performance.now() > end) throw new Error(`not so in ${UNTIL_MS} ms: ${action}`);
      await sleep(POLL_MS);
    }
  }

  #mouse(type, [x, y], more = {}) {
    return this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1, ...more});
  }

  async click(at) {
    await this.#mouse('mouseMoved', at, {button: 'none'});
    await this.#mouse('mousePressed', at);
    await this.#mouse('mouseReleased', at);
  }

  /** Presses, moves over all places, waits for `hold`, lets go. */
  async drag(places, hold = async () => {}) {
    await this.#mouse('mouseMoved', places[0], {button: 'none'});
    await this.#mouse('mousePressed', places[0]);
    for (const place of places.slice(1)) await this.#mouse('mouseMoved', place, {buttons: 1});
    await hold();
    await this.#mouse('mouseReleased', places.at(-1));
  }

  wheel([x, y], deltaY) {
    return this.send('Input.dispatchMouseEvent', {type: 'mouseWheel', x, y, deltaX: 0, deltaY});
  }

  touch(type, ...points) {
    return this.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
  }

  async tap(at) {
    await this.touch('touchStart', at);
    await this.touch('touchEnd');
  }

  async press(key) {
    const code = KEYS[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', key, text, windowsVirtualKeyCode: code});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, windowsVirtualKeyCode: code});
  }

  /** Clicks an element by its selector, as the mouse does. */
  async clickOn(selector) {
    await this.click(await this.until((wanted) => {
      const element = document.querySelector(wanted);
      if (!element?.checkVisibility() || element.disabled) return null;
      const {left, top, width, height} = element.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    }, selector));
  }

  /** A PNG. */
  async screenshot() {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(data, 'base64');
  }

  async close() {
    await this.browser.send('Target.disposeBrowserContext', {browserContextId: this.context});
  }
}
