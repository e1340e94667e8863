import ipaddr from 'ipaddr.js';
import { RE2JS } from 're2js';
import { eventTypes } from '../kit/event-types.ts';
import { builder, type JsonObject, type ScalarTypes } from './builder.ts';
import { UnfitValue } from './errors.ts';

/**
 * The value types of the graph. Each says in plain words what is wrong with a value that is not one (the sentence follows the
 * field's name in an error), and carries its JSON Schema, from which the OpenAPI text takes bounds and patterns.
 */
export interface ScalarDefinition<Value> {
  description: string;
  jsonSchema: JsonObject;
  /** Gives the value, or undefined when it is not one. */
  parse(value: unknown): Value | undefined;
  /** What would be right, read after the field's name. */
  expected: string;
  serialize?(value: unknown): unknown;
}

export function defineScalar<Name extends keyof ScalarTypes>(
  name: Name,
  definition: ScalarDefinition<ScalarTypes[Name]['Input']>,
): void {
  builder.scalarType(name, {
    description: definition.description,
    extensions: { jsonSchema: definition.jsonSchema },
    parseValue: (value) => {
      const parsed = definition.parse(value);
      if (parsed === undefined) throw new UnfitValue(definition.expected);
      return parsed as never; // the compiler cannot tie one member of ScalarTypes to its name here; `definition` has tied it already
    },
    serialize: (value) => (definition.serialize ? definition.serialize(value) : value) as never, // as above: the fields that use a scalar are checked against its output type
  });
}

/** The largest amount that can be named: 99,999,999,999 minor units. */
export const amountMax = 99_999_999_999;

defineScalar('Amount', {
  description:
    'Money: a whole number of minor units (cents for USD), 1 to 99,999,999,999. Never a fraction, never a string.',
  jsonSchema: { type: 'integer', minimum: 1, maximum: amountMax },
  expected: 'must be a whole number of minor units from 1 to 99999999999',
  parse: (value) => wholeNumber(value, 1, amountMax),
  serialize: Number,
});

defineScalar('AmountOrZero', {
  description: 'Money that came together: a whole number of minor units, 0 where there is none yet.',
  jsonSchema: { type: 'integer', minimum: 0 },
  expected: 'must be a whole number of minor units from 0',
  parse: (value) => wholeNumber(value, 0, Number.MAX_SAFE_INTEGER),
  serialize: Number,
});

defineScalar('SignedAmount', {
  description: 'Money as the books count it: a whole number of minor units, debits positive and credits negative.',
  jsonSchema: { type: 'integer' },
  expected: 'must be a whole number of minor units',
  parse: (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  serialize: Number,
});

defineScalar('Quantity', wholeNumberScalar('How many, 1 to 1,000,000.', 1, 1_000_000));

defineScalar('IpAddress', {
  description: 'An IPv4 or IPv6 address; answered in its shortest spelling.',
  jsonSchema: { type: 'string', maxLength: 45, examples: ['203.0.113.7'] },
  expected: 'must be an IPv4 or IPv6 address',
  parse: (value) =>
    typeof value === 'string' &&
    value.length <= 45 &&
    (ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value))
      ? ipaddr.process(value).toString()
      : undefined,
});

defineScalar('BinPrefix', {
  description: 'The first 6 to 8 digits of a card number.',
  jsonSchema: { type: 'string', pattern: '^[0-9]{6,8}$', examples: ['424242'] },
  expected: 'must be 6 to 8 digits',
  parse: (value) => (typeof value === 'string' && /^[0-9]{6,8}$/.test(value) ? value : undefined),
});

