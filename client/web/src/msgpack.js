// MessagePack: values to bytes, and a stream of bytes to values.
//
// Why not @msgpack/msgpack: the viewer is served by caromd as plain files and runs without a build step, so every
// module must be importable by its path; and a stream must be rejected by its headers before memory is used for it.
// Both together are less than what an import map, a vendored copy and a bounded layer around it would be.
//
// JavaScript and MessagePack:
//   number that is a safe integer -> the shortest integer; any other number -> float 64
//   bigint -> an integer of 64 bits; integers beyond 2^53 come back as bigint
//   Uint8Array <-> bin; string <-> str; Array <-> array; plain object, Map -> map; map -> object
//   undefined: left out of objects, null in arrays
// Other objects whose content is not in their own properties (Date, Set, RegExp …) are refused. NaN and infinities are
// written as they are; the server refuses them and names the argument. Extension types are not part of the protocol and
// are refused.

const DEPTH_MAX = 32; // as the protocol's WIRE_DEPTH_MAX
const MESSAGE_BYTES_MAX = 128 * 1024 * 1024; // as the protocol's WIRE_REPLY_BYTES_MAX
const MEMORY_MAX = 512 * 1024 * 1024; // estimated bytes of a decoded message's arrays and maps
const LIST_BYTES = 48; // estimate for an array or map without elements
const ELEMENT_BYTES = 8; // estimate for each element; twice as much for a pair
const FIRST_BYTES = 256; // an encoder's first buffer
const KEY_CACHE_MAX = 1024; // short strings cached

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder('utf-8', {ignoreBOM: true}); // keeps U+FEFF

/** Bytes that are not MessagePack, or exceed a limit of this client. */
export class MessagePackError extends Error {
  constructor(message) {
    super(message);
    this.name = 'MessagePackError';
  }
}

// ---- encoding

class Writer {
  constructor() {
    this.grow(FIRST_BYTES);
    this.size = 0;
  }

  grow(bytes) {
    const wider = new Uint8Array(bytes);
    if (this.bytes) wider.set(this.bytes.subarray(0, this.size));
    this.bytes = wider;
    this.view = new DataView(wider.buffer);
  }

  // Reserves `count` bytes and returns their index.
  take(count) {
    const at = this.size;
    if (at + count > this.bytes.length) this.grow(Math.max(this.bytes.length * 2, at + count));
    this.size = at + count;
    return at;
  }

  byte(value) {
    const at = this.take(1); // first, because it may change `bytes`
    this.bytes[at] = value;
  }

  // Writes a tag and a length or value of 8, 16 or 32 bits.
  tagged(tag, bits, value) {
    const at = this.take(1 + bits / 8);
    this.bytes[at] = tag;
    if (bits === 8) this.view.setUint8(at + 1, value);
    else if (bits === 16) this.view.setUint16(at + 1, value);
    else this.view.setUint32(at + 1, value);
  }

  wide(tag, set, value) {
    const at = this.take(9);
    this.bytes[at] = tag;
    this.view[set](at + 1, value);
  }

  integer(value) {
    if (value >= 0) {
      if (value < 0x80) this.byte(value);
      else if (value < 0x100) this.tagged(0xcc, 8, value);
      else if (value < 0x10000) this.tagged(0xcd, 16, value);
      else if (value < 0x100000000) this.tagged(0xce, 32, value);
      else this.wide(0xcf, 'setBigUint64', BigInt(value));
    } else if (value >= -0x20) this.byte(value & 0xff);
    else if (value >= -0x80) this.tagged(0xd0, 8, value);
    else if (value >= -0x8000) this.tagged(0xd1, 16, value);
    else if (value >= -0x80000000) this.tagged(0xd2, 32, value);
    else this.wide(0xd3, 'setBigInt64', BigInt(value));
  }

