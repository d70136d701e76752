// The types name every method and every export, and the two tables agree. (tests/unit/test_generate.py checks that they
// follow proto/schema.)
import test from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import * as carom from '../src/index.js';
import * as table from '../src/table.js';

const source = (name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8');

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