defineScalar('Pattern', {
  description:
    'A regular expression in RE2 syntax (no look-around, no back-references), 1 to 200 characters, matched in linear time, anywhere in the text and in any case of its letters.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 200 },
  expected: 'must be a regular expression in RE2 syntax (no look-around, no back-references) of 1 to 200 characters',
  parse: (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= 200 && isPattern(value) ? value : undefined,
});

defineScalar(
  'RouteWeight',
  wholeNumberScalar('The share of a processor, against the sum of the weights, 1 to 10000.', 1, 10000),
);

defineScalar(
  'FallbackOrder',
  wholeNumberScalar('The place of a fallback: the lowest is tried first, 0 to 100.', 0, 100),
);

defineScalar('RetryCount', wholeNumberScalar('How many further processors may be tried, 0 to 10.', 0, 10));

defineScalar('TtlHours', wholeNumberScalar('A number of hours, 1 to 8760.', 1, 8760));

defineScalar('Currency', {
  description: 'An ISO 4217 currency code in upper case, such as `USD`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{3}$', examples: ['USD'] },
  expected: 'must be an ISO 4217 currency code in upper case, such as "USD"',
  parse: (value) => (typeof value === 'string' && currencies.has(value) ? value : undefined),
});

defineScalar('Country', {
  description: 'An ISO 3166-1 alpha-2 country code in upper case, such as `US`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{2}$', examples: ['US'] },
  expected: 'must be an ISO 3166-1 alpha-2 country code in upper case, such as "US"',
  parse: (value) => (typeof value === 'string' && isCountry(value) ? value : undefined),
});

defineScalar('Email', {
  description: 'An e-mail address, at most 254 characters. Addresses are compared case-insensitively.',
  jsonSchema: { type: 'string', format: 'email', maxLength: 254 },
  expected: 'must be an e-mail address of at most 254 characters',
  parse: (value) => (typeof value === 'string' && value.length <= 254 && emailPattern.test(value) ? value : undefined),
});

defineScalar('Url', {
  description: 'An absolute http or https address of at most 2048 characters. In live mode only https is taken.',
  jsonSchema: { type: 'string', format: 'uri', maxLength: 2048 },
  expected: 'must be an absolute http or https address of at most 2048 characters',
  parse: (value) => (typeof value === 'string' && value.length <= 2048 && isWebAddress(value) ? value : undefined),
});

defineScalar('Label', {
  description: 'A text of 1 to 100 characters that is not blank.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 100 },
  expected: 'must be a text of 1 to 100 characters that is not blank',
  parse: (value) => text(value, 1, 100),
});

defineScalar('Name', {
  description: 'A text of 1 to 200 characters that is not blank.',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 200 },
  expected: 'must be a text of 1 to 200 characters that is not blank',
  parse: (value) => text(value, 1, 200),
});

defineScalar('ShortText', {
  description: 'A text of at most 500 characters.',
  jsonSchema: { type: 'string', maxLength: 500 },
  expected: 'must be a text of at most 500 characters',
  parse: (value) => text(value, 0, 500),
});

defineScalar('Tag', {
  description: 'A label of the form `<key>:<value>`, at most 100 characters.',
  jsonSchema: { type: 'string', pattern: '^[^:\\s]+:.+$', maxLength: 100 },
  expected: 'must be a label of the form "<key>:<value>" of at most 100 characters',
  parse: (value) =>
    typeof value === 'string' && value.length <= 100 && /^[^:\s]+:.+$/.test(value) ? value : undefined,
});

defineScalar('PageNumber', wholeNumberScalar('The page to read, from 1.', 1, 1_000_000));

defineScalar('PageSize', wholeNumberScalar('How many items a page holds, 1 to 100.', 1, 100));

defineScalar('DateTime', {
  description: 'A moment: ISO 8601, answered in UTC with milliseconds. Input takes any offset.',
  jsonSchema: { type: 'string', format: 'date-time' },
  expected: 'must be an ISO 8601 timestamp with an offset, such as "2026-01-31T12:00:00Z"',
  parse: (value) => (typeof value === 'string' && timestampPattern.test(value) ? moment(value) : undefined),
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
});

defineScalar('DateOrDateTime', {
  description: 'A day (`2026-01-31`, the whole day in UTC) or a moment (ISO 8601 with an offset).',
  jsonSchema: { type: 'string', examples: ['2026-01-31', '2026-01-31T12:00:00Z'] },
  expected: 'must be a day such as "2026-01-31" or an ISO 8601 timestamp with an offset',
  parse: (value) =>
    typeof value === 'string' && (dayPattern.test(value) || timestampPattern.test(value)) && moment(value)
      ? value
      : undefined,
});

