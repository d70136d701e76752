#!/usr/bin/env node
// One game on two servers: caromd, and a room of Colyseus whose world planck steps. 200 bodies that never rest at 60 Hz, 30 clients that push
// theirs ten times a second and see all of it 30 times a second over WebSockets, and a probe that measures how long a command
// takes until its effect is seen. README.md of tests/bench explains the table.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

import {connect} from '../../../client/web/src/index.js';
import {PlainWebSocket} from '../../../client/web/test/websocket.js';
import {BODIES, FORCE, HZ, makeBodies, PLAYER_DAMPING, PLAYERS, PROBE, PROBE_IMPULSE, PUSH_MS, RADIUS, RATE, WALLS} from './arena.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const HELP = `Usage: node tests/bench/colyseus/main.js [options]

The packages of the other side are installed by: npm ci --prefix tests/bench/colyseus

  --caromd FILE     the server (.build/release/server/caromd)
  --seconds N       of each measurement (20)
  --rounds N        measurements of each server, in turns (3)
  --clients N       that push and watch, 1 to 30 (30)
  --subjects LIST   of carom,float32,int16: caromd, Colyseus with coordinates as float32, and rounded
                    to int16 (all)
`;
const SUBJECTS = {carom: 'carom, packed', float32: 'Colyseus + planck, float32', int16: 'Colyseus + planck, int16 rounded by hand'};
const WARM_MS = 3000;
const PROBE_MS = [500, 700]; // pause between two probes, at random within
const MOVED_M = 0.005;
const TICKS = 100; // clock ticks a second in /proc, on every Linux

const {values: options} = parseArgs({options: {
  caromd: {type: 'string', default: here('../../../.build/release/server/caromd')}, seconds: {type: 'string', default: '20'},
  rounds: {type: 'string', default: '3'}, clients: {type: 'string', default: String(PLAYERS)}, subjects: {type: 'string', default: Object.keys(SUBJECTS).join(',')}, help: {type: 'boolean', default: false}}});
if (options.help) {
  console.log(HELP.trimEnd());
  process.exit();
}

function fail(text) {
  console.error(text);
  process.exit(2);
}
for (const [name, most] of [['seconds', 600], ['rounds', 100], ['clients', PLAYERS]]) {
  const value = Number(options[name]);
  if (!(Number.isInteger(value) && value >= 1 && value <= most)) fail(`--${name}: a whole number from 1 to ${most}, got ${options[name]}`);
}
const CLIENTS = Number(options.clients);
const subjects = options.subjects.split(',');
for (const name of subjects) if (!(name in SUBJECTS)) fail(`--subjects: '${name}' is not one of ${Object.keys(SUBJECTS).join(', ')}`);
if (subjects.some((name) => name !== 'carom') && !existsSync(here('node_modules/colyseus.js'))) {
  fail('Colyseus is not installed: npm ci --prefix tests/bench/colyseus (--subjects carom measures without it)');
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sorted = (values) => [...values].sort((a, b) => a - b);
const share = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(part * values.length))];
const median = (values) => share(values, 0.5);

// ---- the two games, with the same functions: join() gives a player {push(x, y), bytes(), snapshots()}, probe(moved) gives {impulse(x)}

async function startProgram(program, args, pattern) {
  const child = spawn(program, args, {stdio: ['pipe', 'pipe', 'pipe']});
  let said = '';
  let port;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-65536);
      port ??= pattern.exec(said)?.[1];
    });
  }
  while (port === undefined) {
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${said}`);
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
  }
  return {child, port};
}

async function startCarom() {
  const {child, port} = await startProgram(options.caromd, ['--listen', '127.0.0.1:0', '--http', '127.0.0.1:0'], /for browsers: http:\/\/127\.0\.0\.1:(\d+)[^]*listening on /);
  const open = () => connect(`ws://127.0.0.1:${port}/rpc`, {WebSocket: PlainWebSocket, name: 'bench'});
  const admin = await open();
  const arena = admin.use('arena');
  await arena.world.create({gravity: [0, 0], hz: HZ, sleep: false});
  const batch = arena.batch();
  for (const {position, size} of WALLS) batch.body.spawn({type: 'static', position, shapes: [{kind: 'box', size, friction: 0, restitution: 1}]});
  const shape = {kind: 'circle', radius: RADIUS, friction: 0, restitution: 1};
  const bodies = makeBodies();
  const made = bodies.map(({position, velocity, player}) =>
    batch.body.spawn({position, velocity, linear_damping: player ? PLAYER_DAMPING : 0, shapes: [shape]}));
  const target = batch.body.spawn({position: PROBE.position, linear_damping: PROBE.damping, shapes: [shape]});
  const {results} = await batch.send();
  const idOf = ({$: index}) => results[index].body;
  const free = made.filter((_, i) => bodies[i].player).map(idOf);
  const watch = async () => {
    const client = await open();
    const world = client.use('arena');
    return {client, world, watched: await world.subscribe({rate: RATE, events: []})};
  };
  return {
    child,
    async join() {
      const {client, world, watched} = await watch();
      const body = free.shift();
      let snapshots = 0;
      watched.on('snapshot', () => {
        snapshots++;
      });
      return {push: (x, y) => world.notify('body.force', {body, force: [x, y]}), bytes: () => client.traffic.bytesIn, snapshots: () => snapshots,
              close: () => client.close()};
    },
    async probe(moved) {
      const {client, world, watched} = await watch();
      const body = idOf(target);
      watched.on('snapshot', (snapshot) => {
        const row = snapshot.bodies.find(([id]) => id === body);
        if (row) moved(row[1]);
      });
      return {impulse: (x) => world.notify('body.impulse', {body, impulse: [x, 0]}), close: () => client.close()};
    },
    tick: async () => (await arena.world.info()).tick,
    close: () => admin.close(),
  };
}

