import type { PaymentInstrument as InstrumentRow } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { cardBrands } from './card.ts';

const CardBrand = builder.enumType('CardBrand', { description: 'The card scheme.', values: cardBrands });
const CardFunding = builder.enumType('CardFunding', {
  description: 'How the card is funded, as far as it is known.',
  values: ['credit', 'debit', 'prepaid', 'unknown'],
});

/** What may be shown of a card. */
export type CardShown = Pick<
  InstrumentRow,
  'brand' | 'last4' | 'bin' | 'expMonth' | 'expYear' | 'funding' | 'fingerprint'
>;

export const Card = builder.objectRef<CardShown>('Card').implement({
  description: 'What may be shown of a card. Its number is in the vault and nowhere else.',
  fields: (t) => ({
    brand: t.field({ type: CardBrand, description: 'The card scheme.', resolve: (card) => card.brand as never }), // written from `checkCard` only
    last4: t.exposeString('last4', { description: 'The last four digits of the number.' }),
    bin: t.exposeString('bin', {
      description: 'The leading digits, which name the issuer: 8, or 6 for numbers under 16 digits.',
    }),
    expMonth: t.exposeInt('expMonth', {
      description: 'Month of expiry, 1 to 12; the card is good through its last day.',
    }),
    expYear: t.exposeInt('expYear', { description: 'Year of expiry, four digits.' }),
    funding: t.field({
      type: CardFunding,
      description: 'How it is funded, as far as it is known.',
      resolve: (card) => card.funding as never,
    }), // as above
    fingerprint: t.exposeString('fingerprint', {
      description: 'The same for the same number within one account and mode, so that a card can be recognized.',
    }),
  }),
});

export const PaymentInstrument = builder.prismaObject('PaymentInstrument', {
  description: "A customer's card, ready to be charged.",
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `pi_`.' }),
    type: t.exposeString('type', { description: 'Always `card`.' }),
    customerId: t.exposeString('customerId', { description: 'Whose it is, prefix `cus_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store it was made at, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    isActive: t.exposeBoolean('isActive', { description: 'False once deleted; then it cannot be charged.' }),
    isDefault: t.exposeBoolean('isDefault', {
      description: "Whether it is the customer's default; a customer has at most one.",
    }),
    card: t.field({ type: Card, description: 'What may be shown of the card.', resolve: (instrument) => instrument }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (instrument) => instrument.mode === 'live' }),
    customer: t.relation('customer', { description: 'Whose it is.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
