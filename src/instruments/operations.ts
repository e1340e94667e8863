import { tenantOf } from '../auth/tenancy.ts';
import { touchCustomer } from '../customers/operations.ts';
import type { PaymentInstrument } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, NotFound } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import { write, type Write } from '../kit/write.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { assertBacksNoSubscription } from '../subscriptions/operations.ts';
import type { InstrumentFilters } from './schema.ts';

const instrumentList: ListDefinition<typeof InstrumentFilters.$inferInput> = {
  table: 'payment_instruments',
  sorts: { createdAt: 'createdAt' },
  filters: { customerId: is('customerId'), isActive: is('isActive'), storeId: oneOf('storeId') },
  counted: true,
};

export function listPaymentInstruments(
  context: KeyContext,
  args: ListArguments<typeof InstrumentFilters.$inferInput>,
): Promise<Page<PaymentInstrument>> {
  return readList(context.env.pool, context.caller, instrumentList, args);
}

export async function readPaymentInstrument(context: KeyContext, id: string): Promise<PaymentInstrument> {
  const instrument = await context.env.prisma.paymentInstrument.findFirst({
    where: { ...tenantOf(context.caller), id },
  });
  if (!instrument) throw noSuchInstrument();
  return instrument;
}

/** Makes an instrument inactive; doing it twice changes nothing more. */
export function deletePaymentInstrument(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return atCustomersTime(context, { paymentInstrumentId: id }, () =>
    write(context, 'deletePaymentInstrument', async (change) => {
      const before = await lockWithCustomer(change, context, id);
      if (before.isActive) {
        await assertBacksNoSubscription(change, id);
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

/** Makes an instrument the customer's only default. */
export function setDefaultPaymentInstrument(context: KeyContext, id: string): Promise<PaymentInstrument> {
  return atCustomersTime(context, { paymentInstrumentId: id }, () =>
    write(context, 'setDefaultPaymentInstrument', async (change) => {
      const before = await lockWithCustomer(change, context, id);
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

/** The instrument, with its customer's row locked: changes to the default follow one another. */
async function lockWithCustomer({ tx }: Write, context: KeyContext, id: string): Promise<PaymentInstrument> {
  const where = { ...tenantOf(context.caller), id };
  const seen = await tx.paymentInstrument.findFirst({ where, select: { customerId: true } });
  if (!seen) throw noSuchInstrument();
  await tx.$queryRaw`SELECT id FROM customers WHERE id = ${seen.customerId} FOR NO KEY UPDATE`;
  return tx.paymentInstrument.findFirstOrThrow({ where });
}

export function instrumentEvent(
  type: 'paymentInstrument/created' | 'paymentInstrument/deleted',
  instrument: PaymentInstrument,
): EventDraft {
  const {
    id: objectId,
    partnerId,
    platformAccountId,
    storeId,
    customerId,
    sequence,
    isActive,
    isDefault,
    createdAt,
    updatedAt,
    brand,
    last4,
    bin,
    expMonth,
    expYear,
    funding,
    fingerprint,
  } = instrument;
  const mode = instrument.mode as Mode; // a CHECK constraint holds the column to the two
  const card = { brand, last4, bin, expMonth, expYear, funding, fingerprint };
  const object = {
    id: objectId,
    type: instrument.type,
    customerId,
    storeId,
    platformAccountId,
    isActive,
    isDefault,
    card,
    livemode: mode === 'live',
    createdAt,
    updatedAt,
  };
  return { type, partnerId, platformAccountId, mode, storeId, objectId, sequence, object };
}

export function noSuchInstrument(): NotFound {
  return new NotFound('There is no such payment instrument.');
}
