import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { pageType } from '../../graph/pages.ts';

export const TestClockStatus = builder.enumType('TestClockStatus', {
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
      ...asStored('status'),
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

export const TestClockPage = pageType('TestClockPage', TestClock, 'test clocks');
