import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
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

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** Every argument and input field, with its place. */
const given: readonly [at: string, input: GraphQLArgument | GraphQLInputField][] = types.flatMap((type) => {
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field): [string, GraphQLInputField] => [
      `${type.name}.${field.name}`,
      field,
    ]);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    field.args.map((argument): [string, GraphQLArgument] => [
      `${type.name}.${field.name}(${argument.name}:)`,
      argument,
    ]),
  );
});

/**
 * Where a constant stands in the text all the same: the presence of the value matters beside `pagination`, `cursor`,
 * `interval` or `isPermanent`, or the constant is a part of the value.
 */
const presenceMatters = [
  /^(Query\.\w+\(|PaginationInput\.)(page|pageSize|sortBy)\b/,
  /^PriceInput\.(recurring|intervalCount|trialDays)$/,
  /^(CreateBlockRuleInput\.ttlHours|UpdateBlockRuleInput\.isPermanent)$/,
  /^(Create|Update)ProcessorInput\.options$/,
];

describe('the graph', () => {
  test('every scalar of its own names the page that specifies it, and every value of an enum has a description', () => {
    expect(
      types
        .filter(isScalarType)
        .filter((type) => !isSpecifiedScalarType(type) && !type.specifiedByURL?.endsWith(`#${type.name}`)),
    ).toEqual([]);
    const values = types.filter(isEnumType).flatMap((type) => type.getValues().map((value) => ({ type, value })));
    expect(values.length).toBeGreaterThan(280);
    expect(
      values.filter(({ value }) => !value.description).map(({ type, value }) => `${type.name}.${value.name}`),
    ).toEqual([]);
  });

  test('a default is a default value, and does not stand in the text', () => {
    const constant = /\bdefaults?:? (to )?(`|true|false|\d|newest)/i;
    expect(
      given
        .filter(
          ([at, { description }]) => constant.test(description ?? '') && !presenceMatters.some((is) => is.test(at)),
        )
        .map(([at]) => at),
    ).toEqual([]);
    expect(given.filter(([, { defaultValue }]) => defaultValue !== undefined).length).toBeGreaterThan(25);
  });

  test('the values of a filter that are one of a few are an enum, except the types of events, which contain slashes', () => {
    const choices = given.filter(([at, { type }]) => {
      const named = getNamedType(type);
      return (
        /Filter/.test(at) &&
        isScalarType(named) &&
        JSON.stringify(named.extensions['jsonSchema'] ?? {}).includes('"enum"')
      );
    });
    expect([...new Set(choices.map(([, { type }]) => getNamedType(type).name))]).toEqual(['EventType']);
  });

  test('types every identifier as ID; the names that merchants give to the steps of a funnel are handles', () => {
    const identifiers = members.filter(({ name }) => /^id$|Ids?$/.test(name));
    expect(identifiers.length).toBeGreaterThan(200);
    expect(identifiers.filter(({ type }) => type !== 'ID' && type !== 'Handle')).toEqual([]);
  });
});
