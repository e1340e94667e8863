import { expect, test } from 'vitest';
import { consoleDocuments } from '../../bench/console-documents.ts';
import { exportForm, formsOf } from '../../bench/console-forms.ts';
import { wholeForms } from '../../bench/console-values.ts';

const documents = consoleDocuments();
const queries = documents.filter(({ operation }) => operation.operation === 'query');

test('the bench of screens knows values for every variable and every filter of every query of the console', () => {
  expect(queries.length).toBeGreaterThan(40);
  for (const query of queries) expect(formsOf(query).length, query.name).toBeGreaterThan(0);
});

test('a document whose variable the bench does not know is refused by name', () => {
  const [list] = queries.filter(({ name }) => name === 'Users');
  if (!list) throw new Error('The console lists users.');
  expect(() => formsOf({ ...list, name: 'Strangers' })).toThrow('The bench has no values of the variable Strangers.q');
});

test('every export of the console has a form, and no form is of a document that is gone', () => {
  const begun = documents.filter(({ text }) => /\bbegun:/.test(text));
  expect(begun.map(({ name }) => name)).toEqual(
    documents.filter(({ name }) => name.startsWith('Export')).map(({ name }) => name),
  );
  for (const document of begun) expect(exportForm(document).variables).not.toEqual({});
  expect(Object.keys(wholeForms).filter((name) => !queries.some((query) => query.name === name))).toEqual([]);
});
