import { ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { Conflict } from '../../lib/errors.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { deleteInstrumentsOf } from '../instruments/public.ts';
import { erasePayer } from '../payments/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { forgetAnswersAbout } from '../webhooks/public.ts';
import { lockCustomer, touchCustomer } from './customer-rows.ts';

/**
 * Erases the personal data of a customer, in its events and payments as well, and deletes its payment instruments. The
 * customer stays under a pseudonym, since payments and the ledger refer to it. Erasing it again changes nothing.
 */
export function deleteCustomer(context: TenantContext, customerId: string): Promise<{ id: string; deleted: true }> {
  const { clock } = context.services;
  return atCustomersTime(context, { customerId }, () =>
    write(context, 'deleteCustomer', async (change) => {
      const { tx } = change;
      await ownRow(tx, context.tenant, 'customer', customerId);
      await lockCustomer(tx, customerId);
      const { deletedAt } = await ownRow(tx, context.tenant, 'customer', customerId);
      if (deletedAt === null) {
        await assertNothingOpen(change, customerId);
        await deleteInstrumentsOf(change, customerId, clock.real());
        const email = pseudonymOf(customerId);
        await erasePayer(tx, customerId, email);
        await touchCustomer(change, customerId, { ...erased, ...email, deletedAt: change.now });
        const shown = { ...erased, billingAddress: null, shippingAddress: null, email: email.email };
        await tx.$executeRaw(sql`SELECT erase_customer_events(${customerId}, ${JSON.stringify(shown)}::jsonb)`);
        await forgetAnswersAbout(tx, customerId);
      }
      return { id: customerId, deleted: true };
    }),
  );
}

/** An address that no mail reaches, and that no other customer has. */
function pseudonymOf(customerId: string): { email: string; emailLower: string } {
  const email = `${customerId}@erased.invalid`;
  return { email, emailLower: email.toLowerCase() };
}

const erased = {
  firstName: null,
  lastName: null,
  phone: null,
  tags: [],
  billingAddress: Prisma.DbNull,
  shippingAddress: Prisma.DbNull,
  metadata: {},
  paymentInstrumentCardLast4: null,
};

/** What is open needs the customer: 409 names it, and what would end it. */
async function assertNothingOpen({ tx }: Write, customerId: string): Promise<void> {
  const subscription = await tx.subscription.findFirst({
    where: { customerId, status: { not: 'canceled' } },
    select: { id: true },
  });
  if (subscription)
    throw new Conflict('invalid_state', `The subscription ${subscription.id} is not canceled: cancel it first.`);
  const payment = await tx.payment.findFirst({ where: { customerId, status: 'pending' }, select: { id: true } });
  if (payment)
    throw new Conflict(
      'invalid_state',
      `The payment ${payment.id} is pending: capture or void it, or wait for its outcome, and erase the customer then.`,
    );
}
