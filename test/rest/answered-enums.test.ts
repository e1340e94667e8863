import { getNamedType, isEnumType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { expect, test } from 'vitest';
import { toDocument } from '../../rest/engine/document.ts';
import { schema } from '../../src/schema.ts';
import { endpoints, iamEndpoints } from '../support/operations.ts';

/** The compiled operations of REST write an enum as the value that stands in the row, without looking up its name. */
test('every enum that REST answers has values that are their own names', () => {
  const answered = new Set<string>();
  for (const { document } of [...endpoints, ...iamEndpoints]) {
    const types = new TypeInfo(schema);
    const field = () => void answered.add(getNamedType(types.getType())?.name ?? '');
    visit(toDocument(document), visitWithTypeInfo(types, { Field: field }));
  }
  const enums = [...answered].map((name) => schema.getType(name)).filter(isEnumType);
  expect(enums.length).toBeGreaterThan(20);
  const different = enums.flatMap((type) => type.getValues().filter(({ name, value }) => name !== value));
  expect(different.map(({ name }) => name)).toEqual([]);
});
