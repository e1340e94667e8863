import { afterChange } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import { isReuse } from '../../write/idempotency.ts';
import { inSteps } from '../../write/in-steps.ts';
import { recordKeyOf } from '../../write/write.ts';
import type { DisputeRow } from './dispute-records.ts';

/**
 * Runs a call and replays its answer to a repeat. The effect has its own reference and happens once however often it
 * runs: a call whose process died runs again.
 */
export async function runOnce<Checked>(
  context: KeyContext,
  operation: string,
  { check, run }: { check(): Promise<Checked>; run(checked: Checked): Promise<DisputeRow> },
): Promise<DisputeRow> {
  const recordKey = recordKeyOf(context, operation);
  try {
    return await inSteps(context, recordKey, async () => {
      const checked = await check();
      // At the processor it may be done, whatever is away afterwards.
      return afterChange(() => run(checked), { hasKey: recordKey !== null });
    });
  } catch (error) {
    // An idempotency conflict has the lowest precedence (docs/contract/05-errors.md): other errors come first.
    if (isReuse(error)) await check();
    throw error;
  }
}
