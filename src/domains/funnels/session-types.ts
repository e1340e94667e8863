import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import type { funnelSessionStatuses } from './lifecycle.ts';
import type { FunnelMove } from './move-session.ts';
import { isDone, urlOfMove, urlOfSession } from './step-url.ts';

const FunnelSessionStatus = builder.enumType('FunnelSessionStatus', {
  description: 'The status of a funnel session.',
  values: {
    active: { description: 'The session is in progress.' },
    completed: { description: 'The session reached a step without outgoing edges.' },
    abandoned: {
      description: 'Nothing happened in the session for 24 hours. A payment that succeeds later resumes it.',
    },
  } satisfies Record<(typeof funnelSessionStatuses)[number], { description: string }>,
});

const url =
  'The URL of the page of the current step. It contains a secret that opens the session and must be given to this ' +
  'visitor only. Null if the `config` of the step names no plugin instance, or if the instance is not mounted.';

export const FunnelSessionRef = builder.prismaObject('FunnelSession', {
  description: "One visitor's way through a funnel.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the session, prefix `fs_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    funnelId: t.exposeID('funnelId', { description: 'The funnel, prefix `funnel_`.' }),
    funnelVersion: t.exposeInt('version', {
      description: 'The version of the funnel with which the session started. It does not change.',
    }),
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'The customer, prefix `cus_`. Null until the customer is known, at the latest by the first payment.',
    }),
    currentStepId: t.exposeID('currentStepId', { description: 'The id of the current step.' }),
    variantId: t.exposeID('variantId', {
      nullable: true,
      description: 'The variant of the current step that the visitor sees. Null if the step has no variants.',
    }),
    status: t.field({
      type: FunnelSessionStatus,
      description: 'The status of the session.',
      ...asStored('status'),
    }),
    url: t.string({
      nullable: true,
      description: url,
      resolve: (session, _args, context) => urlOfSession(context.services, session),
    }),
    done: t.boolean({
      description: 'Whether the current step has no outgoing edges.',
      resolve: (session, _args, context) => isDone(context.services, session),
    }),
    convertedAt: t.expose('convertedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the session first reached a step with `isConversion`. Null if it has not.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'Time at which the session is abandoned and its page no longer opens: 24 hours after the last event.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (session) => session.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the session started.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last event of the session.' }),
  }),
});

export const FunnelMoveRef = builder.objectRef<FunnelMove>('FunnelMove').implement({
  description: 'The result of an event in a funnel session.',
  fields: (t) => ({
    sessionId: t.exposeID('sessionId', { description: 'The session, prefix `fs_`.' }),
    fromStepId: t.exposeID('fromStepId', { description: 'The id of the step before the event.' }),
    currentStepId: t.exposeID('currentStepId', {
      description: 'The id of the step after the event. Equal to `fromStepId` if no edge was taken.',
    }),
    variantId: t.exposeID('variantId', {
      nullable: true,
      description: 'The variant of the step that the visitor sees. Null if the step has no variants.',
    }),
    url: t.string({
      nullable: true,
      description: url,
      resolve: (move, _args, context) => urlOfMove(context.services, move),
    }),
    done: t.exposeBoolean('done', { description: 'Whether the step has no outgoing edges.' }),
  }),
});
