// The adapters carom/phaser and carom/pixi with the real libraries, in Chromium: a page that caromd serves (--www, so under
// its policy) draws a view that the test fills, and the test looks at objects and pixels.
//
// Environment: CAROMD, CAROM_PACKAGE (the folder of the built package). Skipped where Chromium or an npm package is missing.
import test from 'node:test';
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

import {outlineOf, placed, toMetres, toPixels} from '../src/picture.js';
import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startCaromd} from './support.js';

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const ADAPTER_BYTES_MAX = 4000; // a page's size, compressed; neither library is counted

function whySkip() {
  const missing = ['esbuild', 'phaser', 'pixi.js'].filter((name) => !existsSync(path.join(MODULES, name)));
  const why = missing.length ? `there is no ${missing.join(', ')}: ./docker/install.sh test installs it, or npm ci in client/web/test` : '';
  if (why && process.env.CI) throw new Error(why);
  return why || skipWithoutBrowser();
}
const skip = whySkip();

// 400 by 300 pixels, the world's origin in the middle, 50 pixels a metre.
const PAGES = {
  phaser: `
    import * as Phaser from 'phaser';
    import * as adapter from 'carom/phaser';
    import {WorldView} from 'carom';
    const view = new WorldView();
    globalThis.ready = new Promise((resolve) => new Phaser.Game({
      type: Phaser.WEBGL, width: 400, height: 300, parent: 'game', banner: false, backgroundColor: 0x000000,
      preserveDrawingBuffer: true, render: {preserveDrawingBuffer: true}, audio: {noAudio: true},
      scene: {create() {
        const scene = this;
        scene.cameras.main.centerOn(0, 0);
        const follow = (options) => adapter.followBodies(scene, view, options);
        const debug = () => adapter.drawDebug(scene, view);
        globalThis.lab = {view, adapter, follow, debug, target: scene, controls: adapter.createControls(scene),
          own: () => scene.add.rectangle(0, 0, 20, 20, 0xff0000), frames: () => scene.game.loop.frame, canvas: scene.game.canvas};
        resolve();
      }},
    }));`,
  pixi: `
    import 'pixi.js/unsafe-eval';
    import {Application, Container, Graphics} from 'pixi.js';
    import * as adapter from 'carom/pixi';
    import {WorldView} from 'carom';
    const view = new WorldView();
    globalThis.ready = (async () => {
      const app = new Application();
      await app.init({width: 400, height: 300, background: 0x000000, preference: 'webgl', preserveDrawingBuffer: true});
      document.getElementById('game').append(app.canvas);
      const world = new Container({x: 200, y: 150});
      app.stage.addChild(world);
      let frames = 0;
      app.ticker.add(() => { frames++; });
      globalThis.lab = {view, adapter, follow: (options) => adapter.followBodies(world, view, options), debug: () => adapter.drawDebug(world, view),
        target: world, controls: adapter.createControls(app, world), own: () => new Graphics().rect(-10, -10, 20, 20).fill(0xff0000),
        frames: () => frames, canvas: app.canvas};
    })();`,
};

// In every page: fills the view, and looks at pixels by places in the world.
const COMMON = `
  let tick = 0;
  globalThis.map = (body, more) => ({body, type: 'dynamic', position: [0, 0], angle: 0, velocity: [0, 0], angular_velocity: 0, center: [0, 0],
    tag: '', shapes: [{shape: body, kind: 'circle', radius: 1}], ...more});
  globalThis.show = ({rows = [], ...more}) => {
    tick++;
    const full = tick === 1;
    const place = (row) => [row.body, ...row.position, row.angle, 0, 0, 0];
    lab.view.apply({world: 'lab', epoch: 1, tick, time: tick / 60, full, bodies: [...(more.spawned ?? []), ...rows].map(place), removed: [], events: [],
                    ...more}, performance.now() - 10000);
    lab.view.advance(performance.now());
  };
  // The colour at a place in the world, after the next two frames.
  globalThis.colourAt = async (x, y) => {
    const until = lab.frames() + 2;
    while (lab.frames() < until) await new Promise(requestAnimationFrame);
    const copy = new OffscreenCanvas(400, 300).getContext('2d');
    copy.drawImage(lab.canvas, 0, 0);
    return [...copy.getImageData(200 + 50 * x, 150 - 50 * y, 1, 1).data.slice(0, 3)];
  };`;

