// The MessagePack codec: round trips, shortest forms, streams split anywhere, refusals by the head alone.
import test from 'node:test';
import assert from 'node:assert/strict';

import {Decoder, decode, encode, MessagePackError} from '../src/msgpack.js';

const VALUES = [
  0, 1, 127, 128, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1,
  -1, -32, -33, -128, -129, -32768, -32769, -2147483648, -2147483649, -(2 ** 53 - 1),
  1.5, -0, 1e300, (1n << 64n) - 1n, -(1n << 63n), true, false, null,
  '', 'a', 'x'.repeat(31), 'x'.repeat(32), 'y'.repeat(256), 'é'.repeat(70000), 'ключ',
  new Uint8Array(0), new Uint8Array(300).fill(7), new Uint8Array(70000),
  [], [1, [2, [3]]], new Array(16).fill(0), new Array(70000).fill(1), {}, {a: {b: [null]}},
  Object.fromEntries(Array.from({length: 17}, (_, i) => [`k${i}`, i])),
];

test('text_keeps_a_byte_order_mark', () => {
  for (const text of ['\ufeff', '\ufeffshort', `\ufeff${'long'.repeat(20)}`, 'in\ufeffside']) {
    assert.equal(decode(encode(text)), text);
    assert.deepEqual(decode(encode({[text]: 1})), {[text]: 1});
  }
});

test('values_come_back_as_they_went', () => {
  for (const value of VALUES) assert.deepEqual(decode(encode(value)), value);
});

test('integers_and_heads_take_the_shortest_form', () => {
  const sizes = [[0, 1], [127, 1], [128, 2], [256, 3], [65536, 5], [2 ** 32, 9], [-32, 1], [-33, 2],
                 ['x'.repeat(31), 32], ['x'.repeat(32), 34], [[], 1], [{}, 1], [1.5, 9]];
  for (const [value, size] of sizes) assert.equal(encode(value).length, size, String(value));
});

test('undefined_is_left_out_of_maps', () => {
  assert.deepEqual(decode(encode({a: undefined, b: 1})), {b: 1});
});

test('what_cannot_be_said_throws', () => {
  for (const value of [Symbol('x'), () => 0, 1n << 64n]) assert.throws(() => encode(value));
  let deep = 0;
  for (let i = 0; i < 33; i++) deep = [deep];
  assert.throws(() => encode(deep), /nested deeper than 32/);
});

test('stream_cut_anywhere_gives_the_same_values', () => {
  const whole = VALUES.filter((value) => encode(value).length < 400);
  const bytes = Buffer.concat(whole.map((value) => encode(value)));
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const decoder = new Decoder();
    const got = [];
    for (let at = 0; at < bytes.length; at += size) {
      got.push(...decoder.feed(new Uint8Array(bytes.subarray(at, at + size))));
    }
    assert.deepEqual(got, whole, `in pieces of ${size}`);
  }
});

test('declared_length_over_the_limit_is_refused_by_its_head', () => {
  const heads = [[0xdd, 0x0f, 0xff, 0xff, 0xff], [0xdf, 0x0f, 0xff, 0xff, 0xff],
                 [0xdb, 0x7f, 0xff, 0xff, 0xff], [0xc6, 0x7f, 0xff, 0xff, 0xff]];
  for (const head of heads) {
    assert.throws(() => new Decoder().feed(Uint8Array.from(head)), MessagePackError);
  }
  const small = new Decoder(100);
  assert.deepEqual(small.feed(encode('x'.repeat(98))), ['x'.repeat(98)]);
  assert.throws(() => small.feed(encode('x'.repeat(99))), /more than 100 bytes/);
});

test('message_of_more_memory_than_the_limit_is_refused_before_it_is_decoded', () => {
  const lists = (count) => Uint8Array.from([0xdd, count >>> 24, count >>> 16, count >>> 8, count, ...new Uint8Array(count).fill(0x90)]);
  const most = 48 + 8 * 1000 + 48 * 1000; // memory of a list of 1 000 empty lists
  const small = () => new Decoder(1e6, most);
  for (let i = 0; i < 2; i++) assert.equal(small().feed(lists(1000))[0].length, 1000);
  assert.throws(() => small().feed(lists(1001)), /arrays and maps take more than 56048 bytes/);
  const twice = small();
  twice.feed(lists(900));
  assert.equal(twice.feed(lists(900)).length, 1); // each message counts by itself
  // The client's default limits: 32 MiB of empty arrays, in pieces, and one head.
  const decoder = new Decoder();
  assert.throws(() => {
    decoder.feed(Uint8Array.of(0xdd, 2, 0, 0, 0));
    for (let i = 0; i < 32; i++) decoder.feed(new Uint8Array(1 << 20).fill(0x80));
  }, /more than 536870912 bytes/);
  assert.throws(() => new Decoder().feed(Uint8Array.of(0xdd, 5, 0, 0, 0)), /more than 536870912 bytes/);
});

test('a_byte_at_a_time_takes_no_more_memory_than_the_message', () => {
  const decoder = new Decoder();
  decoder.feed(Uint8Array.of(0xc6, 0, 1, 0, 0));
  for (let i = 0; i < 65535; i++) decoder.feed(Uint8Array.of(7));
  assert.ok(decoder.begun.length <= 2 * 65540, `${decoder.begun.length} bytes`);
  assert.equal(decoder.feed(Uint8Array.of(7))[0].length, 65536);
});

test('bytes_without_meaning_are_refused', () => {
  for (const byte of [0xc1, 0xc7, 0xc9, 0xd4, 0xd8]) {
    assert.throws(() => new Decoder().feed(Uint8Array.of(byte, 0, 0)), MessagePackError);
    assert.throws(() => decode(Uint8Array.of(byte, 0, 0)), MessagePackError);
  }
});

test('nesting_over_the_limit_is_refused', () => {
  const decoder = new Decoder();
  assert.throws(() => decoder.feed(new Uint8Array(40).fill(0x91).fill(0x90, 39)), /deeper than 32/);
});

test('cut_off_values_are_refused', () => {
  for (const value of VALUES) {
    const bytes = encode(value);
    if (bytes.length < 2 || bytes.length > 500) continue;
    for (let size = 1; size < bytes.length; size++) {
      assert.throws(() => decode(bytes.subarray(0, size)), MessagePackError);
    }
  }
});

test('proto_key_does_not_change_the_prototype', () => {
  const value = decode(encode(new Map([['__proto__', {evil: true}]])));
  assert.equal(value.evil, undefined);
  assert.deepEqual(Object.keys(value), ['__proto__']);
});
