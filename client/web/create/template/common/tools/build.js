// `npm run build`: the page to dist/www, the referee to dist/referee.js. `builder()` gives esbuild's contexts, which build again as files
// change.
import {cpSync, mkdirSync, rmSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import esbuild from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const COMMON = {bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning'};

/** The parts to build: the page and the referee. */
export const PAGE = {...COMMON, entryPoints: ['src/main.ts'], outdir: 'dist/www', loader: {'.wasm': 'file'}};
export const REFEREE = {...COMMON, entryPoints: ['src/referee.ts'], outdir: 'dist', platform: 'node', target: 'node18'};

/** Empties dist, and copies the files that are served as they are. */
export function prepare() {
  rmSync('dist', {recursive: true, force: true});
  mkdirSync('dist');
  cpSync('public', 'dist/www', {recursive: true});
}

export async function build() {
  prepare();
  await Promise.all([esbuild.build({...PAGE, minify: true}), esbuild.build(REFEREE)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
