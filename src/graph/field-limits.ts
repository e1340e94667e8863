import type { GraphQLResolveInfo } from 'graphql';
import { constant, queryRow, sql } from '../database/sql.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Services } from '../services.ts';
import type { Context } from './context.ts';

/** A rate limit of a field, over both surfaces (docs/contract/06-limits.md). */
export interface FieldLimit<Caller extends Context, Args> {
  /** Fields with a limit of one name share it. */
  name: string;
  perMinute: number;
  /** The identity by which calls are counted. */
  whose(context: Caller, args: Args): string | Promise<string>;
}

const windowMs = 60_000;

/** Above every limit, so that a count does not grow without end. */
const callsCountedMax = 1_001;

/** Wraps a resolver: further calls above the limit are refused with 429 until the minute has ended. */
export function limitedTo<Parent, Args, Caller extends Context, Result>(
  { name, perMinute, whose }: NoInfer<FieldLimit<Caller, Args>>,
  resolve: (parent: Parent, args: Args, context: Caller, info: GraphQLResolveInfo) => Result | Promise<Result>,
): (parent: Parent, args: Args, context: Caller, info: GraphQLResolveInfo) => Promise<Result> {
  return async (parent, args, context, info) => {
    const now = context.services.clock.now().getTime();
    const calls = await countCall(context.services, `${name}/${await whose(context, args)}`, now);
    if (calls > perMinute) {
      context.retryAfterS = Math.max(1, Math.ceil((windowMs - (now % windowMs)) / 1000));
      throw new RateLimited(context.retryAfterS);
    }
    return resolve(parent, args, context, info);
  };
}

/**
 * The calls of this identity in the minute of the clock, this one included. They are counted in PostgreSQL, so that a
 * limit applies across processes, and in one statement, which misses no concurrent call.
 */
async function countCall({ pool }: Pick<Services, 'pool'>, identity: string, now: number): Promise<number> {
  const minute = new Date(Math.floor(now / windowMs) * windowMs);
  const counted = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.field_calls AS c (identity, minute, calls)
      VALUES (${identity}, ${minute}, 1)
      ON CONFLICT (identity) DO UPDATE SET
        calls = CASE WHEN c.minute = excluded.minute THEN least(c.calls + 1, ${constant(callsCountedMax)}) ELSE 1 END,
        minute = excluded.minute
      RETURNING calls`,
  );
  return counted?.calls ?? 1;
}
