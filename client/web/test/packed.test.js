// The decoder of packed snapshots against PROTOCOL.md's example, against the coder in C over random streams
// (CAROM_PACKED_SNAPSHOTS: their number, default 5000; CAROM_PACKED_SEED), against bytes that were cut off or altered,
// and in a subscription of a real server.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import {test} from 'node:test';

import {BODIES_MAX, PackedDecoder} from '../src/packed.js';
import {Subscription} from '../src/subscription.js';
import {SubscriptionList} from '../src/subscription_list.js';
import {connect} from '../src/index.js';
import {AWAIT_MS} from './patience.js';
import {startCaromd} from './support.js';

const SNAPSHOTS = process.env.CAROM_PACKED_SNAPSHOTS || '5000';
const SEED = process.env.CAROM_PACKED_SEED || '19';

/** [meaning, bytes] of the six snapshots that PROTOCOL.md shows. */
function example() {
  const text = fs.readFileSync(process.env.PROTOCOL, 'utf8');
  const block = /<!-- bytes packed -->\n```\n([\s\S]*?)```/.exec(text)[1];
  const pieces = [];
  for (const line of block.split('\n').filter((l) => l !== '')) {
    if (!line.startsWith('        ')) pieces.push([line, []]);
    else pieces.at(-1)[1].push(...line.trim().split(' ').map((byte) => parseInt(byte, 16)));
  }
  return pieces.map(([meaning, bytes]) => [meaning, Uint8Array.from(bytes)]);
}

function tell(answer) {
  const steps = (value, size) => Math.round(value * size) + 0;
  const parts = [`${answer.full ? 'full,' : 'change to'} tick ${answer.tick}`];
  for (const id of answer.removed) parts.push(`removed ${id}`);
  for (const id of answer.leave) parts.push(`left ${id}`);
  for (const id of answer.enter) parts.push(`entered ${id}`);
  for (const [id, x, y, angle] of answer.bodies) {
    parts.push(`body ${id}: q = ${steps(x, 512)}, ${steps(y, 512)}, ${steps(angle, 1024 / (2 * Math.PI))}`);
  }
  return parts.join('; ');
}

test('the example of PROTOCOL.md says what stands beside it', () => {
  const decoder = new PackedDecoder();
  const pieces = example();
  assert.equal(pieces.length, 6);
  for (const [meaning, bytes] of pieces) assert.equal(tell(decoder.decode(bytes)), meaning);
});

test('bodies beyond what other subscriptions leave are refused', () => {
  const [[, full], [, change]] = example();
  const decoder = new PackedDecoder();
  const {size} = (decoder.decode(full), decoder);
  assert.ok(size > 0);
  const tight = new PackedDecoder();
  const refused = {code: 'limit_exceeded', message: /more than \d+ bodies in view/};
  assert.throws(() => tight.decode(full, size - 1), refused);
  assert.equal(tight.size, 0);
  assert.throws(() => tight.decode(change, size), /without the state/);
  tight.decode(full, size);
  assert.equal(tight.size, size);
});

test('packed subscriptions of a client count together, until they end', async () => {
  const [[, data]] = example();
  const {size} = ((decoder) => (decoder.decode(data), decoder))(new PackedDecoder());
  const client = {unsubscribe: async () => {}, heartbeat: {rtt: 0}, clock: {rtt: 0}};
  let number = 0;
  const list = new SubscriptionList(async (args, options, answered) => answered({subscription: ++number}), () => {});
  const [one, other] = await Promise.all([1, 2].map(async () => {
    const made = new Subscription(client, {world: 'w', encoding: 'packed'});
    await list.add(made);
    made.release();
    return made;
  }));
  const snapshot = {world: 'w', epoch: 1, tick: 1, full: true, data};
  list.take(one.id, {...snapshot, subscription: one.id}, 0);
  assert.deepEqual([one.error, one.packedBodies, one.others(), other.others()], [null, size, 0, size]);
  list.take(other.id, {...snapshot, subscription: other.id}, 0);
  assert.equal(one.others(), size);
  other.others = () => BODIES_MAX; // as if others had all
  list.take(other.id, {...snapshot, subscription: other.id}, 0);
  assert.equal(other.error.code, 'limit_exceeded');
  assert.equal(one.others(), 0);
});

/** Reads pieces of a given size from a child's output; null at its end. */
class Pipe {
  constructor(stream) {
    this.chunks = stream[Symbol.asyncIterator]();
    this.buffer = Buffer.alloc(0);
    this.at = 0;
  }

  async take(size) {
    while (this.buffer.length - this.at < size) {
      const {value, done} = await this.chunks.next();
      if (done) {
        assert.equal(this.buffer.length, this.at, 'the streams end within a snapshot');
        return null;
      }
      this.buffer = Buffer.concat([this.buffer.subarray(this.at), value]);
      this.at = 0;
    }
    this.at += size;
    return this.buffer.subarray(this.at - size, this.at);
  }

  async doubles(count) {
    const bytes = await this.take(8 * count);
    return Array.from({length: count}, (_, i) => bytes.readDoubleLE(8 * i));
  }

