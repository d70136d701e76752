// The golden scenes in WebAssembly give the hashes of tests/golden/hashes.txt (environment
// GOLDEN_WASM: the module, GOLDEN_HASHES: that file).
import test from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

const TICKS = 1000;

const {exports} = new WebAssembly.Instance(
  new WebAssembly.Module(readFileSync(process.env.GOLDEN_WASM)), {
    // Scenes end the process with a text if the engine refuses them.
    wasi_snapshot_preview1: {fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0, proc_exit: () => {
      throw new Error('a scene was refused');
    }},
  });

function text(at) {
  const bytes = new Uint8Array(exports.memory.buffer);
  return Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString();
}

const hex = (value) => BigInt.asUintN(64, value).toString(16).padStart(16, '0');

const wanted = new Map();
for (const line of readFileSync(process.env.GOLDEN_HASHES, 'utf8').split('\n')) {
  const [scene, tick, ...hashes] = line.split(' ');
  if (hashes.length === 3 && /^\d+$/.test(tick)) {
    if (!wanted.has(scene)) wanted.set(scene, new Map());
    wanted.get(scene).set(Number(tick), hashes);
  }
}

let compared = 0;
for (let index = 0; index < exports.golden_scenes(); index++) {
  const scene = text(exports.golden_name(index));
  if (!wanted.has(scene)) continue;
  test(`${scene}_has_the_same_bits`, () => {
    assert.equal(exports.golden_begin(index), 1);
    for (let tick = 1; tick <= TICKS; tick++) {
      exports.golden_step();
      const hashes = wanted.get(scene).get(tick);
      if (!hashes) continue;
      assert.deepEqual([exports.golden_state(), exports.golden_events(), exports.golden_image()].map(hex),
                       hashes, `tick ${tick}`);
      compared++;
    }
  });
}

test('every_golden_hash_was_compared', () => {
  assert.equal(compared, [...wanted.values()].reduce((sum, ticks) => sum + ticks.size, 0));
  assert.ok(compared > 50);
});
