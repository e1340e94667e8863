import { queryRow, sql } from '../database/sql.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from './caller.ts';
import { countedOn, windowLeftS, windowStart } from './count-in-window.ts';

/** Far more than a console asks for. Each root field of a GraphQL operation is a call. */
const callsPerMinute = 1_000;
const windowMs = 60_000;

/** Counts calls of a person, over both surfaces and all processes, and refuses those above the limit of the minute. */
export async function countCalls(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  { userId }: Pick<SessionCaller, 'userId'>,
  calls: number,
): Promise<void> {
  const counted = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.field_calls AS c (identity, minute, calls)
      VALUES (${`person/${userId}`}, ${windowStart(clock, windowMs)}, ${calls})
      ON CONFLICT (identity) DO UPDATE SET
        ${countedOn(clock)}
      RETURNING calls`,
  );
  if ((counted?.calls ?? 0) <= callsPerMinute) return;
  throw new RateLimited(windowLeftS(clock, windowMs));
}
