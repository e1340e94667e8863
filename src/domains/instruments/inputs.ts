import { builder } from '../../graph/builder.ts';
import { exactlyOneOf } from '../../graph/input/rules.ts';
import { AddressInput } from '../../graph/shared-types.ts';

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
    'The customer of a payment instrument, by email address: the customer of the store that has it, or a new ' +
    'customer.',
  fields: (t) => ({
    email: t.field({ type: 'Email', required: true, description: 'The email address of the customer.' }),
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
    customerData: t.field({ type: CustomerDataInput, description: 'The customer by email address.' }),
  }),
});
