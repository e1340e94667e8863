import { ownerOf } from '../../auth/tenancy.ts';
import { visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { PaymentInstrument as InstrumentRow } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { DomainError } from '../../lib/errors.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { Customer, type CustomerRow } from '../customers/public.ts';
import { storeOf } from '../stores/public.ts';
import { createPaymentInstrument } from './create-payment-instrument.ts';
import { CreatePaymentInstrumentInput, TokenizeCardInput } from './inputs.ts';
import { paymentInstruments } from './instrument-list.ts';
import { deletePaymentInstrument, setDefaultPaymentInstrument } from './instrument-rows.ts';
import { type TokenizedCard, tokenizeCard } from './tokenize-card.ts';
import { Card, PaymentInstrument } from './types.ts';

const Token = builder.objectRef<TokenizedCard>('CardToken').implement({
  description:
    'A card that was validated and stored in the vault. The token can be exchanged for one payment instrument within ' +
    '30 minutes.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The token, prefix `tok_`.' }),
    card: t.expose('card', { type: Card, description: 'The displayable data of the card.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time at which the token expires.' }),
  }),
});

const CreatedInstrument = builder
  .objectRef<{ paymentInstrument: InstrumentRow; customer: CustomerRow }>('CreatedPaymentInstrument')
  .implement({
    description: 'A new payment instrument and its customer.',
    fields: (t) => ({
      paymentInstrument: t.expose('paymentInstrument', {
        type: PaymentInstrument,
        description: 'The new payment instrument.',
      }),
      customer: t.expose('customer', {
        type: Customer,
        description: 'The customer that the payment instrument belongs to.',
      }),
    }),
  });

const instrumentId = { required: true, description: 'The payment instrument, prefix `pi_`.' } as const;

builder.queryFields((t) => ({
  paymentInstrument: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: PaymentInstrument,
    description: 'Returns a payment instrument. 404 if the payment instrument is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { paymentInstrumentId: t.arg.id(instrumentId) },
    resolve: (query, _root, args, context) => visible(context, 'paymentInstrument', args.paymentInstrumentId, query),
  }),
  paymentInstruments: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    paymentInstruments.field(
      'Returns a page of the payment instruments visible to the API key: those of the account of a sub-key, or of ' +
        'all accounts of the partner in the mode of a partner key. The newest come first by default.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All payment instruments if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  tokenizeCard: t.withAuth({ key: true }).field({
    type: Token,
    description:
      'Validates a card, stores it in the vault and returns a token for it. An account can tokenize at most 600 ' +
      'cards per minute, and at most 20 different numbers a day that share `bin` and `last4`; further calls are 429.',
    args: { input: t.arg({ type: TokenizeCardInput, required: true, description: 'The card to tokenize.' }) },
    rateLimit: {
      max: 600,
      window: '1m',
      by: (context, { input }) => accountOf(context, input.storeId),
    },
    resolve: (_root, { input }, context) => tokenizeCard(context, input),
  }),
  createPaymentInstrument: t.withAuth({ key: true }).field({
    type: CreatedInstrument,
    description:
      'Exchanges a token for a payment instrument of a customer. The first payment instrument of a customer becomes ' +
      'the default.',
    args: {
      input: t.arg({ type: CreatePaymentInstrumentInput, required: true, description: 'The token and the customer.' }),
    },
    resolve: (_root, { input }, context) => createPaymentInstrument(context, input),
  }),
  deletePaymentInstrument: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Makes a payment instrument inactive permanently: it can no longer be charged. 409 `invalid_state` while a ' +
      'subscription that is not canceled charges it. 404 if it is not visible to the API key.',
    args: { paymentInstrumentId: t.arg.id(instrumentId) },
    resolve: (_root, args, context) => deletePaymentInstrument(context, args.paymentInstrumentId),
  }),
  setDefaultPaymentInstrument: t.withAuth({ key: true }).field({
    type: PaymentInstrument,
    description:
      'Makes a payment instrument the default of its customer. 409 `invalid_state` if it is inactive, 404 if it is ' +
      'not visible to the API key.',
    args: { paymentInstrumentId: t.arg.id(instrumentId) },
    resolve: (_root, args, context) => setDefaultPaymentInstrument(context, args.paymentInstrumentId),
  }),
}));

/**
 * Tokenized cards are counted per account, for all its keys. A call without a valid store is rejected later, and counts
 * for its own key.
 */
async function accountOf(context: TenantContext, storeId: string | null | undefined): Promise<string> {
  const { platformAccountId } = context.tenant;
  if (platformAccountId !== undefined) return platformAccountId;
  const store = await storeOf(context, storeId).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  return store?.platformAccountId ?? ownerOf(context.tenant);
}