  async list() {
    const [count] = await this.doubles(1);
    return this.doubles(count);
  }
}

test(`agrees with the coder in C over ${SNAPSHOTS} random snapshots`, {timeout: 3600e3}, async () => {
  const child = spawn(process.env.PACKED_STREAMS, [SEED, SNAPSHOTS], {stdio: ['ignore', 'pipe', 'inherit']});
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const pipe = new Pipe(child.stdout);
  const decoder = new PackedDecoder();
  let count = 0;
  for (let head = await pipe.take(4); head !== null; head = await pipe.take(4)) {
    const bytes = Uint8Array.from(await pipe.take(head.readUInt32LE(0)));
    const [full, tick, hz, bodies] = await pipe.doubles(4);
    const rows = await pipe.doubles(7 * bodies);
    const removed = await pipe.list();
    const enter = await pipe.list();
    const leave = await pipe.list();
    const got = decoder.decode(bytes);
    const where = `snapshot ${count} of seed ${SEED}`;
    assert.deepEqual([got.full ? 1 : 0, got.tick, got.hz, got.bodies.length], [full, tick, hz, bodies], where);
    const flat = got.bodies.flat();
    for (let i = 0; i < rows.length; i++) assert.ok(flat[i] === rows[i], `${where}: ${flat[i]} is not ${rows[i]}`);
    assert.deepEqual([got.removed, got.enter, got.leave], [removed, enter, leave], where);
    count++;
  }
  assert.equal(await ended, 0);
  assert.equal(String(count), SNAPSHOTS);
});

test('bytes that were cut off or altered are refused or survived, and a full one is taken after that', () => {
  const [[, full], [, change]] = example();
  const decoder = new PackedDecoder();
  assert.throws(() => decoder.decode(change), /without the state/);
  assert.throws(() => decoder.decode(new Uint8Array(0)), /first byte/);
  assert.throws(() => decoder.decode(Uint8Array.of(33, 0, 0)), /first byte/);
  for (let size = 1; size < full.length; size++) {
    assert.throws(() => decoder.decode(full.subarray(0, size)), /packed/);
    assert.throws(() => decoder.decode(change), /without the state/);
  }
  for (let i = 0; i < 8 * (full.length - 1); i++) {
    const altered = Uint8Array.from(full);
    altered[1 + (i >> 3)] ^= 1 << (i & 7);
    try {
      decoder.decode(altered);
    } catch (error) {
      assert.match(error.message, /^packed: /);
    }
  }
  decoder.decode(full);
  decoder.decode(change);
});

test('a subscription of encoding packed has the same picture as a plain one', {timeout: AWAIT_MS}, async () => {
  const server = await startCaromd(['--world', 'pile:heap']);
  const client = await connect(server.url);
  const other = await connect(server.url);
  try {
    const plain = await client.subscribe({world: 'pile', encoding: 'plain'});
    const packed = await other.subscribe({world: 'pile', encoding: 'packed', precision: {velocity: 0.01}});
    const brief = await other.subscribe({world: 'pile'}); // packed is the default
    for (let i = 0; i < 60; i++) await packed.next();
    const {tick} = await client.call('world.pause', {world: 'pile'});
    for (const subscription of [plain, packed, brief]) {
      while (subscription.view.tick < tick) await subscription.next();
    }
    assert.ok(plain.view.bodies.size > 1000);
    for (const {view} of [packed, brief]) {
      assert.equal(view.bodies.size, plain.view.bodies.size);
      assert.equal(view.world, 'pile');
      assert.equal(view.epoch, plain.view.epoch);
      assert.ok(Math.abs(view.time - plain.view.time) < 1e-9);
      for (const [id, body] of plain.view.bodies) {
        const seen = view.bodies.get(id);
        assert.ok(Math.abs(seen.x - body.x) <= 0.501 / 512 && Math.abs(seen.y - body.y) <= 0.501 / 512);
      }
    }
    for (const [id, body] of plain.view.bodies) {
      assert.ok(Math.abs(packed.view.bodies.get(id).vx - body.vx) <= 0.00501);
    }
    await client.call('world.resume', {world: 'pile'});
    const made = await client.call('body.spawn', {world: 'pile', position: [0, 40], shapes: [{kind: 'circle', radius: 1}]});
    while (!packed.view.bodies.has(made.body)) await packed.next();
    await client.call('body.remove', {world: 'pile', body: made.body});
    while (packed.view.bodies.has(made.body)) await packed.next();
    await assert.rejects(client.subscribe({world: 'pile', encoding: 'packed', rate: 100}), /rate/);
    await assert.rejects(client.subscribe({world: 'pile', encoding: 'packed', precision: {position: 0}}), /precision/);
    await assert.rejects(client.subscribe({world: 'pile', encoding: 'packed', precision: {position: 3000}}), /precision/);
    await assert.rejects(client.subscribe({world: 'pile', encoding: 'plain', precision: {position: 1}}), /precision/);
    await assert.rejects(client.subscribe({world: 'pile', encoding: 'tight'}), /encoding/);
    await packed.next(); // the first subscription goes on
  } finally {
    await client.close();
    await other.close();
    await server.stop();
  }
});