defineScalar('EventType', choiceScalar('What happened.', eventTypes));
defineScalar('Handle', {
  description: 'A name of your own: 1 to 64 characters of A-Z, a-z, 0-9, _ and -.',
  jsonSchema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  expected: 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
  parse: (value) => (typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value) ? value : undefined),
});

defineScalar(
  'DateCondition',
  choiceScalar('A comparison of dates.', ['is-equal-date', 'is-between-date', 'is-after-date', 'is-before-date']),
);
defineScalar(
  'TextCondition',
  choiceScalar('A comparison of texts, case-insensitive; wildcard characters stand for themselves.', [
    'contains',
    'does-not-contain',
    'is',
    'is-not',
    'starts-with',
    'ends-with',
  ]),
);

defineScalar('Slug', {
  description: "A partner's slug: 3 to 40 characters of `a-z`, `0-9` and `-`.",
  jsonSchema: { type: 'string', pattern: '^[a-z0-9-]{3,40}$' },
  expected: 'must be a slug of 3 to 40 characters of a-z, 0-9 and -',
  parse: (value) => (typeof value === 'string' && /^[a-z0-9-]{3,40}$/.test(value) ? value : undefined),
});

defineScalar(
  'StaffAction',
  choiceScalar('What can be done on a roster.', ['invite', 'revoke', 'delete', 'resend-invitation', 'set-roles']),
);

defineScalar('ListLimit', wholeNumberScalar('How many rows to read, 1 to 500.', 1, 500));

defineScalar('ListOffset', wholeNumberScalar('How many rows to pass over, from 0.', 0, 1_000_000));

defineScalar('Metadata', {
  description:
    'Your own notes on an object: at most 50 keys of at most 40 characters; string values of at most 500 characters, or numbers, booleans, null.',
  jsonSchema: { type: 'object', maxProperties: 50, additionalProperties: true },
  expected:
    'must be an object of at most 50 keys of at most 40 characters, whose string values have at most 500 characters',
  parse: (value) => (isJsonObject(value) && isMetadata(value) ? value : undefined),
});

defineScalar('JSONObject', {
  description: 'A JSON object, free-form inside.',
  jsonSchema: { type: 'object', additionalProperties: true },
  expected: 'must be a JSON object',
  parse: (value) => (isJsonObject(value) ? value : undefined),
});

/** A number of things, within bounds that OpenAPI shows. */
function wholeNumberScalar(description: string, minimum: number, maximum: number): ScalarDefinition<number> {
  return {
    description,
    jsonSchema: { type: 'integer', minimum, maximum },
    expected: `must be a whole number from ${minimum} to ${maximum}`,
    parse: (value) => wholeNumber(value, minimum, maximum),
  };
}

/** Values with signs in them that an enum's names cannot have. */
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

// The pattern is linear: no part of it can match the same text in two ways.
const emailPattern =
  /^[^\s@<>"(),:;[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const currencies = new Set(Intl.supportedValuesOf('currency'));
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !notCountries.has(code) && regionNames.of(code) !== undefined;
}

// CLDR knows these regions; ISO 3166-1 does not list them as countries.
const notCountries = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'XK',
  'ZZ',
]);

function isPattern(value: string): boolean {
  try {
    RE2JS.compile(value);
    return true;
  } catch {
    return false;
  }
}

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === ''
  );
}

/** The moment a text names, or undefined when the calendar has no such day. */
function moment(value: string): Date | undefined {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return undefined;
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  // JavaScript reads 30 February as 1 March; we do not.
  return day.toISOString().startsWith(value.slice(0, 10)) ? at : undefined;
}

export function wholeNumber(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

function text(value: unknown, min: number, max: number): string | undefined {
  if (typeof value !== 'string' || value.length > max || value.includes('\0')) return undefined;
  return value.trim().length >= min ? value : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMetadata(value: JsonObject): boolean {
  const entries = Object.entries(value);
  return entries.length <= 50 && entries.every(([key, entry]) => key.length <= 40 && isMetadataValue(entry));
}

function isMetadataValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 500;
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
