import { sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { anyOf, bool, id, listOf } from '../../lists/list-of.ts';
import { describeOptions, type ProcessorType as ProcessorTypeName } from './options.ts';
import type { ProcessorRow } from './rows.ts';

const ProcessorType = builder.enumType('ProcessorType', {
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
      ...storedColumn('type'),
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

export const processors = listOf('Processor', Processor, (row: ProcessorRow) => row, {
  of: 'processors',
  table: 'processors',
  extra: {
    columns: sql`NULL AS secrets, ARRAY(SELECT jsonb_object_keys(t.secrets) ORDER BY 1) AS "secretOptions"`,
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  aboutFilters: 'Conditions on processors. A processor is listed if it meets all of them.',
  filters: {
    type: anyOf(ProcessorType, 'Processors of any of these types.'),
    enabled: bool('Processors that are enabled (true) or disabled (false).', {
      // Two texts, since the plan for one value would be bad for the other.
      where: (wanted) => (wanted ? sql`t.enabled` : sql`NOT t.enabled`),
    }),
    id: id('This processor, prefix `proc_`.', { forPeople: true }),
    platformAccountId: id('Processors of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  counted: true,
  forPeople: true,
});
