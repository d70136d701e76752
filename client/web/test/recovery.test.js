// The client over time: connections that are lost again and again, worlds that come back, tokens that run out, pages
// that hide, are reloaded or closed, machines that sleep. The test plays the server.
import test from 'node:test';
import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';

import {encode, makeClient} from '../src/index.js';
import {renewalMs} from '../src/renewal.js';
import {fakePage} from './fake_page.js';
import {FakeServer, welcome} from './fake_server.js';
import {fakeTime} from './fake_time.js';

const answers = (more = {}) => (method, args) => {
  const answer = more[method];
  if (typeof answer === 'function') return answer(args);
  return answer ?? (method === 'hello' ? welcome() : method === 'ping' ? {time: 1} : {});
};

// Opens a client of a server that the test plays; its time passes by `time`.
async function openFake(t, more = {}, options = {}) {
  const time = fakeTime(t);
  const server = new FakeServer(answers(more));
  const client = makeClient(server.open, options);
  t.after(() => client.close());
  const told = [];
  for (const name of ['lost', 'resumed', 'renewed', 'closed']) client.on(name, (value) => told.push([name, value]));
  await time.pass();
  return {time, server, client, told, names: () => told.map(([name]) => name)};
}

test('finished_calls_leave_their_signal', async (t) => {
  const {client, time} = await openFake(t, {'world.list': () => undefined, 'world.info': () => new Error('not_found: no')});
  const abort = new AbortController();
  await client.ping({}, {signal: abort.signal});
  await assert.rejects(client.call('world.info', {world: 'a'}, {signal: abort.signal}), {code: 'not_found'});
  const late = assert.rejects(client.call('world.list', {}, {signal: abort.signal, timeoutMs: 10}), {code: 'timeout'});
  assert.equal(getEventListeners(abort.signal, 'abort').length, 1);
  await time.pass(10);
  await late;
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
});

test('values_that_cannot_be_sent_are_named', async (t) => {
  const {client, server} = await openFake(t);
  const count = server.messages.length;
  for (const [value, text] of [
    [{when: new Date()}, /^when: a value of type Date cannot be sent; numbers, strings, .* plain objects can$/],
    [{a: [1, {b: new Set([1])}]}, /^a\[1\]\.b: a value of type Set /],
    [{a: () => 1}, /^a: a value of type function /],
    [{a: Symbol('x')}, /^a: a value of type symbol /],
    [{a: /x/}, /^a: a value of type RegExp /],
    [{a: new Error('x')}, /^a: a value of type Error /],
    [{a: Promise.resolve()}, /^a: a value of type Promise /],
    [{a: new DataView(new ArrayBuffer(2))}, /^a: a value of type DataView /],
    [{a: new Map([['x', new Date()]])}, /^a\.x: a value of type Date /],
    [{a: 1n << 64n}, /^a: 18446744073709551616 does not fit 64 bits$/],
  ]) {
    await assert.rejects(client.call('ping', {any: 1, ...value}), (error) => {
      assert.equal(error.code, 'invalid_argument');
      assert.equal(error.method, 'ping');
      assert.match(error.message, text);
      return true;
    });
  }
  assert.throws(() => client.notify('ping', {any: new Date()}), {code: 'invalid_argument'});
  class Point {
    x = 1;
  }
  await client.ping({any: [new Point(), Object.create(null)]});
  assert.deepEqual(server.of('ping').at(-1).args, {any: [{x: 1}, {}]});
  assert.equal(server.messages.length, count + 1);
});

// ---- calls

test('call_is_not_repeated_where_another_server_may_have_applied_it', async (t) => {
  let moved = false;
  const {time, server, client} = await openFake(t, {
    hello: ({resume}) => ({...welcome(), ...(resume ? {applied: {lab: {epoch: 4, last: 1}}, pending: []} : {})}),
    'body.set': () => (moved ? new Error("moved: 127.0.0.1:2 world 'lab' is served there") : undefined),
  });
  const call = client.body.set({world: 'lab', body: 1});
  const failed = assert.rejects(call, (error) => {
    assert.deepEqual([error.code, error.applied, error.method], ['unavailable', undefined, 'body.set']);
    return true;
  });
  await time.pass(1);
  moved = true;
  server.cut();
  await time.pass(1000);
  await failed;
  assert.deepEqual(server.of('body.set').map(({args}) => args.epoch), [undefined, 4]);
  assert.equal(client.servers.length, 1);
});

