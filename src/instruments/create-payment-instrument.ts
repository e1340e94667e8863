import { tenantOf } from '../auth/tenancy.ts';
import { findOrAddCustomer, noSuchCustomer, touchCustomer } from '../customers/operations.ts';
import type { CustomerRow } from '../customers/types.ts';
import type { PaymentInstrument, Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { reusableTestTokens } from '../processors/test-cards.ts';
import { atStore } from '../stores/operations.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { checkCard, type CheckedCard } from './card.ts';
import { instrumentEvent } from './operations.ts';
import type { CreatePaymentInstrumentInput } from './schema.ts';
import { type KeptCard, withCardKept } from './tokenize-card.ts';
import type { CardShown } from './types.ts';

type Input = typeof CreatePaymentInstrumentInput.$inferInput;

/** Uses up a token for a payment instrument of a customer; the customer's first one becomes the default. */
export async function createPaymentInstrument(
  context: KeyContext,
  input: Input,
): Promise<{ paymentInstrument: PaymentInstrument; customer: CustomerRow }> {
  if ((input.customerId == null) === (input.customerData == null))
    throw invalid('customerId', 'must be given, or customerData in its place: exactly one of the two');
  return atStore(context, 'createPaymentInstrument', input.storeId, (store) => {
    const testNumber = store.mode === 'test' ? reusableTestTokens.get(input.token) : undefined;
    if (testNumber === undefined)
      return addInstrument(context, store, input, (change) => useToken(context, change, store, input.token));
    const { card, cvcExpiresAt } = testCard(testNumber, context.env.clock.real());
    return withCardKept(context, store, card, cvcExpiresAt, (kept) =>
      addInstrument(context, store, input, async () => kept),
    );
  });
}

function addInstrument(
  context: KeyContext,
  store: Store,
  input: Input,
  takeCard: (change: Write) => Promise<KeptCard>,
): Promise<{ paymentInstrument: PaymentInstrument; customer: CustomerRow }> {
  const of = input.customerData
    ? { storeId: store.id, emailLower: input.customerData.email.toLowerCase() }
    : { customerId: input.customerId ?? '' };
  return atCustomersTime(context, of, () =>
    write(context, 'createPaymentInstrument', async (change) => {
      const { tx, now } = change;
      const { cardId, card } = await takeCard(change);
      const found = await customerOf(context, change, store, input);
      // Whoever adds an instrument to this customer, or changes the default, waits here: there is one default.
      await tx.$queryRaw`SELECT id FROM customers WHERE id = ${found.id} FOR NO KEY UPDATE`;
      const isDefault = (await tx.paymentInstrument.count({ where: { customerId: found.id, isDefault: true } })) === 0;
      const { partnerId, platformAccountId, mode } = store;
      const paymentInstrument = await tx.paymentInstrument.create({
        data: {
          id: newId('paymentInstrument', now),
          partnerId,
          platformAccountId,
          mode,
          storeId: found.storeId,
          customerId: found.id,
          cardId,
          ...card,
          isDefault,
          sequence: 1,
          createdAt: now,
          updatedAt: now,
        },
      });
      change.event(instrumentEvent('paymentInstrument/created', paymentInstrument));
      const customer = isDefault
        ? {
            ...(await touchCustomer(change, found.id, { paymentInstrumentCardLast4: card.last4 })),
            storeName: store.name,
          }
        : found;
      return { paymentInstrument, customer };
    }),
  );
}

/** The token's card. A token works once. */
async function useToken(context: KeyContext, { tx }: Write, store: Store, token: string): Promise<KeptCard> {
  // Tokens are nobody's yet, so they live in real time.
  const now = context.env.clock.real();
  const where = {
    ...tenantOf(context.caller),
    id: token,
    platformAccountId: store.platformAccountId,
    expiresAt: { gt: now },
  };
  const [used] = await tx.token.updateManyAndReturn({ where: { ...where, usedAt: null }, data: { usedAt: now } });
  if (used) return { cardId: used.cardId, card: used.card as unknown as CardShown }; // written by tokenizeCard only
  if (await tx.token.findFirst({ where }))
    throw new Conflict('invalid_state', 'The token was used already: tokenize the card again.');
  throw new NotFound('There is no such token, or it has expired.');
}

/** What the test mode's own tokens stand for. They work always, and their cvc is over at once. */
function testCard(cardNumber: string, now: Date): { card: CheckedCard; cvcExpiresAt: Date } {
  const cvc = cardNumber.startsWith('3') ? '1234' : '123';
  const checked = checkCard(
    { cardNumber, expMonth: 12, expYear: now.getUTCFullYear() + 3, cvc },
    { mode: 'test', now },
  );
  if ('issues' in checked) throw new Error('A test token stands for a card that is not valid.');
  return { card: checked.card, cvcExpiresAt: now };
}

async function customerOf(
  context: KeyContext,
  change: Write,
  store: Store,
  { customerId, customerData }: Input,
): Promise<CustomerRow> {
  if (customerData) return findOrAddCustomer(change, store, customerData);
  const customer = await change.tx.customer.findFirst({
    where: { ...tenantOf(context.caller), id: customerId ?? '', platformAccountId: store.platformAccountId },
  });
  if (!customer) throw noSuchCustomer();
  if (customer.storeId !== store.id) throw invalid('customerId', 'belongs to another store of the account');
  return { ...customer, storeName: store.name };
}
