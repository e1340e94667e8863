/** What other domains may use of this one. No file of this domain imports it. */

export { answerChallenge, readChallenge, readReturn } from './answer-challenge.ts';
export { applyAuthorization, applyModification } from './apply-notice.ts';
export { capturePayment } from './capture-payment.ts';
export { type ChargeStatements, chargeStatements } from './charge-statements.ts';
export { continuePayment } from './continue-payment.ts';
export { abandonChallenge } from './expire-challenges.ts';
export { PaymentFilters } from './inputs.ts';
export { listPaymentsWithin, paymentList } from './list-payments.ts';
export { earlierModification, modificationAnswer } from './modification-answer.ts';
export { type AlsoCommitted, requireAllowed } from './modification-intent.ts';
export { type ModificationStatements, modificationStatements } from './modification-statements.ts';
export type { PaymentFollower } from './payment-follower.ts';
export { type PaymentObject, paymentObject } from './payment-object.ts';
export { lossEntryOf } from './payment-records.ts';
export type { ModificationResult, PaymentRow, PaymentWithTransactions, RefundRow } from './payment-rows.ts';
export { lockPayment, noSuchPayment } from './payment-with-transactions.ts';
export { disputeAmount } from './policy.ts';
export { processPayment } from './process-payment.ts';
export { readPayment } from './read-payment.ts';
export { refundForPerson } from './refund-payment.ts';
export { Refund } from './refund-types.ts';
export { resolutionOutcomes, resolvePayment } from './resolve-payment.ts';
export { PaymentPage, PaymentSort } from './schema.ts';
export { Payment, PaymentResult, Transaction } from './types.ts';
export { type UnpaidReason, unpaidReasonOf, unpaidTexts } from './unpaid-reason.ts';
export { voidPayment } from './void-payment.ts';
