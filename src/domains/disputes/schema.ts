import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { type DisputeRow, disputeObject } from './dispute-change.ts';
import { disputes } from './list-disputes.ts';
import { advanceTestDispute, openTestDispute } from './test-disputes.ts';
import { AdvancedDisputeStatus, Dispute, OpenTestDisputeInput } from './types.ts';

const disputeId = { required: true, description: 'The dispute, prefix `dp_`.' } as const;

builder.queryFields((t) => ({
  dispute: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: Dispute,
    description: 'Returns a dispute. 404 if the dispute is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { disputeId: t.arg.id(disputeId) },
    resolve: async (_root, args, context) => disputeObject(await visible(context, 'dispute', args.disputeId)),
  }),
  disputes: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    disputes.field(
      'Returns a page of the disputes visible to the API key: those of the account of a sub-key, or of all accounts ' +
        'of the partner in the mode of a partner key. The newest come first by default.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All disputes if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  openTestDispute: t.withAuth({ testKey: true }).field({
    type: Dispute,
    description:
      'Opens a dispute of a test payment, as if its cardholder contested it. The test processor reports the dispute ' +
      'as a real processor does. 409 `invalid_state` if nothing was captured, or nothing is left and no amount is ' +
      'given; 400 if the payment was not made at a test processor. Test mode only.',
    args: { input: t.arg({ type: OpenTestDisputeInput, required: true, description: 'The test dispute to open.' }) },
    storedAnswer: { answerOf: (stored) => disputeObject(stored as DisputeRow) },
    resolve: async (_root, { input }, context) => disputeObject(await openTestDispute(context, input)),
  }),
  advanceTestDispute: t.withAuth({ testKey: true }).field({
    type: Dispute,
    description:
      'Advances a dispute of a test processor to `under_review`, `won` or `lost`. A dispute that has the status ' +
      'already is returned unchanged. 409 `invalid_state` if the dispute is won or lost already. Test mode only.',
    args: {
      disputeId: t.arg.id(disputeId),
      status: t.arg({ type: AdvancedDisputeStatus, required: true, description: 'The status to advance to.' }),
    },
    storedAnswer: { answerOf: (stored) => disputeObject(stored as DisputeRow) },
    resolve: async (_root, args, context) =>
      disputeObject(await advanceTestDispute(context, args.disputeId, args.status)),
  }),
}));
