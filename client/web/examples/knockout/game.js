// Knockout: discs push each other off a platform. This page takes a seat, steers its disc and draws all of them.
//
// The page decides nothing: the game's referee (rules.js) gives each seat a disc, sees who is out and keeps the
// score in the world's data; the server lets a player push its own disc and nothing else. The world is predicted
// (`world.predict`): this player's push moves the disc at once, no matter how far away the server is, and the server does
// the same at the same tick.
//
// The address: `?server=ws://host:port/rpc` (else the page's own server, or ws://127.0.0.1:22767/rpc), `#token=…` for that
// server and this visit, which leaves the address at once (../../src/visit.js), `#name=…` to join at once, `#watch` to look on,
// `#distance` to open the panel that shows and changes the distance (distance.js).

import {DistancePanel} from './distance.js';
import {DISC, PLATFORM, PUSH, seatOf} from './rules.js';
import {connect} from '../../src/index.js';
import {leftVisit, visitBy, visitToken} from '../../src/visit.js';

const TEMPLATE = 'knockout';
const MESSAGE_MS = 5000; // how long the end of a round is shown
const MASS = Math.PI * DISC.radius ** 2; // a disc's [kg]
const HZ = 60; // ticks a second, as arena.json leaves it
const COLOURS = ['#ff9f5a', '#4cc9f0', '#c792ff', '#5fe3a1', '#ff6b8b', '#ffd166'];
const KEYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

const $ = (id) => document.getElementById(id);
const address = new URLSearchParams(location.hash.slice(1));
const named = new URLSearchParams(location.search).get('server');
const field = $('field');
const context = field.getContext('2d');

// `view` is what is drawn: a Prediction, or of those who look on a WorldView. `board`: the subscription with scores.
// `round`: the number that was shown last.
const game = {client: null, world: null, view: null, board: null, round: 0, seat: 0, disc: 0, name: '', sent: '',
              distance: {delayMs: 0, stall: 0}, panel: null};
globalThis.game = game; // for the console, and for tests

// ---- the token

