// `npm test`: the rules, played over the engine in this process, without a server.
import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import esbuild from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
await esbuild.build({entryPoints: tests.map((name) => `test/${name}`), bundle: true, format: 'esm', platform: 'node', target: 'node18',
                     packages: 'external', outdir: 'dist/test', sourcemap: 'inline', logLevel: 'warning'});
const files = tests.map((name) => `dist/test/${name.replace(/ts$/, 'js')}`);
process.exitCode = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {stdio: 'inherit'}).status ?? 1;
