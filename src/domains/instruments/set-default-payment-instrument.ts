import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { touchCustomer } from '../customers/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { lockInstrument } from './instrument-rows.ts';

/** Makes an instrument the only default of its customer. */
export function setDefaultPaymentInstrument(context: KeyContext, id: string): Promise<PaymentInstrument> {
  return atCustomersTime(context, { paymentInstrumentId: id }, () =>
    write(context, 'setDefaultPaymentInstrument', async (change) => {
      const before = await lockInstrument(change, context, id);
      if (!before.isActive) throw new Conflict('invalid_state', 'The payment instrument is inactive.');
      if (before.isDefault) return before;
      const { tx, now } = change;
      await tx.paymentInstrument.updateMany({
        where: { customerId: before.customerId, isDefault: true },
        data: { isDefault: false, updatedAt: now },
      });
      const instrument = await tx.paymentInstrument.update({
        where: { id },
        data: { isDefault: true, updatedAt: now },
      });
      await touchCustomer(change, before.customerId, { paymentInstrumentCardLast4: instrument.last4 });
      return instrument;
    }),
  );
}
