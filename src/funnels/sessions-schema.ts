import { builder } from '../graph/builder.ts';
import { funnelSessionStatuses } from './lifecycle.ts';
import type { FunnelMove } from './move-session.ts';
import { createFunnelSession, nextFunnelStep, readFunnelSession } from './sessions.ts';
import { isDone, urlOfMove, urlOfSession } from './step-url.ts';

const FunnelSessionStatus = builder.enumType('FunnelSessionStatus', {
  description: 'Where a session stands.',
  values: {
    active: { description: 'On its way.' },
    completed: { description: 'At a step from which nothing leads on.' },
    abandoned: {
      description: 'Nothing happened in it for 24 hours. A payment that succeeds after all takes it up again.',
    },
  } satisfies Record<(typeof funnelSessionStatuses)[number], { description: string }>,
});

const url =
  "The page of its step, with the secret that opens this session: to be given to this visitor alone. Null when the step's `config` names no plugin instance, or the instance is not mounted.";

const FunnelSessionRef = builder.prismaObject('FunnelSession', {
  description: "One visitor's walk through a funnel.",
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `fs_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    funnelId: t.exposeString('funnelId', { description: 'The funnel, prefix `funnel_`.' }),
    funnelVersion: t.exposeInt('version', { description: 'The version of the funnel it began with, and keeps to.' }),
    customerId: t.exposeString('customerId', {
      nullable: true,
      description: 'Who walks, prefix `cus_`; known at the latest once something is paid.',
    }),
    currentStepId: t.exposeString('currentStepId', { description: 'The step it stands at.' }),
    variantId: t.exposeString('variantId', { nullable: true, description: "The step's variant the visitor sees." }),
    status: t.field({
      type: FunnelSessionStatus,
      description: 'Where it stands.',
      resolve: (session) => session.status as never,
    }), // a CHECK constraint holds the column to the enum
    url: t.string({
      nullable: true,
      description: url,
      resolve: (session, _args, context) => urlOfSession(context.env, session),
    }),
    done: t.boolean({
      description: 'Whether nothing leads on from its step.',
      resolve: (session, _args, context) => isDone(context.env, session),
    }),
    convertedAt: t.expose('convertedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it first reached a step with `isConversion`.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'Unless something happens before, it is abandoned then and its page no longer opens: 24 hours after the last event.',
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (session) => session.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When something last happened in it.' }),
  }),
});

const FunnelMoveRef = builder.objectRef<FunnelMove>('FunnelMove').implement({
  description: 'What an event did to a session.',
  fields: (t) => ({
    sessionId: t.exposeString('sessionId', { description: 'The session, prefix `fs_`.' }),
    fromStepId: t.exposeString('fromStepId', { description: 'The step it stood at.' }),
    currentStepId: t.exposeString('currentStepId', {
      description: 'The step it stands at now; the same when the event led nowhere.',
    }),
    variantId: t.exposeString('variantId', { nullable: true, description: "That step's variant the visitor sees." }),
    url: t.string({
      nullable: true,
      description: url,
      resolve: (move, _args, context) => urlOfMove(context.env, move),
    }),
    done: t.exposeBoolean('done', { description: 'Whether nothing leads on from there.' }),
  }),
});

export const CreateFunnelSessionInput = builder.inputType('CreateFunnelSessionInput', {
  description: "A visitor's walk to begin.",
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. May be left out beside a `funnelId`, and with a sub-key whose account has one store.',
    }),
    funnelId: t.string({
      description: "The funnel, prefix `funnel_`; the store's default when left out (404 when it has none).",
    }),
    customerId: t.string({
      description: 'Who walks, where that is known, prefix `cus_`. Variants are then the same at every visit.',
    }),
  }),
});

export const FunnelEventInput = builder.inputType('FunnelEventInput', {
  description: 'Something that happened to the visitor.',
  fields: (t) => ({
    id: t.field({
      type: 'Handle',
      description: 'Yours: the same id again for the same session moves nothing and tells what it did the first time.',
    }),
    type: t.field({
      type: 'Label',
      required: true,
      description:
        '`payment_succeeded` and `payment_declined` (believed only of the payment in `data.paymentId`), `offer_accepted` and `offer_declined`, or a name of your own.',
    }),
    data: t.field({
      type: 'JSONObject',
      description:
        'For expressions to ask, at most 4,096 characters as JSON. `paymentId`: the payment the event tells of, of the same store; it moves one session, once.',
    }),
  }),
});

const sessionId = { required: true, description: 'Identifier, prefix `fs_`.' } as const;

builder.queryField('funnelSession', (t) =>
  t.withAuth({ key: true }).field({
    type: FunnelSessionRef,
    description: 'One session. 404 when it is not within the reach of the key.',
    args: { sessionId: t.arg.string(sessionId) },
    resolve: (_root, args, context) => readFunnelSession(context, args.sessionId),
  }),
);

builder.mutationFields((t) => ({
  createFunnelSession: t.withAuth({ key: true }).field({
    type: FunnelSessionRef,
    description:
      "Begins a visitor's walk at the entry of a funnel. Send the visitor to `url`; what is paid there moves the session by itself.",
    args: { input: t.arg({ type: CreateFunnelSessionInput, required: true, description: 'Whose walk, and where.' }) },
    resolve: (_root, { input }, context) => createFunnelSession(context, input),
  }),
  nextFunnelStep: t.withAuth({ key: true }).field({
    type: FunnelMoveRef,
    description:
      'Lets an event happen and takes the first edge out of the step that holds; where none does, the visitor stays. Of two at once, each meant for the step they found, one moves. `offer_accepted` charges nothing here: what a visitor accepts on a page of the funnel is charged there. 409 `invalid_state` for an abandoned session, and for a payment that did not come to what the event says.',
    args: {
      sessionId: t.arg.string(sessionId),
      event: t.arg({ type: FunnelEventInput, required: true, description: 'What happened.' }),
      fromStepId: t.arg({
        type: 'Handle',
        description: 'The step it happened at. When the session stands elsewhere by then, nothing moves.',
      }),
    },
    resolve: (_root, args, context) => nextFunnelStep(context, args.sessionId, args.event, args.fromStepId ?? null),
  }),
}));