let folder;
let server;
let browser;
const sizes = {};

test.before(async () => {
  if (skip) return;
  const esbuild = await import('esbuild');
  folder = await mkdtemp(path.join(tmpdir(), 'carom-adapters-'));
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(process.env.CAROM_PACKAGE, path.join(folder, 'node_modules/carom'));
  for (const name of ['phaser', 'pixi.js']) await symlink(path.join(MODULES, name), path.join(folder, 'node_modules', name));
  const build = (name, contents, options) => esbuild.build({
    stdin: {contents, resolveDir: folder}, bundle: true, minify: true, format: 'esm', outfile: path.join(folder, 'www', `${name}.js`),
    logLevel: 'silent', preserveSymlinks: true, nodePaths: [MODULES], ...options});
  for (const [name, page] of Object.entries(PAGES)) {
    const {warnings} = await build(name, page + COMMON);
    assert.deepEqual(warnings.map(({text}) => text), []);
    await writeFile(path.join(folder, 'www', `${name}.html`),
                    `<!doctype html><link rel="icon" href="data:,"><div id="game"></div><script type="module" src="${name}.js"></script>`);
    const alone = await build('alone', `export {followBodies, drawDebug, createControls} from 'carom/${name}';`, {write: false, external: ['pixi.js', 'phaser']});
    sizes[name] = gzipSync(alone.outputFiles[0].contents).length;
    assert.equal(/from\s*"phaser"/.test(alone.outputFiles[0].text), false, 'nothing is imported from Phaser');
  }
  await writeFile(path.join(folder, 'www/index.html'), '<!doctype html>');
  server = await startCaromd(['--www', path.join(folder, 'www')]);
  browser = await startBrowser();
});
test.after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) await rm(folder, {recursive: true, force: true});
});

async function open(t, name) {
  const page = await newPage(browser, {viewport: {width: 500, height: 400}});
  t.after(() => page.context().close());
  await page.goto(`http://127.0.0.1:${server.port}/${name}.html`);
  await until(page, () => globalThis.ready?.then(() => true));
  return page;
}

