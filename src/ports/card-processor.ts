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

  /** What became of a capture, void or refund. */
  findFollowUp(question: Question): Promise<FollowUpOutcome | Unseen>;
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
  /** Aborted when the caller stops waiting. The processor may do its work all the same. */
  signal?: AbortSignal | undefined;
}

export interface Question {
  processor: ProcessorConnection;
  /** Our id of the transaction asked about. */
  reference: string;
  signal?: AbortSignal | undefined;
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
  /** The cardholder has to authenticate first; then `continueAuthorization`. Nothing is held yet. */
  | { result: 'challenge'; processorReference: string };

export interface Declined {
  result: 'declined';
  failureCode: DeclineCode;
  /** One sentence a partner may show. */
  failureMessage: string;
  /** True: trying again, here or elsewhere, cannot help. False: a cascade or a later retry may go on. */
  hard: boolean;
  processorReference: string;
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

/** Why an issuer says no; the contract's failure codes without those that only we can give. */
export const declineCodes = ['card_declined', 'insufficient_funds', 'lost_card', 'expired_card', 'incorrect_cvc', 'authentication_failed'] as const;
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
export async function withTimeout<T>(reference: string, timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
