import type { OperatorVisibility, Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import type { CardTestingAlert, PaymentInstrument } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { exactlyOneOf } from '../../graph/input/rules.ts';
import { AddressInput } from '../../graph/shared-types.ts';
import { is, oneOf } from '../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';

export const InstrumentFilters = builder.inputType('PaymentInstrumentFilters', {
  description:
    'Filters for a list of payment instruments. A payment instrument is returned only if it matches every filter ' +
    'given.',
  fields: (t) => ({
    customerId: t.id({ description: 'Returns payment instruments of this customer, prefix `cus_`.' }),
    isActive: t.boolean({
      description: 'True returns only payment instruments that can be charged, false only deleted ones.',
    }),
    storeId: t.idList({ description: 'Returns payment instruments of any of these stores, prefix `store_`.' }),
    fingerprint: t.field({
      type: 'ShortText',
      description: 'Returns the payment instruments of the card with this fingerprint.',
    }),
    platformAccountId: t.id({ description: 'Returns payment instruments of this processing account, prefix `tpa_`.' }),
  }),
});

export const TokenizeCardInput = builder.inputType('TokenizeCardInput', {
  description:
    'The card to tokenize. In test mode the documented test numbers behave as documented and any other valid number ' +
    'is approved. In live mode a test number is refused with 400.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store that the token is for, prefix `store_`. Required with a partner key, and with a sub-key whose ' +
        'account has several stores.',
    }),
    cardNumber: t.string({
      required: true,
      description:
        'The card number: 12 to 19 digits; spaces are allowed. The length and the check digit are validated.',
    }),
    expMonth: t.int({ required: true, description: 'The month in which the card expires, 1 to 12.' }),
    expYear: t.int({
      required: true,
      description: 'The year in which the card expires, four digits, at most 20 years ahead.',
    }),
    cvc: t.string({
      required: true,
      description:
        'The security code: 4 digits for American Express, 3 for every other brand. It is stored no longer than the ' +
        'token is valid and the first authorization takes.',
    }),
    cardholderName: t.string({ description: 'The name on the card, at most 100 characters.' }),
  }),
});

const CustomerDataInput = builder.inputType('CustomerDataInput', {
  description:
    'The customer of a payment instrument, by e-mail address: the customer of the store that has it, or a new ' +
    'customer.',
  fields: (t) => ({
    email: t.field({ type: 'Email', required: true, description: 'The e-mail address of the customer.' }),
    firstName: t.field({ type: 'Name', description: 'The given name of a new customer.' }),
    lastName: t.field({ type: 'Name', description: 'The family name of a new customer.' }),
    phone: t.field({ type: 'ShortText', description: 'The telephone number of a new customer.' }),
    billingAddress: t.field({ type: AddressInput, description: 'The billing address of a new customer.' }),
  }),
});

export const CreatePaymentInstrumentInput = builder.inputType('CreatePaymentInstrumentInput', {
  ...exactlyOneOf('customerId', 'customerData'),
  description:
    'The token to exchange for a payment instrument, and the customer: exactly one of `customerId` and `customerData`.',
  fields: (t) => ({
    token: t.string({
      required: true,
      description:
        'The token of the card, prefix `tok_`. 409 `invalid_state` if it was used already. 404 if it has expired or ' +
        'does not belong to the account.',
    }),
    storeId: t.id({
      description:
        'The store of the payment instrument, prefix `store_`. Required with a partner key, and with a sub-key whose ' +
        'account has several stores.',
    }),
    customerId: t.id({
      description:
        'An existing customer of the store, prefix `cus_`. 404 if the customer is not visible to the API key, 400 if ' +
        'the customer belongs to another store.',
    }),
    customerData: t.field({ type: CustomerDataInput, description: 'The customer by e-mail address.' }),
  }),
});

type Filters = typeof InstrumentFilters.$inferInput;

const instrumentList: ListDefinition<Filters> = {
  table: 'payment_instruments',
  sorts: { createdAt: 'createdAt' },
  filters: {
    customerId: is('customerId'),
    isActive: is('isActive'),
    storeId: oneOf('storeId'),
    fingerprint: is('fingerprint'),
    platformAccountId: is('platformAccountId'),
  },
  counted: true,
};

export function listPaymentInstruments(
  context: KeyContext,
  args: ListArguments<Filters>,
): Promise<Page<PaymentInstrument>> {
  return listPaymentInstrumentsWithin(context, context.caller, args);
}

/** The same list for another visibility, such as that of an operator. */
export function listPaymentInstrumentsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<PaymentInstrument>> {
  return readList(services.pool, visibility, instrumentList, args);
}

const alertList: ListDefinition<Record<string, never>> = {
  table: 'card_testing_alerts',
  sorts: { createdAt: 'createdAt' },
  filters: {},
};

/** The refused enumerations of card numbers, newest first. */
export function listCardTestingAlerts(
  { services }: Context,
  visibility: OperatorVisibility,
  args: ListArguments<Record<string, never>>,
): Promise<Page<CardTestingAlert>> {
  return readList(services.pool, visibility, alertList, args);
}
