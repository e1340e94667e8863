import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { pageType } from '../../graph/pages.ts';
import type { ProcessorType as ProcessorTypeName } from './options.ts';
import type { ProcessorRow } from './processor-rows.ts';

export const ProcessorType = builder.enumType('ProcessorType', {
  description: 'The service that processes cards.',
  values: {
    test: { description: 'The built-in test processor, for test mode only. The test card determines the outcome.' },
    stripe: { description: 'Stripe. Charges can be made once the processor is connected.' },
  } as const satisfies Record<ProcessorTypeName, object>,
});

export const Processor = builder.objectRef<ProcessorRow>('Processor').implement({
  description:
    'A connection of an account to a card processor. Unless a charge or a payment flow names one, a charge goes to ' +
    'the oldest processor that is enabled, is connected and supports the currency.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the processor, prefix `proc_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    name: t.expose('name', { type: 'Label', description: 'The name of the processor.' }),
    type: t.field({
      type: ProcessorType,
      description: 'The service that processes cards.',
      ...asStored('type'),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether new charges can be sent to the processor.' }),
    connected: t.exposeBoolean('connected', {
      description:
        'Whether the processor has the credential that calls need: an API key, or the access token obtained by ' +
        'connecting. Always true for `test`. Charges are sent to connected processors only.',
    }),
    supportedCurrencies: t.expose('supportedCurrencies', {
      type: ['Currency'],
      description: 'The currencies that the processor supports. Empty if it supports every currency.',
    }),
    options: t.field({
      type: 'JSONObject',
      description: 'The options of the processor, without the secret ones.',
      resolve: ({ options }) => options,
    }),
    secretOptions: t.exposeStringList('secretOptions', {
      description: 'The names of the secret options that are set, sorted. Their values are not returned.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (processor) => processor.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the processor was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the processor.' }),
  }),
});

export const ProcessorPage = pageType('ProcessorPage', Processor, 'processors');