async function startColyseus(kind) {
  const {Client} = await import('colyseus.js');
  const {child, port} = await startProgram(process.execPath, [here('server.js'), kind], /port (\d+)/);
  const scale = kind === 'int16' ? 1024 : 1;
  const enter = async (more) => {
    const room = await new Client(`ws://127.0.0.1:${port}`).joinOrCreate('arena', more);
    let bytes = 0;
    room.connection.transport.ws.addEventListener('message', ({data}) => {
      bytes += data.byteLength;
    });
    return {room, bytes: () => bytes, close: () => room.leave()};
  };
  let state; // as the probe sees it
  return {
    child,
    async join() {
      const {room, ...more} = await enter({});
      let snapshots = 0;
      room.onStateChange(() => {
        snapshots++;
      });
      return {push: (x, y) => room.send('push', {x, y}), snapshots: () => snapshots, ...more};
    },
    async probe(moved) {
      const {room, ...more} = await enter({probe: true});
      room.onStateChange((now) => {
        state = now;
        moved(now.bodies.get(String(BODIES - 1)).x / scale);
      });
      return {impulse: (x) => room.send('impulse', x), ...more};
    },
    tick: async () => state.tick,
    close: () => {},
  };
}

// ---- one measurement

function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function measure(name) {
  const game = name === 'carom' ? await startCarom() : await startColyseus(name);
  const latencies = [];
  let at = NaN; // where the probe's body was, until it has moved
  let sent = 0;
  const probe = await game.probe((x) => {
    if (sent > 0 && Math.abs(x - at) > MOVED_M) {
      latencies.push(performance.now() - sent);
      sent = 0;
    }
    if (sent === 0) at = x;
  });
  const players = [];
  for (let i = 0; i < CLIENTS; i++) players.push(await game.join());
  let turn = 0;
  const pushing = players.map((player, i) => setInterval(() => {
    const angle = 2.399963 * (turn++ + i);
    player.push(FORCE * Math.cos(angle), FORCE * Math.sin(angle));
  }, PUSH_MS));
  await sleep(WARM_MS);

  const total = (what) => players.reduce((sum, player) => sum + player[what](), 0);
  const begin = {bytes: total('bytes'), snapshots: total('snapshots'), server: processorSeconds(game.child.pid), clients: process.cpuUsage(), tick: await game.tick(), ms: performance.now()};
  latencies.length = 0;
  const end = begin.ms + 1000 * Number(options.seconds);
  for (let sign = 1; performance.now() < end; sign = -sign) {
    await sleep(PROBE_MS[0] + Math.random() * (PROBE_MS[1] - PROBE_MS[0]));
    if (sent > 0) continue;
    sent = performance.now();
    probe.impulse(sign * PROBE_IMPULSE);
  }
  const seconds = (performance.now() - begin.ms) / 1000;
  const {user, system} = process.cpuUsage(begin.clients);
  const row = {
    kbits: (total('bytes') - begin.bytes) * 8 / 1000 / CLIENTS / seconds, rate: (total('snapshots') - begin.snapshots) / CLIENTS / seconds, server: 100 * (processorSeconds(game.child.pid) - begin.server) / seconds,
    clients: (user + system) / 1e4 / seconds, p50: share(latencies, 0.5), p99: share(latencies, 0.99), hz: (await game.tick() - begin.tick) / seconds,
  };
  for (const timer of pushing) clearInterval(timer);
  for (const one of [...players, probe, game]) one.close();
  const ended = once(game.child, 'exit');
  game.child.stdin.end();
  game.child.kill();
  await ended;
  return row;
}

const rows = Object.fromEntries(subjects.map((name) => [name, []]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (let i = 0; i < subjects.length; i++) {
    const name = subjects[(i + round) % subjects.length];
    rows[name].push(await measure(name));
  }
}
const version = (name) => JSON.parse(readFileSync(path.join(here('node_modules'), name, 'package.json'), 'utf8')).version;
if (subjects.length > 1 || subjects[0] !== 'carom') {
  console.log(`Colyseus ${version('@colyseus/core')}, planck ${version('planck')}, Node ${process.version.slice(1)};`);
}
console.log(`${BODIES} bodies at ${HZ} Hz, ${CLIENTS} clients, ${RATE} snapshots a second, medians of ${options.rounds} times ${options.seconds} s\n`);
console.log('| server | kbit/s a client | server [% of a core] | all clients [% of a core] | command to picture p50 [ms] | p99 [ms] | ticks a second | snapshots a second |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const name of subjects) {
  const of = (key, digits = 1) => median(rows[name].map((row) => row[key])).toFixed(digits);
  console.log(`| ${SUBJECTS[name]} | ${of('kbits')} | ${of('server')} | ${of('clients')} | ${of('p50')} | ${of('p99')} | ${of('hz')} | ${of('rate')} |`);
}
