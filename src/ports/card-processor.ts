import type { ClearCard } from './clear-card.ts';
import type { ProcessorConnection } from './processor-connection.ts';

/**
 * A party that moves money on cards. Every call carries a `reference`: the id of our transaction, committed before the call,
 * and the processor's idempotency key. The same reference again gives the same outcome and is booked once, however often,
 * from however many places, and however late it is sent. And every call carries the `processor` record it is made for: its
 * settings and keys, as they are at that moment.
 *
 * What is thrown: `ReferenceReused` is a mistake of ours, and nothing was booked. Everything else, whatever its class, means
 * that the outcome is unknown: it may have been booked. Then ask with `find`; never guess.
 */
export interface CardProcessor {
  /** Asks for the money: at once (`capture`), or held to be captured later. */
  authorize(authorization: Authorization): Promise<Outcome>;

  /** Goes on after a challenge was answered. Once decided, the outcome stays, whatever is sent later. */
  continueAuthorization(continuation: Question & { authentication: 'succeeded' | 'failed' }): Promise<Outcome>;

  /**
   * What became of an authorization. `unseen` means that it has not arrived yet: a call that timed out may still be on its
   * way. Sending it again under the same reference is always safe; taking it for failed is not.
   */
  find(question: Question): Promise<Outcome | Unseen>;

  /** Takes the money that is held: once, and at most what was authorized. */
  capture(followUp: FollowUp): Promise<FollowUpOutcome>;

  /** Lets go of money that is held and not captured. `amount` is what was authorized. */
  void(followUp: FollowUp): Promise<FollowUpOutcome>;

  /** Gives captured money back: in parts if need be, and never more than was captured. */
  refund(followUp: FollowUp): Promise<FollowUpOutcome>;

  /** What became of a capture, void or refund. A refusal may have left no trace: then it is `unseen`, too. */
  findFollowUp(question: FollowUpQuestion): Promise<FollowUpOutcome | Unseen>;

  /** Reads an event the processor sent by itself. Null when it is not signed as the record says. Processors that send none have no such method. */
  readEvent?(raw: RawEvent): Promise<ProcessorEvent | null>;
}

export interface Authorization {
  processor: ProcessorConnection;
  /** Our transaction id. */
  reference: string;
  /** Minor units of `currency`; a safe integer. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
  card: ClearCard;
  /** True: authorized and captured in one. False: held only. */
  capture: boolean;
  /** The cardholder is not there: a renewal, an instalment. Nobody could answer a challenge. */
  merchantInitiated: boolean;
  /** `automatic`: the card's bank decides. `force`: challenge in any case. `skip`: never challenge. */
  threeDs: 'automatic' | 'force' | 'skip';
  /** Where a challenge of the processor's own sends the cardholder's browser back to. The same for every call with this reference. */
  returnUrl: string;
  /** Aborted when the caller stops waiting. The processor may do its work all the same. */
  signal?: AbortSignal | undefined;
}

export interface Question {
  processor: ProcessorConnection;
  /** Our id of the transaction asked about. */
  reference: string;
  signal?: AbortSignal | undefined;
}

export interface FollowUpQuestion extends Question {
  type: 'capture' | 'void' | 'refund';
  /** The processor's own reference of the approved authorization it follows. */
  authorizationReference: string;
}

export interface FollowUp {
  processor: ProcessorConnection;
  /** The id of our transaction for this very capture, void or refund. */
  reference: string;
  /** The processor's own reference of the approved authorization this follows. */
  authorizationReference: string;
  amount: number;
  currency: string;
  signal?: AbortSignal | undefined;
}

export type Outcome =
  | { result: 'approved'; processorReference: string }
  | Declined
  /** The processor answered that it could not do it, and did not. Another processor may be tried. */
  | ProcessorError
  /** The cardholder has to authenticate first; then `continueAuthorization`. Nothing is held yet. `url` is the processor's own page for it; null where the platform has one. */
  | { result: 'challenge'; processorReference: string; url: string | null };

export interface Declined {
  result: 'declined';
  failureCode: DeclineCode;
  /** One sentence a partner may show. */
  failureMessage: string;
  /** True: trying again, here or elsewhere, cannot help. False: a cascade or a later retry may go on. */
  hard: boolean;
  /** Null when it never came to an authorization. */
  processorReference: string | null;
}

export interface ProcessorError {
  result: 'error';
  message: string;
  processorReference: string | null;
}

export type FollowUpOutcome =
  | { result: 'approved'; processorReference: string }
  /** The state of the charge does not allow it, and never will under this reference. */
  | { result: 'refused'; message: string; processorReference: string | null }
  | ProcessorError;

export interface Unseen {
  result: 'unseen';
}

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** Why a cardholder's bank takes money back, in the words the field has for it. */
export const disputeReasons = [
  'bank_cannot_process',
  'check_returned',
  'credit_not_processed',
  'customer_initiated',
  'debit_not_authorized',
  'duplicate',
  'fraudulent',
  'general',
  'incorrect_account_details',
  'insufficient_funds',
  'noncompliant',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'unrecognized',
] as const;
export type DisputeReason = (typeof disputeReasons)[number];

/** What a processor tells of a dispute: how it is at that moment. */
export interface DisputeNotice {
  /** The processor's own reference of the dispute. */
  processorReference: string;
  /** The processor's own reference of the charge in dispute. */
  authorizationReference: string;
  amount: number;
  currency: string;
  reason: DisputeReason;
  status: DisputeStatus;
  /** Until when evidence counts; null when the processor does not say. */
  evidenceDueAt: Date | null;
}

/** An event as it came in, to be verified over its very bytes. */
export interface RawEvent {
  processor: ProcessorConnection;
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** What a processor tells by itself. */
export interface ProcessorEvent {
  /** The same for every time it is sent. */
  id: string;
  type: string;
  notices: ProcessorNotice[];
}

/** One fact of it. `reference` is our transaction; null where something was done at the processor that nobody asked for here. */
export type ProcessorNotice =
  | { about: 'authorization'; reference: string; outcome: Outcome }
  | FollowUpNotice
  | { about: 'dispute'; dispute: DisputeNotice };

export interface FollowUpNotice {
  about: 'capture' | 'void' | 'refund';
  authorizationReference: string;
  reference: string | null;
  amount: number;
  outcome: FollowUpOutcome;
}

/** Why an issuer says no; the contract's failure codes without those that only we can give. */
export const declineCodes = [
  'card_declined',
  'insufficient_funds',
  'lost_card',
  'expired_card',
  'incorrect_cvc',
  'authentication_failed',
] as const;
export type DeclineCode = (typeof declineCodes)[number];

/** The processor may or may not have done it. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
  readonly reference: string;

  constructor(reference: string, why: string, cause?: unknown) {
    super(`The outcome of ${reference} is unknown: ${why}.`, cause === undefined ? undefined : { cause });
    this.reference = reference;
  }
}

/** A reference was sent again with another amount, currency or aim. */
export class ReferenceReused extends Error {
  override readonly name = 'ReferenceReused';

  constructor(reference: string) {
    super(`The reference ${reference} was sent before for something else.`);
  }
}

/**
 * Waits for a call to a processor, but not for ever. Works with a processor that ignores its signal, too: the caller goes on
 * and what comes later is dropped, to be asked for with `find`.
 */
export async function withTimeout<T>(
  reference: string,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const unknown = new UnknownOutcome(reference, `no answer within ${timeoutMs} ms`);
    stop.abort(unknown);
    timeout.reject(unknown);
  }, timeoutMs);
  try {
    return await Promise.race([call(stop.signal), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
