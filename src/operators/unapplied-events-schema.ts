import { listUnappliedEvents } from '../domains/processor-events/public.ts';
import { builder } from '../graph/builder.ts';
import { Mode, storedColumn } from '../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType } from '../lists/inputs.ts';

const UnappliedEventStatus = builder.enumType('UnappliedEventStatus', {
  description: 'The status of a processor event that was not applied on receipt.',
  values: {
    waiting: {
      description: 'The event is awaiting a matching charge or an operation in flight. It is retried for 3 days.',
    },
    applied: { description: 'The event was applied later.' },
    rejected: { description: 'The event has changed nothing and will not.' },
  } as const,
});

export const UnappliedEventRef = builder.prismaObject('UnappliedEvent', {
  description:
    'An event of a processor that was not applied when it arrived. Its receipt was confirmed to the processor.',
  fields: (t) => ({
    eventId: t.exposeID('eventId', {
      description: "The processor's identifier of the event, or `sha256:` and the hash of a body that has none.",
    }),
    type: t.exposeString('type', { description: "The processor's type of the event, for example `refund.failed`." }),
    processorId: t.exposeID('processorId', { description: 'The processor that sent it, prefix `proc_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account of the processor, prefix `tpa_`.',
    }),
    status: t.field({
      type: UnappliedEventStatus,
      description: 'The status.',
      ...storedColumn('status'),
    }),
    reason: t.exposeString('reason', {
      description:
        'Why it was not applied: `mode_mismatch`, `account_mismatch`, `malformed`, `amount_mismatch`, ' +
        '`currency_mismatch`, `charge_mismatch`, or a sentence that states what it is awaiting.',
    }),
    attempts: t.exposeInt('attempts', { description: 'How often a waiting event was tried again.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', description: 'The time at which it arrived.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time at which it was last tried.' }),
  }),
});

const UnappliedEventPage = pageType('UnappliedEventPage', UnappliedEventRef, 'events that were not applied');

builder.queryField('unappliedProcessorEvents', (t) =>
  t.withAuth({ platformStaff: true }).field({
    type: UnappliedEventPage,
    description:
      'Lists events of processors that were not applied when they arrived, newest first: those that contradict what ' +
      'is stored, and those that arrived before their charge was known. They are kept for 60 days. For internal staff.',
    args: {
      mode: t.arg({ type: Mode, description: 'Returns events of processors of this mode. Without it, of both.' }),
      status: t.arg({ type: UnappliedEventStatus, description: 'Returns events with this status.' }),
      processorId: t.arg.id({ description: 'Returns events of this processor, prefix `proc_`.' }),
      ...pageArguments,
    },
    complexity: pageComplexity,
    resolve: (_root, { mode, status, processorId, ...page }, context) =>
      listUnappliedEvents(context, {
        ...page,
        filters: { ...(mode && { mode }), ...(status && { status }), ...(processorId != null && { processorId }) },
      }),
  }),
);
