// A scene within a link: its text, compressed, in the fragment of the address, which no server sees. A link may come from
// anybody, so its size, its text's size, its work and its bodies are bounded before anything is made of it.

import {CaromError} from '../../src/errors.js';

export const LINK_CHARS_MAX = 30000; // the fragment's length: what mail programs and browsers pass on
const TEXT_BYTES_MAX = 512 * 1024; // the scene file in a link

/** The bounds of loadScene() for scenes of strangers. */
export const STRANGERS = {workMax: 1 << 21, commandsMax: 4000};

const tooLong = (size) => new CaromError('limit_exceeded', `the scene takes ${size} characters in a link, which holds ${LINK_CHARS_MAX} at most: ` +
                                         'export it as a file');

async function through(stream, bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new CaromError('limit_exceeded', `the link's scene is larger than ${most} bytes`);
    }
    parts.push(value);
  }
}

/** The text of a scene file as characters for a link. */
export async function packScene(text) {
  const small = JSON.stringify(JSON.parse(text));
  const bytes = new Uint8Array(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(small), Infinity));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const packed = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (packed.length > LINK_CHARS_MAX) throw tooLong(packed.length);
  return packed;
}

/** The text of a scene file in a link; throws a CaromError that says what is wrong. */
export async function unpackScene(packed) {
  if (packed.length > LINK_CHARS_MAX) throw tooLong(packed.length);
  if (!/^[A-Za-z0-9_-]+$/.test(packed)) throw new CaromError('invalid_argument', 'the link’s scene is damaged: it has characters that no such link has');
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(await through(new DecompressionStream('deflate-raw'), bytes, TEXT_BYTES_MAX));
  } catch (error) {
    if (error instanceof CaromError) throw error;
    throw new CaromError('invalid_argument', 'the link’s scene is damaged: it cannot be unpacked. It may have been cut off');
  }
}
