import { queryRow, sql } from '../database/sql.ts';
import { RateLimited } from '../kit/errors.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from './caller.ts';

/** Far more than a console asks for. Each root field of a GraphQL operation is a call. */
const callsPerMinute = 1_000;
const windowMs = 60_000;

/** Counts calls of a person, over both surfaces and all processes, and refuses those above the limit of the minute. */
export async function countCalls(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  { userId }: Pick<SessionCaller, 'userId'>,
  calls: number,
): Promise<void> {
  const now = clock.now().getTime();
  const minute = new Date(now - (now % windowMs));
  const counted = await queryRow<{ calls: number }>(
    pool,
    sql`
      INSERT INTO limits.field_calls AS c (identity, minute, calls)
      VALUES (${`person/${userId}`}, ${minute}, ${calls})
      ON CONFLICT (identity) DO UPDATE SET
        calls = CASE
          WHEN c.minute = excluded.minute THEN least(c.calls, 1000000) + excluded.calls
          ELSE excluded.calls
        END,
        minute = excluded.minute
      RETURNING calls`,
  );
  if ((counted?.calls ?? 0) <= callsPerMinute) return;
  throw new RateLimited(Math.max(1, Math.ceil((windowMs - (now % windowMs)) / 1000)));
}
