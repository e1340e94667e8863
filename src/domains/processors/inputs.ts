import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input-rules.ts';
import { describeOptions } from './options.ts';
import { ProcessorType } from './types.ts';

export const ProcessorFilters = builder.inputType('ProcessorFilters', {
  description: 'Conditions on processors. A processor is listed if it meets all of them.',
  fields: (t) => ({
    type: t.field({ type: [ProcessorType], description: 'Processors of any of these types.' }),
    enabled: t.boolean({ description: 'Processors that are enabled (true) or disabled (false).' }),
  }),
});

export const CreateProcessorInput = builder.inputType('CreateProcessorInput', {
  description: 'The processor to create.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'The name of the processor.' }),
    type: t.field({
      type: ProcessorType,
      required: true,
      description: 'The service that processes cards. `test` is refused with 400 in live mode.',
    }),
    storeId: t.id({
      description:
        'A store of the account, prefix `store_`. Required with a partner key. The processor is available to the ' +
        'whole account.',
    }),
    supportedCurrencies: t.field({
      type: ['Currency'],
      description: 'The currencies that the processor supports. By default, or if empty, every currency.',
    }),
    enabled: t.boolean({
      required: true,
      defaultValue: true,
      description: 'Whether charges can be sent to the processor.',
    }),
    options: t.field({
      type: 'JSONObject',
      description:
        'The options of the processor. An option that its type does not have is refused with 400. Secret options are ' +
        `stored encrypted and not returned.\n\n${describeOptions()}`,
    }),
  }),
});

export const UpdateProcessorInput = builder.inputType('UpdateProcessorInput', {
  description: 'The fields to change. Fields that are left out keep their values.',
  fields: (t) => ({
    name: t.field({ ...notNull, type: 'Label', description: 'The name of the processor.' }),
    supportedCurrencies: t.field({
      type: ['Currency'],
      description: 'The currencies that the processor supports. Null or empty for every currency.',
    }),
    enabled: t.boolean({
      ...notNull,
      description:
        'Whether charges can be sent to the processor. Captures, voids and refunds of its existing charges remain ' +
        'possible if it is disabled.',
    }),
    options: t.field({
      ...notNull,
      type: 'JSONObject',
      description:
        'The options to change, as for `createProcessor`. Options that are left out keep their values; null removes ' +
        'an option.',
    }),
  }),
});
