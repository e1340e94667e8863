import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { readFunnelFigures } from './figures.ts';
import { createFunnel, deleteFunnel, updateFunnel } from './graph/save-funnel.ts';
import { CreateFunnelInput, CreateFunnelSessionInput, FunnelEventInput, UpdateFunnelInput } from './inputs.ts';
import { nextFunnelStep } from './sessions/move-session.ts';
import { createFunnelSession } from './sessions/start-session.ts';
import { FunnelFiguresRef, FunnelMoveRef, FunnelRef, FunnelSessionRef, funnels } from './types.ts';

const funnelId = { required: true, description: 'The funnel, prefix `funnel_`.' } as const;
const sessionId = { required: true, description: 'The session, prefix `fs_`.' } as const;

builder.queryFields((t) => ({
  funnel: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: FunnelRef,
    description: 'Retrieves a funnel. 404 if it is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { funnelId: t.arg.id(funnelId) },
    resolve: (_root, args, context) => visible(context, 'funnel', args.funnelId),
  }),
  funnels: t
    .withAuth({ $any: { suspendedKey: true, directory: true } })
    .field(
      funnels.field(
        'Lists funnels, newest first by default. A sub-key lists the funnels of its account, a partner key those of ' +
          'all its accounts in its mode.',
        { sortBy: 'The order of the list.', filters: 'The filters of the list.' },
      ),
    ),
  funnelFigures: t.withAuth({ suspendedKey: true }).field({
    type: FunnelFiguresRef,
    description:
      'Retrieves the figures of a funnel: its sessions, and the views, conversions and revenue of each step and ' +
      'variant. 404 if the funnel is not visible to the API key.',
    args: { funnelId: t.arg.id(funnelId) },
    resolve: async (_root, args, context) =>
      readFunnelFigures(context, await visible(context, 'funnel', args.funnelId)),
  }),
  funnelSession: t.withAuth({ suspendedKey: true }).field({
    type: FunnelSessionRef,
    description: 'Retrieves a funnel session. 404 if it is not visible to the API key.',
    args: { sessionId: t.arg.id(sessionId) },
    resolve: (_root, args, context) => visible(context, 'funnelSession', args.sessionId),
  }),
}));

builder.mutationFields((t) => ({
  createFunnel: t.withAuth({ key: true }).field({
    type: FunnelRef,
    description:
      'Creates a funnel in a store. 400 names every rule that its steps and edges break, with the path. 409 ' +
      '`limit_reached` if the account has 200 funnels already.',
    args: { input: t.arg({ type: CreateFunnelInput, required: true, description: 'The funnel to create.' }) },
    resolve: (_root, { input }, context) => createFunnel(context, input),
  }),
  updateFunnel: t.withAuth({ key: true }).field({
    type: FunnelRef,
    description:
      'Updates the given fields of a funnel. A change of steps or edges makes a new version for new sessions; ' +
      'sessions in progress keep the version with which they started. 404 if the funnel is not visible to the API ' +
      'key.',
    args: {
      funnelId: t.arg.id(funnelId),
      input: t.arg({ type: UpdateFunnelInput, required: true, description: 'The changes to make.' }),
    },
    resolve: (_root, args, context) => updateFunnel(context, args.funnelId, args.input),
  }),
  deleteFunnel: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a funnel permanently. Sessions in progress continue to their end. 404 if it is not visible to the API ' +
      'key or was deleted before.',
    args: { funnelId: t.arg.id(funnelId) },
    resolve: (_root, args, context) => deleteFunnel(context, args.funnelId),
  }),
  createFunnelSession: t.withAuth({ key: true }).field({
    type: FunnelSessionRef,
    description:
      'Creates a session at the entry of a funnel. Redirect the visitor to its `url`; payments on the pages of the ' +
      'funnel move the session.',
    args: {
      input: t.arg({ type: CreateFunnelSessionInput, required: true, description: 'The session to create.' }),
    },
    resolve: (_root, { input }, context) => createFunnelSession(context, input),
  }),
  nextFunnelStep: t.withAuth({ key: true }).field({
    type: FunnelMoveRef,
    description:
      'Applies an event to a session and takes the first matching edge out of the current step. If none matches, the ' +
      'session stays. Of two events at once for the same step, one moves the session. `offer_accepted` charges ' +
      'nothing; an offer that is accepted on a page of the funnel is charged there. 409 `invalid_state` if the ' +
      'session is abandoned, or if the payment does not have the outcome that the event reports. 409 ' +
      '`already_exists` if the payment has moved a session before.',
    args: {
      sessionId: t.arg.id(sessionId),
      event: t.arg({ type: FunnelEventInput, required: true, description: 'The event to apply.' }),
      fromStepId: t.arg({
        type: 'Handle',
        description:
          'The id of the step at which the event happened. If it is not the current step, the session does not move. ' +
          'Defaults to the current step.',
      }),
    },
    resolve: (_root, args, context) => nextFunnelStep(context, args.sessionId, args.event, args.fromStepId ?? null),
  }),
}));
