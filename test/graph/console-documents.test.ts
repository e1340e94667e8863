import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLError, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { consoleDocuments } from '../bench/console-documents.ts';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '..', '..', 'schema.graphql'), 'utf8'));
const faults = (text: string): readonly GraphQLError[] => validate(schema, parse(text));
const documents = consoleDocuments();

test('every document of the console is valid for schema.graphql, and uses every variable that it declares', () => {
  expect(documents.length).toBeGreaterThan(90);
  expect(documents.flatMap(({ screen, text }) => faults(text).map(({ message }) => `${screen}: ${message}`))).toEqual(
    [],
  );
});

test('every document of the console has a name of its own', () => {
  const names = documents.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('a field that the schema does not have and a variable that is not used are faults', () => {
  expect(faults('query Me { me { shoeSize } }')).toHaveLength(1);
  expect(faults('query Me($mode: Mode) { me { userId } }')).toHaveLength(1);
});
