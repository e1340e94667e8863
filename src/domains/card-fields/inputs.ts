import { builder } from '../../graph/builder.ts';

export const CreateClientSessionInput = builder.inputType('CreateClientSessionInput', {
  description: "What the card fields of a merchant's page may do.",
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store at which the card is stored, prefix `store_`. Required with a partner key, and with a sub-key ' +
        'whose account has several stores.',
    }),
    customerId: t.id({
      description:
        'An existing customer of the store, prefix `cus_`: the token can be exchanged for this customer only. Any ' +
        'customer if left out. 404 if the customer is not visible to the API key, 400 if the customer belongs to ' +
        'another store.',
    }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount that the fields show, in minor units. It is not charged and binds no charge. Given together with ' +
        '`currency`, or not at all.',
    }),
    currency: t.field({
      type: 'Currency',
      description: "The currency of `amount`, one of the store's charge currencies.",
    }),
    origins: t.stringList({
      required: true,
      description:
        'The origins of the pages that may show the fields, 1 to 10, each exact, such as `https://shop.example.com`: ' +
        'https, without a path or a wildcard. In test mode http is accepted for `localhost`, names below it, and ' +
        '`127.0.0.1`.',
    }),
  }),
});
