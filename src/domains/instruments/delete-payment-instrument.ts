import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { touchCustomer } from '../customers/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { instrumentEvent, lockInstrument } from './instrument-rows.ts';

/** Makes an instrument inactive. Deleting an inactive instrument changes nothing. */
export function deletePaymentInstrument(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return atCustomersTime(context, { paymentInstrumentId: id }, () =>
    write(context, 'deletePaymentInstrument', async (change) => {
      const before = await lockInstrument(change, context, id);
      if (before.isActive) {
        for (const guard of context.services.followers.instruments) await guard.assertMayDelete(change, id);
        const data = { isActive: false, isDefault: false, sequence: { increment: 1 }, updatedAt: change.now };
        change.event(
          instrumentEvent(
            'paymentInstrument/deleted',
            await change.tx.paymentInstrument.update({ where: { id }, data }),
          ),
        );
        if (before.isDefault) await touchCustomer(change, before.customerId, { paymentInstrumentCardLast4: null });
      }
      return { id, deleted: true };
    }),
  );
}
