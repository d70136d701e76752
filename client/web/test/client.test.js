// The client against a real caromd (environment CAROMD): calls, errors, subscriptions, lost connections, another server
// in place of the first.
import test from 'node:test';
import assert from 'node:assert/strict';

import {CaromError, connect, decode, encode, makeClient, METHODS, transportFor,
        webSocketTransport} from '../src/index.js';
import {tlsOptions} from '../src/node.js';
import {transportFor as webTransportFor} from '../src/transport.js';
import {AWAIT_MS} from './patience.js';
import {BALL, event, open, sleep, startCaromd, startProxy} from './support.js';

let server;
test.before(async () => {
  server = await startCaromd();
});
test.after(async () => {
  assert.equal(await server.stop(), 0);
});

const QUICK = {reconnect: {firstMs: 10, maxMs: 50}};

// Opens a client of a proxied server, whose connection can be cut, and a world.
async function openCuttable(t, worldArgs, options) {
  const proxy = await startProxy(server.port);
  t.after(() => proxy.stop());
  const opened = await open(t, proxy.url, worldArgs, {...QUICK, ...options});
  return {...opened, proxy};
}

// ---- calls

test('calls_answer_and_bodies_fall', async (t) => {
  const {client, lab} = await open(t, server.url);
  assert.equal(client.state, 'open');
  assert.equal(client.hello.server, 'caromd');
  const {body, shapes, tick} = await lab.body.spawn({position: [0, 3], shapes: BALL});
  assert.equal(shapes.length, 1);
  assert.equal(tick, 0);
  await lab.world.step({ticks: 30});
  const map = await lab.body.get({body});
  assert.ok(map.position[1] < 3 && map.position[1] > 0);
  assert.deepEqual(await client.query.overlap({world: lab.name, area: [-1, -1, 1, 4]}), [body]);
});

test('every_method_of_the_table_is_a_function', async (t) => {
  const {client, lab} = await open(t, server.url);
  for (const [name, info] of Object.entries(METHODS)) {
    const [group, verb] = name.split('.');
    if (name === 'hello') continue;
    assert.equal(typeof (verb ? client[group][verb] : client[group]), 'function', name);
    assert.equal(typeof lab[group]?.[verb], info.args.includes('world') ? 'function' : 'undefined', name);
  }
});

test('errors_bear_code_text_and_method', async (t) => {
  const {client, lab} = await open(t, server.url);
  await assert.rejects(lab.body.spawn({shapes: [{kind: 'circle'}]}), (error) => {
    assert.ok(error instanceof CaromError);
    assert.equal(error.code, 'invalid_argument');
    assert.equal(error.method, 'body.spawn');
    assert.match(error.message, /^shapes\[0\]: argument radius is missing/);
    return true;
  });
  await assert.rejects(client.call('body.jump'), {code: 'unknown_method'});
  await assert.rejects(lab.body.get({body: 12345}), {code: 'not_found'});
  await assert.rejects(client.world.create({world: lab.name}), {code: 'already_exists'});
});

test('batch_applies_all_in_one_tick_and_its_references_hold', async (t) => {
  const {lab} = await open(t, server.url);
  const batch = lab.batch();
  const a = batch.body.spawn({position: [0, 0], shapes: BALL});
  const b = batch.body.spawn({position: [2, 0], shapes: BALL});
  batch.joint.create({kind: 'distance', a, b});
  const {results} = await batch.send();
  assert.equal(results.length, 3);
  const {joints} = await lab.joint.list();
  assert.deepEqual([joints[0].a, joints[0].b], [results[0].body, results[1].body]);
});

test('batch_for_a_tick_that_is_over_goes_to_the_next_or_is_dropped', async (t) => {
  const {lab} = await open(t, server.url, {paused: false});
  const subscription = await lab.subscribe();
  await subscription.next();
  const next = await lab.batch().send({at: 1, late: 'next'});
  assert.ok(next.tick > 1 && next.late === next.tick - 1 && next.margin < 0, JSON.stringify(next));
  assert.equal((await lab.batch().send({at: 1, late: 'drop'})).dropped, true);
  await assert.rejects(lab.batch().send({at: 1}), {code: 'invalid_argument'});
  assert.equal(lab.batch().notify({at: 1, late: 'next'}), true);
  let margin;
  while (margin === undefined) ({margin} = await subscription.next());
  assert.ok(margin < 0);
});

