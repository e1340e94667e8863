import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectedOf, sessionKinds } from '../support/callers.ts';
import { rootFields, scopedFields } from '../support/operations.ts';
import { printedRoles, rolesPage } from './print-roles.ts';
import { roleActions } from './role-actions.ts';

const named = new Set(
  Object.values(roleActions)
    .flat()
    .flatMap(({ fields }) => fields),
);

test('the page of roles is the printed one', () => {
  expect(readFileSync(rolesPage, 'utf8')).toBe(printedRoles());
});

test('every root field has an action', () => {
  expect(rootFields.map(({ field }) => field.name).filter((name) => !named.has(name))).toEqual([]);
});

test('every field of an object that only some readers see has an action', () => {
  const readers = sessionKinds.filter((kind) => kind !== 'partnerstaff' && kind !== 'merchant');
  const ofSome = scopedFields.filter(({ scopes }) => readers.some((kind) => expectedOf(scopes, kind) !== 200));
  expect(ofSome.map(({ type, field }) => `${type.name}.${field.name}`).filter((name) => !named.has(name))).toEqual([]);
});