  bigint(value) {
    if (value >= -0x80000000n && value < 0x100000000n) this.integer(Number(value));
    else if (value >= 0n && value < 1n << 64n) this.wide(0xcf, 'setBigUint64', value);
    else if (value >= -(1n << 63n) && value < 0n) this.wide(0xd3, 'setBigInt64', value);
    else throw new RangeError(`${value} does not fit 64 bits`);
  }

  string(value) {
    // Writes the text behind the longest possible head, then moves it to the shortest.
    const most = value.length * 3;
    const head = most < 32 ? 1 : most < 0x100 ? 2 : most < 0x10000 ? 3 : 5;
    const at = this.take(head + most);
    const {written} = textEncoder.encodeInto(value, this.bytes.subarray(at + head));
    const need = written < 32 ? 1 : written < 0x100 ? 2 : written < 0x10000 ? 3 : 5;
    if (need < head) this.bytes.copyWithin(at + need, at + head, at + head + written);
    this.size = at;
    if (need === 1) this.byte(0xa0 | written);
    else this.tagged(need === 2 ? 0xd9 : need === 3 ? 0xda : 0xdb, (need - 1) * 8, written);
    this.size += written;
  }

  binary(value) {
    const count = value.length;
    if (count < 0x100) this.tagged(0xc4, 8, count);
    else if (count < 0x10000) this.tagged(0xc5, 16, count);
    else this.tagged(0xc6, 32, count);
    const at = this.take(count);
    this.bytes.set(value, at);
  }

  head(short, tag16, count) {
    if (count < 16) this.byte(short | count);
    else if (count < 0x10000) this.tagged(tag16, 16, count);
    else this.tagged(tag16 + 1, 32, count);
  }

  map(pairs, depth) {
    this.head(0x80, 0xde, pairs.length);
    for (const [key, value] of pairs) {
      this.value(key, depth);
      this.value(value, depth);
    }
  }

  object(value, depth) {
    if (depth >= DEPTH_MAX) throw new RangeError(`values are nested deeper than ${DEPTH_MAX}`);
    if (Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value)) {
      this.head(0x90, 0xdc, value.length);
      for (let i = 0; i < value.length; i++) this.value(value[i], depth + 1);
    } else if (value instanceof Map) {
      this.map([...value], depth + 1);
    } else if (!isMap(value)) {
      throw new TypeError('not sendable');
    } else {
      this.map(Object.entries(value).filter((pair) => pair[1] !== undefined), depth + 1);
    }
  }

  value(value, depth) {
    switch (typeof value) {
      case 'number':
        if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.integer(value);
        else this.wide(0xcb, 'setFloat64', value);
        break;
      case 'string': this.string(value); break;
      case 'boolean': this.byte(value ? 0xc3 : 0xc2); break;
      case 'bigint': this.bigint(value); break;
      case 'undefined': this.byte(0xc0); break;
      case 'object':
        if (value === null) this.byte(0xc0);
        else if (value instanceof Uint8Array) this.binary(value);
        else if (value instanceof ArrayBuffer) this.binary(new Uint8Array(value));
        else this.object(value, depth);
        break;
      default: throw new TypeError(`a ${typeof value} cannot be sent`);
    }
  }
}

// Whether an object's content is its own properties: a plain object, or one of the user's class.
function isMap(value) {
  return Object.prototype.toString.call(value) === '[object Object]';
}

// The first value that cannot be sent, and its path: `.shapes[0].radius: a value of type Date …`.
function whatIsWrong(value, path = '', depth = 0) {
  const kind = typeof value;
  const name = kind === 'object' ? value?.constructor?.name ?? 'object' : kind;
  const told = `${path}${path && ': '}a value of type ${name} cannot be sent; numbers, strings, booleans, null, bigints, ` +
               'Uint8Arrays, arrays, Maps and plain objects can';
  if (kind === 'function' || kind === 'symbol') return told;
  if (kind === 'bigint' && BigInt.asUintN(64, value) !== value && BigInt.asIntN(64, value) !== value) {
    return `${path}${path && ': '}${value} does not fit 64 bits`;
  }
  if (kind !== 'object' || value === null || value instanceof ArrayBuffer || value instanceof Uint8Array) return null;
  if (depth >= DEPTH_MAX) return `values are nested deeper than ${DEPTH_MAX}`;
  const list = Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
  if (!list && !(value instanceof Map) && !isMap(value)) return told;
  for (const [key, inner] of list || value instanceof Map ? value.entries() : Object.entries(value)) {
    const at = list ? `${path}[${key}]` : `${path}.${String(key)}`;
    const found = (value instanceof Map && whatIsWrong(key, `${path} key`, depth + 1)) || whatIsWrong(inner, at, depth + 1);
    if (found) return found;
  }
  return null;
}

