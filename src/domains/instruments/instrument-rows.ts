import { ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { Customer, PaymentInstrument, Store } from '../../generated/prisma/client.ts';
import { Conflict } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { type EventDraft, rowEvent } from '../../unit-of-work/records.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { lockCustomer, touchCustomer } from '../customers/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { type CardSummary, paymentInstrumentObject } from './types.ts';

/**
 * An instrument, with the row of its customer locked, so that changes of the default instrument are made in sequence.
 */
async function lockInstrument({ tx }: Write, context: TenantContext, id: string): Promise<PaymentInstrument> {
  const { customerId } = await ownRow(tx, context.tenant, 'paymentInstrument', id);
  await lockCustomer(tx, customerId);
  return ownRow(tx, context.tenant, 'paymentInstrument', id);
}

/** Inserts the instrument of a customer. */
export async function storeInstrument(
  { tx, now, event }: Write,
  { partnerId, platformAccountId, mode }: Store,
  { id: customerId, storeId }: Pick<Customer, 'id' | 'storeId'>,
  card: CardSummary & Pick<PaymentInstrument, 'cardId' | 'isDefault'>,
): Promise<PaymentInstrument> {
  const owner = { partnerId, platformAccountId, mode, storeId, customerId };
  const instrument = await tx.paymentInstrument.create({
    data: { id: newId('pi_', now), ...owner, ...card, sequence: 1, createdAt: now, updatedAt: now },
  });
  event(instrumentEvent('paymentInstrument/created', instrument));
  return instrument;
}

/** The event of an instrument, with the instrument as the API returns it. */
function instrumentEvent(
  type: 'paymentInstrument/created' | 'paymentInstrument/deleted',
  instrument: PaymentInstrument,
): EventDraft {
  return rowEvent(type, instrument, paymentInstrumentObject(instrument));
}

/** Longer than any call that may still charge a card. */
const callMaxMs = 3_600_000;

/**
 * Makes an instrument inactive. A job erases its number an hour later. Deleting an inactive instrument changes nothing.
 */
export function deletePaymentInstrument(context: TenantContext, id: string): Promise<{ id: string; deleted: true }> {
  return atCustomersTime(context, { paymentInstrumentId: id }, () =>
    write(context, 'deletePaymentInstrument', async (change) => {
      const before = await lockInstrument(change, context, id);
      if (before.isActive) {
        await assertNotCharged(change, id);
        // In real time: a test clock does not keep a number.
        const eraseNumberAt = new Date(context.services.clock.real().getTime() + callMaxMs);
        const data = {
          isActive: false,
          isDefault: false,
          eraseNumberAt,
          sequence: { increment: 1 },
          updatedAt: change.now,
        };
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

/**
 * Rejects the deletion of a card that a subscription charges. The row of the customer is locked here and where a
 * subscription chooses its card, so that the two cannot happen concurrently.
 */
async function assertNotCharged({ tx }: Write, paymentInstrumentId: string): Promise<void> {
  const charging = await tx.subscription.findFirst({
    where: {
      OR: [
        { paymentInstrumentId, status: { not: 'canceled' } },
        { pendingInstrumentId: paymentInstrumentId },
        { payingInstrumentId: paymentInstrumentId },
      ],
    },
    select: { id: true },
  });
  if (charging)
    throw new Conflict(
      'invalid_state',
      `The payment instrument is charged for subscription ${charging.id}: give that another one first, or cancel it.`,
    );
}

/** Makes an instrument the only default of its customer. */
export function setDefaultPaymentInstrument(context: TenantContext, id: string): Promise<PaymentInstrument> {
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