// ---- subscriptions

test('subscription_lives_through_a_server_that_ends_before_it_answers', async (t) => {
  let number = 0;
  let silent = false;
  let session = 1;
  const {time, server, client, names} = await openFake(t, {
    hello: ({resume}) => (resume ? new Error('not_found: no such session') : welcome(session++)),
    'world.subscribe': () => (silent ? undefined : {subscription: ++number, tick: 0}),
  }, {timeoutMs: 1000});
  const subscription = await Promise.all([client.subscribe({world: 'lab'}), time.pass(1)]).then(([one]) => one);
  silent = true;
  server.cut();
  await time.pass(200); // the session is renewed, its subscription is requested, and the connection is lost again
  assert.equal(server.of('world.subscribe').length, 2);
  server.accepts = false;
  server.cut();
  await time.pass(60000);
  assert.deepEqual([subscription.error, client.state], [null, 'reconnecting']);
  silent = false;
  server.accepts = true;
  await time.pass(10000);
  assert.deepEqual([client.state, subscription.error, subscription.id], ['open', null, 2]);
  assert.deepEqual(names().filter((name) => name === 'renewed'), ['renewed', 'renewed']);
});

for (const [cause, options] of [['server', {}], ['world', {waitMs: 5000}]]) {
  test(`subscription_waits_for_the_world_of_another_${cause}`, async (t) => {
    let there = true;
    let number = 0;
    let session = 1;
    const {time, server, client} = await openFake(t, {
      hello: ({resume}) => (resume ? new Error('not_found: no such session') : welcome(session++)),
      'world.subscribe': () => (there ? {subscription: ++number, tick: 0} : new Error("not_found: world 'lab' does not exist")),
    });
    const [subscription] = await Promise.all([client.subscribe({world: 'lab'}, options), time.pass(1)]);
    const told = [];
    for (const name of ['waiting', 'ended']) subscription.on(name, ({code}) => told.push([name, code]));
    there = false;
    if (cause === 'server') server.cut();
    else server.notify('world_closed', {subscription: 1, world: 'lab', code: 'not_found', reason: 'destroyed'});
    await time.pass(100);
    there = true;
    await time.pass(1200);
    assert.deepEqual(told.filter(([name]) => name === 'ended'), []);
    assert.deepEqual(told[0], ['waiting', 'not_found']);
    assert.equal(subscription.id, 2);
    // The world is not made again: the wait ends.
    there = false;
    if (cause === 'server') server.cut();
    else server.notify('world_closed', {subscription: 2, world: 'lab', code: 'not_found', reason: 'destroyed'});
    await time.pass(4000);
    assert.equal(subscription.error, null);
    await time.pass(8000);
    assert.equal(subscription.error.code, 'not_found');
    const asked = server.of('world.subscribe').length;
    await time.pass(60000);
    assert.equal(server.of('world.subscribe').length, asked);
  });
}

test('subscription_without_a_wish_to_wait_ends_with_its_world_and_may_wait_for_its_first', async (t) => {
  let there = false;
  const {time, server, client} = await openFake(t, {
    'world.subscribe': () => (there ? {subscription: 1, tick: 0} : new Error('not_found: no')),
  });
  await Promise.all([assert.rejects(client.subscribe({world: 'lab'}), {code: 'not_found'}), time.pass(1)]);
  const first = client.subscribe({world: 'lab'}, {waitMs: 3000});
  await time.pass(500);
  there = true;
  const [subscription] = await Promise.all([first, time.pass(1000)]);
  assert.equal(subscription.id, 1);
  await assert.rejects(client.subscribe({world: 'lab'}, {waitMs: -1}), /waitMs: -1: expected milliseconds/);
  const waiting = client.subscribe({world: 'lab', rate: 2}, {waitMs: Infinity});
  there = false;
  await Promise.all([assert.rejects(waiting, {code: 'closed'}), time.pass(1), client.close(), time.pass(2000)]);
  assert.equal(server.of('world.subscribe').at(-1).args.encoding, 'packed');
});

