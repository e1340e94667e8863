import { buildSchema, Kind, parse, type VariableDefinitionNode } from 'graphql';
import { describe, expect, test } from 'vitest';
import { inputDepthMax, issuesMax, issuesOfPlan, planVariables } from '../../src/graph/input/check.ts';

const schema = buildSchema(`
  scalar Amount
  scalar Anything
  enum Color { red blue }
  input CustomerData { email: String!, tags: [String!] }
  input Line { quantity: Int!, color: Color = red }
  input Choice @oneOf { id: String, slug: String }
  input Tree { child: Tree }
  input PaymentInput {
    amount: Amount!
    customerData: CustomerData
    items: [Line!]
    choice: Choice
    tree: Tree
    rate: Float
    id: ID
    urgent: Boolean
    metadata: Anything
  }
  type Query { ok: Boolean }
`);
const amount = schema.getType('Amount');
if (amount && 'parseValue' in amount) {
  amount.parseValue = (value: unknown) => {
    if (value !== 5) throw new Error('must be 5');
    return value;
  };
}

function variablesOf(text: string): readonly VariableDefinitionNode[] {
  const [operation] = parse(`query Q${text} { ok }`).definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? (operation.variableDefinitions ?? []) : [];
}

const issuesOf = (definitions: string, variables: Record<string, unknown>) =>
  issuesOfPlan(planVariables(schema, variablesOf(definitions)), variables);
const ofInput = (input: unknown) => issuesOf('($input: PaymentInput!)', { input });
const messages = (input: Record<string, unknown>) =>
  ofInput({ amount: 5, ...input }).map(({ path, message }) => `${path}: ${message}`);

describe('issuesOfPlan', () => {
  test('returns none for a valid input', () => {
    expect(
      messages({
        customerData: { email: 'a@b.c', tags: 'one' },
        items: { quantity: 1 },
        choice: { id: '1' },
        rate: 1.5,
        id: '7',
        urgent: false,
        metadata: { any: [1, null] },
      }),
    ).toEqual([]);
    expect(messages({ customerData: null, items: null, choice: null })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a missing nested field', { customerData: {} }, 'customerData.email: is required'],
    ['a null nested field', { customerData: { email: null } }, 'customerData.email: must not be null'],
    ['a null item', { items: [null] }, 'items[0]: must not be null'],
    [
      'a wrong item',
      { items: [{ quantity: 1 }, { quantity: 1.5 }] },
      'items[1].quantity: must be a whole number between -2147483647 and 2147483647',
    ],
    [
      'an item that is too large',
      { items: [{ quantity: 2 ** 31 }] },
      'items[0].quantity: must be a whole number between -2147483647 and 2147483647',
    ],
    [
      'a list where an object belongs',
      { customerData: [] },
      'customerData: must be an object with email, tags, not a list',
    ],
    [
      'a near miss',
      { customerData: { email: 'x', tagz: [] } },
      'customerData.tagz: is not a known field (did you mean tags?); known are email, tags',
    ],
    [
      'an odd name',
      { 'a.b': 1 },
      '["a.b"]: is not a known field; known are amount, customerData, items, choice, tree, rate, id, urgent, metadata',
    ],
    [
      'an inherited name',
      { customerData: { email: 'x', constructor: 1 } },
      'customerData.constructor: is not a known field; known are email, tags',
    ],
    ['an enum', { items: [{ quantity: 1, color: 'green' }] }, 'items[0].color: must be one of red, blue'],
    ['a text for a boolean', { urgent: 'yes' }, 'urgent: must be true or false, not a string'],
    ['infinity', { rate: Infinity }, 'rate: is too large a number'],
    ['none of a choice', { choice: {} }, 'choice: must contain exactly one of id, slug'],
    ['two of a choice', { choice: { id: '1', slug: 's' } }, 'choice: must contain exactly one of id, slug'],
    ['a null of a choice', { choice: { id: null } }, 'choice: must contain exactly one of id, slug'],
    [
      'a NUL',
      { customerData: { email: 'a\0' } },
      'customerData.email: must not contain the character U+0000 or half of a surrogate pair',
    ],
    [
      'a NUL deep in free form',
      { metadata: { a: ['\0'] } },
      'metadata: must not contain the character U+0000 or half of a surrogate pair',
    ],
    ["a scalar's own words", { amount: 6 }, 'amount: must be 5'],
  ])('names %s', (_title, input, expected) => {
    expect(messages(input)).toEqual([expected]);
  });

  test('names several issues', () => {
    expect(ofInput({ items: [{}], customerData: 'x', typo: 1 }).map(({ path }) => path)).toEqual([
      'typo',
      'amount',
      'customerData',
      'items[0].quantity',
    ]);
  });

  test('names the body itself', () => {
    expect(ofInput(undefined)).toEqual([{ path: '', message: 'the body is required' }]);
    expect(ofInput('x')).toEqual([
      { path: '', message: expect.stringMatching(/^must be an object with amount, .*, metadata, not a string$/) },
    ]);
  });

  test('names a variable that is not the whole input by its name', () => {
    expect(issuesOf('($page: Int! = 1, $line: Line)', { page: null, line: {} })).toEqual([
      { path: 'page', message: 'must not be null' },
      { path: 'line.quantity', message: 'is required' },
    ]);
    expect(issuesOf('($page: Int! = 1)', {})).toEqual([]);
  });

  test('is bounded in issues and depth', () => {
    expect(messages({ items: Array.from({ length: 100 }, () => ({})) })).toHaveLength(issuesMax);
    let tree = {};
    for (let level = 0; level < inputDepthMax + 10; level++) tree = { child: tree };
    expect(messages({ tree })).toEqual([expect.stringContaining(`is nested deeper than ${inputDepthMax} levels`)]);
  });
});
