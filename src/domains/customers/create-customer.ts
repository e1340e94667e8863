import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { atStore } from '../stores/public.ts';
import { onClock, testClockOf } from '../test-clocks/public.ts';
import { assertTags, findOrAddCustomer } from './customer-rows.ts';
import type { CreateCustomerInput } from './inputs.ts';
import type { CustomerRow } from './types.ts';

export async function createCustomer(
  context: KeyContext,
  input: typeof CreateCustomerInput.$inferInput,
): Promise<CustomerRow> {
  assertTags(input.tags);
  return atStore(context, 'createCustomer', input.storeId, async (store) => {
    const testClock = input.testClockId == null ? null : await testClockOf(context, store, input.testClockId);
    return onClock(context.services, testClock, () =>
      write(context, 'createCustomer', (change) =>
        findOrAddCustomer(change, store, { ...input, testClockId: testClock?.id }),
      ),
    );
  });
}