// In the second case the client sees the world destroyed
for (const [code, epoch] of [['unavailable', 7], ['not_found', undefined]]) {
  test(`call_after_a_world_closed_with_${code}_is_for_${epoch ? 'that world' : 'any of its name'}`, async (t) => {
    let session = 1;
    const {time, server, client} = await openFake(t, {
      hello: ({resume}) => (resume ? new Error('not_found: no such session') : welcome(session++)),
      'world.info': {world: 'lab', epoch: 7},
    });
    await Promise.all([client.world.info({world: 'lab'}), time.pass(1)]);
    server.notify('world_closed', {subscription: 1, world: 'lab', code, reason: 'the server ends'});
    server.cut();
    await Promise.all([client.world.pause({world: 'lab'}), time.pass(2000)]);
    assert.equal(server.of('world.pause').at(-1).args.epoch, epoch);
  });
}

test('nothing_comes_after_a_subscription_has_ended', async (t) => {
  const snapshot = {subscription: 1, world: 'lab', epoch: 1, tick: 1, time: 0, full: true, bodies: [], removed: [],
                    events: [{kind: 'begin', tick: 1}, {kind: 'begin', tick: 1}]};
  const {time, server, client} = await openFake(t, {'world.subscribe': () => ({subscription: 1, tick: 0})});
  for (const how of ['at once', 'in a listener']) {
    const asked = client.subscribe({world: 'lab', encoding: 'plain'});
    await Promise.resolve();
    const subscription = await asked;
    server.notify('snapshot', snapshot);
    const told = [];
    subscription.on('event', () => told.push('event'));
    subscription.on('snapshot', () => {
      told.push('snapshot');
      subscription.unsubscribe();
    });
    subscription.on('ended', () => told.push('ended'));
    if (how === 'at once') subscription.unsubscribe();
    server.notify('snapshot', snapshot);
    await time.pass(100);
    server.notify('snapshot', snapshot);
    await time.pass(100);
    assert.deepEqual(told, how === 'at once' ? ['ended'] : ['snapshot', 'ended'], how);
  }
});

// ---- pauses

test('pauses_begin_anew_after_each_success_and_grow_from_failure_to_failure', async (t) => {
  const {time, server, client, names} = await openFake(t, {}, {reconnect: {firstMs: 100, maxMs: 60000}});
  for (let i = 0; i < 12; i++) {
    server.cut();
    await time.pass(101);
    assert.equal(client.state, 'open', `after ${i + 1} losses`);
  }
  assert.equal(names().filter((name) => name === 'resumed').length, 12);
  server.accepts = false;
  const before = server.dials;
  server.cut();
  await time.pass(101 + 200 + 400 + 800);
  assert.ok(server.dials - before >= 4 && server.dials - before <= 7, `${server.dials - before} attempts`);
});

test('server_that_ends_what_it_has_just_begun_is_not_asked_in_haste', async (t) => {
  for (const code of ['limit_exceeded', 'unavailable']) {
    const {time, server, client} = await openFake(t, {}, {reconnect: {firstMs: 100, maxMs: 60000}});
    for (let i = 0; i < 200; i++) {
      if (client.state === 'open') {
        server.notify('closing', {code, reason: 'another connection has resumed the session'});
        server.cut();
      }
      await time.pass(50);
    }
    assert.ok(server.dials < 30, `${server.dials} connections in 10 s`);
    client.close();
  }
});

// ---- tokens

test('next_token_is_asked_for_before_the_present_one_expires', () => {
  assert.equal(renewalMs(1000 + 3600, 1000e3), 3540e3);
  assert.equal(renewalMs(1000 + 4, 1000e3), 3000);
  assert.equal(renewalMs(1000 + 1, 1000e3), 1000);
  assert.equal(renewalMs(999, 1000e3), 60e3); // the clocks disagree
  assert.equal(renewalMs(1e12, 1000e3), 2 ** 31 - 1);
});

