// Names that there are not: options, methods, events, worlds. Each is refused with the names that there are, where
// it would otherwise be passed over without a word.
import test from 'node:test';
import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';

import * as carom from '../src/index.js';
import {Emitter} from '../src/emitter.js';
import {meant} from '../src/options.js';
import * as phaser from '../src/phaser.js';
import {createReferee} from '../src/referee.js';
import {createTestGame} from '../src/testing.js';

const src = new URL('../src/', import.meta.url);
const silent = () => ({send() {}, end() {}, buffered: 0}); // a transport that never answers
const client = carom.makeClient(silent, {});
test.after(() => client.close());

test('most_similar_name_is_meant_as_the_server_means_it', () => {
  const words = ['arena', 'rink', 'reconnect'];
  assert.deepEqual(['arenna', 'aerna', 'ARENA', 'arna', 'reconect', 'pond', '', 'rikn'].map((word) => meant(word, words)),
                   ['arena', 'arena', 'arena', 'arena', 'reconnect', '', '', 'rink'].map((word) => word && `; did you mean '${word}'?`));
  assert.equal(meant('x'.repeat(1e6), words), '');
});

const scene = {add: {graphics: () => ({setDepth() {}})}, events: {once() {}}};
const view = new carom.WorldView();
const refused = {
  connect: [() => carom.connect(silent, {reconect: false}), /^connect: there is no option 'reconect'; there are name, token, .*; did you mean 'reconnect'\?$/],
  'connect.reconnect': [() => carom.connect(silent, {reconnect: {frist: true}}), /^connect: reconnect: there is no option 'frist'; there are firstMs, maxMs, giveUpMs, first; did you mean 'first'\?$/],
  'connect.token': [() => carom.connect(silent, {token: 7}), /^connect: token: expected a string/],
  'connect.transport': [() => carom.connect('ws://127.0.0.1:9', {transport: {}}), /^connect: transport: expected a function/],
  'connect.distance': [() => carom.connect(silent, {distance: {delay: 3}}), /^distance: there is no option 'delay'; there are delayMs/],
  use: [() => client.use(undefined), /^use: expected the name of a world, got undefined$/],
  'use.epoch': [() => client.use('lab', {epoc: 3}), /^use: there is no option 'epoc'; there is epoch; did you mean 'epoch'\?$/],
  call: [() => client.call('ping', {}, {timeout: 3}), /^ping: there is no option 'timeout'; there are timeoutMs, signal; did you mean 'timeoutMs'\?$/],
  'a method': [() => client.use('lab').body.get({body: 1}, {signals: null}), /^body.get: there is no option 'signals'/],
  notify: [() => client.notify('body.foce', {}), /^there is no method 'body.foce'; did you mean 'body.force'\?$/],
  'batch.send': [() => client.use('lab').batch().send({when: 3}), /^world.apply: there is no option 'when'/],
  'batch.notify': [() => client.use('lab').batch().notify({when: 3}), /^notify: there is no option 'when'; there are at, late$/],
  subscribe: [() => client.subscribe({rate: 3}), /^subscribe: expected the name of a world, got undefined$/],
  'subscribe.waitMs': [() => client.subscribe({world: 'lab'}, {wait: 3}), /^subscribe: there is no option 'wait'; there are extraDelayMs, interpolation, waitMs; did you mean 'waitMs'\?$/],
  predict: [() => client.predict(undefined, {}), /^predict: expected the name of a world/],
  'predict.inputs': [() => client.predict('lab', {inputs() {}}), /^predict: there is no option 'inputs'; .*; did you mean 'input'\?$/],
  'predict.input': [() => client.predict('lab', {input: undefined}), /^input: expected a function, got undefined$/],
  close: [() => client.close({keepsession: true}), /^close: there is no option 'keepsession'; there is keepSession; did you mean 'keepSession'\?$/],
  'client.on': [() => client.on('close', () => {}), /^there is no event 'close'; there are open, lost, .*; did you mean 'closed'\?$/],
  'view.on': [() => view.on('changed', () => {}), /^there is no event 'changed'; there are add, change, remove; did you mean 'change'\?$/],
  listener: [() => client.on('lost', undefined), /^'lost': a listener is a function, got undefined$/],
  view: [() => new carom.WorldView({interpolate: 'predictive'}), /^view: there is no option 'interpolate'/],
  'view.extraDelayMs': [() => new carom.WorldView({extraDelayMs: '5 ms'}), /^extraDelayMs: 5 ms: expected milliseconds/],
  tcpTransport: [() => carom.tcpTransport({hots: '::1'}), /^tcpTransport: there is no option 'hots'; there are host, port, tls; did you mean/],
  followBodies: [() => phaser.followBodies(scene, view, {sprites() {}}), /^followBodies: there is no option 'sprites'; .*; did you mean 'sprite'\?$/],
  drawDebug: [() => phaser.drawDebug(scene, view, {contact: false}), /^drawDebug: there is no option 'contact'; .*; did you mean 'contacts'\?$/],
  createControls: [() => phaser.createControls(scene, {key: {}}), /^createControls: there is no option 'key'; .*; did you mean 'keys'\?$/],
  keys: [() => phaser.createControls(scene, {keys: {lefft: []}}), /^keys: there is no 'lefft'; .*; did you mean 'left'\?$/],
  'referee without options': [() => createReferee(), /^template or worlds: which worlds\?$/],
  'a handler that is not there': [() => createReferee({worlds: 'a', join: undefined}), /^join: a handler is a function, got undefined$/],
  'an option of a referee': [() => createReferee({tempalte: 'a'}), /^tempalte: there is no such option; .*; did you mean 'template'\?$/],
  'a handler': [() => createReferee({worlds: 'a', mesage() {}}), /^mesage: there is no such handler; .*; did you mean 'message'\?$/],
  'a kind of events': [() => createReferee({worlds: 'a', events: ['sensor_bgin']}), /^events: there is no kind 'sensor_bgin'; .*; did you mean 'sensor_begin'\?$/],
  'a handler of events without kinds': [() => createReferee({worlds: 'a', event() {}}), /^event: of which kinds\? `events` names them$/],
  'a client and a URL': [() => createReferee({worlds: 'a', client, url: 'tcp://127.0.0.1'}), /^url: the client is connected already; give client or url$/],
  'the function error': [() => createReferee({worlds: 'a', error: 'console'}), /^error: expected a function, got console$/],
  lookMs: [() => createReferee({worlds: 'a', lookMs: NaN}), /^lookMs: 1 to 600000, got NaN$/],
  'a handler of a test': [() => createTestGame({join: undefined}), /^join: a handler is a function, got undefined$/],
};
for (const [name, [action, message]] of Object.entries(refused)) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(async () => action(), (error) => {
      assert.match(error.message, message);
      return error instanceof TypeError || error instanceof RangeError || error.code === 'invalid_argument' || error.code === 'unknown_method';
    });
  });
}