/** Encodes the value. Throws TypeError or RangeError, with the path, for values that MessagePack lacks. */
export function encode(value) {
  const writer = new Writer();
  try {
    writer.value(value, 0);
  } catch (error) {
    throw new error.constructor(whatIsWrong(value) ?? error.message);
  }
  return writer.bytes.slice(0, writer.size);
}

// ---- finding the end of a message

// The number of length bytes after each tag from 0xc0 on, and the unit that the length counts: 0 nothing (a value of
// `fixed` bytes), 1 bytes, 2 values, 3 pairs; -1: not in the protocol.
const LENGTH_BYTES = new Uint8Array(64);
const COUNTS = new Int8Array(64);
const FIXED = new Uint8Array(64);
for (const [tag, length, counts, fixed] of [
  [0xc0, 0, 0, 0], [0xc1, 0, -1, 0], [0xc2, 0, 0, 0], [0xc3, 0, 0, 0],
  [0xc4, 1, 1, 0], [0xc5, 2, 1, 0], [0xc6, 4, 1, 0],
  [0xc7, 0, -1, 0], [0xc8, 0, -1, 0], [0xc9, 0, -1, 0],
  [0xca, 0, 0, 4], [0xcb, 0, 0, 8],
  [0xcc, 0, 0, 1], [0xcd, 0, 0, 2], [0xce, 0, 0, 4], [0xcf, 0, 0, 8],
  [0xd0, 0, 0, 1], [0xd1, 0, 0, 2], [0xd2, 0, 0, 4], [0xd3, 0, 0, 8],
  [0xd4, 0, -1, 0], [0xd5, 0, -1, 0], [0xd6, 0, -1, 0], [0xd7, 0, -1, 0], [0xd8, 0, -1, 0],
  [0xd9, 1, 1, 0], [0xda, 2, 1, 0], [0xdb, 4, 1, 0],
  [0xdc, 2, 2, 0], [0xdd, 4, 2, 0], [0xde, 2, 3, 0], [0xdf, 4, 3, 0],
]) {
  LENGTH_BYTES[tag - 0xc0] = length;
  COUNTS[tag - 0xc0] = counts;
  FIXED[tag - 0xc0] = fixed;
}

// Looks at each byte once, however the stream is split. Each value takes at least a byte, so a declared length that
// cannot fit the limit is rejected at once. An empty array is one byte of a message and many of memory, so their memory
// is bounded too.
class Scanner {
  constructor(bytesMax, memoryMax) {
    this.bytesMax = bytesMax;
    this.memoryMax = memoryMax;
    this.reset();
  }

  reset() {
    this.position = 0; // bytes of this message so far
    this.owed = 1; // values still expected
    this.skip = 0; // bytes of a value's body still to come
    this.lengthLeft = 0; // bytes of a length still to come
    this.length = 0;
    this.counts = 0;
    this.memory = 0; // estimated bytes of its arrays and maps
  }