test('token_function_keeps_the_session', async (t) => {
  let asked = 0;
  let time;
  let refuse = false;
  const opened = await openFake(t, {
    hello: ({token}) => (refuse ? new Error('unauthenticated: no') : welcome(1, {
      expires: (Date.now() + 100e3) / 1000, role: token === 't1' ? 'viewer' : 'player'})),
  }, {token: async () => `t${++asked}`});
  const {server, client, names} = opened;
  time = opened.time;
  assert.equal(client.hello.role, 'viewer');
  await time.pass(74e3);
  assert.equal(asked, 1);
  await time.pass(2e3);
  assert.deepEqual([asked, server.of('hello').at(-1).args.token, client.hello.role], [2, 't2', 'player']);
  await time.pass(76e3);
  assert.equal(asked, 3);
  assert.deepEqual([names(), server.dials], [[], 1]);
  refuse = true;
  await time.pass(99e3);
  assert.equal(asked, 5, 'the third refusal would close the connection');
});

test('token_function_that_fails_is_asked_again_in_time', async (t) => {
  let asked = 0;
  const {time, server, names} = await openFake(t, {
    hello: () => welcome(1, {expires: (Date.now() + 100e3) / 1000}),
  }, {token: async () => {
    if (++asked === 2 || asked === 3) throw new Error('the network is down');
    return `t${asked}`;
  }});
  await time.pass(99e3);
  assert.equal(server.of('hello').at(-1).args.token, 't4');
  assert.deepEqual(names(), []);
});

test('token_that_is_a_text_is_not_sent_again', async (t) => {
  const {time, server} = await openFake(t, {hello: () => welcome(1, {expires: Date.now() / 1000 + 10})}, {token: 'one'});
  await time.pass(20e3);
  assert.equal(server.of('hello').length, 1);
});

// ---- a page

for (const way of ['pageshow', 'visibilitychange', 'online']) {
  test(`connection_is_asked_for_at_once_on_${way}`, async (t) => {
    const page = fakePage(t);
    const wake = () => (way === 'visibilitychange' ? page.see('visible') : page.fire(way));
    let silent = false;
    const {time, server, client, told} = await openFake(t, {ping: () => (silent ? undefined : {time: 1})});
    await time.pass(10e3);
    const pings = server.of('ping').length;
    wake();
    await time.pass();
    assert.equal(server.of('ping').length, pings + 1);
    await time.pass(20e3);
    assert.deepEqual(told, []);
    silent = true;
    page.see('hidden');
    await time.pass(1000);
    wake();
    await time.pass(3000);
    assert.match(told[0][1].message, /does not answer/);
    // The client waits for its next attempt, which now comes at once.
    silent = false;
    server.accepts = false;
    await time.pass(30e3);
    const {dials} = server;
    server.accepts = true;
    wake();
    await time.pass();
    assert.deepEqual([client.state, server.dials], ['open', dials + 1]);
  });
}

test('machine_that_slept_asks_at_once', async (t) => {
  let silent = false;
  const {time, server, told} = await openFake(t, {ping: () => (silent ? undefined : {time: 1})});
  await time.pass(10e3);
  time.sleep(3600e3);
  silent = true;
  await time.pass(2100); // the timer slept with the machine
  await time.pass(3000);
  assert.match(told[0]?.[1].message, /does not answer/);
  assert.ok(server.dials >= 1);
});

test('process_that_was_busy_reads_its_input_before_it_gives_the_server_up', async (t) => {
  let silent = false;
  const {time, server, told} = await openFake(t, {ping: () => (silent ? undefined : {time: 1})});
  await time.pass(10e3);
  silent = true;
  time.freeze(10e3); // a long task: all timers are late
  await time.pass(); // the machine seems to have slept: the client asks
  const asked = server.of('ping').at(-1);
  time.freeze(20e3); // another freeze, during which the answer arrives
  await time.pass();
  server.reply(asked.id, {time: 1});
  silent = false;
  const pings = server.of('ping').length;
  await time.pass(20e3);
  assert.deepEqual([told, server.dials], [[], 1]);
  assert.ok(server.of('ping').length > pings + 3, 'it goes on asking');
});

