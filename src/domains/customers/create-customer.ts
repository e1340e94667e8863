import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
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
  return atStore(context, input.storeId, async (store) => {
    const testClock = input.testClockId == null ? null : await testClockOf(context, store, input.testClockId);
    return onClock(context.services, testClock, () =>
      write(context, 'createCustomer', async (change) => {
        const customer = await findOrAddCustomer(change, store, { ...input, testClockId: testClock?.id });
        if (testClock && customer.testClockId !== testClock.id)
          throw new Conflict(
            'already_exists',
            `The customer ${customer.id} of the store has this e-mail address and is not on this test clock; a ` +
              'customer is put on a test clock at its creation only. Use another address.',
          );
        return customer;
      }),
    );
  });
}
