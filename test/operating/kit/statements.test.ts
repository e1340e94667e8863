import { expect, test } from 'vitest';
import { statementNames } from '../../../src/database/sql.ts';

test('a statement keeps its name, and another text has another one', () => {
  const nameOf = statementNames(2);
  const name = nameOf('SELECT 1');
  expect(name).toMatch(/^[\w-]{27}$/);
  expect([nameOf('SELECT 1'), nameOf('SELECT 2') === name]).toEqual([name, false]);
});

test('past the bound new texts stay unnamed, and known ones keep their names', () => {
  const nameOf = statementNames(2);
  const names = ['SELECT 1', 'SELECT 2'].map(nameOf);
  expect(nameOf('SELECT 3')).toBeUndefined();
  expect(['SELECT 1', 'SELECT 2'].map(nameOf)).toEqual(names);
});

test('texts that come once take no name away from one that comes again and again', () => {
  const nameOf = statementNames(2, 3);
  for (let at = 0; at < 100; at++) expect(nameOf(`SELECT ${at}`)).toBeUndefined();
  expect([1, 2, 3].map(() => nameOf('SELECT often') !== undefined)).toEqual([false, false, true]);
});
