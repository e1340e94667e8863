import { ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { execute, type Queryable, sql } from '../../database/sql.ts';
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
        await deactivate(change, id, context.services.clock.real());
        if (before.isDefault) await touchCustomer(change, before.customerId, { paymentInstrumentCardLast4: null });
      }
      return { id, deleted: true };
    }),
  );
}

/** `real` is the real time: a test clock does not keep a number. */
async function deactivate({ tx, now, event }: Write, id: string, real: Date): Promise<void> {
  const eraseNumberAt = new Date(real.getTime() + callMaxMs);
  const data = { isActive: false, isDefault: false, eraseNumberAt, sequence: { increment: 1 }, updatedAt: now };
  event(instrumentEvent('paymentInstrument/deleted', await tx.paymentInstrument.update({ where: { id }, data })));
}

/** Deletes the payment instruments of a customer whose row the caller has locked. No subscription charges them. */
export async function deleteInstrumentsOf(change: Write, customerId: string, real: Date): Promise<void> {
  const active = await change.tx.paymentInstrument.findMany({
    where: { customerId, isActive: true },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  for (const { id } of active) await deactivate(change, id, real);
}

/** Records that the numbers of deleted payment instruments were erased, and returns how many. */
export function numbersErased(database: Queryable, ids: readonly string[]): Promise<number> {
  return execute(database, sql`UPDATE payment_instruments SET "eraseNumberAt" = NULL WHERE id = ANY(${ids}::text[])`);
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
      `The payment instrument is used by subscription ${charging.id}: assign another one to it first, or cancel it.`,
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
