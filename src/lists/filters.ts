import { empty, identifier, raw, type Sql, sql } from '../database/sql.ts';
import { invalid } from '../lib/errors.ts';
import type { AmountFilterValue, DateFilterValue, TextFilterValue } from './inputs.ts';

/** Turns the value of one filter into a condition on alias `t`, or rejects it with an error for `path`. */
export type Filter<Value> = (value: Value, path: string) => Sql;

/** The column contains one of the values. A single value is compared by `=`, which PostgreSQL plans once. */
export function oneOf(column: string): Filter<readonly string[]> {
  return (values) =>
    values.length === 1 ? sql`${of(column)} = ${values[0]}` : sql`${of(column)} = ANY(${[...values]})`;
}

/** The column is an array and shares at least one value. The subquery hides the values, so that one plan serves all. */
export function overlaps(column: string): Filter<readonly string[]> {
  return (values) => sql`${of(column)} && (SELECT ${[...values]}::text[])`;
}

export function is(column: string): Filter<unknown> {
  return (value) => sql`${of(column)} = ${value}`;
}

/** Whether the column has a value. */
export function isSet(column: string): Filter<boolean> {
  return (value) => (value ? sql`${of(column)} IS NOT NULL` : sql`${of(column)} IS NULL`);
}

/** Text conditions. `lowered` says that the column is stored in lower case, so that an index on it is used. */
export function text(column: string, options: { lowered?: boolean } = {}): Filter<TextFilterValue> {
  const subject = options.lowered ? of(column) : sql`lowered(coalesce(${of(column)}, ''))`;
  return ({ condition, value }) => {
    // Both sides are lowered by the same program: JavaScript and PostgreSQL differ for some letters. The subquery runs
    // once, and not once per row.
    const wanted = options.lowered ? sql`${value.toLowerCase()}::text` : sql`(SELECT lowered(${value}))`;
    switch (condition) {
      case 'contains':
        return sql`strpos(${subject}, ${wanted}) > 0`;
      case 'does-not-contain':
        return sql`strpos(${subject}, ${wanted}) = 0`;
      case 'is':
        return sql`${subject} = ${wanted}`;
      case 'is-not':
        return sql`${subject} <> ${wanted}`;
      case 'starts-with':
        return sql`starts_with(${subject}, ${wanted})`;
      default:
        return sql`right(${subject}, char_length(${wanted})) = ${wanted}`;
    }
  };
}

/** Date conditions: a day covers its whole UTC day. */
export function date(column: string): Filter<DateFilterValue> {
  const subject = of(column);
  return ({ condition, value }, path) => {
    const wanted = condition === 'is-between-date' ? 2 : 1;
    if (value.length !== wanted)
      throw invalid(`${path}.value`, `must contain ${wanted === 1 ? 'one date' : 'two dates'} for ${condition}`);
    const [first, last] = [span(value[0] ?? ''), span(value.at(-1) ?? '')];
    switch (condition) {
      case 'is-after-date':
        return sql`${subject} >= ${first.end}`;
      case 'is-before-date':
        return sql`${subject} < ${first.start}`;
      default:
        return sql`${subject} >= ${first.start} AND ${subject} < ${last.end}`;
    }
  };
}

/** A range of amounts, both ends included. */
export function amount(column: string): Filter<AmountFilterValue> {
  return ({ min, max }) => {
    const from = min == null ? empty : sql` AND ${of(column)} >= ${min}`;
    const to = max == null ? empty : sql` AND ${of(column)} <= ${max}`;
    return sql`true${from}${to}`;
  };
}

function of(column: string): Sql {
  return identifier(`t.${column}`);
}

const dayMs = 86_400_000;

/** The half-open interval of a value: a whole day, or one millisecond, the precision of stored times. */
function span(value: string): { start: Date; end: Date } {
  const start = new Date(value.length === 10 ? `${value}T00:00:00Z` : value);
  return { start, end: new Date(start.getTime() + (value.length === 10 ? dayMs : 1)) };
}

/** The types of which every charge has an event. They are frequent, and excluded from the indexes by type. */
const ofEveryCharge: readonly string[] = ['payment/created', 'payment/succeeded'];

/**
 * The filter of a list by event types. Types that not every charge has are found by an index, however rare. The extra
 * condition matches the predicate of that index and does not change the result.
 */
export function ofEventTypes(column: 'eventType' | 'type'): Filter<readonly string[]> {
  const types = raw(ofEveryCharge.map((type) => `'${type}'`).join(', '));
  return (values, path): Sql => {
    const condition = oneOf(column)(values, path);
    if (values.some((value) => ofEveryCharge.includes(value))) return condition;
    return sql`${condition} AND ${raw(`t."${column}"`)} NOT IN (${types})`;
  };
}
