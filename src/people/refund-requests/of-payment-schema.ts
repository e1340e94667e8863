import { isHub } from '../../auth/roles.ts';
import { builder } from '../../graph/builder.ts';
import { OperatorPayment } from '../operators/public.ts';
import { refundableAlone } from './refund-limits.ts';
import { RefundRequest } from './types.ts';

/** Far more requests than a payment has. */
const rowsMax = 100;

builder.objectFields(OperatorPayment, (t) => ({
  refundableAlone: t.field({
    type: 'AmountOrZero',
    nullable: true,
    description:
      'The largest refund that a person may make of the payment now without a second person, in minor units of its ' +
      'currency; it may be more than what is left. Null without a limit, and for a caller who may not refund.',
    resolve: ({ payment }, _args, { caller, services }) =>
      caller.kind === 'session' && isHub(caller) ? refundableAlone(services.pool, payment) : null,
  }),
  refundRequests: t.field({
    type: [RefundRequest],
    nullable: true,
    description:
      'The refunds of the payment that people asked for and a second person must approve, oldest first. Null for a ' +
      'caller who may not refund.',
    resolve: ({ payment }, _args, { caller, services }) =>
      caller.kind === 'session' && isHub(caller)
        ? services.prisma.refundRequest.findMany({
            where: { paymentId: payment.id },
            orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
            take: rowsMax,
          })
        : null,
  }),
}));
