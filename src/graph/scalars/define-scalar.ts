import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { builder, type JsonObject } from '../builder.ts';
import { InvalidValueError } from '../errors.ts';

/** A scalar of the graph. The OpenAPI document takes its bounds and patterns from `jsonSchema`. */
export interface ScalarDefinition<Value> {
  description: string;
  jsonSchema: JsonObject;
  /** Returns the value, or undefined if it is invalid. */
  parse(value: unknown): Value | undefined;
  /** The error message of an invalid value, which follows the name of the field. */
  expected: string;
  serialize?(value: unknown): unknown;
  /** An amount of money. It must be written without a fraction, even if the fraction is zero. */
  isAmount?: true;
  /** An address that must be https in live mode. */
  isHttpsWhenLive?: true;
}

/**
 * The page that specifies the scalars, relative to the address of `/graphql`, so that it works under any host name and
 * prefix.
 */
export const scalarsPath = 'graphql/scalars';

export function defineScalar<Name extends keyof ScalarTypes>(
  name: Name,
  definition: ScalarDefinition<ScalarTypes[Name]['Input']>,
): void {
  const { description, jsonSchema, isAmount, isHttpsWhenLive } = definition;
  const parseValue = (value: unknown): never => {
    const parsed = definition.parse(value);
    if (parsed === undefined) throw new InvalidValueError(definition.expected);
    // the compiler cannot relate one member of ScalarTypes to its name here; `definition` has done so already
    return parsed as never;
  };
  builder.scalarType(name, {
    description,
    specifiedByURL: `${scalarsPath}#${name}`,
    extensions: { jsonSchema, ...(isAmount && { isAmount }), ...(isHttpsWhenLive && { isHttpsWhenLive }) },
    parseValue,
    ...(isAmount && {
      parseLiteral: (node: ValueNode, variables?: Record<string, unknown> | null) => {
        if (node.kind === Kind.FLOAT) throw new InvalidValueError(`${definition.expected}, written without a fraction`);
        return parseValue(valueFromASTUntyped(node, variables));
      },
    }),
    // as above: the fields that use a scalar are checked against its output type
    serialize: (value) => (definition.serialize ? definition.serialize(value) : value) as never,
  });
}

/** A scalar of whole numbers within bounds. */
export function wholeNumberScalar(description: string, minimum: number, maximum: number): ScalarDefinition<number> {
  return {
    description: `${description} A whole number from ${minimum} to ${maximum}.`,
    jsonSchema: { type: 'integer', minimum, maximum },
    expected: `must be a whole number from ${minimum} to ${maximum}`,
    parse: (value) => wholeNumber(value, minimum, maximum),
  };
}

/** A scalar of fixed strings that contain characters which the names of an enum cannot have. */
export function choiceScalar<const Value extends string>(
  description: string,
  values: readonly Value[],
): ScalarDefinition<Value> {
  return {
    description: `${description} One of: ${values.map((value) => `\`${value}\``).join(', ')}.`,
    jsonSchema: { type: 'string', enum: [...values] },
    expected: `must be one of ${values.join(', ')}`,
    parse: (value) => values.find((known) => known === value),
  };
}

/** A scalar of strings that match a pattern. */
export function patternScalar(
  description: string,
  pattern: RegExp,
  expected: string,
  jsonSchema: JsonObject = {},
): ScalarDefinition<string> {
  return {
    description,
    jsonSchema: { type: 'string', pattern: pattern.source, ...jsonSchema },
    expected,
    parse: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
  };
}

export function wholeNumber(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

type Text = { Input: string; Output: string };
type WholeNumber = { Input: number; Output: number };
type Money = { Input: number; Output: number | bigint };

/**
 * The TypeScript types of each scalar, as input and as output. A domain adds those of its own scalars by declaration
 * merging (`domains/accounts/kyb/schema.ts`), so that the graph imports no domain.
 */
export interface ScalarTypes {
  Amount: Money;
  AmountOrZero: Money;
  AmountSum: Text;
  BasePath: Text;
  BinPrefix: Text;
  ConfigVersion: WholeNumber;
  Count: { Input: number; Output: number | bigint };
  Country: Text;
  Currency: Text;
  Date: Text;
  DateOrDateTime: Text;
  DateTime: { Input: Date; Output: Date | string };
  DisputedAmount: Money;
  Email: Text;
  EventType: Text;
  FallbackOrder: WholeNumber;
  Handle: Text;
  IpAddress: Text;
  JSONObject: { Input: JsonObject; Output: unknown };
  Label: Text;
  ListLimit: WholeNumber;
  ListOffset: WholeNumber;
  Metadata: { Input: { [key: string]: string | number | boolean | null }; Output: unknown };
  MountAlias: Text;
  Name: Text;
  PageNumber: WholeNumber;
  PageSize: WholeNumber;
  Pattern: Text;
  PluginManifest: { Input: JsonObject; Output: unknown };
  Quantity: WholeNumber;
  RetryCount: WholeNumber;
  Revenue: { Input: number; Output: bigint };
  RouteWeight: WholeNumber;
  SentEventType: Text;
  ShortText: Text;
  SignedAmount: Money;
  Slug: Text;
  StaffAction: Text;
  Tag: Text;
  TtlHours: WholeNumber;
  Url: Text;
}
