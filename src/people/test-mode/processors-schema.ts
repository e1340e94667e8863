import { Processor } from '../../domains/processors/public.ts';
import { builder } from '../../graph/builder.ts';
import { switchTestProcessor } from './act-in-test-mode.ts';

builder.mutationField('operatorSwitchTestProcessor', (t) =>
  t.withAuth({ roster: true }).field({
    type: Processor,
    description:
      'Sets what a test processor simulates from now on. 400 for a processor of live mode or of another type, and ' +
      'for an option that a test processor does not have; 404 if it is not visible to the caller. Internal staff ' +
      'change those of every account, admins of a partner those of their own partner. The change is recorded in the ' +
      'audit log. An `Idempotency-Key` belongs to the user.',
    args: {
      processorId: t.arg.id({ required: true, description: 'Identifier of the processor, prefix `proc_`.' }),
      options: t.arg({
        type: 'JSONObject',
        required: true,
        description:
          'The options to change, as for `createProcessor`. Options that are left out keep their values; null ' +
          'removes an option.',
      }),
    },
    storedAnswer: { operation: 'updateProcessor' },
    resolve: (_root, args, context) => switchTestProcessor(context, args),
  }),
);
