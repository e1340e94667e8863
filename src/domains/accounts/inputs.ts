import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';

export const CreateAccountInput = builder.inputType('CreateAccountInput', {
  description: 'The merchant to provision.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', required: true, description: "The merchant's legal name." }),
    country: t.field({ type: 'Country', description: 'The country in which the merchant is established.' }),
    currency: t.field({
      type: 'Currency',
      defaultValue: 'USD',
      description: 'The base currency of the account and of its first store.',
    }),
    externalRef: t.field({
      type: 'Name',
      description:
        'Your own reference of the account, unique per partner and mode. A second call with the same reference ' +
        'returns the existing account unchanged.',
    }),
    mode: t.field({
      type: Mode,
      description:
        'Must be the mode of the API key, which is the default. Another mode is refused with 403 ' +
        '`mode_escalation_forbidden`.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Key-value data to store with the account.' }),
  }),
});

export const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'The fields to change. Fields that are left out keep their values.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', description: "The merchant's legal name." }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value data to store with the account. Replaces all existing keys.',
    }),
  }),
});
