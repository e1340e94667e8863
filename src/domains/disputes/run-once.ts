import { execute } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { toJson } from '../../kit/json.ts';
import { claimPart, findStoredCall, type StoredCall } from '../../write/idempotency.ts';
import { recordKeyOf } from '../../write/write.ts';
import type { DisputeRow } from './dispute-records.ts';

/**
 * Runs a call and replays its answer to a repeat. The effect has its own reference and happens once however often it
 * runs, so that its answer is not stored in the same transaction: an interrupted call runs again.
 */
export async function runOnce<Checked>(
  context: KeyContext,
  operation: string,
  { check, run }: { check(): Promise<Checked>; run(checked: Checked): Promise<DisputeRow> },
): Promise<DisputeRow> {
  const { pool } = context.services;
  const recordKey = recordKeyOf(context, operation);
  const stored =
    recordKey &&
    (await findStoredCall(pool, recordKey).catch(async (conflict: unknown) => {
      // An idempotency conflict has the lowest precedence (docs/contract/05-errors.md): other errors come first.
      await check();
      throw conflict;
    }));
  if (stored) return replay(context, stored);
  const result = await run(await check());
  if (!recordKey) return result;
  const claimed = await execute(pool, claimPart(recordKey, result.id, { answer: toJson(result) }));
  const faster = claimed === 1 ? null : await findStoredCall(pool, recordKey);
  return faster ? replay(context, faster) : result;
}

function replay(context: KeyContext, { answer }: StoredCall): DisputeRow {
  context.replayed = true;
  return answer as DisputeRow; // stored above
}
