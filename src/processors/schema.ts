import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createProcessor, listProcessors, type ProcessorRow, updateProcessor } from './operations.ts';
import { optionsInWords, type ProcessorType as ProcessorTypeName } from './options.ts';

const ProcessorType = builder.enumType('ProcessorType', {
  description: 'Who processes cards.',
  values: {
    test: { description: 'Built in, for test mode: behaves by test card.' },
    stripe: { description: 'Stripe; takes charges once it is connected.' },
  } as const,
});

const Processor = builder.objectRef<ProcessorRow>('Processor').implement({
  description:
    'A connection of an account to a card processor. Of those that are enabled, connected and take the currency, a charge goes to the oldest, unless it names one.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `proc_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Label', description: 'What it is called.' }),
    type: t.field({
      type: ProcessorType,
      description: 'Who processes.',
      resolve: (processor) => processor.type as ProcessorTypeName,
    }), // a CHECK constraint holds the column to the types
    enabled: t.exposeBoolean('enabled', { description: 'Whether charges may go there.' }),
    connected: t.exposeBoolean('connected', {
      description:
        'Whether it has what it takes to be asked: a live one its API key, or the token it was connected with. Charges go to none that is not.',
    }),
    supportedCurrencies: t.expose('supportedCurrencies', {
      type: ['Currency'],
      description: 'What it takes; empty: every currency.',
    }),
    options: t.field({
      type: 'JSONObject',
      description: 'Settings of its type, without the secret ones.',
      resolve: ({ options }) => options,
    }),
    secretOptions: t.exposeStringList('secretOptions', {
      description: 'The names of the secrets it was set up with, sorted. Their values are never shown.',
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (processor) => processor.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const ProcessorPage = pageType('ProcessorPage', Processor, 'processors');
const ProcessorSort = sortInput('ProcessorSort', ['createdAt', 'name']);

export const ProcessorFilters = builder.inputType('ProcessorFilters', {
  description: 'Which processors. All that are given must hold.',
  fields: (t) => ({
    type: t.field({ type: [ProcessorType], description: 'Any of these types.' }),
    enabled: t.boolean({ description: 'Whether charges may go there.' }),
  }),
});

export const CreateProcessorInput = builder.inputType('CreateProcessorInput', {
  description: 'A connection to a card processor.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'What it is called.' }),
    type: t.field({ type: ProcessorType, required: true, description: 'Who processes; `test` only in test mode.' }),
    storeId: t.string({
      description:
        'A store of the account, prefix `store_`. Required with a partner key. The processor serves the whole account.',
    }),
    supportedCurrencies: t.field({
      type: ['Currency'],
      description: 'What it takes; every currency when left out or empty.',
    }),
    enabled: t.boolean({ required: true, defaultValue: true, description: 'Whether charges may go there.' }),
    options: t.field({
      type: 'JSONObject',
      description: `Settings of its type; any other is 400. The secret ones are kept encrypted and never answered again.\n\n${optionsInWords()}`,
    }),
  }),
});

export const UpdateProcessorInput = builder.inputType('UpdateProcessorInput', {
  description: 'What to change. What is left out stays.',
  fields: (t) => ({
    name: t.field({ type: 'Label', description: 'What it is called.' }),
    supportedCurrencies: t.field({
      type: ['Currency'],
      description: 'What it takes; every currency when null or empty.',
    }),
    enabled: t.boolean({
      description: 'Whether charges may go there. Captures, voids and refunds of charges made there go on in any case.',
    }),
    options: t.field({
      type: 'JSONObject',
      description: 'Settings of its type, as at creation. Those that are left out stay; null takes one away.',
    }),
  }),
});

builder.queryField('processors', (t) =>
  t.withAuth({ key: true }).field({
    type: ProcessorPage,
    description:
      "The processors of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: ProcessorSort, description: 'The order.' }),
      filters: t.arg({ type: ProcessorFilters, description: 'Which processors.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listProcessors(context, args),
  }),
);

builder.mutationField('createProcessor', (t) =>
  t.withAuth({ key: true }).field({
    type: Processor,
    description: 'Adds a processor to an account.',
    args: { input: t.arg({ type: CreateProcessorInput, required: true, description: 'The processor.' }) },
    resolve: (_root, { input }, context) => createProcessor(context, input),
  }),
);

builder.mutationField('updateProcessor', (t) =>
  t.withAuth({ key: true }).field({
    type: Processor,
    description: 'Changes what is named and leaves the rest: from the next charge on.',
    args: {
      processorId: t.arg.string({ required: true, description: 'Identifier, prefix `proc_`.' }),
      input: t.arg({ type: UpdateProcessorInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updateProcessor(context, args.processorId, args.input),
  }),
);
