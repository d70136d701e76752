// The files checked in are those that the table of methods gives (environment WEB_METHODS: the generator), and
// the types name every method.
import test from 'node:test';
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';

import * as carom from '../src/index.js';
import * as table from '../src/table.js';

const source = (name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8');

for (const [kind, file] of [['js', 'methods.js'], ['table', 'table.js'], ['dts', 'methods.d.ts']]) {
  test(`${file}_is_what_the_table_says`, () => {
    const wanted = execFileSync(process.env.WEB_METHODS, [kind], {encoding: 'utf8'});
    assert.equal(source(file), wanted, 'cmake --build --preset release --target web_methods_write');
  });
}

test('results_have_a_type_for_every_method', () => {
  const types = source('results.d.ts');
  for (const name of Object.keys(carom.METHODS)) {
    assert.ok(types.includes(`  '${name}': `), `${name} is missing in results.d.ts`);
  }
});

test('every_export_has_a_type', () => {
  const types = source('index.d.ts') + source('methods.d.ts');
  for (const name of Object.keys(carom)) {
    assert.match(types, new RegExp(`export (class|function|const) ${name}\\b`), name);
  }
  for (const name of Object.keys(table)) assert.match(source('table.d.ts'), new RegExp(`export const ${name}:`), name);
});

test('the_table_and_the_methods_of_a_client_are_the_same_ones', () => {
  const short = ([name, {role, scope, batch, args}]) => [name, {role, scope, batch, args: Object.keys(args)}];
  assert.deepEqual(Object.fromEntries(Object.entries(table.TABLE).map(short)), carom.METHODS);
});
