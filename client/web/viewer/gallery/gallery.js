// The gallery: scenes and recipes as living thumbnails, each a link to the viewer with that world in the page.
//
// All thumbnails share one engine and one budget of time. Those out of sight, and all of a hidden page, stand still.

import {loadEngine} from '../../src/engine.js';
import {sceneFile} from '../local/client.js';
import {RECIPES, playRecipe} from '../local/recipes.js';
import {applyScene, loadScene} from '../scene/load.js';
import {Thumbnail} from './thumbnail.js';

const SCENES = ['demo', 'gallery', 'cradle', 'billiards', 'drum', 'heap', 'pyramid'];
const FRAME_MS = 50; // time between two pictures
const BUDGET_MS = 8; // steps between two pictures, all thumbnails together

const $ = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const light = matchMedia('(prefers-color-scheme: light)');
const thumbnails = [];
let theme = 'dark';

function shine() {
  theme = light.matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
}

function card(title, address) {
  const canvas = Object.assign(document.createElement('canvas'), {role: 'img', ariaLabel: `${title}, in motion`});
  const text = document.createElement('small');
  const link = document.createElement('a');
  link.href = `${new URL('../index.html', import.meta.url).href}?local#${address}`;
  link.append(canvas, Object.assign(document.createElement('b'), {textContent: title}), text);
  const item = document.createElement('li');
  item.append(link);
  return {item, link, canvas, text};
}

async function makeScene(engine, name) {
  const scene = loadScene(await sceneFile(name));
  const world = engine.createWorld(scene.world);
  await applyScene(scene, async (commands) => world.apply(commands));
  return {world, view: scene.view, text: scene.description};
}

async function makeRecipe(engine, name) {
  const {world, area, step} = await playRecipe(engine, name);
  return {world, view: [...area], step, text: ''};
}

// A card is made at once; its world when it comes into sight for the first time.
function add(list, title, address, make) {
  const {item, link, canvas, text} = card(title, address);
  list.append(item);
  const entry = {canvas, make, text, thumbnail: null, loading: false, seen: false, pointed: false};
  for (const [name, pointed] of [['pointerenter', true], ['pointerleave', false], ['focus', true], ['blur', false]]) {
    link.addEventListener(name, () => {
      entry.pointed = pointed;
    });
  }
  thumbnails.push(entry);
  sight.observe(canvas);
}

const sight = new IntersectionObserver((changes) => {
  for (const {target, isIntersecting} of changes) thumbnails.find(({canvas}) => canvas === target).seen = isIntersecting;
});

async function load(entry) {
  entry.loading = true;
  try {
    const made = await entry.make();
    entry.text.textContent = made.text;
    entry.thumbnail = new Thumbnail(entry.canvas, made);
  } catch (error) {
    entry.text.textContent = `It cannot be shown: ${error.message}`;
  }
}

let first = 0; // the thumbnail whose turn is first
let last = performance.now();

async function turn() {
  const now = performance.now();
  const seconds = Math.min(0.2, (now - last) / 1000);
  last = now;
  if (!document.hidden) await show(seconds, now + BUDGET_MS);
  setTimeout(turn, FRAME_MS);
}

async function show(seconds, until) {
  const waiting = thumbnails.find(({seen, loading}) => seen && !loading);
  if (waiting) await load(waiting);
  const shown = thumbnails.filter(({seen, thumbnail}) => seen && thumbnail);
  for (let i = 0; i < shown.length; i++) {
    const {thumbnail, pointed, seen} = shown[(first + i) % shown.length];
    Object.assign(thumbnail, {seen, pointed});
    if (thumbnail.alive && (!still.matches || pointed)) await thumbnail.advance(seconds, until);
    thumbnail.draw(theme);
  }
  first++;
}

try {
  shine();
  light.addEventListener('change', shine);
  const engine = await loadEngine();
  for (const name of SCENES) add($('scenes'), name[0].toUpperCase() + name.slice(1), `scene=${name}`, () => makeScene(engine, name));
  for (const [name, {title}] of Object.entries(RECIPES)) add($('recipes'), title, `recipe=${name}`, () => makeRecipe(engine, name));
  globalThis.gallery = thumbnails; // for the console, and for tests
  turn();
} catch (error) {
  $('wrong').hidden = false;
  $('wrong').textContent = `The engine cannot be loaded: ${error.message}`;
}
