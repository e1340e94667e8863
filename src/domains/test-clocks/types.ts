import { sql } from '../../database/sql.ts';
import type { TestClock as TestClockRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { anyOf, id, ids, listOf } from '../../lists/list-of.ts';

const TestClockStatus = builder.enumType('TestClockStatus', {
  description: 'The status of a test clock.',
  values: {
    ready: { description: 'The test clock does not advance. Everything due until its `now` is done.' },
    advancing: { description: 'The test clock advances to `target`. Read it again until the status changes.' },
    internal_failure: {
      description:
        'An advance failed before it reached `target`; `failureReason` describes the failure. The test clock can be ' +
        'advanced again.',
    },
  } as const,
});

export const TestClock = builder.prismaObject('TestClock', {
  description:
    'A simulated clock for the customers created with it and for all their objects. Its time changes only when it is ' +
    'advanced. Test mode only.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the test clock, prefix `clock_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the test clock belongs to, prefix `tpa_`.',
    }),
    name: t.expose('name', { type: 'Label', description: 'The name of the test clock.' }),
    now: t.expose('now', {
      type: 'DateTime',
      description: 'The current time of the test clock. While it advances, the time it has reached.',
    }),
    status: t.field({
      type: TestClockStatus,
      description: 'The status of the test clock.',
      // a CHECK constraint holds the column to the three
      ...storedColumn('status'),
    }),
    target: t.expose('target', {
      type: 'DateTime',
      nullable: true,
      description: 'The time to which the current or failed advance leads. Null while the test clock is `ready`.',
    }),
    stepsDone: t.exposeInt('stepsDone', {
      description: 'The number of steps that the current advance, or the last one, has completed.',
    }),
    failureReason: t.exposeString('failureReason', {
      nullable: true,
      description: 'A description of where an advance failed. Null unless the status is `internal_failure`.',
    }),
    livemode: t.boolean({
      description: 'Always false: test clocks exist in test mode only.',
      resolve: (clock) => clock.mode === 'live',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the test clock was created, in real time.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the test clock last changed, in real time.',
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

export const testClocks = listOf('TestClock', TestClock, (row: TestClockRecord) => row, {
  of: 'test clocks',
  table: 'test_clocks',
  sorts: { createdAt: 'createdAt' },
  aboutFilters: 'Filters for a list of test clocks. A test clock is returned only if it matches every filter given.',
  filters: {
    status: anyOf(TestClockStatus, 'Returns test clocks with any of these statuses.'),
    storeId: ids('Returns test clocks of the accounts of any of these stores, prefix `store_`.', {
      where: (storeIds) => sql`
        t."platformAccountId" IN (SELECT s."platformAccountId" FROM stores s WHERE s.id = ANY(${[...storeIds]}))`,
    }),
    platformAccountId: id('Returns test clocks of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  counted: true,
  forPeople: true,
});
