import { TestClock } from '../../domains/test-clocks/public.ts';
import { builder } from '../../graph/builder.ts';
import { answerOperation } from '../../unit-of-work/idempotency.ts';
import { operatorAdvanceClock, operatorCreateClock } from './act-in-test-mode.ts';

const testClockId = { required: true, description: 'Identifier of the test clock, prefix `clock_`.' } as const;

const byWhom =
  'Internal staff change those of every account, admins of a partner those of their own partner. The change is ' +
  'recorded in the audit log. An `Idempotency-Key` belongs to the user.';

builder.mutationFields((t) => ({
  operatorCreateTestClock: t.withAuth({ roster: true }).field({
    type: TestClock,
    description:
      'Creates a test clock in an account of test mode, like `createTestClock`: 400 for an account of live mode and ' +
      'for a time outside of 2000-01-01 to 2100-01-01, 404 if the account is not visible to the caller, 409 ' +
      `\`limit_reached\` if it has 1000 test clocks. ${byWhom}`,
    args: {
      accountId: t.arg.id({ required: true, description: 'Identifier of the account, prefix `tpa_`.' }),
      name: t.arg({ type: 'Label', required: true, description: 'The name of the test clock.' }),
      now: t.arg({ type: 'DateTime', required: true, description: 'The initial time of the test clock.' }),
    },
    storedAnswer: { operation: 'createTestClock' },
    resolve: (_root, args, context) => operatorCreateClock(context, args),
  }),
  operatorAdvanceTestClock: t.withAuth({ roster: true }).field({
    type: TestClock,
    description:
      'Advances a test clock, like `advanceTestClock`: returns after at most 10 seconds; with the status `advancing` ' +
      'the advance continues in the background. 400 for a time before its `now`, or more than 731 days after it, 404 ' +
      `if it is not visible to the caller, 409 \`invalid_state\` while it is advancing. ${byWhom}`,
    args: {
      testClockId: t.arg.id(testClockId),
      to: t.arg({ type: 'DateTime', required: true, description: 'The time to advance to.' }),
    },
    storedAnswer: { operation: answerOperation('advanceTestClock') },
    resolve: (_root, args, context) => operatorAdvanceClock(context, args),
  }),
}));
