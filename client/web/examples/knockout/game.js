// Knockout: discs push each other off a platform. A whole game for many players in one file: the server
// owns the world, this page steers one disc and draws all of them.
//
// Each player's disc is a body of its own session: the server lets nobody else change it where there are tokens
// (`#token=…`), and removes it when the player leaves for good. The world is predicted (`world.predict`): this player's
// push moves the disc at once, no matter how far away the server is, and the server does the same at the same tick. The
// page reads what decides the game, such as which disc is over the rim, from the server's world.
//
// The address: `?server=ws://host:port/rpc` (else the page's own server, or ws://127.0.0.1:22767/rpc), `#token=…` for that
// server, which leaves the address at once, `#name=…` to join at once, `#distance` to open the panel that shows and changes
// the distance (distance.js).

import {DistancePanel} from './distance.js';
import {connect} from '../../src/index.js';

const WORLD = 'knockout';
const PLATFORM = 10; // radius [m]
const DISC = {kind: 'circle', radius: 0.7, restitution: 0.9, friction: 0.1};
const ROCK = {kind: 'circle', radius: 1.1, restitution: 0.9, density: 2};
const ROCKS = 3;
const ROCKS_MS = 500; // interval between two checks of the rocks
const PUSH = 26; // force of a push [N per kg]
const DAMPING = 0.9; // 1/s
const COLOURS = ['#ff9f5a', '#4cc9f0', '#c792ff', '#5fe3a1', '#ff6b8b', '#ffd166'];
const KEYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

const $ = (id) => document.getElementById(id);
const address = new URLSearchParams(location.hash.slice(1));
const named = new URLSearchParams(location.search).get('server');
const field = $('field');
const context = field.getContext('2d');

// `view` is what is drawn: a Prediction.
const game = {client: null, world: null, view: null, disc: 0, mass: 1, name: '', outs: 0, out: false,
              rocks: new Set(), distance: {delayMs: 0, stall: 0}, panel: null};
globalThis.game = game; // for the console, and for tests

// ---- the token

// Moves a token from the address, where every copy of the link would reveal it, to where this tab keeps it for the server
// that the same address named. Another server that a later link names gets none.
const tokenKey = `knockout token ${named ?? ''}`;
let token = null;

