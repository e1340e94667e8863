import { tenantOf } from '../../auth/tenancy.ts';
import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { EventDraft } from '../../write/records.ts';
import { rowEvent } from '../../write/row-event.ts';
import type { Write } from '../../write/write.ts';
import { lockCustomer } from '../customers/public.ts';
import { paymentInstrumentObject } from './payment-instrument-object.ts';

/** An instrument, with the row of its customer locked: changes of the default instrument are made one after another. */
export async function lockInstrument({ tx }: Write, context: KeyContext, id: string): Promise<PaymentInstrument> {
  const where = { ...tenantOf(context.caller), id };
  const seen = await tx.paymentInstrument.findFirst({ where, select: { customerId: true } });
  if (!seen) throw noSuchInstrument(id);
  await lockCustomer(tx, seen.customerId);
  return tx.paymentInstrument.findFirstOrThrow({ where });
}

/** The event of an instrument, with the instrument as the API answers it. */
export function instrumentEvent(
  type: 'paymentInstrument/created' | 'paymentInstrument/deleted',
  instrument: PaymentInstrument,
): EventDraft {
  return rowEvent(type, instrument, paymentInstrumentObject(instrument));
}

export function noSuchInstrument(id: string): NotFound {
  const hint = id.startsWith('tok_') ? ' This is a token: first create an instrument from it (create-from-token).' : '';
  return new NotFound(`There is no such payment instrument.${hint}`);
}