test('page_that_is_closed_ends_its_session_and_one_that_is_kept_does_not', async (t) => {
  const page = fakePage(t);
  const {time, server, client, names} = await openFake(t);
  page.fire('pagehide', {persisted: true});
  assert.deepEqual([client.state, server.of('goodbye').length], ['open', 0]);
  page.fire('pagehide', {persisted: false});
  assert.equal(server.of('goodbye').length, 1, 'before the page is gone');
  await time.pass(1);
  assert.deepEqual([client.state, names(), server.ended, server.of('goodbye').length], ['closed', ['closed'], true, 1]);
});

for (const keepSession of [false, true]) {
  test(`page_sends_in_its_own_pagehide_listener_whenever_it_was_added_keep_${keepSession}`, async (t) => {
    const page = fakePage(t);
    const last = (body) => () => client.notify('body.remove', {world: 'lab', body});
    addEventListener('pagehide', () => last(1)());
    const {time, server, client} = await openFake(t, {}, {keepSession});
    addEventListener('pagehide', last(2));
    page.fire('pagehide', {persisted: false});
    assert.deepEqual(server.of('body.remove').map(({args}) => args.body), [1, 2], 'before the page is gone');
    assert.equal(server.of('goodbye').length, keepSession ? 0 : 1);
    await time.pass(1);
    assert.equal(client.state, 'closed');
  });
}

test('reload_goes_on_with_the_session_and_counts_on', async (t) => {
  const page = fakePage(t);
  const options = {keepSession: true};
  const {time, server, client} = await openFake(t, {
    hello: ({resume}) => (resume ? welcome(1, {applied: {lab: {epoch: 5, last: 40}, old: {epoch: 4, last: 7}}, pending: [41],
                                               subscriptions: [{subscription: 3, world: 'lab'}]}) : welcome(1)),
  }, options);
  assert.equal(client.resumed, false);
  page.go('http://here/game');
  page.fire('pagehide', {persisted: false});
  assert.deepEqual([server.of('goodbye').length, [...page.items.values()]], [0, ['s1']]);
  const next = makeClient(server.open, options);
  t.after(() => next.close());
  assert.equal(page.items.size, 0, 'a tab that is duplicated finds nothing');
  const first = next.call('body.remove', {world: 'lab', body: 1});
  await time.pass();
  await first;
  assert.equal(server.of('hello').at(-1).args.resume, 's1');
  assert.equal(next.resumed, true);
  assert.equal(server.of('body.remove')[0].id, 42);
  assert.deepEqual(server.of('world.unsubscribe')[0].args, {subscription: 3});
  assert.ok(server.messages.every(({method, id}) => method === 'hello' || id === undefined || id > 41));
  // A download and a link within the page keep the page; a link to another origin leaves it.
  page.go('http://elsewhere/', {destination: {url: 'http://elsewhere/', sameDocument: true}});
  page.go('http://elsewhere/');
  page.fire('pagehide', {persisted: false});
  assert.deepEqual([server.of('goodbye').length, page.items.size], [1, 0]);
});

test('session_that_cannot_be_gone_on_with_is_followed_by_another', async (t) => {
  for (const code of ['not_found', 'permission_denied']) {
    const {client, server} = await openFake(t, {
      hello: ({resume}) => (resume ? new Error(`${code}: no`) : welcome(9)),
    }, {resume: 'given'});
    assert.equal(server.of('hello')[0].args.resume, 'given');
    assert.deepEqual([client.state, client.resumed, client.hello.session], ['open', false, 9]);
    client.close();
  }
});

test('session_is_left_by_its_name_and_without_a_navigation_api', async (t) => {
  const page = fakePage(t, {navigation: false});
  const {server} = await openFake(t, {}, {keepSession: 'mine'});
  page.fire('pagehide', {persisted: false});
  assert.deepEqual([server.of('goodbye').length, [...page.items]], [0, [['carom session mine', 's1']]]);
});