test('notifications_act_and_keep_their_order_with_calls', async (t) => {
  const {lab} = await open(t, server.url, {gravity: [0, 0]});
  const {body} = await lab.body.spawn({shapes: BALL});
  assert.equal(lab.notify('body.set', {body, velocity: [5, 0]}), true);
  assert.deepEqual((await lab.body.get({body})).velocity, [5, 0]);
});

test('call_without_an_answer_fails_in_time', async (t) => {
  const {client, proxy} = await openCuttable(t);
  proxy.swallows = true;
  await assert.rejects(client.ping({}, {timeoutMs: 50}), {code: 'timeout'});
  const abort = new AbortController();
  const call = client.ping({}, {signal: abort.signal});
  abort.abort();
  await assert.rejects(call, {code: 'closed'});
});

test('message_over_the_servers_limit_is_refused_here', async (t) => {
  const {client} = await open(t, server.url);
  const any = new Uint8Array(client.hello.limits.message_bytes);
  await assert.rejects(client.ping({any}), {code: 'limit_exceeded', applied: false});
  assert.equal((await client.ping({any: 1})).any, 1);
});

test('calls_that_wait_are_bounded', async () => {
  const client = makeClient(() => ({send() {}, end() {}, buffered: 0}), QUICK);
  const calls = Array.from({length: 65536}, () => client.ping().catch(() => {}));
  await assert.rejects(client.ping(), {code: 'limit_exceeded'});
  client.close();
  await Promise.all(calls);
  await assert.rejects(client.ready, {code: 'closed'});
});

test('bytes_that_wait_are_bounded', async (t) => {
  let handlers;
  const stuck = {send() {}, end() {}, buffered: 0};
  const client = makeClient((given) => {
    handlers = given;
    return stuck;
  });
  t.after(() => client.close());
  client.ready.catch(() => {});
  await null;
  handlers.open();
  await null;
  handlers.data(encode([1, 1, null, {limits: {}, resume: ''}]));
  await client.ready;
  stuck.buffered = 16 * 1024 * 1024;
  assert.equal(client.notify('ping'), false);
  await assert.rejects(client.ping(), {code: 'limit_exceeded', applied: false});
});

test('masks_of_64_bits_pass_both_ways', async (t) => {
  const {lab} = await open(t, server.url);
  const filter = {category: (1n << 63n) | 1n, mask: -1, group: 0};
  const {body} = await lab.body.spawn({shapes: [{...BALL[0], filter}]});
  const got = (await lab.body.get({body})).shapes[0].filter;
  assert.equal(BigInt.asUintN(64, BigInt(got.category)), filter.category);
  assert.equal(got.mask, -1);
});

// ---- connecting

test('nobody_there_fails_with_unavailable', async () => {
  await assert.rejects(connect('tcp://127.0.0.1:1'), {code: 'unavailable'});
});

test('first_connection_is_tried_again_if_asked_for', async (t) => {
  const proxy = await startProxy(server.port);
  t.after(() => proxy.stop());
  proxy.accepts = false;
  const opening = connect(proxy.url, {reconnect: {first: true, firstMs: 10, maxMs: 20}});
  await sleep(60);
  proxy.accepts = true;
  const client = await opening;
  assert.equal(client.state, 'open');
  client.close();
});

test('server_that_speaks_something_else_is_left', async () => {
  let handlers;
  const client = makeClient((given) => {
    handlers = given;
    return {send() {}, end() {}, buffered: 0};
  }, {reconnect: false});
  const closed = event(client, 'closed');
  handlers.open();
  await null;
  handlers.data(Uint8Array.of(0xc1));
  assert.match((await closed).message, /sent an invalid message/);
});