test('what_is_allowed_is_not_refused', () => {
  const lab = client.use('lab', {epoch: undefined});
  assert.equal(lab.name, 'lab');
  client.use('lab', undefined);
  for (const [name] of [['open'], ['lost'], ['closed']]) client.on(name, () => {})();
  new Emitter().on('anything', () => {})();
  carom.makeClient(silent, {name: 'a', token: () => 'b', reconnect: {first: true}, follow: {plain: true}, distance: {delayMs: 1}}).close();
  carom.makeClient(silent, {reconnect: false, follow: false, token: undefined}).close();
});

// Each class of the sources emits events of its list only, and the types have the same events.
test('events_of_the_classes_are_those_that_are_emitted', async () => {
  const lists = [];
  const types = await readFile(new URL('index.d.ts', src), 'utf8') + await readFile(new URL('referee.d.ts', src), 'utf8');
  for (const file of (await readdir(src)).filter((name) => name.endsWith('.js'))) {
    const text = await readFile(new URL(file, src), 'utf8');
    const list = /^const EVENTS = (.+);$/m.exec(text)?.[1];
    if (list === undefined) {
      assert.doesNotMatch(text, /extends Emitter/, `${file}: a class whose events are not checked`);
      continue;
    }
    lists.push(list);
    for (const [, name] of text.matchAll(/this\.emit\('(\w+)'/g)) assert.ok(list.includes(`'${name}'`), `${file}: ${name}`);
    for (const [, name] of list.matchAll(/'(\w+)'/g)) {
      if (!['image', 'record'].includes(name) && file !== 'referee_game.js') assert.match(types, new RegExp(`\\b${name}: `), `${file}: ${name}`);
    }
  }
  assert.equal(lists.length, 7);
});
