// Writes a game's files from the templates beside this file: template/common, and over it the one of the library that draws.
//
// Invariant: a file that was there before is never touched. The game's folder is new or empty, each file is made with the
// flag that refuses an existing one, and after an error all files that were made are removed.

import {copyFile, mkdir, readdir, readFile, rm, rmdir, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

export const TEMPLATES = ['phaser', 'pixi'];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const PACKED = /^carom-(\d+\.\d+\.\d+(?:-[\w.-]+)?)\.tgz$/;
// npm leaves some names out of a package, and takes others for its own: these files have other names here.
const RENAMED = {'README.in': 'README.md', 'package.in': 'package.json', 'lock.in': 'package-lock.json', 'gitignore': '.gitignore',
                 'dockerignore': '.dockerignore'};
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** An error whose text is for the person at the terminal. */
export class UsageError extends Error {}

/** Checks a template's name. */
export function checkTemplate(template) {
  if (TEMPLATES.includes(template)) return template;
  throw new UsageError(`--template: there is no '${template}'; there are ${TEMPLATES.join(' and ')}`);
}

/** Checks a game's name: of the npm package, the server's template and its worlds. */
export function checkName(name) {
  if (NAME.test(name)) return name;
  throw new UsageError(`--name: '${name}': 1 to 32 small letters, digits and '-', the first a letter`);
}

/** The name that a folder suggests; '' if it suggests none. */
export function nameOf(folder) {
  const name = path.basename(path.resolve(folder)).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '').slice(0, 32);
  return NAME.test(name) ? name : '';
}

/** Throws unless the folder does not exist yet, or is empty. */
export async function checkFolder(folder) {
  const kind = await stat(folder).catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw new UsageError(`${folder}: ${error.code === 'ENOTDIR' ? 'a part of this path is not a folder' : error.message}`);
  });
  if (kind === null) return;
  if (!kind.isDirectory()) throw new UsageError(`${folder}: is a file; name a new or an empty folder`);
  const [first] = await readdir(folder);
  if (first !== undefined) throw new UsageError(`${folder}: the folder is not empty (it has '${first}'); name a new or an empty one`);
}

// The package carom of a game: a packed file that is put into the game, or a version in npm's registry.
async function findCarom(carom) {
  if (carom === undefined) {
    const beside = (await readdir(HERE)).find((name) => PACKED.test(name));
    if (beside === undefined) {
      throw new UsageError('--carom: this copy of create-carom has no carom in it; name the packed file carom-VERSION.tgz, or a version');
    }
    return findCarom(path.join(HERE, beside));
  }
  if (VERSION.test(carom)) return {version: carom, spec: carom};
  const [, version] = PACKED.exec(path.basename(carom)) ?? [];
  if (version === undefined) throw new UsageError(`--carom: '${carom}' is neither a version, as 0.1.0, nor a packed file carom-VERSION.tgz`);
  const kind = await stat(carom).catch(() => null);
  if (!kind?.isFile()) throw new UsageError(`--carom: there is no file '${carom}'`);
  const place = `vendor/${path.basename(carom)}`;
  return {version, spec: `file:${place}`, file: carom, place};
}

async function filesOf(folder, under = '') {
  const files = [];
  for (const entry of await readdir(path.join(folder, under), {withFileTypes: true})) {
    const name = path.join(under, entry.name);
    if (entry.isDirectory()) files.push(...await filesOf(folder, name));
    else files.push(name);
  }
  return files.sort();
}

/** The game's files: a Map of their names in the game to their places here. */
async function plan(template) {
  const files = new Map();
  for (const part of ['common', template]) {
    const folder = path.join(HERE, 'template', part);
    for (const name of await filesOf(folder)) {
      files.set(path.join(path.dirname(name), RENAMED[path.basename(name)] ?? path.basename(name)), path.join(folder, name));
    }
  }
  return files;
}

// Fills in npm's lock file, with carom as the game has it.
function locked(text, {version, spec, file}) {
  const lock = JSON.parse(text);
  lock.packages[''].dependencies.carom = spec;
  const entry = lock.packages['node_modules/carom'];
  entry.version = version;
  if (file) entry.resolved = spec;
  else delete entry.resolved;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/**
 * Makes a game in `folder`. `carom`: a packed file or a version; without it, the packed file in this package. Returns the names of the files.
 */
export async function makeGame({folder, name, template, carom}) {
  checkTemplate(template);
  checkName(name);
  await checkFolder(folder);
  const source = await findCarom(carom);
  const title = name.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
  const values = {__NAME__: name, __TITLE__: title, __CAROM__: source.spec, __VERSION__: source.version};
  const made = []; // files, each after its folders
  const makeFolder = async (place) => {
    const first = await mkdir(place, {recursive: true}); // the topmost that was made; undefined if all were there
    if (first === undefined) return;
    const below = path.relative(first, place).split(path.sep).filter(Boolean);
    for (let i = 0; i <= below.length; i++) made.push(path.join(first, ...below.slice(0, i)));
  };
  try {
    for (const [to, from] of await plan(template)) {
      const file = path.join(path.resolve(folder), to);
      await makeFolder(path.dirname(file));
      let text = (await readFile(from, 'utf8')).replace(/__[A-Z]+__/g, (word) => values[word] ?? word);
      if (to === 'package-lock.json') text = locked(text, source);
      await writeFile(file, text, {flag: 'wx'});
      made.push(file);
    }
    if (source.file) {
      const file = path.join(path.resolve(folder), source.place);
      await makeFolder(path.dirname(file));
      await copyFile(source.file, file);
      made.push(file);
    }
  } catch (error) {
    for (const one of made.reverse()) await rm(one).catch(() => rmdir(one)).catch(() => {});
    throw new UsageError(`${folder}: no game was made: ${error.message}`);
  }
  return made;
}
