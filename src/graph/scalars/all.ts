import './amounts.ts';
import './texts.ts';
import type { JsonObject } from '../builder.ts';
import { isJsonObject } from '../input/check.ts';
import { defineScalar, type ScalarTypes, wholeNumberScalar } from './define-scalar.ts';

defineScalar('Currency', {
  description: 'A three-letter ISO 4217 currency code in upper case, such as `USD`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{3}$', examples: ['USD'] },
  expected: 'must be an ISO 4217 currency code in upper case, such as "USD"',
  parse: (value) => (typeof value === 'string' && currencies.has(value) ? value : undefined),
});

defineScalar('Country', {
  description: 'A two-letter ISO 3166-1 country code in upper case, such as `US`.',
  jsonSchema: { type: 'string', pattern: '^[A-Z]{2}$', examples: ['US'] },
  expected: 'must be an ISO 3166-1 alpha-2 country code in upper case, such as "US"',
  parse: (value) => (typeof value === 'string' && isCountry(value) ? value : undefined),
});

const currencies = new Set(Intl.supportedValuesOf('currency'));

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !notCountries.has(code) && regionNames.of(code) !== undefined;
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

// Regions of CLDR that ISO 3166-1 does not list as countries.
const notCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

defineScalar('Metadata', {
  description:
    'Key-value data of the client: an object of at most 50 keys of at most 40 characters, whose values are strings ' +
    'of at most 500 characters, numbers, booleans or null.',
  jsonSchema: { type: 'object', maxProperties: 50, additionalProperties: true },
  expected:
    'must be an object of at most 50 keys of at most 40 characters, whose values are strings of at most 500 ' +
    'characters, numbers, true, false or null',
  parse: (value) => (isJsonObject(value) && isMetadata(value) ? value : undefined),
});

defineScalar('JSONObject', {
  description: 'A JSON object with any content.',
  jsonSchema: { type: 'object', additionalProperties: true },
  expected: 'must be a JSON object',
  parse: (value) => (isJsonObject(value) ? value : undefined),
});

function isMetadata(value: JsonObject): value is ScalarTypes['Metadata']['Input'] {
  const entries = Object.entries(value);
  return entries.length <= 50 && entries.every(([key, entry]) => key.length <= 40 && isMetadataValue(entry));
}

function isMetadataValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 500;
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

defineScalar('Quantity', wholeNumberScalar('A number of units.', 1, 1_000_000));

defineScalar(
  'RouteWeight',
  wholeNumberScalar('The share of a processor in a payment flow, relative to the sum of the weights.', 1, 10_000),
);

defineScalar(
  'FallbackOrder',
  wholeNumberScalar('The position of a fallback in a payment flow. The lowest is tried first.', 0, 100),
);

defineScalar('RetryCount', wholeNumberScalar('The number of processors tried after the first one.', 0, 10));

defineScalar('TtlHours', wholeNumberScalar('A lifetime in hours.', 1, 8760));

defineScalar('PageNumber', wholeNumberScalar('The number of a page of a list, starting at 1.', 1, 1_000_000));

defineScalar('PageSize', wholeNumberScalar('The maximum number of items on a page.', 1, 100));

defineScalar('ListLimit', wholeNumberScalar('The maximum number of rows to return.', 1, 500));

defineScalar('ListOffset', wholeNumberScalar('The number of rows to skip.', 0, 1_000_000));

defineScalar('Count', {
  ...wholeNumberScalar('A number of objects, beyond what `Int` holds.', 0, Number.MAX_SAFE_INTEGER),
  serialize: Number, // a column of the database client is a big integer
});

defineScalar('DateTime', {
  description:
    'A time in ISO 8601 format, such as `2026-01-31T12:00:00.000Z`. Input must have an offset, of any value; output ' +
    'is in UTC with milliseconds.',
  jsonSchema: { type: 'string', format: 'date-time' },
  expected: 'must be an ISO 8601 timestamp with an offset, such as "2026-01-31T12:00:00Z"',
  parse: (value) => (typeof value === 'string' && timestampPattern.test(value) ? parseTime(value) : undefined),
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
});

defineScalar('Date', {
  description: 'A day of the calendar in UTC, such as `2026-01-31`.',
  jsonSchema: { type: 'string', format: 'date' },
  expected: 'must be a day such as "2026-01-31"',
  parse: (value) => (typeof value === 'string' && dayPattern.test(value) && parseTime(value) ? value : undefined),
});

defineScalar('DateOrDateTime', {
  description: 'A date (`2026-01-31`, the whole day in UTC) or a time in ISO 8601 format with an offset.',
  jsonSchema: { type: 'string', examples: ['2026-01-31', '2026-01-31T12:00:00Z'] },
  expected: 'must be a day such as "2026-01-31" or an ISO 8601 timestamp with an offset',
  parse: (value) =>
    typeof value === 'string' && (dayPattern.test(value) || timestampPattern.test(value)) && parseTime(value)
      ? value
      : undefined,
});

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The time that a string names, or undefined if the calendar has no such day. */
function parseTime(value: string): Date | undefined {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return undefined;
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  // JavaScript reads 30 February as 1 March.
  return day.toISOString().startsWith(value.slice(0, 10)) ? time : undefined;
}

// Each file defines scalars of one kind when it is imported.
