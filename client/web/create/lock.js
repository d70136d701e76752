// Makes the lock files of the templates again, from npm's registry: `node lock.js FOLDER`, with the folder of the built create-carom (which has
// the packed carom). It is for changes of package.in; games are made without it.
import {execFileSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {TEMPLATES} from './create.js';

const built = path.resolve(process.argv[2] ?? '.');
const packed = readdirSync(built).find((name) => /^carom-.*\.tgz$/.test(name));
if (packed === undefined) throw new Error(`${built}: no carom-VERSION.tgz: cmake --build --preset release --target web_create makes it`);

for (const template of TEMPLATES) {
  const place = fileURLToPath(new URL(`template/${template}/`, import.meta.url));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'create-carom-'));
  mkdirSync(path.join(folder, 'vendor'));
  copyFileSync(path.join(built, packed), path.join(folder, 'vendor', packed));
  const text = readFileSync(`${place}package.in`, 'utf8').replace('__CAROM__', `file:vendor/${packed}`).replace('__NAME__', 'name-of-the-game');
  writeFileSync(path.join(folder, 'package.json'), text);
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved', '--no-audit', '--no-fund'],
               {cwd: folder, stdio: 'inherit'});
  const lock = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  delete lock.packages['node_modules/carom'].integrity; // carom is packed by each build
  writeFileSync(`${place}lock.in`, `${JSON.stringify(lock, null, 2).replaceAll('name-of-the-game', '__NAME__')}\n`);
  rmSync(folder, {recursive: true});
}
