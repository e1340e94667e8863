import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { CardSummary } from './types.ts';

/** A payment instrument as the API answers it (rest/public/instruments/payment-instrument.graphql). */
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

export function paymentInstrumentObject(instrument: PaymentInstrument): PaymentInstrumentObject {
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
export function cardObject(instrument: PaymentInstrument): CardSummary {
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
