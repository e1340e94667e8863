import { builder } from '../../../graph/builder.ts';
import { DeleteResult } from '../../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../../../lists/inputs.ts';
import { createPaymentFlow, deletePaymentFlow, updatePaymentFlow } from './change-flow.ts';
import {
  CreatePaymentFlowInput,
  listPaymentFlows,
  PaymentFlow,
  PaymentFlowFilters,
  UpdatePaymentFlowInput,
} from './types.ts';

const PaymentFlowPage = pageType('PaymentFlowPage', PaymentFlow, 'payment flows');
const PaymentFlowSort = sortInput('PaymentFlowSort', ['createdAt', 'name']);

const paymentFlowId = { required: true, description: 'Identifier of the payment flow, prefix `flow_`.' } as const;

builder.queryField('paymentFlows', (t) =>
  t.withAuth({ suspendedKey: true }).field({
    type: PaymentFlowPage,
    description:
      "Lists the payment flows of the sub-key's account, or of all the partner's accounts of the API key's mode, " +
      'newest first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: PaymentFlowSort, description: 'The order of the list. Defaults to newest first.' }),
      filters: t.arg({ type: PaymentFlowFilters, description: 'Conditions that limit the list.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPaymentFlows(context, args),
  }),
);

builder.mutationFields((t) => ({
  createPaymentFlow: t.withAuth({ key: true }).field({
    type: PaymentFlow,
    description:
      'Creates a payment flow for the account of its processors. A processor that does not exist or belongs to ' +
      'another account is refused with 400.',
    args: {
      input: t.arg({ type: CreatePaymentFlowInput, required: true, description: 'The payment flow to create.' }),
    },
    resolve: (_root, { input }, context) => createPaymentFlow(context, input),
  }),
  updatePaymentFlow: t.withAuth({ key: true }).field({
    type: PaymentFlow,
    description:
      'Updates the fields that are given. The change applies to charges made from then on; charges in progress keep ' +
      'their route. 404 if the flow is not visible to the API key.',
    args: {
      paymentFlowId: t.arg.id(paymentFlowId),
      input: t.arg({ type: UpdatePaymentFlowInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, args, context) => updatePaymentFlow(context, args.paymentFlowId, args.input),
  }),
  deletePaymentFlow: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a payment flow permanently. 409 `invalid_state` while a store uses it. 404 if it was deleted before ' +
      'or is not visible to the API key.',
    args: { paymentFlowId: t.arg.id(paymentFlowId) },
    resolve: (_root, args, context) => deletePaymentFlow(context, args.paymentFlowId),
  }),
}));
