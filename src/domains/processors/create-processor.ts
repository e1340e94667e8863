import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { assertRoom } from '../../write/assert-room.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { addProcessor } from './add-processor.ts';
import type { CreateProcessorInput } from './inputs.ts';
import { optionChanges } from './options.ts';
import type { ProcessorRow } from './processor-rows.ts';

/** Each charge looks for one that it may use. */
const processorsMax = 100;

/** Adds a processor to the account of the key, or with a partner key to that of the store that it names. */
export async function createProcessor(
  context: KeyContext,
  input: typeof CreateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  const { caller } = context;
  // The test processor moves no money, so its approvals would be false in live mode.
  if (caller.mode === 'live' && input.type === 'test') throw invalid('type', 'must not be test in live mode');
  const { name, type, enabled } = input;
  optionChanges(type, caller.mode, input.options ?? {});
  const account = await accountOf(context, input.storeId);
  return write(context, 'createProcessor', async (change) => {
    await assertRoom(change, account.id, {
      what: 'processors',
      max: processorsMax,
      count: (where) => change.tx.processor.count({ where }),
    });
    return addProcessor(context.services, change, account, {
      name,
      type,
      enabled,
      supportedCurrencies: [...new Set(input.supportedCurrencies ?? [])],
      options: input.options ?? {},
    });
  });
}

async function accountOf(
  context: KeyContext,
  storeId: string | null | undefined,
): Promise<{ id: string; partnerId: string; mode: string }> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null)
    return { id: caller.platformAccountId, partnerId: caller.partnerId, mode: caller.mode };
  const { platformAccountId: id, partnerId, mode } = await storeOf(context, storeId);
  return { id, partnerId, mode };
}
