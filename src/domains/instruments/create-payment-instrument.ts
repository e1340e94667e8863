import { requireRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { PaymentInstrument, Store } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { reusableTestTokens } from '../../ports/test-processor.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { type CustomerRow, findOrAddCustomer, lockCustomerForUse, touchCustomer } from '../customers/public.ts';
import { atStore } from '../stores/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { type CheckedCard, checkCard } from './card.ts';
import type { CreatePaymentInstrumentInput } from './inputs.ts';
import { storeInstrument } from './instrument-rows.ts';
import { presentNumber } from './number-guard.ts';
import { ownerAt, type StoredCard, useToken, validToken, withStoredCard } from './tokenize-card.ts';
import type { CardSummary } from './types.ts';

type Input = typeof CreatePaymentInstrumentInput.$inferInput & {
  /** Set for the visitor of a checkout session, who never becomes an existing customer. */
  guestSessionId?: string;
};

/** Exchanges a token for a payment instrument of a customer. The customer's first instrument becomes the default. */
export async function createPaymentInstrument(
  context: TenantContext,
  input: Input,
): Promise<{ paymentInstrument: PaymentInstrument; customer: CustomerRow }> {
  return atStore(context, input.storeId, async (store) => {
    const testNumber = store.mode === 'test' ? reusableTestTokens.get(input.token) : undefined;
    if (testNumber === undefined) {
      await presentNumberOf(context, store, input.token);
      return addInstrument(context, store, input, (change) => useToken(context, change, store, input.token));
    }
    const { card, cvcExpiresAt } = testCard(testNumber, context.services.clock.real());
    return withStoredCard(context, store, card, cvcExpiresAt, (stored) =>
      addInstrument(context, store, input, async () => stored),
    );
  });
}

function addInstrument(
  context: TenantContext,
  store: Store,
  input: Input,
  takeCard: (change: Write) => Promise<StoredCard & { customerId?: string | null }>,
): Promise<{ paymentInstrument: PaymentInstrument; customer: CustomerRow }> {
  const of = input.guestSessionId
    ? null
    : input.customerData
      ? { storeId: store.id, emailLower: input.customerData.email.toLowerCase() }
      : { customerId: input.customerId ?? '' };
  return atCustomersTime(context, of, () =>
    write(context, 'createPaymentInstrument', async (change) => {
      const { tx } = change;
      const { cardId, card, customerId } = await takeCard(change);
      const found = await customerOf(context, change, store, input);
      if (customerId != null && customerId !== found.id)
        throw invalid(input.customerId == null ? 'customerData' : 'customerId', `must be ${customerId}: ${boundToken}`);
      // Two concurrent calls would otherwise both make their instrument the default.
      await lockCustomerForUse(tx, found.id);
      const isDefault = (await tx.paymentInstrument.count({ where: { customerId: found.id, isDefault: true } })) === 0;
      const paymentInstrument = await storeInstrument(change, store, found, { cardId, ...card, isDefault });
      const customer = isDefault
        ? await touchCustomer(change, found.id, { paymentInstrumentCardLast4: card.last4 }, store)
        : found;
      return { paymentInstrument, customer };
    }),
  );
}

const boundToken = 'the client session that made the token is for that customer';

/** Counts the number of an unused token again, since it may have been tokenized on the day before. */
async function presentNumberOf(context: TenantContext, store: Store, token: string): Promise<void> {
  const where = { ...validToken(context, store, token), usedAt: null };
  const found = await context.services.prisma.token.findFirst({ where, select: { card: true } });
  if (found) await presentNumber(context, ownerAt(store), found.card as CardSummary); // as in useToken
}

/**
 * The card of a reusable test token. Its CVC expires immediately, since there is no stored token that would limit it.
 */
function testCard(cardNumber: string, now: Date): { card: CheckedCard; cvcExpiresAt: Date } {
  const cvc = cardNumber.startsWith('3') ? '1234' : '123';
  const checked = checkCard(
    { cardNumber, expMonth: 12, expYear: now.getUTCFullYear() + 3, cvc },
    { mode: 'test', now },
  );
  if ('issues' in checked) throw new Error('The card of a test token is not valid.');
  return { card: checked.card, cvcExpiresAt: now };
}

async function customerOf(
  context: TenantContext,
  change: Write,
  store: Store,
  { customerId, customerData, guestSessionId }: Input,
): Promise<CustomerRow> {
  if (customerData) return findOrAddCustomer(change, store, { ...customerData, guestSessionId });
  const where = { ...context.tenant, id: customerId ?? '', platformAccountId: store.platformAccountId };
  const customer = await requireRow(change.tx, 'customer', where);
  if (customer.storeId !== store.id) throw invalid('customerId', 'belongs to another store of the account');
  return { ...customer, storeName: store.name };
}
