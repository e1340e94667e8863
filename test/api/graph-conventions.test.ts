import { getNamedType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';

interface Named {
  at: string;
  name: string;
  type: string;
}

/** Every field, input field and argument of the graph, with the name of its type. */
const members: readonly Named[] = Object.values(schema.getTypeMap())
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => {
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((field) => named(`${type.name}.${field.name}`, field));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => [
      named(`${type.name}.${field.name}`, field),
      ...field.args.map((argument) => named(`${type.name}.${field.name}(${argument.name}:)`, argument)),
    ]);
  });

function named(at: string, { name, type }: { name: string; type: Parameters<typeof getNamedType>[0] }): Named {
  return { at, name, type: getNamedType(type)?.name ?? '' };
}

describe('the graph', () => {
  test('types every identifier as ID; the names that merchants give to the steps of a funnel are handles', () => {
    const identifiers = members.filter(({ name }) => /^id$|Ids?$/.test(name));
    expect(identifiers.length).toBeGreaterThan(200);
    expect(identifiers.filter(({ type }) => type !== 'ID' && type !== 'Handle')).toEqual([]);
  });
});
