/** What other domains may use of this one. No file of this domain imports it. */

export { answerChallenge, readChallenge, readReturn } from './challenge/answer-challenge.ts';
export { continuePayment } from './challenge/continue-payment.ts';
export { type ChargeStatements, chargeStatements } from './charge/commit-outcome.ts';
export { processPayment } from './charge/process-payment.ts';
export { type RefundInput, RefundPaymentInput } from './inputs.ts';
export { payments } from './list-payments.ts';
export { earlierModification } from './modification/answer.ts';
export { type ModificationStatements, modificationStatements } from './modification/batched.ts';
export { type CommittedWithIntent, requireAllowed } from './modification/decide.ts';
export { earlierRefund, type RefundAnswer, refundForPerson, refundPayment } from './modification/refund-payment.ts';
export type { PaymentFollower } from './payment/follower.ts';
export {
  lossEntryOf,
  type PaymentObject,
  paymentObject,
  type UnpaidReason,
  unpaidReasonOf,
  unpaidTexts,
} from './payment/object.ts';
export { disputeAmount } from './payment/policy.ts';
export {
  asPayment,
  erasePayer,
  lockPayment,
  type ModificationResult,
  type PaymentRow,
  type PaymentWithTransactions,
  readPayment,
} from './payment/rows.ts';
export { abandonChallenge } from './resolution/expire.ts';
export { applyAuthorization, applyModification } from './resolution/notices.ts';
export { resolutionOutcomes, resolvePayment } from './resolution/resolve-payment.ts';
export { Payment, Refund, RefundedPayment, Refunds } from './types.ts';