for (const name of Object.keys(PAGES)) {
  test(`${name}_objects_follow_bodies`, {skip}, async (t) => {
    const page = await open(t, name);
    const placed = await page.evaluate(() => {
      globalThis.told = [];
      lab.followers = lab.follow({
        sprite(body) {
          if (body.tag === 'hidden') return null;
          return body.tag === 'own' ? lab.own() : undefined;
        },
        remove: ({id}) => told.push(id),
      });
      show({spawned: [map(1, {tag: 'own', position: [1, 2], angle: 0.5}), map(2, {position: [-2, -1]}), map(3, {tag: 'hidden'})]});
      lab.followers.update();
      const {x, y, rotation} = lab.followers.get(1);
      return {x, y, rotation, size: lab.followers.size, ids: [...lab.followers].map(([{id}]) => id), none: lab.followers.get(3) ?? 'none'};
    });
    assert.deepEqual(placed, {x: 50, y: -100, rotation: -0.5, size: 2, ids: [1, 2], none: 'none'});
    // Above is above: body 1 is red, two metres above the middle; body 2 is filled with its shapes' colour.
    assert.deepEqual(await page.evaluate(() => colourAt(1, 2)), [255, 0, 0]);
    assert.deepEqual(await page.evaluate(() => colourAt(1, -2)), [0, 0, 0]);
    const [red, green, blue] = await page.evaluate(() => colourAt(-2.5, -1.3));
    assert.ok(green > 60 && green > red && green > blue, `${red} ${green} ${blue}`);
    // A second one, which comes later, has all bodies too; it ends alone.
    assert.deepEqual(await page.evaluate(() => {
      const second = lab.follow();
      const {size} = second;
      second.destroy();
      return [size, second.size, lab.followers.size];
    }), [3, 0, 2]);
    // Moved, described again, removed.
    const after = await page.evaluate(() => {
      const before = lab.followers.get(2);
      show({rows: [{body: 1, position: [-3, 0], angle: 0}], spawned: [map(2, {position: [-2, -1], shapes: [{shape: 9, kind: 'circle', radius: 0.2}]})]});
      lab.followers.update();
      const renewed = lab.followers.get(2) !== before;
      const {x} = lab.followers.get(1);
      show({removed: [1]});
      lab.view.advance(performance.now());
      lab.followers.update();
      return {renewed, x, told, gone: lab.followers.get(1) === undefined};
    });
    assert.deepEqual(after, {renewed: true, x: -150, told: [1], gone: true});
    assert.deepEqual(await page.evaluate(() => colourAt(-3, 0)), [0, 0, 0]);
    assert.deepEqual(await page.evaluate(() => colourAt(-2.5, -1.3)), [0, 0, 0], 'the smaller circle leaves this place');
    assert.deepEqual(errorsOf(page), []);
  });

  test(`${name}_draws_shapes_and_contacts`, {skip}, async (t) => {
    const page = await open(t, name);
    await page.evaluate(() => {
      show({spawned: [map(1, {position: [0, 1], angle: Math.PI / 2, shapes: [{shape: 1, kind: 'polygon', vertices: [[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]]}]})],
            contacts: [{a: 1, b: 2, normal: [0, 1], points: [{point: [2, -1], depth: 0, impulse: 1}]}]});
      lab.drawing = lab.debug();
      lab.drawing.update();
    });
    const green = await page.evaluate(() => colourAt(0.5, 1.5)); // the box stands upright: its side is half a metre from the middle
    assert.ok(green[1] > 100 && green[0] < green[1], String(green));
    const [red, other] = await page.evaluate(() => colourAt(2, -1));
    assert.ok(red > 200 && other < 150, 'the contact');
    assert.deepEqual(await page.evaluate(() => colourAt(0, 1)), [0, 0, 0], 'lines only');
    assert.deepEqual(await page.evaluate(async () => {
      lab.drawing.graphics.visible = false;
      lab.drawing.update();
      return colourAt(0.5, 1.5);
    }), [0, 0, 0]);
    assert.deepEqual(errorsOf(page), []);
  });

  test(`${name}_reads_keys_and_pointer`, {skip}, async (t) => {
    const page = await open(t, name);
    const read = () => page.evaluate(() => ({direction: lab.controls.direction, space: lab.controls.held('Space'), struck: lab.controls.struck('Space')}));
    await page.keyboard.down('ArrowUp');
    await page.keyboard.down('KeyD');
    await page.keyboard.down('Space');
    const {direction, ...more} = await read();
    assert.deepEqual(direction.map((value) => value.toFixed(3)), ['0.707', '0.707']);
    assert.deepEqual(more, {space: true, struck: true});
    assert.equal((await read()).struck, false, 'once for each press');
    await page.evaluate(() => dispatchEvent(new Event('blur')));
    assert.deepEqual(await read(), {direction: [0, 0], space: false, struck: false});
    const {x, y} = await page.evaluate(() => lab.canvas.getBoundingClientRect());
    await page.mouse.move(x + 300, y + 50);
    await page.mouse.down();
    await until(page, () => lab.controls.pointer?.down);
    assert.deepEqual(await page.evaluate(() => lab.controls.pointer), {x: 2, y: 2, down: true});
    await page.mouse.up();
    await until(page, () => !lab.controls.pointer.down);
    assert.deepEqual(errorsOf(page), []);
  });

  test(`${name}_refuses_what_it_cannot_draw`, {skip}, async (t) => {
    const page = await open(t, name);
    const errors = await page.evaluate((adapter) => {
      const told = (action) => {
        try {
          action();
          return 'no error';
        } catch ({message}) {
          return message;
        }
      };
      const {target, view} = lab;
      const last = adapter === 'pixi' ? [{canvas: lab.canvas}, target] : [target];
      return [told(() => lab.adapter.followBodies({}, view)), told(() => lab.adapter.followBodies(target, {})),
              told(() => lab.follow({pixelsPerMetre: 0})), told(() => lab.follow({sprite: 'red'})),
              told(() => lab.adapter.createControls(...last, {keys: {jump: ['Space']}}))];
    }, name);
    assert.match(errors[0], name === 'phaser' ? /^scene: expected a scene of Phaser/ : /^container: expected a Container of PixiJS/);
    assert.match(errors[1], /^view: expected the view of a subscription/);
    assert.equal(errors[2], 'pixelsPerMetre: above 0 and at most 1000000, got 0');
    assert.equal(errors[3], 'sprite: expected a function');
    assert.equal(errors[4], "keys: there is no 'jump'; there are left, right, up, down");
  });

  test(`${name}_adapter_is_small`, {skip}, (t) => {
    t.diagnostic(`carom/${name} without the library: ${sizes[name]} bytes, compressed`);
    assert.ok(sizes[name] < ADAPTER_BYTES_MAX, `${sizes[name]} bytes`);
  });
}

