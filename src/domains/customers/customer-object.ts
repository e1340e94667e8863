import type { Customer } from '../../generated/prisma/client.ts';
import { type AddressObject, type AddressValue, addressObject } from '../../graph/address.ts';

/** A customer as the API answers it (rest/public/customers/customer.graphql). */
export interface CustomerObject {
  id: string;
  storeId: string;
  storeName: string;
  platformAccountId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  tags: string[];
  billingAddress: AddressObject | null;
  shippingAddress: AddressObject | null;
  metadata: unknown;
  lastOrderId: string | null;
  paymentInstrumentCardLast4: string | null;
  testClockId: string | null;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function customerObject(customer: Customer, storeName: string): CustomerObject {
  return {
    id: customer.id,
    storeId: customer.storeId,
    storeName,
    platformAccountId: customer.platformAccountId,
    email: customer.email,
    firstName: customer.firstName,
    lastName: customer.lastName,
    phone: customer.phone,
    tags: customer.tags,
    // both addresses are written from AddressInput only
    billingAddress: addressObject(customer.billingAddress as AddressValue | null),
    shippingAddress: addressObject(customer.shippingAddress as AddressValue | null),
    metadata: customer.metadata,
    lastOrderId: customer.lastOrderId,
    paymentInstrumentCardLast4: customer.paymentInstrumentCardLast4,
    testClockId: customer.testClockId,
    livemode: customer.mode === 'live',
    createdAt: customer.createdAt,
    updatedAt: customer.updatedAt,
  };
}
