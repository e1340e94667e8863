import { createHash } from 'node:crypto';
import {
  type CardProcessor,
  type DeclineCode,
  type DisputeNotice,
  type DisputeReason,
  type DisputeStatus,
  declineCodes,
  type ModificationNotice,
} from './card-processor.ts';

export interface ProcessorRecordsPage {
  /** The last reference of the page before. */
  after?: string;
  limit?: number;
}

/** The processor's side of a reconciliation: the totals of each currency, and one page of charges. */
export interface ProcessorRecords {
  totals: CurrencyTotals[];
  /** In order of reference. */
  charges: RecordedCharge[];
  /** The reference after which the next page starts; null after the last page. */
  next: string | null;
}

interface CurrencyTotals {
  currency: string;
  charges: number;
  /** Minor units, as a big integer since a sum may exceed the safe integers. */
  captured: bigint;
  refunded: bigint;
  /** Authorized, and neither captured nor voided. */
  held: bigint;
}

export interface RecordedCharge {
  reference: string;
  processorReference: string;
  status: string;
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
}

/** The behavior of the test processor for a test card of the contract. Any other card number is approved. */
export type TestCardBehavior =
  | { does: 'approve' }
  | { does: 'decline'; failureCode: TestDeclineCode }
  | { does: 'answerWithError' }
  /** Requires a challenge. `unchallenged` applies if the charge does not permit one. */
  | {
      does: 'challenge';
      outcomeAfterChallenge: 'approve' | 'decline';
      unchallenged: 'approve' | 'decline' | 'failAuthentication';
    }
  /** The issuer authenticates the cardholder without a challenge. */
  | { does: 'authenticateSilently' }
  /** Approves the cardholder's own charges and declines those that the merchant initiates. */
  | { does: 'declineMerchantInitiated'; failureCode: TestDeclineCode }
  /** The charge is recorded and its answer does not arrive. */
  | { does: 'loseAnswer' }
  /** The charge is approved, and disputed as fraudulent soon after its capture. */
  | { does: 'dispute' }
  /** The charge is approved. A refund of it succeeds, and fails soon after. */
  | { does: 'failRefund' };

type TestDeclineCode = 'card_declined' | 'insufficient_funds' | 'lost_card' | 'expired_card' | 'incorrect_cvc';

export const testCards: ReadonlyMap<string, TestCardBehavior> = new Map<string, TestCardBehavior>([
  ['4242424242424242', { does: 'approve' }],
  ['5555555555554444', { does: 'approve' }],
  ['378282246310005', { does: 'approve' }],
  ['4000000000000002', { does: 'decline', failureCode: 'card_declined' }],
  ['4000000000009995', { does: 'decline', failureCode: 'insufficient_funds' }],
  ['4000000000009987', { does: 'decline', failureCode: 'lost_card' }],
  ['4000000000000069', { does: 'decline', failureCode: 'expired_card' }],
  ['4000000000000127', { does: 'decline', failureCode: 'incorrect_cvc' }],
  ['4000000000000119', { does: 'answerWithError' }],
  ['4000000000003220', { does: 'challenge', outcomeAfterChallenge: 'approve', unchallenged: 'approve' }],
  ['4000002760003184', { does: 'challenge', outcomeAfterChallenge: 'approve', unchallenged: 'failAuthentication' }],
  ['4000008400001629', { does: 'challenge', outcomeAfterChallenge: 'decline', unchallenged: 'decline' }],
  ['4000000000003063', { does: 'authenticateSilently' }],
  ['4000000000000341', { does: 'declineMerchantInitiated', failureCode: 'card_declined' }],
  ['4000000000000697', { does: 'declineMerchantInitiated', failureCode: 'expired_card' }],
  ['4000000000006975', { does: 'loseAnswer' }],
  ['4000000000000259', { does: 'dispute' }],
  ['4000000000005126', { does: 'failRefund' }],
]);

/** Tokens of test mode that exist without tokenizing and can be used repeatedly, with their card numbers. */
export const reusableTestTokens: ReadonlyMap<string, string> = new Map([
  ['tok_visa', '4242424242424242'],
  ['tok_mastercard', '5555555555554444'],
  ['tok_amex', '378282246310005'],
  ['tok_visa_declined', '4000000000000002'],
  ['tok_visa_insufficient', '4000000000009995'],
  ['tok_visa_3ds', '4000000000003220'],
]);

/** The faults that a test processor can simulate, so that integrators can test how they handle them. */
export interface TestFaults {
  latencyMs: number;
  declineRate: number;
  declineCode: DeclineCode;
  errorRate: number;
  lostAnswerRate: number;
  down: boolean;
}