const near = (points, expected) => {
  assert.equal(points.length, expected.length);
  points.forEach(({x, y}, i) => assert.ok(Math.hypot(x - expected[i][0], y - expected[i][1]) < 1e-9, `${x} ${y}`));
};

test('outlines_are_in_pixels_with_y_downward', () => {
  assert.deepEqual(toMetres(toPixels([3, -2], 40), 40), [3, -2]);
  near(outlineOf({kind: 'polygon', vertices: [[0, 0], [1, 0], [0, 2]]}, 10).points, [[0, 0], [10, 0], [0, -20]]);
  near(outlineOf({kind: 'segment', a: [0, 1], b: [1, 1]}, 10).points, [[0, -10], [10, -10]]);
  assert.equal(outlineOf({kind: 'segment', a: [0, 1], b: [1, 1]}).closed, false);
  assert.equal(outlineOf({kind: 'chain', vertices: [[0, 0], [1, 0], [1, 1]], loop: true}).closed, true);
  near(placed({points: [{x: 10, y: 0}], closed: true}, {x: 1, y: 2, angle: Math.PI / 2}, 10).points, [[10, -30]]);
});

test('round_outlines_stay_within_a_fifth_of_a_pixel', () => {
  for (const scale of [5, 50, 500]) {
    const {points} = outlineOf({kind: 'circle', center: [1, 2], radius: 0.5}, scale);
    assert.ok(points.length >= 12 && points.length <= 128, `${points.length}`);
    for (const {x, y} of points) assert.ok(Math.abs(Math.hypot(x - scale, y + 2 * scale) - 0.5 * scale) < 1e-6);
  }
  // A capsule and a box with round corners: every point is `radius` from the shape within, on all sides.
  const capsule = outlineOf({kind: 'capsule', a: [-1, 0], b: [1, 0], radius: 0.5}, 1).points;
  for (const {x, y} of capsule) assert.ok(Math.abs(Math.hypot(x - Math.max(-1, Math.min(1, x)), y) - 0.5) < 1e-9, `${x} ${y}`);
  assert.deepEqual([Math.max(...capsule.map(({x}) => x)), Math.max(...capsule.map(({y}) => y))], [1.5, 0.5]);
  const box = outlineOf({kind: 'polygon', radius: 0.25, vertices: [[-1, -1], [1, -1], [1, 1], [-1, 1]]}, 1).points;
  const clamp = (value) => Math.max(-1, Math.min(1, value));
  for (const {x, y} of box) assert.ok(Math.abs(Math.hypot(x - clamp(x), y - clamp(y)) - 0.25) < 1e-9, `${x} ${y}`);
  assert.equal(Math.max(...box.map(({x}) => x)), 1.25);
});