test('urls_name_their_transport', () => {
  assert.throws(() => transportFor('ftp://host'), /no scheme of carom's/);
  class Fake {
    constructor(url, protocols) {
      Fake.made = [url, protocols];
    }
  }
  transportFor('http://host:1/', {WebSocket: Fake})({});
  assert.deepEqual(Fake.made, ['ws://host:1/rpc', ['carom.v1']]);
  transportFor('wss://host/other?x=1#y', {WebSocket: Fake})({});
  assert.equal(Fake.made[0], 'wss://host/other?x=1');
  assert.throws(() => webSocketTransport('ws://host', null), /no WebSocket/);
  for (const scheme of ['tcp', 'tls', 'carom', 'caroms']) {
    assert.equal(typeof transportFor(`${scheme}://host`), 'function', scheme);
    assert.throws(() => webTransportFor(`${scheme}://host`), new RegExp(`^TypeError: ${scheme}: .* no TCP`));
  }
});

test('address_that_is_wrong_says_what_is_expected', () => {
  for (const address of ['127.0.0.1:22766', 'play.example', 'tcp://host:65536', 'tcp://a b', '']) {
    assert.throws(() => transportFor(address), {message: /^'.*' is no URL: expected a scheme, a host .*tcp:/}, address);
  }
  assert.throws(() => transportFor('localhost:22766'), /^TypeError: 'localhost:22766': .* no scheme .*tls, carom/);
});

test('ip_address_is_no_server_name', () => {
  for (const host of ['127.0.0.1', '192.168.1.20', '::1', 'fe80::1']) assert.deepEqual(tlsOptions(host), {});
  for (const host of ['localhost', 'play.example', '1.example']) assert.deepEqual(tlsOptions(host), {servername: host});
  assert.deepEqual(tlsOptions('127.0.0.1', {servername: 'a', ca: 'b'}), {servername: 'a', ca: 'b'});
});

test('websocket_messages_go_both_ways', async () => {
  let socket;
  class Fake {
    bufferedAmount = 0;

    constructor() {
      socket = this;
      this.sent = [];
    }

    send(bytes) {
      this.sent.push(bytes);
    }

    close() {
      this.closed = true;
    }
  }
  const client = makeClient('ws://host/rpc', {WebSocket: Fake, name: 'test 1.0'});
  socket.onopen();
  await null;
  const [, id, method, [args]] = decode(socket.sent[0]);
  assert.deepEqual([method, args], ['hello', {protocol: 1, client: 'test 1.0'}]);
  const answer = encode([1, id, null, {limits: {}, resume: 'x'}]);
  socket.onmessage({data: answer.buffer.slice(answer.byteOffset, answer.byteOffset + answer.length)});
  await client.ready;
  client.notify('ping');
  client.notify('goodbye');
  await null;
  await null;
  assert.equal(socket.sent.length, 2, 'two notifications of one turn leave together');
  client.close();
  assert.ok(socket.closed);
});

// ---- subscriptions

test('subscription_keeps_a_described_picture', async (t) => {
  const {lab} = await open(t, server.url, {paused: false});
  const {body} = await lab.body.spawn({position: [0, 50], shapes: BALL, tag: 'ball'});
  const subscription = await lab.subscribe({describe: true, events: ['spawn']});
  const first = await subscription.next();
  assert.equal(first.full, true);
  const seen = subscription.view.bodies.get(body);
  assert.equal(seen.tag, 'ball');
  assert.equal(seen.shapes[0].kind, 'circle');
  const spawned = event(subscription, 'event');
  const second = await lab.body.spawn({position: [9, 9], shapes: BALL});
  assert.equal((await spawned).a, second.body);
  const high = seen.y;
  await subscription.next();
  await subscription.next();
  assert.ok(seen.y < high);
  await subscription.unsubscribe();
  const {tick} = subscription.view;
  await sleep(60);
  assert.equal(subscription.view.tick, tick);
});

test('area_of_a_subscription_moves', async (t) => {
  const {lab} = await open(t, server.url, {paused: false, gravity: [0, 0]});
  const {body} = await lab.body.spawn({position: [100, 0], shapes: BALL});
  const subscription = await lab.subscribe({area: [-1, -1, 1, 1]});
  await subscription.next();
  assert.equal(subscription.view.bodies.size, 0);
  await subscription.setArea([99, -1, 101, 1]);
  while (!subscription.view.bodies.has(body)) await subscription.next();
});

test('area_goes_along_with_a_body', async (t) => {
  const {lab} = await open(t, server.url, {paused: true, gravity: [0, 0]});
  const leader = (await lab.body.spawn({position: [0, 0], shapes: BALL})).body;
  const far = (await lab.body.spawn({position: [100, 0], shapes: BALL})).body;
  const subscription = await lab.subscribe({area: [-5, -5, 5, 5], follow: leader, margin: 0});
  await subscription.next();
  assert.deepEqual([...subscription.view.bodies.keys()], [leader]);
  await lab.body.set({body: leader, position: [98, 0]});
  while (!subscription.view.bodies.has(far)) await subscription.next();
  await lab.body.remove({body: leader});
  while (subscription.view.unfollowed !== leader) await subscription.next();
  const before = subscription.args;
  await assert.rejects(subscription.follow(leader, [-5, -5, 5, 5]), {code: 'not_found'});
  assert.equal(subscription.args, before);
  await subscription.follow(far, [10, -5, 20, 5], {margin: 1});
  while (subscription.view.bodies.has(far)) await subscription.next();
  assert.deepEqual([subscription.args.follow, subscription.args.margin], [far, 1]);
});

for (const encoding of ['plain', 'packed']) {
  test(`budget_lets_bodies_take_turns_${encoding}`, async (t) => {
    const {lab} = await open(t, server.url, {paused: true, gravity: [0, 0]});
    for (let i = 0; i < 100; i++) await lab.body.spawn({position: [3 * i, 0], shapes: BALL});
    await assert.rejects(lab.subscribe({budget: 0}), /budget/);
    const subscription = await lab.subscribe({budget: encoding === 'plain' ? 2000 : 500, encoding, events: []});
    const {view} = subscription;
    const first = await subscription.next();
    assert(first.full && first.left_out > 50);
    while (view.leftOut > 0) {
      assert.equal(view.bodies.size + view.leftOut, 100);
      assert(view.oldest <= view.tick);
      await subscription.next();
    }
    assert.equal(view.bodies.size, 100);
    assert.equal(view.oldest, view.tick);
  });
}

test('subscription_ends_with_its_world', async (t) => {
  const {client, lab} = await open(t, server.url);
  const other = client.use(`${lab.name}-gone`);
  await other.world.create({});
  const subscription = await other.subscribe();
  const ended = event(subscription, 'ended');
  await other.world.destroy();
  assert.equal((await ended).code, 'not_found');
  await assert.rejects(subscription.next(), {code: 'not_found'});
});

test('poses_move_smoothly_while_a_world_runs', async (t) => {
  const {lab} = await open(t, server.url, {paused: false, gravity: [0, 0]});
  const {body} = await lab.body.spawn({velocity: [10, 0], shapes: BALL});
  const subscription = await lab.subscribe({rate: 20});
  await subscription.next();
  const seen = subscription.view.bodies.get(body);
  for (let i = 0; i < 10; i++) await subscription.next();
  const places = new Set();
  for (let i = 0; i < 40; i++) {
    const time = subscription.view.advance(performance.now());
    places.add(seen.pose.x);
    assert.ok(Math.abs(seen.pose.x - 10 * time) < 0.5, `${seen.pose.x} at ${time}`);
    await sleep(5);
  }
  assert.ok(places.size > 10, `${places.size} different places`);
});

// ---- lost connections

test('session_is_resumed_after_a_lost_connection', async (t) => {
  const {client, lab, proxy} = await openCuttable(t, {paused: false});
  const {body} = await lab.body.spawn({position: [0, 5], shapes: BALL, lifetime: 'session'});
  const subscription = await lab.subscribe({describe: true});
  await subscription.next();
  const {session} = client.hello;
  const id = subscription.id;
  const lost = event(client, 'lost');
  const resumed = event(client, 'resumed');
  proxy.cut();
  assert.equal((await lost).code, 'unavailable');
  const later = []; // the first snapshot may arrive together with the answer to hello
  subscription.on('snapshot', (snapshot) => later.push(snapshot));
  assert.equal((await resumed).session, session);
  assert.equal(subscription.id, id);
  while (later.length === 0) await sleep(5);
  assert.equal(later[0].full, true);
  assert.equal((await lab.body.get({body})).body, body);
  assert.equal(client.traffic.reconnects, 1);
});

test('calls_made_while_away_are_sent_later', async (t) => {
  const {client, lab, proxy} = await openCuttable(t);
  proxy.accepts = false;
  const lost = event(client, 'lost');
  proxy.cut();
  await lost;
  const spawned = lab.body.spawn({shapes: BALL});
  assert.equal(lab.notify('body.spawn', {shapes: BALL}), false);
  await sleep(50);
  proxy.accepts = true;
  const {body} = await spawned;
  const {bodies} = await lab.world.info();
  assert.equal(bodies, 1);
  assert.equal((await lab.body.get({body})).body, body);
});

test('command_that_took_effect_is_not_sent_again', async (t) => {
  const {lab, proxy} = await openCuttable(t);
  proxy.swallows = true;
  const spawned = assert.rejects(lab.body.spawn({shapes: BALL}), (error) => {
    assert.deepEqual([error.code, error.applied], ['unavailable', true]);
    return true;
  });
  const {client: witness} = await open(t, server.url);
  while ((await witness.world.info({world: lab.name})).bodies === 0) await sleep(5);
  proxy.swallows = false;
  proxy.cut();
  await spawned;
  assert.equal((await lab.world.info()).bodies, 1);
});

// The world is destroyed and made again while the connection is lost; its body 1 is then another body.
test('command_sent_again_reaches_no_other_world_of_that_name', async (t) => {
  const {client: admin, lab} = await open(t, server.url);
  const proxy = await startProxy(server.port);
  t.after(() => proxy.stop());
  for (const lose of ['swallows', 'drops']) {
    const client = await connect(proxy.url, QUICK);
    t.after(() => client.close());
    const {epoch} = await client.world.info({world: lab.name});
    assert.equal(client.epochOf(lab.name), epoch);
    const {body} = await lab.body.spawn({shapes: BALL});
    proxy[lose] = true;
    const removed = assert.rejects(client.body.remove({world: lab.name, body}), (error) => {
      assert.deepEqual([error.code, error.applied],
                       lose === 'swallows' ? ['unavailable', true] : ['not_found', undefined]);
      return true;
    });
    if (lose === 'swallows') while ((await lab.world.info()).bodies === 1) await sleep(5);
    else while (proxy.dropped === 0) await sleep(5);
    assert.equal((await lab.world.info()).bodies, lose === 'swallows' ? 0 : 1);
    await lab.world.destroy();
    const again = await lab.world.create({paused: true, lifetime: 'session'});
    assert.equal((await lab.body.spawn({shapes: BALL})).body, body);
    proxy.swallows = proxy.drops = false;
    proxy.cut();
    await removed;
    assert.equal((await lab.world.info()).bodies, 1);
    const old = client.use(lab.name, {epoch});
    await assert.rejects(old.body.remove({body}), {code: 'not_found'});
    await assert.rejects(old.batch().send(), {code: 'not_found'});
    await assert.rejects(old.subscribe(), {code: 'not_found'});
    await client.use(lab.name, {epoch: again.epoch}).body.get({body});
    await lab.world.destroy();
    await lab.world.create({paused: true, lifetime: 'session'});
  }
  assert.equal(admin.state, 'open');
});

test('server_that_falls_silent_is_left', {timeout: AWAIT_MS}, async (t) => {
  const {client, proxy} = await openCuttable(t);
  await event(client, 'ping');
  proxy.swallows = true;
  assert.match((await event(client, 'lost')).message, /does not answer/);
});

test('another_server_in_the_place_of_the_first_is_subscribed_again', async (t) => {
  const first = await startCaromd(['--world', 'demo:demo']);
  let second = null;
  t.after(async () => {
    await first.stop('SIGKILL');
    await second?.stop('SIGKILL');
  });
  const client = await connect(first.url, QUICK);
  t.after(() => client.close());
  const subscription = await client.subscribe({world: 'demo', describe: true});
  await subscription.next();
  const renewed = event(client, 'renewed');
  await first.stop();
  await sleep(100);
  assert.equal(subscription.error, null);
  second = await startCaromd(['--world', 'demo:demo'], first.port);
  await renewed;
  const snapshot = await subscription.next();
  assert.equal(snapshot.full, true);
  assert.ok(subscription.view.bodies.size > 0);
});

test('close_says_goodbye_and_ends_everything', async (t) => {
  const {client, lab} = await open(t, server.url);
  const {client: witness} = await open(t, server.url);
  const subscription = await lab.subscribe();
  const waiting = assert.rejects(lab.world.step({ticks: 1}), {code: 'closed'});
  const {session} = client.hello;
  client.close();
  await waiting;
  assert.equal(subscription.error.code, 'closed');
  assert.equal(client.state, 'closed');
  await assert.rejects(client.ping(), {code: 'closed'});
  for (const end = performance.now() + AWAIT_MS; performance.now() < end;) {
    const {sessions} = await witness.server.sessions();
    if (!sessions.some((entry) => entry.session === session)) return;
    await sleep(20);
  }
  assert.fail('the session is still there');
});

test('kicked_client_does_not_come_back', async (t) => {
  const {client} = await open(t, server.url, {}, QUICK);
  const {client: admin} = await open(t, server.url);
  const closed = event(client, 'closed');
  await admin.server.kick({session: client.hello.session, reason: 'enough'});
  const error = await closed;
  assert.deepEqual([error.code, error.message], ['permission_denied', 'enough']);
});