  // Finds the end of the message in `bytes` from `at` on, or -1 if it continues beyond them.
  feed(bytes, at) {
    const start = at;
    const end = bytes.length;
    while (at < end) {
      if (this.skip > 0) {
        const taken = Math.min(this.skip, end - at);
        this.skip -= taken;
        at += taken;
      } else if (this.lengthLeft > 0) {
        this.length = this.length * 256 + bytes[at++];
        if (--this.lengthLeft === 0) this.declare(this.length, this.position + at - start);
      } else {
        this.head(bytes[at++], this.position + at - start);
      }
      if (this.owed === 0 && this.skip === 0 && this.lengthLeft === 0) return at;
    }
    this.position += at - start;
    return -1;
  }

  head(tag, position) {
    this.owed--;
    if (tag < 0x80 || tag >= 0xe0) return;
    if (tag < 0x90) this.counts = 3;
    else if (tag < 0xa0) this.counts = 2;
    else if (tag < 0xc0) this.counts = 1;
    else {
      const kind = tag - 0xc0;
      this.counts = COUNTS[kind];
      if (this.counts < 0) {
        throw new MessagePackError(`byte 0x${tag.toString(16)} has no meaning in the protocol`);
      }
      if (this.counts === 0) this.skip = FIXED[kind];
      else {
        this.lengthLeft = LENGTH_BYTES[kind];
        this.length = 0;
      }
      return;
    }
    this.declare(tag & (tag < 0xa0 ? 0x0f : 0x1f), position);
  }

  declare(length, position) {
    if (this.counts === 1) {
      this.skip = length;
    } else {
      const count = this.counts === 2 ? length : 2 * length;
      this.owed += count;
      this.memory += LIST_BYTES + ELEMENT_BYTES * count;
      if (this.memory > this.memoryMax) {
        throw new MessagePackError(`a message whose arrays and maps take more than ${this.memoryMax} bytes`);
      }
    }
    if (position + this.owed + this.skip > this.bytesMax) {
      throw new MessagePackError(`a message of more than ${this.bytesMax} bytes`);
    }
  }
}

// ---- decoding

// Keys and words repeat: short ASCII strings are looked up by their bytes instead of being decoded again.
const keyCache = new Map();

