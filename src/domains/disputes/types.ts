import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import type { DisputeReason as Reason, DisputeStatus as Status } from '../../ports/card-processor.ts';
import type { DisputeObject } from './dispute-change.ts';

export const DisputeStatus = builder.enumType('DisputeStatus', {
  description: 'The status of a dispute.',
  values: {
    needs_response: {
      description: 'The disputed amount was debited. Evidence is accepted until `evidenceDueAt`.',
    },
    under_review: { description: "The cardholder's bank reviews the evidence." },
    won: { description: 'The disputed amount was returned. Final unless the processor reopens the dispute.' },
    lost: { description: 'The disputed amount is lost. Final unless the processor reopens the dispute.' },
  } as const satisfies Record<Status, object>,
});

export const DisputeReason = builder.enumType('DisputeReason', {
  description: "The reason given by the cardholder's bank; `general` for a reason that has no value of its own.",
  values: {
    bank_cannot_process: { description: "The customer's bank cannot process the charge." },
    check_returned: { description: 'The check was returned.' },
    credit_not_processed: { description: 'A promised credit or refund was not processed.' },
    customer_initiated: { description: 'The customer started the dispute at the bank.' },
    debit_not_authorized: { description: 'The customer did not authorize the debit.' },
    duplicate: { description: 'The customer was charged more than once for the same purchase.' },
    fraudulent: { description: 'The cardholder did not authorize the charge.' },
    general: { description: 'Any other reason.' },
    incorrect_account_details: { description: 'The account details were incorrect.' },
    insufficient_funds: { description: 'The account had insufficient funds.' },
    noncompliant: { description: "The charge violates the card network's rules." },
    product_not_received: { description: 'The goods or services were not received.' },
    product_unacceptable: { description: 'The goods or services were defective or not as described.' },
    subscription_canceled: { description: 'The charge was made after the subscription was canceled.' },
    unrecognized: { description: 'The cardholder does not recognize the charge.' },
  } as const satisfies Record<Reason, object>,
});

export const Dispute = builder.objectRef<DisputeObject>('Dispute').implement({
  description:
    'A payment that the cardholder contests at the bank. The disputed amount is debited and cannot be refunded ' +
    'while the dispute is open or once it is lost; it returns when the dispute is won. Every dispute is recorded, ' +
    'whatever its amount and currency, the state of the payment, and the status of the account and its partner.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the dispute, prefix `dp_`.' }),
    paymentId: t.exposeID('paymentId', { description: 'The disputed payment, prefix `pay_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store of the payment, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account of the payment, prefix `tpa_`.',
    }),
    processorId: t.exposeID('processorId', {
      description: 'The processor that reported the dispute, prefix `proc_`.',
    }),
    processorReference: t.exposeString('processorReference', {
      description: "The processor's identifier of the dispute.",
    }),
    amount: t.expose('amount', {
      type: 'DisputedAmount',
      description:
        'The disputed amount in minor units of the currency, as the processor reports it. It may exceed what was ' +
        'captured and not refunded; the excess is a loss in the ledger.',
    }),
    currency: t.expose('currency', {
      type: 'Currency',
      description:
        'The currency of the dispute as the processor reports it, an ISO 4217 code. Nothing of the payment can be ' +
        'refunded while the currency differs from that of the payment, unless the dispute is won.',
    }),
    status: t.field({
      type: DisputeStatus,
      description: 'The status of the dispute.',
      // a CHECK constraint holds the column to the enum
      ...storedColumn('status'),
    }),
    reason: t.field({
      type: DisputeReason,
      description: "The reason given by the cardholder's bank.",
      // written as DisputeReason only
      ...storedColumn('reason'),
    }),
    evidenceDueAt: t.expose('evidenceDueAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time until which evidence is accepted. Evidence is submitted at the processor. Null if the processor ' +
        'reports no time.',
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the dispute was won or lost. Null while it is open.',
    }),
    livemode: t.exposeBoolean('livemode', { description: 'True in live mode, false in test mode.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the platform recorded the dispute.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the dispute last changed.' }),
  }),
});

export const OpenTestDisputeInput = builder.inputType('OpenTestDisputeInput', {
  description: 'The test dispute to open.',
  fields: (t) => ({
    paymentId: t.id({
      required: true,
      description: 'The payment to dispute, prefix `pay_`: a captured payment of a test processor.',
    }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount to dispute in minor units of the currency. Default: the remaining amount of the payment. It ' +
        'may be more, since processors report such disputes: the excess is recorded as a loss.',
    }),
    reason: t.field({
      type: DisputeReason,
      required: true,
      defaultValue: 'fraudulent',
      description: 'The reason of the dispute.',
    }),
  }),
});

export const AdvancedDisputeStatus = builder.enumType('AdvancedDisputeStatus', {
  description: 'A status to which a test dispute can be advanced.',
  values: {
    under_review: { description: "The cardholder's bank reviews the evidence." },
    won: { description: 'The disputed amount is returned.' },
    lost: { description: 'The disputed amount is lost.' },
  } as const,
});