// Takes a token from the address, where every copy of the link would reveal it. It is for the server that the same address
// names, and for this visit: another server that a later link names gets none.
function takeToken() {
  const token = address.get('token');
  if (!address.has('token')) return;
  address.delete('token');
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${address}`.replace(/#$/, ''));
  if (token) visitBy(named ?? '', token);
}

takeToken();
addEventListener('hashchange', () => { // another link was opened in this tab
  leftVisit();
  location.reload();
});
addEventListener('popstate', () => { // also where only the visit differs: tokens have left the addresses
  if (leftVisit()) location.reload();
});

// ---- the world

// The server of `?server=`; else the page's own, if caromd serves the page (--www); else the one on this machine.
async function findServer() {
  const own = named ? null : await fetch('/healthz').catch(() => null);
  return named ?? (own?.ok ? undefined : 'ws://127.0.0.1:22767/rpc');
}

async function reach() {
  const server = await findServer();
  game.client = await connect(server, {name: 'knockout', token: visitToken(named ?? ''), distance: game.distance});
  game.client.on('lost', () => say('The connection was lost; trying again …'));
  game.client.on('resumed', () => say(''));
}

async function showBoard() {
  game.board = await game.world.subscribe({bodies: false, data: ['score/', 'round'], events: [], rate: 10});
  game.round = 0;
}

// Takes a seat, in a world that has one. The referee makes the disc.
async function sit() {
  const {world, seat} = await game.client.world.join({template: TEMPLATE, data: {name: game.name}});
  Object.assign(game, {world: game.client.use(world), seat, disc: 0, sent: ''});
  const {subject} = game.client.hello;
  if (subject) await game.world.data.set({key: `player/${subject}/name`, value: game.name});
  await showBoard();
  game.view = await game.world.predict({input: steer});
  game.view.on('refused', ({error}) => {
    game.sent = ''; // sends the force again
    say(error.message);
  });
  if (game.view.reason) say(`No prediction: ${game.view.reason.message}`);
}

async function play(name) {
  game.name = name;
  await reach();
  await sit();
  game.client.on('renewed', () => { // the server has restarted without this session: another seat
    say('');
    game.view.stop();
    sit().catch((error) => say(error.message));
  });
  game.panel = new DistancePanel(game, field);
  if (address.has('distance')) game.panel.open();
  $('join').hidden = true;
  field.focus();
}

// Looks on where most play.
async function watch() {
  await reach();
  const worlds = (await game.client.world.list()).filter(({template}) => template === TEMPLATE);
  if (worlds.length === 0) throw new Error('Nobody plays yet.');
  worlds.sort((a, b) => b.seats_taken - a.seats_taken);
  game.world = game.client.use(worlds[0].world);
  await showBoard();
  game.view = (await game.world.subscribe({describe: true, events: []})).view;
  $('join').hidden = true;
}

// This player's disc: the referee may make another one.
function findDisc() {
  if (game.seat === 0 || game.view.bodies.has(game.disc)) return;
  const mine = [...game.view.bodies.values()].find((body) => body.tag && seatOf(body) === game.seat);
  if (!mine) return;
  game.disc = mine.id;
  game.sent = '0,0';
}

// ---- steering

const held = new Set();
let finger = null; // where a finger points, relative to the disc [m]

/** The input of a tick: a push. A force acts until it is set again, so most ticks need no command. */
function steer(batch, {firstTime}) {
  let x = 0;
  let y = 0;
  for (const key of held) {
    x += KEYS[key][0];
    y += KEYS[key][1];
  }
  if (finger) [x, y] = finger;
  const length = Math.hypot(x, y);
  const scale = length > 0 ? PUSH * MASS / length : 0;
  const force = [x * scale, y * scale];
  if (!firstTime || !game.disc || force.join() === game.sent) return;
  batch.body.force({body: game.disc, force});
  game.sent = force.join();
}

addEventListener('keydown', (event) => {
  if (!KEYS[event.key] || event.target.tagName === 'INPUT') return;
  held.add(event.key);
  game.panel?.pressed();
  event.preventDefault();
});
addEventListener('keyup', (event) => held.delete(event.key));
addEventListener('blur', () => held.clear());
// The keyup goes to another tab. The prediction asks a hidden tab for input too, and the disc's force ends; otherwise the
// force would push the disc over the rim again and again.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'hidden') return;
  held.clear();
  finger = null;
});
for (const type of ['pointerdown', 'pointermove']) {
  field.addEventListener(type, (event) => {
    const me = game.view?.bodies.get(game.disc);
    if (!me || event.buttons === 0) return;
    const {scale, x, y} = frame();
    finger = [(event.clientX - x) / scale - me.pose.x, (y - event.clientY) / scale - me.pose.y];
  });
}
for (const type of ['pointerup', 'pointercancel']) field.addEventListener(type, () => {
  finger = null;
});

// ---- drawing

// The picture's rectangle above the panel; when the other picture is shown beside it (distance.js), the left half of
// that.
function frame() {
  const width = game.panel?.beside ? innerWidth / 2 : innerWidth;
  const height = innerHeight - (game.panel?.height ?? 0);
  return {scale: Math.min(width, height) / (2.3 * PLATFORM), x: width / 2, y: height / 2};
}

function colourOf(name) {
  let sum = 0;
  for (const letter of name) sum = sum * 31 + letter.codePointAt(0) | 0;
  return COLOURS[Math.abs(sum) % COLOURS.length];
}

function drawDisc({pose, tag, shapes}, scale) {
  if (tag === 'platform') return;
  const name = tag.slice(tag.indexOf('|') + 1);
  context.save();
  context.translate(pose.x, pose.y);
  context.rotate(pose.angle);
  context.fillStyle = tag === 'rock' ? '#56648c' : colourOf(name);
  context.beginPath();
  context.arc(0, 0, shapes[0]?.radius ?? DISC.radius, 0, 2 * Math.PI);
  context.fill();
  context.restore();
  if (tag === 'rock') return;
  context.save();
  context.translate(pose.x, pose.y);
  context.scale(1 / scale, -1 / scale);
  context.fillStyle = '#e7ecff';
  context.textAlign = 'center';
  context.font = '600 13px system-ui, sans-serif';
  context.fillText(name, 0, -scale * DISC.radius - 6);
  context.restore();
}

function drawPlatform(bodies, {scale, x, y}) {
  const dpr = devicePixelRatio || 1;
  context.setTransform(scale * dpr, 0, 0, -scale * dpr, x * dpr, y * dpr);
  context.fillStyle = '#1e2740';
  context.beginPath();
  context.arc(0, 0, PLATFORM, 0, 2 * Math.PI);
  context.fill();
  for (const body of bodies) drawDisc(body, scale);
}

function draw(now) {
  requestAnimationFrame(draw);
  const dpr = devicePixelRatio || 1;
  field.width = innerWidth * dpr;
  field.height = innerHeight * dpr;
  const here = frame();
  game.view?.advance(now);
  const bodies = [...game.view?.drawn() ?? []];
  drawPlatform(bodies, here);
  if (!game.view) return;
  game.panel?.frame(now);
  if (game.panel?.beside) drawPlatform(game.panel.beside.drawn(), {...here, x: here.x + innerWidth / 2});
  findDisc();
  table();
}

// Winners come from the data, which only the referee writes; a message may be of any player.
function showEnd(number, winners) {
  say(winners ? `Round ${number} goes to ${winners}` : `Round ${number} is over`);
  setTimeout(() => say(''), MESSAGE_MS);
}

let shown = '';

function table() {
  const {data, tick} = game.board?.view ?? {};
  if (!data) return;
  const scores = [...data].filter(([key]) => key.startsWith('score/')).map(([, score]) => score);
  scores.sort((a, b) => a.outs - b.outs || b.wins - a.wins || (a.name < b.name ? -1 : 1));
  const {number, ends, winners} = data.get('round') ?? {};
  if (game.round > 0 && number === game.round + 1) showEnd(game.round, winners.join(' and '));
  game.round = number ?? 0;
  const left = number ? Math.max(0, Math.ceil((ends - tick) / HZ)) : 0;
  const round = number ? `Round ${number}, ${left} s` : 'There is no referee yet.';
  const text = JSON.stringify([round, scores]);
  if (text === shown) return;
  shown = text;
  $('round').textContent = round;
  $('table').replaceChildren(...scores.map(({name, outs, wins}) => {
    const line = document.createElement('li');
    const count = document.createElement('b');
    count.textContent = outs;
    line.append(count, wins ? `${name} (${wins} won)` : name);
    return line;
  }));
}

function say(text) {
  $('says').textContent = text;
}

// One attempt at a time: a second press while the first connects would put a second disc into the world.
async function attempt(begin) {
  if ($('play').disabled) return;
  $('play').disabled = $('watch').disabled = true;
  say('');
  try {
    await begin();
  } catch (error) {
    say(error.message);
    game.client?.close();
    game.view = null;
    $('play').disabled = $('watch').disabled = false;
  }
}

$('join').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => play($('name').value.trim()));
});
$('watch').addEventListener('click', () => attempt(watch));
if (address.has('name')) {
  $('name').value = address.get('name').slice(0, $('name').maxLength);
  $('join').requestSubmit(); // unless the form refuses such a name
} else if (address.has('watch')) {
  attempt(watch);
}
requestAnimationFrame(draw);
