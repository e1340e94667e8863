import { builder } from '../../graph/builder.ts';
import { TestClockStatus } from './types.ts';

export const TestClockFilters = builder.inputType('TestClockFilters', {
  description: 'Filters for a list of test clocks. A test clock is returned only if it matches every filter given.',
  fields: (t) => ({
    status: t.field({ type: [TestClockStatus], description: 'Returns test clocks with any of these statuses.' }),
    storeId: t.idList({
      description: 'Returns test clocks of the accounts of any of these stores, prefix `store_`.',
    }),
  }),
});

export const CreateTestClockInput = builder.inputType('CreateTestClockInput', {
  description: 'The test clock to create. An account has at most 1000 test clocks. They cannot be deleted.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'The name of the test clock.' }),
    now: t.field({
      type: 'DateTime',
      required: true,
      description: 'The initial time of the test clock, in the past or in the future, from 2000-01-01 to 2100-01-01.',
    }),
    storeId: t.id({
      description:
        'A store of the account to create the test clock in, prefix `store_`. Required with a partner key. With a ' +
        'sub-key it defaults to the account of the key.',
    }),
  }),
});
