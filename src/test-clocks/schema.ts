import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { advanceTestClock } from './advance-test-clock.ts';
import { createTestClock, listTestClocks, readTestClock } from './operations.ts';

const TestClockStatus = builder.enumType('TestClockStatus', {
  description: 'Whether a test clock stands.',
  values: {
    ready: { description: 'It stands, and everything due by its `now` is done.' },
    advancing: { description: 'It is on its way to `target`; read it again until it is not.' },
    internal_failure: {
      description: 'An advance stopped on its way, `failureReason` says where; it can be advanced again.',
    },
  } as const,
});

const TestClock = builder.prismaObject('TestClock', {
  description:
    'A time of its own for the customers that are created with it, and for all that is theirs. It stands still until it is advanced. In test mode only.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `clock_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Label', description: 'What it is called.' }),
    now: t.expose('now', {
      type: 'DateTime',
      description: 'What time it is on it. While it is advancing: how far it has come.',
    }),
    status: t.field({
      type: TestClockStatus,
      description: 'Whether it stands.',
      resolve: (clock) => clock.status as 'ready' | 'advancing' | 'internal_failure',
    }), // a CHECK constraint holds the column to the three
    target: t.expose('target', {
      type: 'DateTime',
      nullable: true,
      description: 'Where the advance leads that is under way or has failed; null when `ready`.',
    }),
    stepsDone: t.exposeInt('stepsDone', {
      description: 'How many steps the present advance, or the last one, has done.',
    }),
    failureReason: t.exposeString('failureReason', {
      nullable: true,
      description: 'With `internal_failure`: where it stopped.',
    }),
    livemode: t.boolean({ description: 'Always false.', resolve: (clock) => clock.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created, in real time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed, in real time.' }),
  }),
});

const TestClockPage = pageType('TestClockPage', TestClock, 'test clocks');
const TestClockSort = sortInput('TestClockSort', ['createdAt']);

export const TestClockFilters = builder.inputType('TestClockFilters', {
  description: 'Which test clocks. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [TestClockStatus], description: 'In any of these states.' }),
    storeId: t.stringList({ description: 'Of the accounts of any of these stores.' }),
  }),
});

export const CreateTestClockInput = builder.inputType('CreateTestClockInput', {
  description: 'A test clock. An account has at most 1000, and they stay.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'What it is called.' }),
    now: t.field({
      type: 'DateTime',
      required: true,
      description: 'What time it is on it at first, from 2000-01-01 to 2100-01-01, past or to come.',
    }),
    storeId: t.string({
      description: 'A store of the account it is for, prefix `store_`. Required with a partner key.',
    }),
  }),
});

const testClockId = { required: true, description: 'Identifier, prefix `clock_`.' } as const;

builder.queryFields((t) => ({
  testClock: t.withAuth({ testKey: true }).field({
    type: TestClock,
    description: 'One test clock. 404 when it is not within the reach of the key.',
    args: { testClockId: t.arg.string(testClockId) },
    resolve: (_root, args, context) => readTestClock(context, args.testClockId),
  }),
  testClocks: t.withAuth({ testKey: true }).field({
    type: TestClockPage,
    description:
      "The test clocks of the key's account, or of all the partner's test accounts, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: TestClockSort, description: 'The order.' }),
      filters: t.arg({ type: TestClockFilters, description: 'Which test clocks.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listTestClocks(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createTestClock: t.withAuth({ testKey: true }).field({
    type: TestClock,
    description:
      'Adds a test clock. Customers are put on it when they are created, by `testClockId`; from then on whatever happens to them happens at its time. 409 `limit_reached` when the account has 1000.',
    args: { input: t.arg({ type: CreateTestClockInput, required: true, description: 'The test clock.' }) },
    resolve: (_root, { input }, context) => createTestClock(context, input),
  }),
  advanceTestClock: t.withAuth({ testKey: true }).field({
    type: TestClock,
    description:
      'Moves a test clock forward. Whatever becomes due for its customers on the way is done in the order of time, each at its moment; of what is due at one moment payments come first, then disputes of test cards, subscriptions and webhooks. A receiver of webhooks that left an attempt unanswered for 10 seconds has one second for each until it answers again, so that the clock does not stand still for it. The answer waits up to 10 seconds for the end; `advancing` then means that it goes on by itself. 409 `invalid_state` while it is advancing.',
    args: {
      testClockId: t.arg.string(testClockId),
      to: t.arg({
        type: 'DateTime',
        required: true,
        description: "Where to: not before the clock's `now`, and at most 731 days ahead of it.",
      }),
    },
    resolve: (_root, args, context) => advanceTestClock(context, args.testClockId, args.to),
  }),
}));
