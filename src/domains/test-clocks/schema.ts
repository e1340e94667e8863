import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import {
  accountOfPeople,
  byCallerInTestMode,
  doneByPeopleInTestMode,
  namedAccount,
  ownerInAccount,
} from '../../graph/by-caller.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { answerOperation } from '../../unit-of-work/idempotency.ts';
import { advanceTestClock } from './advance-test-clock.ts';
import { createTestClock } from './clock-rows.ts';
import { CreateTestClockInput, TestClock, testClocks } from './types.ts';

builder.queryFields((t) => ({
  testClock: t.withAuth({ $any: { suspendedTestKey: true, directory: true } }).prismaField({
    type: TestClock,
    description: 'Returns a test clock. 404 if the test clock is not visible to the API key.',
    forPeople: objectOfPeople,
    args: {
      testClockId: t.arg.id({ required: true, description: 'The test clock to return, prefix `clock_`.' }),
    },
    resolve: (query, _root, args, context) => visible(context, 'testClock', args.testClockId, query),
  }),
  testClocks: t.withAuth({ $any: { suspendedTestKey: true, directory: true } }).field(
    testClocks.field(
      'Returns a page of the test clocks visible to the API key: those of the account of a sub-key, or of all test ' +
        'accounts of the partner. The newest come first by default.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All test clocks if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  createTestClock: t.withAuth({ $any: { testKey: true, admin: true } }).field({
    type: TestClock,
    description:
      'Creates a test clock. A customer that is created with its `testClockId` uses its time from then on. 409 ' +
      '`limit_reached` if the account has 1000 test clocks.',
    forPeople: `${doneByPeopleInTestMode} They name the account in \`platformAccountId\`.`,
    args: {
      input: t.arg({ type: CreateTestClockInput, required: true, description: 'The test clock to create.' }),
      platformAccountId: t.arg.id(accountOfPeople),
    },
    resolve: (_root, { input, platformAccountId }, context) => {
      const target = namedAccount(context, { platformAccountId, storeId: input.storeId });
      const change = { field: 'createTestClock', target, find: () => ownerInAccount(context, target) };
      return byCallerInTestMode(context, change, 'platformAccountId', (own) => createTestClock(own, input));
    },
  }),
  advanceTestClock: t.withAuth({ $any: { testKey: true, admin: true } }).field({
    type: TestClock,
    description:
      'Advances a test clock. Everything that becomes due for its customers is done in the order of time, each step ' +
      'at its own time; steps due at the same time run in the order payments, disputes of test cards, subscriptions, ' +
      'webhooks. A webhook endpoint that left an attempt unanswered for 10 seconds has one second for each attempt ' +
      'until it answers again, so that it does not hold up the test clock. The call returns after at most 10 ' +
      'seconds; with the status `advancing` the advance continues in the background. 409 `invalid_state` while the ' +
      'test clock is advancing. 404 if it is not visible to the API key.',
    forPeople: doneByPeopleInTestMode,
    args: {
      testClockId: t.arg.id({ required: true, description: 'The test clock to advance, prefix `clock_`.' }),
      to: t.arg({
        type: 'DateTime',
        required: true,
        description:
          'The time to advance to: not before the `now` of the test clock, and at most 731 days after it, otherwise ' +
          '400.',
      }),
    },
    storedAnswer: { operation: answerOperation('advanceTestClock') },
    resolve: (_root, { testClockId: id, to }, context) => {
      const change = { field: 'advanceTestClock', target: id, find: () => visible(context, 'testClock', id) };
      return byCallerInTestMode(context, change, 'testClockId', (own) => advanceTestClock(own, id, to));
    },
  }),
}));