function keepToken() {
  token = address.get('token');
  try {
    if (token) sessionStorage.setItem(tokenKey, token);
    else token = sessionStorage.getItem(tokenKey);
  } catch { // the browser stores nothing: the token is lost with a reload
  }
  if (!address.has('token')) return;
  address.delete('token');
  history.replaceState(null, '', `${location.pathname}${location.search}#${address}`.replace(/#$/, ''));
}

keepToken();
addEventListener('hashchange', () => location.reload()); // another link was opened in this tab

// ---- the world

const makeWorld = (world) => world.world.create({gravity: [0, 0], if_absent: true});

function somewhere() {
  const angle = Math.random() * 2 * Math.PI;
  return [0.4 * PLATFORM * Math.cos(angle), 0.4 * PLATFORM * Math.sin(angle)];
}

/** Keeps the number of rocks: the page of the oldest disc makes missing ones, and each page brings back
 * its own rocks that were pushed over the rim. Rocks end with their page's session. */
async function keepRocks() {
  const bodies = [...game.view.bodies];
  const rocks = bodies.filter(([, body]) => body.tag === 'rock');
  const eldest = Math.min(...bodies.filter(([, body]) => body.tag.includes('|')).map(([id]) => id));
  for (const [id, {x, y}] of rocks) {
    if (!game.rocks.has(id) || Math.hypot(x, y) < PLATFORM) continue;
    await game.world.body.set({body: id, position: somewhere(), velocity: [0, 0], angular_velocity: 0});
  }
  // rocks that were made but are not visible yet
  const coming = [...game.rocks].filter((id) => !game.view.bodies.has(id)).length;
  for (let i = rocks.length + coming; i < ROCKS && eldest === game.disc; i++) {
    const {body} = await game.world.body.spawn({
      tag: 'rock', lifetime: 'session', position: somewhere(), linear_damping: DAMPING, angular_damping: DAMPING,
      shapes: [ROCK]});
    game.rocks.add(body);
  }
}

/** Checks one after the other, so that no rock is made twice. */
async function watchRocks() {
  try {
    await keepRocks();
  } catch { // the connection is lost, or a rock was removed meanwhile: the next check corrects that
  }
  setTimeout(watchRocks, ROCKS_MS);
}

/** A disc at the rim, on the side where there is the most room. Its tag shows the other players the name and the number
   of outs. */
async function enter() {
  const angle = Math.random() * 2 * Math.PI;
  const position = [0.8 * PLATFORM * Math.cos(angle), 0.8 * PLATFORM * Math.sin(angle)];
  const {body} = await game.world.body.spawn({
    tag: `${game.name}|${game.outs}`, lifetime: 'session', position, linear_damping: DAMPING, angular_damping: DAMPING,
    allow_sleep: false, shapes: [DISC]});
  game.mass = (await game.world.body.get({body})).mass;
  game.disc = body;
  game.out = false;
  game.sent = '0,0';
}

// The server of `?server=`; else the page's own, if caromd serves the page (--www); else the one on this machine.
async function findServer() {
  const own = named ? null : await fetch('/healthz').catch(() => null);
  return named ?? (own?.ok ? undefined : 'ws://127.0.0.1:22767/rpc');
}

async function play(name) {
  game.name = name;
  const server = await findServer();
  game.client = await connect(server, {name: 'knockout', token: token ?? undefined, distance: game.distance});
  game.world = game.client.use(WORLD);
  await makeWorld(game.world);
  game.view = await game.world.predict({input: steer});
  game.view.on('refused', ({error}) => {
    game.sent = ''; // sends the force again
    say(error.message);
  });
  if (game.view.reason) say(`No prediction: ${game.view.reason.message}`);
  game.client.on('lost', () => say('The connection was lost; trying again …'));
  game.client.on('resumed', () => say(''));
  game.client.on('renewed', async () => {
    // The server has restarted without this player's disc.
    say('');
    await makeWorld(game.world);
    await enter();
  });
  await enter();
  watchRocks();
  game.panel = new DistancePanel(game, field);
  if (address.has('distance')) game.panel.open();
  $('join').hidden = true;
  field.focus();
}

/** The disc's place in the server's world: predictions may be taken back, a fall may not. */
function place() {
  const {view, disc} = game;
  if (!view.confirmed) return view.bodies.get(disc);
  const body = view.confirmed.body(disc);
  if (body === null) return undefined;
  const [x, y] = body.position;
  return {x, y};
}

/** The disc is over the rim: it is out, and comes back with one more out. */
async function fall() {
  game.out = true;
  game.outs++;
  await game.world.body.remove({body: game.disc});
  await enter();
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
  const scale = length > 0 ? PUSH * game.mass / length : 0;
  const force = [x * scale, y * scale];
  if (!firstTime || !game.disc || game.out || force.join() === game.sent) return;
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
addEventListener('pagehide', () => game.disc && game.world.notify('body.remove', {body: game.disc}));

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
  const [name] = tag.split('|');
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
  table(bodies);
  const me = place();
  if (me && !game.out && Math.hypot(me.x, me.y) > PLATFORM) fall().catch((error) => say(error.message));
}

let shown = '';

function table(bodies) {
  const players = bodies.filter((body) => body.tag.includes('|')).map((body) => body.tag.split('|'));
  players.sort((a, b) => a[1] - b[1]);
  if (players.join(';') === shown) return;
  shown = players.join(';');
  $('table').replaceChildren(...players.map(([name, outs]) => {
    const line = document.createElement('li');
    const count = document.createElement('b');
    count.textContent = outs;
    line.append(count, name);
    return line;
  }));
}

function say(text) {
  $('says').textContent = text;
}

// One attempt at a time: a second press while the first connects would put a second disc into the world.
$('join').addEventListener('submit', async (event) => {
  event.preventDefault();
  if ($('play').disabled) return;
  $('play').disabled = true;
  say('');
  try {
    await play($('name').value.trim());
  } catch (error) {
    say(error.message);
    game.client?.close();
    $('play').disabled = false;
  }
});
if (address.has('name')) {
  $('name').value = address.get('name').slice(0, $('name').maxLength);
  $('join').requestSubmit(); // unless the form refuses such a name
}
requestAnimationFrame(draw);
