import type { CustomerRow } from '../customers/types.ts';
import { Customer } from '../customers/types.ts';
import type { PaymentInstrument as InstrumentRow } from '../generated/prisma/client.ts';
import { AddressInput } from '../graph/address.ts';
import { builder } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { limitedTo } from '../graph/field-limits.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { ownerOf } from '../auth/tenancy.ts';
import { storeOf } from '../stores/operations.ts';
import { createPaymentInstrument } from './create-payment-instrument.ts';
import {
  deletePaymentInstrument,
  listPaymentInstruments,
  readPaymentInstrument,
  setDefaultPaymentInstrument,
} from './operations.ts';
import { tokenizeCard, type TokenizedCard } from './tokenize-card.ts';
import { Card, PaymentInstrument } from './types.ts';

const InstrumentPage = pageType('PaymentInstrumentPage', PaymentInstrument, 'payment instruments');
const InstrumentSort = sortInput('PaymentInstrumentSort', ['createdAt']);

export const InstrumentFilters = builder.inputType('PaymentInstrumentFilters', {
  description: 'Which payment instruments. All that are given must hold.',
  fields: (t) => ({
    customerId: t.string({ description: 'Of this customer.' }),
    isActive: t.boolean({ description: 'Only those that can be charged, or only those that cannot.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
  }),
});

const Token = builder.objectRef<TokenizedCard>('CardToken').implement({
  description:
    'A card that was checked and put into the vault. The token is good for one payment instrument, for 30 minutes.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The token, prefix `tok_`.' }),
    card: t.expose('card', { type: Card, description: 'What may be shown of the card.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it stops working.' }),
  }),
});

export const TokenizeCardInput = builder.inputType('TokenizeCardInput', {
  description:
    'A card. In test mode the documented test numbers do what they say and others are approved; in live mode test numbers are refused.',
  fields: (t) => ({
    storeId: t.string({ description: 'The store, prefix `store_`. Required with a partner key.' }),
    cardNumber: t.string({
      required: true,
      description: '12 to 19 digits, spaces allowed; checked by length and check digit.',
    }),
    expMonth: t.int({ required: true, description: 'Month of expiry, 1 to 12.' }),
    expYear: t.int({ required: true, description: 'Year of expiry, four digits.' }),
    cvc: t.string({
      required: true,
      description: '3 digits, 4 for American Express. Kept no longer than the token and the first authorization.',
    }),
    cardholderName: t.string({ description: 'The name on the card, at most 100 characters.' }),
  }),
});

const CustomerDataInput = builder.inputType('CustomerDataInput', {
  description: 'The customer an instrument is for: the one of the store with this e-mail address, or a new one.',
  fields: (t) => ({
    email: t.field({ type: 'Email', required: true, description: 'E-mail address.' }),
    firstName: t.field({ type: 'Name', description: 'Given name.' }),
    lastName: t.field({ type: 'Name', description: 'Family name.' }),
    phone: t.field({ type: 'ShortText', description: 'Telephone number.' }),
    billingAddress: t.field({ type: AddressInput, description: 'Where bills go.' }),
  }),
});

export const CreatePaymentInstrumentInput = builder.inputType('CreatePaymentInstrumentInput', {
  description:
    'A token to turn into a payment instrument, and whose it is: exactly one of `customerId` and `customerData`.',
  fields: (t) => ({
    token: t.string({
      required: true,
      description: 'The token, prefix `tok_`. 409 when it was used, 404 when it expired or is not of this account.',
    }),
    storeId: t.string({ description: 'The store, prefix `store_`. Required with a partner key.' }),
    customerId: t.string({ description: 'An existing customer, prefix `cus_`.' }),
    customerData: t.field({ type: CustomerDataInput, description: 'A customer by e-mail address.' }),
  }),
});

const CreatedInstrument = builder
  .objectRef<{ paymentInstrument: InstrumentRow; customer: CustomerRow }>('CreatedPaymentInstrument')
  .implement({
    description: 'A new payment instrument and its customer.',
    fields: (t) => ({
      paymentInstrument: t.expose('paymentInstrument', {
        type: PaymentInstrument,
        description: 'The payment instrument.',
      }),
      customer: t.expose('customer', { type: Customer, description: 'Whose it is.' }),
    }),
  });

/** Cards are counted by account, whichever key brings them. What names no store of the caller's is refused later, and counts as the caller's own. */
async function accountOf(context: KeyContext, storeId: string | null | undefined): Promise<string> {
  if (context.caller.kind === 'subKey') return context.caller.platformAccountId;
  const store = await storeOf(context, storeId).catch(() => null);
  return store?.platformAccountId ?? ownerOf(context.caller);
}

const instrumentId = { required: true, description: 'Identifier, prefix `pi_`.' } as const;

builder.queryFields((t) => ({
  paymentInstrument: t.withAuth({ key: true }).field({
    type: PaymentInstrument,
    description: 'One payment instrument. 404 when it is not within the reach of the key.',
    args: { paymentInstrumentId: t.arg.string(instrumentId) },
    resolve: (_root, args, context) => readPaymentInstrument(context, args.paymentInstrumentId),
  }),
  paymentInstruments: t.withAuth({ key: true }).field({
    type: InstrumentPage,
    description: 'The payment instruments within the reach of the key, the newest first unless sorted otherwise.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: InstrumentSort, description: 'The order.' }),
      filters: t.arg({ type: InstrumentFilters, description: 'Which ones.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPaymentInstruments(context, args),
  }),
}));

builder.mutationFields((t) => ({
  tokenizeCard: t.withAuth({ key: true }).field({
    type: Token,
    description: 'Checks a card, puts it into the vault and gives a token for it. At most 600 a minute for an account.',
    args: { input: t.arg({ type: TokenizeCardInput, required: true, description: 'The card.' }) },
    resolve: limitedTo(
      { name: 'tokenizeCard', perMinute: 600, whose: (context, { input }) => accountOf(context, input.storeId) },
      (_root, { input }, context) => tokenizeCard(context, input),
    ),
  }),
  createPaymentInstrument: t.withAuth({ key: true }).field({
    type: CreatedInstrument,
    description: "Turns a token into a payment instrument of a customer. The customer's first one becomes the default.",
    args: {
      input: t.arg({ type: CreatePaymentInstrumentInput, required: true, description: 'The token and the customer.' }),
    },
    resolve: (_root, { input }, context) => createPaymentInstrument(context, input),
  }),
  deletePaymentInstrument: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Makes a payment instrument inactive for good: it can no longer be charged.',
    args: { paymentInstrumentId: t.arg.string(instrumentId) },
    resolve: (_root, args, context) => deletePaymentInstrument(context, args.paymentInstrumentId),
  }),
  setDefaultPaymentInstrument: t.withAuth({ key: true }).field({
    type: PaymentInstrument,
    description: "Makes a payment instrument its customer's default. 409 `invalid_state` when it is inactive.",
    args: { paymentInstrumentId: t.arg.string(instrumentId) },
    resolve: (_root, args, context) => setDefaultPaymentInstrument(context, args.paymentInstrumentId),
  }),
}));
