import type { PaymentInstrument as PaymentInstrumentRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import type { CardBrand as Brand, CardFunding as Funding } from './card.ts';

/** A payment instrument as the API returns it (rest/public/instruments.graphql). */
export interface PaymentInstrumentObject {
  id: string;
  type: string;
  customerId: string;
  storeId: string;
  platformAccountId: string;
  isActive: boolean;
  isDefault: boolean;
  card: CardSummary;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function paymentInstrumentObject(instrument: PaymentInstrumentRecord): PaymentInstrumentObject {
  return {
    id: instrument.id,
    type: instrument.type,
    customerId: instrument.customerId,
    storeId: instrument.storeId,
    platformAccountId: instrument.platformAccountId,
    isActive: instrument.isActive,
    isDefault: instrument.isDefault,
    card: cardObject(instrument),
    livemode: instrument.mode === 'live',
    createdAt: instrument.createdAt,
    updatedAt: instrument.updatedAt,
  };
}

/** The displayable data of the card of an instrument. */
function cardObject(instrument: PaymentInstrumentRecord): CardSummary {
  return {
    brand: instrument.brand,
    last4: instrument.last4,
    bin: instrument.bin,
    expMonth: instrument.expMonth,
    expYear: instrument.expYear,
    funding: instrument.funding,
    fingerprint: instrument.fingerprint,
  };
}

const CardBrand = builder.enumType('CardBrand', {
  description: 'The brand of a card.',
  values: {
    visa: { description: 'Visa.' },
    mastercard: { description: 'Mastercard.' },
    amex: { description: 'American Express.' },
    discover: { description: 'Discover.' },
    diners: { description: 'Diners Club.' },
    jcb: { description: 'JCB.' },
    unionpay: { description: 'UnionPay.' },
    maestro: { description: 'Maestro.' },
  } as const satisfies Record<Brand, object>,
});

const CardFunding = builder.enumType('CardFunding', {
  description: 'The kind of funding of a card.',
  values: {
    credit: { description: 'A credit card.' },
    debit: { description: 'A debit card.' },
    prepaid: { description: 'A prepaid card.' },
    unknown: { description: 'The funding is not known.' },
  } as const satisfies Record<Funding, object>,
});

/** The part of a card that may be returned to clients. */
export type CardSummary = Pick<
  PaymentInstrumentRecord,
  'brand' | 'last4' | 'bin' | 'expMonth' | 'expYear' | 'funding' | 'fingerprint'
>;

export const Card = builder.objectRef<CardSummary>('Card').implement({
  description: 'The displayable data of a card. The card number is stored in the vault only.',
  fields: (t) => ({
    brand: t.field({
      type: CardBrand,
      description: 'The brand of the card.',
      // written from `checkCard` only
      ...storedColumn('brand'),
    }),
    last4: t.exposeString('last4', { description: 'The last four digits of the card number.' }),
    bin: t.exposeString('bin', {
      description:
        'The leading digits of the card number, which identify the issuer: 8, or 6 for a number under 16 digits.',
    }),
    expMonth: t.exposeInt('expMonth', {
      description: 'The month in which the card expires, 1 to 12. The card is valid through its last day.',
    }),
    expYear: t.exposeInt('expYear', { description: 'The year in which the card expires, four digits.' }),
    funding: t.field({
      type: CardFunding,
      description: 'The kind of funding of the card, `unknown` unless it is known.',
      // written from `checkCard` only
      ...storedColumn('funding'),
    }),
    fingerprint: t.exposeString('fingerprint', {
      description:
        'A value that identifies the card number: the same number has the same fingerprint within one account and ' +
        'mode.',
    }),
  }),
});

const PaymentInstrumentType = builder.enumType('PaymentInstrumentType', {
  description: 'The type of a payment instrument.',
  values: { card: { description: 'A payment card.' } } as const,
});

export const PaymentInstrument = builder.prismaObject('PaymentInstrument', {
  description: 'A stored card of a customer, which can be charged.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the payment instrument, prefix `pi_`.' }),
    type: t.field({
      type: PaymentInstrumentType,
      description: 'The type of the payment instrument.',
      resolve: () => 'card' as const,
    }),
    customerId: t.exposeID('customerId', {
      description: 'The customer that the payment instrument belongs to, prefix `cus_`.',
    }),
    storeId: t.exposeID('storeId', {
      description: 'The store at which the payment instrument was created, prefix `store_`.',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the payment instrument belongs to, prefix `tpa_`.',
    }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether the payment instrument can be charged. False once it was deleted.',
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether this is the default payment instrument of the customer. A customer has at most one.',
    }),
    card: t.field({
      type: Card,
      description: 'The displayable data of the card.',
      resolve: cardObject,
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (instrument) => instrument.mode === 'live',
    }),
    customer: t.relation('customer', { description: 'The customer that the payment instrument belongs to.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the payment instrument was created.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the payment instrument last changed.',
    }),
  }),
});