// ---- a server that breaks the protocol

test('messages_that_lack_what_they_should_have_end_the_subscription_or_the_connection', async (t) => {
  const big = 2n ** 63n; // an integer too large for a JavaScript number
  const row = [1, 0, 0, 0, 0, 0, 0];
  const map = {body: 1, position: [0, 0], velocity: [0, 0], angle: 0, angular_velocity: 0};
  const BAD = [{bodies: 5}, {bodies: [null]}, {removed: 7}, {events: 1}, {events: [null]}, {events: [{tick: big}]}, {spawned: [{body: 1}]},
               {spawned: [{...map, velocity: [big, 0]}]}, {spawned: [{...map, shapes: {length: 1e9}}]}, {tick: big}, {tick: 1e300},
               {time: big}, {time: NaN}, {time: 'x'}, {world: {}}, {epoch: null}, {skipped: big}, {skipped: 'x'}, {events_lost: big},
               ...row.map((_, i) => ({bodies: [row.map((value, at) => (at === i ? [NaN, big, 'x', null][i % 4] : value))]})), {joints: [null]}, {view: [0, 0, 1, NaN]},
               {data: 'xyz'}, {data: [17, 1, 2]}];
  const {client, server, time, told} = await openFake(t, {'world.subscribe': {subscription: 4}}, {reconnect: false});
  for (const [i, more] of BAD.entries()) {
    const subscription = await client.subscribe({world: 'w', encoding: 'plain'});
    if (i % 2 === 1) await time.pass(1); // from then on snapshots are shown as they arrive
    server.notify('snapshot', {subscription: 4, world: 'w', epoch: 1, tick: 1, time: 1, full: true, bodies: [], removed: [], events: [], ...more});
    await time.pass(1);
    assert.equal(subscription.error?.code, 'internal', `${Object.entries(more)}`);
  }
  assert.deepEqual(told, []);
  server.notify('log', {});
  assert.match(told[0][1].message, /sent an invalid message/);
});

const STUBBORN = {toString: 1, valueOf: 1}; // cannot be converted to a text or a number

test('records_that_lack_what_they_should_have_end_the_subscription', async (t) => {
  const BAD = [{image: 5}, {image: 'x'}, {data: []}, {hash: STUBBORN}, {commands: 5}, {margin: 2n ** 63n}, {from: -1}, {tick: 2n ** 63n}];
  const {client, server, time} = await openFake(t, {'world.subscribe': {subscription: 4}});
  for (const more of BAD) {
    const subscription = await client.subscribe({world: 'w', encoding: 'log'});
    await time.pass(1);
    server.notify('snapshot', {subscription: 4, world: 'w', epoch: 1, from: 1, tick: 1, commands: [], ...more});
    assert.equal(subscription.error?.code, 'internal', `${Object.keys(more)}`);
  }
});

test('calls_end_whatever_the_server_answers', async (t) => {
  let answer = null;
  const {client, server, told, time} = await openFake(t, {'world.subscribe': () => answer, 'world.list': () => undefined});
  for (answer of [null, 7, {}, {subscription: STUBBORN}, {subscription: 2n ** 63n}]) {
    await assert.rejects(client.subscribe({world: 'w'}), {code: 'internal'});
    assert.match(told.at(-1)[1].message, /sent an invalid message/);
    await time.pass(1000);
    assert.equal(client.state, 'open');
  }
  for (const error of [STUBBORN, 5, {}, ['internal: no'], new Uint8Array(3), true]) {
    const call = client.call('world.list');
    await time.pass();
    server.handlers.data(encode([1, server.of('world.list').at(-1).id, error, null]));
    await assert.rejects(call, {code: 'internal', message: 'the server’s error is no text'});
  }
});

