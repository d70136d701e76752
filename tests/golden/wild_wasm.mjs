// Prints the hashes of worlds that break physics as `golden --wild FIRST COUNT` does, from the
// engine in WebAssembly:  node wild_wasm.mjs golden.wasm FIRST COUNT
import {readFileSync} from 'node:fs';

const [file, first, count] = process.argv.slice(2);
const end = () => {
  throw new Error('a world was refused');
};
const {exports} = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {
  wasi_snapshot_preview1: {fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0, proc_exit: end},
});
for (let i = 0; i < Number(count); i++) {
  const seed = Number(first) + i;
  const hash = BigInt.asUintN(64, exports.golden_wild(seed));
  console.log(`${seed} ${hash.toString(16).padStart(16, '0')}`);
}