const latencyMaxMs = 30_000;
const rateRefusal = (value: unknown): string | null =>
  typeof value === 'number' && value >= 0 && value <= 1 ? null : 'must be a number from 0 to 1';

/** The fault options of the processor. */
export const faultOptions = {
  latencyMs: {
    description:
      `The delay of the answer to charges, captures, voids and refunds, from 0 to ${latencyMaxMs} ms. They are ` +
      'recorded at once. If the delay exceeds the timeout of the platform, the outcome is unknown until resolved.',
    refusalOf: (value: unknown) =>
      Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latencyMaxMs
        ? null
        : `must be a whole number from 0 to ${latencyMaxMs}`, // isInteger is true for numbers only
  },
  declineRate: {
    description: 'The share of charges that are declined, from 0 to 1, regardless of the card.',
    refusalOf: rateRefusal,
  },
  declineCode: {
    description:
      `The decline code of those charges: \`${declineCodes.join('`, `')}\`. The default is \`card_declined\`. A ` +
      'cascade continues after a soft decline.',
    refusalOf: (value: unknown) =>
      declineCodes.some((code) => code === value) ? null : `must be one of ${declineCodes.join(', ')}`,
  },
  errorRate: {
    description:
      'The share of charges, captures, voids and refunds that fail with an error, from 0 to 1. Nothing is charged, ' +
      'captured, voided or refunded, and a cascade continues.',
    refusalOf: rateRefusal,
  },
  lostAnswerRate: {
    description:
      'The share of charges, captures, voids and refunds that are recorded but whose answer is lost, from 0 to 1. ' +
      'Their outcome is unknown until it is resolved.',
    refusalOf: rateRefusal,
  },
  down: {
    description:
      'Whether the processor is unreachable, including for queries. Payments in progress remain in processing until ' +
      'it is reachable again.',
    refusalOf: (value: unknown) => (typeof value === 'boolean' ? null : 'must be true or false'),
  },
} as const;

const none: TestFaults = {
  latencyMs: 0,
  declineRate: 0,
  declineCode: 'card_declined',
  errorRate: 0,
  lostAnswerRate: 0,
  down: false,
};

/** The fault options of a processor. Its options were validated when they were set. */
export function faultsOf(options: Readonly<Record<string, unknown>>): TestFaults {
  return { ...none, ...(options as Partial<TestFaults>) };
}

/** Whether a fault applies to a call. The result depends on the reference only, so that a retry has the same result. */
export function hits(rate: number, faultName: 'decline' | 'error' | 'lostAnswer', reference: string): boolean {
  if (rate <= 0) return false;
  return createHash('sha256').update(`${faultName}:${reference}`).digest().readUIntBE(0, 6) / 2 ** 48 < rate;
}

/**
 * The built-in processor. Its behavior depends on the test card. It stores its own records over its own connections.
 */
export interface TestProcessor extends CardProcessor {
  /** Its records, for reconciliation with the ledger. */
  processorRecords(page?: ProcessorRecordsPage): Promise<ProcessorRecords>;
  disputes: TestDisputes;
  refundFailures: TestRefundFailures;
  close(): Promise<void>;
}

/** Disputes that integrators open. The caller that opens a dispute is notified immediately. */
export interface TestDisputes {
  /** Returns a string with the reason if the charge cannot be disputed. */
  open(requested: DisputeRequest): Promise<DisputeNotice | string>;
  find(reference: string): Promise<DisputeNotice | null>;
  move(processorReference: string, status: DisputeStatus): Promise<DisputeNotice | null>;
  listUnnotified(): Promise<DisputeNotice[]>;
  markNotified(notice: DisputeNotice): Promise<void>;
  /** When the next dispute on a test clock is due. */
  nextOn(testClockId: string): Promise<Date | null>;
  /** Opens the disputes that are due on a test clock. */
  openOn(testClockId: string): Promise<DisputeNotice[]>;
}

/** Refunds of test cards whose refunds fail after they succeeded. */
export interface TestRefundFailures {
  /** Fails the refunds that are due by real time, and returns all failures of which the platform was not notified. */
  listUnnotified(): Promise<ModificationNotice[]>;
  markNotified(notice: ModificationNotice): Promise<void>;
  /** When the next refund on a test clock fails. */
  nextOn(testClockId: string): Promise<Date | null>;
  /** Fails the refunds that are due on a test clock. */
  failOn(testClockId: string): Promise<ModificationNotice[]>;
}

/** A dispute to be opened at the issuer. A repeated reference returns the existing dispute. */
export interface DisputeRequest {
  reference: string;
  /** The reference of the charge at the processor. */
  authorizationReference: string;
  amount: number;
  reason: DisputeReason;
}
