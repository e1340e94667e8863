import { invalid } from '../kit/errors.ts';
import type { AmountFilterValue, DateFilterValue, TextFilterValue } from './list-inputs.ts';

/** Takes a value and gives its placeholder in the statement being built. */
export type Bind = (value: unknown) => string;

/** Turns one filter's value into a condition on alias `t`, or refuses it naming `path`. */
export type Filter<Value> = (value: Value, bind: Bind, path: string) => string;

/** The column holds one of the values. */
export function oneOf(column: string): Filter<readonly string[]> {
  return (values, bind) => `t."${column}" = ANY(${bind([...values])})`;
}

/** The column is an array and shares at least one value. */
export function overlaps(column: string): Filter<readonly string[]> {
  return (values, bind) => `t."${column}" && ${bind([...values])}::text[]`;
}

export function is(column: string): Filter<unknown> {
  return (value, bind) => `t."${column}" = ${bind(value)}`;
}

/** Text conditions. `lowered` says that the column is kept in lower case already, so that an index on it serves. */
export function text(column: string, options: { lowered?: boolean } = {}): Filter<TextFilterValue> {
  const subject = options.lowered ? `t."${column}"` : `lowered(coalesce(t."${column}", ''))`;
  return ({ condition, value }, bind) => {
    // Both sides are lowered by the same party: JavaScript and PostgreSQL do not agree on every letter.
    const wanted = options.lowered ? bind(value.toLowerCase()) : `lowered(${bind(value)})`;
    switch (condition) {
      case 'contains':
        return `strpos(${subject}, ${wanted}) > 0`;
      case 'does-not-contain':
        return `strpos(${subject}, ${wanted}) = 0`;
      case 'is':
        return `${subject} = ${wanted}`;
      case 'is-not':
        return `${subject} <> ${wanted}`;
      case 'starts-with':
        return `starts_with(${subject}, ${wanted})`;
      default:
        return `right(${subject}, char_length(${wanted})) = ${wanted}`;
    }
  };
}

/** Date conditions: a day stands for its whole UTC day. */
export function date(column: string): Filter<DateFilterValue> {
  const subject = `t."${column}"`;
  return ({ condition, value }, bind, path) => {
    const wanted = condition === 'is-between-date' ? 2 : 1;
    if (value.length !== wanted)
      throw invalid(`${path}.value`, `must hold ${wanted === 1 ? 'one date' : 'two dates'} for ${condition}`);
    const [first, last] = [span(value[0] ?? ''), span(value.at(-1) ?? '')];
    switch (condition) {
      case 'is-after-date':
        return `${subject} >= ${bind(first.end)}`;
      case 'is-before-date':
        return `${subject} < ${bind(first.start)}`;
      default:
        return `${subject} >= ${bind(first.start)} AND ${subject} < ${bind(last.end)}`;
    }
  };
}

/** A range of amounts, both ends included. */
export function amount(column: string): Filter<AmountFilterValue> {
  return ({ min, max }, bind) => {
    const conditions = [];
    if (min != null) conditions.push(`t."${column}" >= ${bind(min)}`);
    if (max != null) conditions.push(`t."${column}" <= ${bind(max)}`);
    return conditions.length === 0 ? 'true' : conditions.join(' AND ');
  };
}

const dayMs = 86_400_000;

/** The half-open span a value covers: a whole day, or one millisecond, since that is how finely moments are kept. */
function span(value: string): { start: Date; end: Date } {
  const start = new Date(value.length === 10 ? `${value}T00:00:00Z` : value);
  return { start, end: new Date(start.getTime() + (value.length === 10 ? dayMs : 1)) };
}