function shortString(bytes, at, size) {
  let hash = size;
  for (let i = at; i < at + size; i++) {
    if (bytes[i] >= 0x80) return textDecoder.decode(bytes.subarray(at, at + size));
    hash = (hash * 31 + bytes[i]) | 0;
  }
  const known = keyCache.get(hash);
  if (known !== undefined && known.length === size) {
    let same = true;
    for (let i = 0; i < size && same; i++) same = known.charCodeAt(i) === bytes[at + i];
    if (same) return known;
  }
  const made = String.fromCharCode.apply(null, bytes.subarray(at, at + size));
  if (keyCache.size < KEY_CACHE_MAX) keyCache.set(hash, made);
  return made;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  // Reads `count` bytes, which must exist; returns their index.
  take(count) {
    const at = this.at;
    if (count > this.bytes.length - at) throw new MessagePackError('the message is cut off');
    this.at = at + count;
    return at;
  }

  value(depth) {
    const tag = this.bytes[this.take(1)];
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag < 0x90) return this.map(tag & 0x0f, depth);
    if (tag < 0xa0) return this.array(tag & 0x0f, depth);
    if (tag < 0xc0) return this.string(tag & 0x1f);
    const view = this.view;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.binary(view.getUint8(this.take(1)));
      case 0xc5: return this.binary(view.getUint16(this.take(2)));
      case 0xc6: return this.binary(view.getUint32(this.take(4)));
      case 0xca: return view.getFloat32(this.take(4));
      case 0xcb: return view.getFloat64(this.take(8));
      case 0xcc: return view.getUint8(this.take(1));
      case 0xcd: return view.getUint16(this.take(2));
      case 0xce: return view.getUint32(this.take(4));
      case 0xcf: return this.unsigned64();
      case 0xd0: return view.getInt8(this.take(1));
      case 0xd1: return view.getInt16(this.take(2));
      case 0xd2: return view.getInt32(this.take(4));
      case 0xd3: return this.signed64();
      case 0xd9: return this.string(view.getUint8(this.take(1)));
      case 0xda: return this.string(view.getUint16(this.take(2)));
      case 0xdb: return this.string(view.getUint32(this.take(4)));
      case 0xdc: return this.array(view.getUint16(this.take(2)), depth);
      case 0xdd: return this.array(view.getUint32(this.take(4)), depth);
      case 0xde: return this.map(view.getUint16(this.take(2)), depth);
      case 0xdf: return this.map(view.getUint32(this.take(4)), depth);
      default:
        throw new MessagePackError(`byte 0x${tag.toString(16)} has no meaning in the protocol`);
    }
  }

  unsigned64() {
    const at = this.take(8);
    const high = this.view.getUint32(at);
    if (high < 0x200000) return high * 0x100000000 + this.view.getUint32(at + 4);
    return this.view.getBigUint64(at);
  }

  signed64() {
    const value = this.view.getBigInt64(this.take(8));
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  binary(size) {
    const at = this.take(size);
    return this.bytes.slice(at, at + size);
  }

  string(size) {
    const at = this.take(size);
    if (size <= 24) return shortString(this.bytes, at, size);
    return textDecoder.decode(this.bytes.subarray(at, at + size));
  }

  enter(count, depth) {
    if (depth >= DEPTH_MAX) throw new MessagePackError(`nested deeper than ${DEPTH_MAX}`);
    if (count > this.bytes.length - this.at) throw new MessagePackError('the message is cut off');
  }

  array(count, depth) {
    this.enter(count, depth);
    const values = [];
    for (let i = 0; i < count; i++) values.push(this.value(depth + 1));
    return values;
  }

  map(count, depth) {
    this.enter(2 * count, depth);
    const object = {};
    for (let i = 0; i < count; i++) {
      const key = this.value(depth + 1);
      const value = this.value(depth + 1);
      if (key === '__proto__') {
        Object.defineProperty(object, key, {value, enumerable: true, configurable: true, writable: true});
      } else {
        object[key instanceof Uint8Array ? textDecoder.decode(key) : key] = value;
      }
    }
    return object;
  }
}

/** Decodes `bytes`, which must be one value. Throws MessagePackError. */
export function decode(bytes) {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (reader.at !== bytes.length) throw new MessagePackError('there are bytes after the value');
  return value;
}

/** Decodes a stream of values that may be split anywhere. */
export class Decoder {
  /**
   * @param {number} bytesMax the largest message accepted
   * @param {number} memoryMax the most memory that its arrays and maps may take, by estimate
   */
  constructor(bytesMax = MESSAGE_BYTES_MAX, memoryMax = MEMORY_MAX) {
    this.scanner = new Scanner(bytesMax, memoryMax);
    this.begun = null; // bytes of the incomplete message, and room for more
    this.begunBytes = 0;
  }

  /** The values that end in these bytes. Throws MessagePackError; the stream is unusable then. */
  feed(chunk) {
    const values = [];
    let from = 0;
    while (from < chunk.length) {
      const end = this.scanner.feed(chunk, from);
      if (end < 0) {
        this.keep(chunk.subarray(from));
        break;
      }
      values.push(decode(this.join(chunk.subarray(from, end))));
      this.scanner.reset();
      from = end;
    }
    return values;
  }

  // One buffer that doubles: a peer may send a byte at a time.
  keep(part) {
    const size = this.begunBytes + part.length;
    if (this.begun === null || size > this.begun.length) {
      const wider = new Uint8Array(this.begun === null ? size : Math.max(size, 2 * this.begun.length));
      if (this.begun !== null) wider.set(this.begun.subarray(0, this.begunBytes));
      this.begun = wider;
    }
    this.begun.set(part, this.begunBytes);
    this.begunBytes = size;
  }

  join(last) {
    if (this.begun === null) return last;
    this.keep(last);
    const whole = this.begun.subarray(0, this.begunBytes);
    this.begun = null;
    this.begunBytes = 0;
    return whole;
  }
}
