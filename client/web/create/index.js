#!/usr/bin/env node
// `npm create carom`: asks for a folder and a template, or takes them as arguments, and makes a game there.
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline/promises';

import {TEMPLATES, UsageError, checkFolder, checkName, checkTemplate, makeGame, nameOf} from './create.js';

const HELP = `Usage: npm create carom [FOLDER] -- [--template phaser|pixi] [--name NAME] [--carom FILE|VERSION]

Makes a multiplayer game in FOLDER, which must be new or empty: TypeScript, prediction, a referee
with rounds and scores, a Dockerfile. Without FOLDER or --template it asks.

  --template NAME   the library that draws: phaser (Phaser 4) or pixi (PixiJS 8)
  --name NAME       of the game: small letters, digits and '-'; default: that of the folder
  --carom FILE      the npm package carom as 'npm pack' made it, or a version of it in npm's
                    registry; default: the one that came with create-carom
  --help            this text
  --version         the version of create-carom
`;
const OPTIONS = ['template', 'name', 'carom'];

function parse(args) {
  const given = {};
  for (let i = 0; i < args.length; i++) {
    const [, option, value] = /^--([^=]*)(?:=(.*))?$/s.exec(args[i]) ?? [];
    if (option === undefined) {
      if (args[i].startsWith('-') || args[i] === '') throw new UsageError(`'${args[i]}' is no option; --help lists them`);
      if (given.folder !== undefined) throw new UsageError(`one FOLDER, not also '${args[i]}'`);
      given.folder = args[i];
    } else if (option === 'help' || option === 'version') {
      given[option] = true;
    } else if (!OPTIONS.includes(option)) {
      throw new UsageError(`there is no option --${option}; there are --${OPTIONS.join(', --')}, --help, --version`);
    } else {
      given[option] = value ?? args[++i];
      if (given[option] === undefined) throw new UsageError(`--${option}: its value is missing`);
    }
  }
  return given;
}

// Asks until the answer passes the check; an empty answer is the default.
async function ask(terminal, question, otherwise, check) {
  for (;;) {
    const answer = (await terminal.question(`${question} (${otherwise}): `)).trim() || otherwise;
    try {
      await check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      console.log(error.message);
    }
  }
}

async function complete(given) {
  if (given.template !== undefined) checkTemplate(given.template);
  if (given.name !== undefined) checkName(given.name);
  if (given.folder !== undefined) await checkFolder(given.folder);
  if (given.folder === undefined || given.template === undefined) {
    if (!process.stdin.isTTY) {
      const missing = [given.folder === undefined && 'FOLDER', given.template === undefined && '--template'].filter(Boolean);
      throw new UsageError(`${missing.join(' and ')}: missing, and there is no terminal to ask at`);
    }
    const terminal = createInterface({input: process.stdin, output: process.stdout});
    try {
      given.folder ??= await ask(terminal, 'Folder', given.name ?? 'my-game', checkFolder);
      given.template ??= await ask(terminal, `Template, ${TEMPLATES.join(' or ')}`, TEMPLATES[0], checkTemplate);
    } finally {
      terminal.close();
    }
  }
  given.name ??= nameOf(given.folder);
  if (given.name === '') throw new UsageError(`--name: missing, and '${path.basename(path.resolve(given.folder))}' suggests none`);
  return given;
}

// As a shell takes it for one word.
const typed = (word) => (/^[\w./@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

async function main() {
  const given = parse(process.argv.slice(2));
  if (given.help) return console.log(HELP.trimEnd());
  if (given.version) return console.log(JSON.parse(readFileSync(new URL('package.json', import.meta.url))).version);
  const {folder, name, template, carom} = await complete(given);
  await makeGame({folder, name, template, carom});
  console.log(`${name} is in ${folder}. It needs caromd in the PATH, or its place in CAROMD:

  cd ${typed(folder)}
  npm install
  npm start          # then open http://127.0.0.1:22767 twice`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`create-carom: ${error.message}`);
  process.exitCode = 1;
}
