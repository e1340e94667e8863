import { defineScalar } from '../define-scalar.ts';

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
