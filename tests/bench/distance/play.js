// Two players on a rink of a real server, at a distance (connect's `distance`): kbit/s of a player who predicts and of
// one who draws snapshots, and the time from a key to the motion of the player's disc in both pictures, in the same
// run.
import {connect} from '../../../client/web/src/index.js';

const MOVED_M = 0.005; // a disc this far from its old place has moved
const FRAME_MS = 1000 / 60;
const KEYS_MS = 333; // pause between two keys of a player
const REST_MS = 700; // pause after a key, until the disc is at rest
const KEY_MS_MAX = 5000;
const DISCS = 38;
const DISC = {kind: 'circle', radius: 0.5, restitution: 0.5};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function makeRink(rink) {
  await rink.world.create({gravity: [0, 0], if_absent: true});
  const batch = rink.batch();
  for (const [x, y, w, h] of [[0, 12, 26, 1], [0, -12, 26, 1], [12.5, 0, 1, 24], [-12.5, 0, 1, 24]]) {
    batch.body.spawn({type: 'static', position: [x, y], shapes: [{kind: 'box', size: [w, h]}]});
  }
  for (let i = 0; i < DISCS; i++) {
    batch.body.spawn({position: [(i % 10) * 1.5 - 7, Math.floor(i / 10) * 1.5 - 3], linear_damping: 0.8, shapes: [DISC]});
  }
  await batch.send();
}

const spawn = async (rink, position) =>
  (await rink.body.spawn({position, linear_damping: 6, lifetime: 'session', shapes: [DISC]})).body;

// A player: its picture and its keys.
class Player {
  constructor(client, rink, body, picture, press) {
    Object.assign(this, {client, rink, body, picture, press, keys: []});
  }

  get pose() {
    return this.picture.bodies.get(this.body)?.pose;
  }

  frame() {
    this.picture.advance(performance.now());
  }
}

async function predicts(url, distance, engine) {
  const client = await connect(url, {distance});
  const rink = client.use('rink');
  const body = await spawn(rink, [-9, 9]);
  let commands = [];
  const play = await rink.predict({engine, input(batch, {firstTime}) {
    if (!firstTime) return;
    for (const [method, args] of commands) batch.body[method](args);
    commands = [];
  }});
  if (!play.predicting) throw play.reason;
  return new Player(client, rink, body, play, (method, args) => commands.push([method, args]));
}

async function interpolates(url, distance) {
  const client = await connect(url, {distance});
  const rink = client.use('rink');
  const body = await spawn(rink, [9, 9]);
  const {view} = await rink.subscribe({describe: true, rate: 30, events: []});
  return new Player(client, rink, body, view, (method, args) => rink.notify(`body.${method}`, args));
}

// Draws frames of both players until `ms` have passed; `act()` before each.
async function frames(players, ms, act = () => false) {
  const end = performance.now() + ms;
  for (let next = performance.now(); next < end; next += FRAME_MS) {
    await sleep(Math.max(0, next - performance.now()));
    for (const player of players) player.frame();
    if (act()) return true;
  }
  return false;
}

async function traffic(players, seconds) {
  const before = players.map(({client}) => ({...client.traffic}));
  const began = performance.now();
  let next = began;
  let turn = 0;
  await frames(players, seconds * 1000, () => {
    if (performance.now() < next) return;
    next += KEYS_MS;
    turn++;
    for (const {press, body} of players) press('force', {body, force: [[10, 0], [0, 10], [-10, 0], [0, -10]][turn % 4]});
  });
  for (const {press, body} of players) press('force', {body, force: [0, 0]});
  const took = performance.now() - began; // bits per millisecond are kbit/s
  return players.map(({client}, i) => ({up: 8 * (client.traffic.bytesOut - before[i].bytesOut) / took,
                                        down: 8 * (client.traffic.bytesIn - before[i].bytesIn) / took}));
}

async function keys(players, count) {
  const times = players.map(() => []);
  for (let i = 0; i < count; i++) {
    await frames(players, REST_MS + 2 * players[0].client.clock.lastRtt);
    const from = players.map(({pose}) => ({...pose}));
    await sleep(FRAME_MS * ((i * 0.37) % 1)); // keys come at arbitrary moments of a frame
    const pressed = performance.now();
    for (const {press, body} of players) press('impulse', {body, impulse: [i % 2 === 0 ? 2 : -2, 0]});
    const moved = players.map(() => undefined);
    const all = await frames(players, KEY_MS_MAX, () => {
      players.forEach(({pose}, k) => {
        if (moved[k] === undefined && Math.hypot(pose.x - from[k].x, pose.y - from[k].y) > MOVED_M) moved[k] = performance.now() - pressed;
      });
      return moved.every((ms) => ms !== undefined);
    });
    if (!all) throw new Error(`a disc has not moved ${KEY_MS_MAX} ms after its key`);
    moved.forEach((ms, k) => times[k].push(ms));
  }
  for (const list of times) list.sort((a, b) => a - b);
  return times;
}

/** `distance` is the option of connect, `engine` the result of loadEngine(); the answer has [predicted, interpolated] of each
 * figure, and the prediction's own. */
export async function measurePlay(url, distance, {seconds, presses, engine}) {
  const host = await connect(url);
  await makeRink(host.use('rink'));
  const players = [await predicts(url, distance, engine), await interpolates(url, distance)];
  try {
    await frames(players, 3000); // time for the clocks to become accurate
    const kbits = await traffic(players, seconds);
    const {figures} = players[0].picture;
    return {kbits, figures, keys: await keys(players, presses)};
  } finally {
    players[0].picture.stop();
    for (const {client} of players) client.close();
    await host.use('rink').world.destroy();
    host.close();
  }
}
