import { raw, type Sql, sql } from '../database/sql.ts';
import { type Filter, oneOf } from './list-filters.ts';

/** The types of which every charge has an event. They are frequent, and out of the indexes by type, as charges are. */
const ofEveryCharge: readonly string[] = ['payment/created', 'payment/succeeded'];

/**
 * The filter of a list by types of events. Types that not every charge has are found by an index, however rare: the
 * condition that its predicate needs says nothing new.
 */
export function ofEventTypes(column: 'eventType' | 'type'): Filter<readonly string[]> {
  const types = raw(ofEveryCharge.map((type) => `'${type}'`).join(', '));
  return (values, path): Sql => {
    const condition = oneOf(column)(values, path);
    if (values.some((value) => ofEveryCharge.includes(value))) return condition;
    return sql`${condition} AND ${raw(`t."${column}"`)} NOT IN (${types})`;
  };
}