test('hello_that_is_none_is_a_connection_that_failed', async (t) => {
  const BAD = [null, 5, [], welcome('x'), welcome(2n ** 63n), welcome(1, {resume: STUBBORN}), welcome(1, {limits: 5}), welcome(1, {pending: [{}]}),
               welcome(1, {subscriptions: [null]}), welcome(1, {subscriptions: {}}), welcome(1, {applied: {w: null}}),
               welcome(1, {applied: {w: {last: 'x'}}}), welcome(1, {engine: STUBBORN})];
  for (const hello of BAD) {
    const {client, time} = await openFake(t, {hello: () => hello}, {resume: 'given'});
    // These calls request the numbers of worlds
    for (const world of ['a', 'b']) client.call('world.list', {world}).catch(() => {});
    await time.pass(1000);
    await assert.rejects(client.ready, {code: 'unavailable', message: /sent an invalid message/}, JSON.stringify(hello, (_, value) => String(value)));
    assert.equal(client.state, 'closed');
  }
});

test('ping_without_a_time_is_a_connection_that_is_lost', async (t) => {
  for (const answer of [null, {}, {time: 'x'}, {time: 2n ** 63n}, {time: NaN}]) {
    const {told, time, client} = await openFake(t, {ping: () => answer}, {reconnect: false});
    await time.pass(200);
    assert.match(told.at(-1)[1].message, /sent an invalid message/);
    assert.equal(client.state, 'closed');
  }
});

test('notices_whose_reason_is_no_text_are_survived', async (t) => {
  const {client, server, told, time} = await openFake(t, {'world.subscribe': {subscription: 4}}, {reconnect: {firstMs: 10}});
  for (const notice of [{code: STUBBORN, reason: STUBBORN}, {reason: 5}, null, 'x']) {
    const subscription = await client.subscribe({world: 'w'});
    server.notify('world_closed', {subscription: 4, ...(notice ?? {})});
    assert.equal(subscription.error.code, 'internal');
    server.notify('closing', notice);
    server.cut();
    assert.equal(told.at(-1)[1].code, 'unavailable');
    await time.pass(5000);
    assert.equal(client.state, 'open');
  }
});

test('ticks_beyond_the_numbers_of_a_program_ask_for_no_input', async (t) => {
  const {client, server, time} = await openFake(t, {'world.subscribe': {subscription: 4}});
  const asked = [];
  const started = client.predict('w', {predicting: false, input: (_, {tick}) => asked.push(tick)});
  await time.pass(1);
  const show = (tick, seconds) => server.notify('snapshot', {subscription: 4, world: 'w', epoch: 1, tick, time: seconds, full: true,
                                                             bodies: [], removed: [], events: []});
  show(1, 1 / 60);
  const play = await started;
  play.advance(performance.now());
  assert.deepEqual(asked, [1]);
  for (const [tick, seconds] of [[2 ** 53 - 1, 5e-324], [2 ** 53 - 1, 1e-6], [600, 5e-324]]) {
    show(tick, seconds);
    play.advance(performance.now()); // comes back
  }
  assert.deepEqual(asked, [1]);
  play.stop();
});

test('views_keep_no_more_bodies_than_a_world_can_have', async (t) => {
  const {client, time} = await openFake(t, {'world.subscribe': {subscription: 4}});
  const subscription = await client.subscribe({world: 'w', encoding: 'plain'});
  await time.pass(1);
  const {bodies} = subscription.view;
  const show = (id) => subscription.take({world: 'w', epoch: 1, tick: 1, time: 1, removed: [], events: [],
                                          bodies: [[id, 0, 0, 0, 0, 0, 0]]}, 0);
  show(1);
  for (let id = 2; id < 1 << 20; id++) bodies.set(id, bodies.get(1)); // the most bodies that snapshots may have
  show(1 << 20);
  assert.equal(subscription.error, null);
  show((1 << 20) + 1);
  assert.match(subscription.error.message, /more than 1048576 bodies/);
  assert.equal(bodies.size, 1 << 20);
});

test('close_does_not_throw_where_the_server_allows_no_message', async (t) => {
  for (const bytes of [0, true, 'x']) {
    const {client} = await openFake(t, {hello: welcome(1, {limits: {message_bytes: bytes}})});
    client.close();
    assert.equal(client.state, 'closed');
  }
});
