// Chromium for the tests, driven by playwright (playwright-core, which package-lock.json pins and
// docker/install.sh puts beside this file). The browser is the system's own. The GPU is SwiftShader, so
// that pictures are the same wherever the tests run.
import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {AWAIT_MS} from './patience.js';

const POLL_MS = 50;
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Common sizes of screens. */
export const SIZES = {
  phone: {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, hasTouch: true, isMobile: true},
  flat: {viewport: {width: 844, height: 390}, deviceScaleFactor: 2, hasTouch: true, isMobile: true},
  tablet: {viewport: {width: 820, height: 1180}, hasTouch: true, isMobile: true},
  desktop: {viewport: {width: 1440, height: 900}},
  wide: {viewport: {width: 2560, height: 1080}},
};

const playwright = await import('playwright-core').catch((error) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
  throw error;
});

// Finds the browser: the environment's CAROM_CHROMIUM, or one in the PATH; undefined without one.
function findChromium() {
  const folders = (process.env.PATH ?? '').split(':');
  const places = process.env.CAROM_CHROMIUM ? [process.env.CAROM_CHROMIUM]
    : folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Why no browser can be driven here; '' if one can. */
export function whyNoBrowser() {
  if (playwright === null) return 'playwright-core is not installed: ./docker/install.sh test installs it, or npm ci in client/web/test';
  if (findChromium() === undefined) return 'there is no Chromium (Debian: chromium-headless-shell); CAROM_CHROMIUM may name it';
  return '';
}

/** What a test's `skip` is: the reason why there is no browser, or false. ./tests/run.sh, which sets CI,
 * installs all that is needed: there nothing is skipped. */
export function skipWithoutBrowser() {
  const why = whyNoBrowser();
  if (why && process.env.CI) throw new Error(why);
  return why || false;
}

/** Starts a browser of playwright; the caller closes it. */
export function startBrowser() {
  return playwright.chromium.launch({executablePath: findChromium(), args: [
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-dev-shm-usage'],
  });
}

const errors = new WeakMap(); // errors of each page

/** A page with its own cookies and storage, dark and 1440 by 900 unless the context's `options` differ. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({colorScheme: 'dark', ...SIZES.desktop, ...options});
  context.setDefaultTimeout(AWAIT_MS);
  const page = await context.newPage();
  const told = [];
  errors.set(page, told);
  page.on('pageerror', (error) => told.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    if (message.type() === 'error') told.push(`${message.text()} ${message.location().url}`);
  });
  return page;
}

/** Errors of a page's scripts and in its console; a good page has none. */
export const errorsOf = (page) => errors.get(page);

/** Waits until a function that runs in the page returns a true value; returns that value, as JSON. */
export async function until(page, action, argument) {
  const handle = await page.waitForFunction(action, argument, {polling: POLL_MS});
  return handle.jsonValue();
}
