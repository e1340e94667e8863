/**
 * A service that authorizes and captures card payments. Every call has a `reference`: the id of the platform's
 * transaction, committed before the call, which is the processor's idempotency key. The same reference returns the same
 * outcome and is booked once, however often, from however many processes and however late it is sent. Every call also
 * has the `processor` connection with which it is made: its settings and keys at that time.
 * `ReferenceReused` is thrown for a bug of the platform, and nothing was booked. Any other error means that the outcome
 * is unknown: the call may have been booked. Then the outcome is asked for with `find` and not inferred.
 */
export interface CardProcessor {
  /** Requests an amount: captured immediately (`capture`), or authorized to be captured later. */
  authorize(authorization: Authorization): Promise<Outcome>;

  /** Continues after a challenge was answered. Once decided, the outcome does not change. */
  continueAuthorization(continuation: Question & { authentication: 'succeeded' | 'failed' }): Promise<Outcome>;

  /**
   * The outcome of an authorization. `unseen` means that it has not arrived yet: a call that timed out may still
   * arrive. Sending it again with the same reference is always safe; treating it as failed is not.
   */
  find(question: Question): Promise<Outcome | UnknownAtProcessor>;

  /** Captures an authorization: once, and at most the authorized amount. */
  capture(modify: Modification): Promise<ModificationOutcome>;

  /** Voids an authorization that was not captured. `amount` is the authorized amount. */
  void(modify: Modification): Promise<ModificationOutcome>;

  /** Refunds a captured amount, in one or several parts, and never more than was captured. */
  refund(modify: Modification): Promise<ModificationOutcome>;

  /** The outcome of a capture, void or refund. A refused one may be `unseen` too, if the processor did not store it. */
  findModification(question: ModificationQuery): Promise<ModificationOutcome | UnknownAtProcessor>;

  /**
   * Reads an event that the processor has sent. Returns null if its signature does not match the connection. A
   * processor that sends no events has no such method.
   */
  readEvent?(raw: RawEvent): Promise<ProcessorEvent | null>;
}

export interface Authorization {
  processor: ProcessorConnection;
  /** The id of the platform's transaction. */
  reference: string;
  /** Minor units of `currency`; a safe integer. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
  card: ClearCard;
  /** True: authorized and captured in one step. False: authorized only. */
  capture: boolean;
  /** The cardholder is absent, as for a renewal, and could not answer a challenge. */
  merchantInitiated: boolean;
  /** `automatic`: the issuer decides. `force`: always challenge. `skip`: never challenge. */
  threeDs: 'automatic' | 'force' | 'skip';
  /**
   * The address to which a challenge at the processor redirects the cardholder. The same for every call with this
   * reference.
   */
  returnUrl: string;
  /** Aborted when the caller stops waiting. The processor may complete the call all the same. */
  signal?: AbortSignal | undefined;
}

export interface Question {
  processor: ProcessorConnection;
  /** The id of the platform's transaction. */
  reference: string;
  /** The amount and currency of the transaction. An answer with other values is about another one. */
  amount?: number | undefined;
  currency?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface ModificationQuery extends Question {
  type: 'capture' | 'void' | 'refund';
  /** The processor's reference of the approved authorization that was modified. */
  authorizationReference: string;
}

export interface Modification {
  processor: ProcessorConnection;
  /** The id of the platform's transaction of this capture, void or refund. */
  reference: string;
  /** The processor's reference of the approved authorization to modify. */
  authorizationReference: string;
  amount: number;
  currency: string;
  signal?: AbortSignal | undefined;
}

export type Outcome =
  | { result: 'approved'; processorReference: string }
  | Declined
  /** The processor could not process the charge and booked nothing. Another processor may be tried. */
  | ProcessorError
  /**
   * The cardholder has to authenticate before `continueAuthorization`. Nothing is authorized yet. `url` is the
   * processor's page for the challenge; null if the platform has one.
   */
  | { result: 'challenge'; processorReference: string; url: string | null };

export interface Declined {
  result: 'declined';
  failureCode: DeclineCode;
  /** One sentence that a partner may show. */
  failureMessage: string;
  /** True: no other attempt can succeed. False: a cascade or a later retry may succeed. */
  hard: boolean;
  /** Null if no authorization was created. */
  processorReference: string | null;
}

export interface ProcessorError {
  result: 'error';
  message: string;
  processorReference: string | null;
}

export type ModificationOutcome =
  | { result: 'approved'; processorReference: string }
  /** The state of the charge does not allow it. The refusal is final for this reference. */
  | { result: 'refused'; message: string; processorReference: string | null }
  | ProcessorError;

export interface UnknownAtProcessor {
  result: 'unseen';
}

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** The reasons for which an issuer disputes a payment. */
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

/** The state of a dispute as the processor reports it. */
export interface DisputeNotice {
  /** The processor's reference of the dispute. */
  processorReference: string;
  /** The processor's reference of the disputed charge. */
  authorizationReference: string;
  amount: number;
  currency: string;
  reason: DisputeReason;
  status: DisputeStatus;
  /** The deadline for evidence; null if the processor does not report one. */
  evidenceDueAt: Date | null;
  /** When the dispute was in this state, by the processor's clock. */
  reportedAt: Date;
}

/** An event as received. Its signature is verified over the exact bytes of its body. */
export interface RawEvent {
  processor: ProcessorConnection;
  /** Whether the processor is one of live mode. */
  livemode: boolean;
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** An event sent by a processor. */
export interface ProcessorEvent {
  /** The same each time the event is sent. */
  id: string;
  type: string;
  notices: ProcessorNotice[];
  /** Why the event must not be applied. Null if it may be. */
  refusal: NoticeRefusal | null;
}

/**
 * Why an event or a notice is rejected: it is of the other mode or of another account than its processor, not in the
 * processor's format, contradicts the stored amount, currency or charge, or has an amount that cannot be stored
 * exactly.
 */
export type NoticeRefusal =
  | 'mode_mismatch'
  | 'account_mismatch'
  | 'malformed'
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'charge_mismatch';

/** A notice that contradicts the stored state. It changes nothing, however often it is sent. */
export class NoticeRefused extends Error {
  override readonly name = 'NoticeRefused';
  readonly reason: NoticeRefusal;

  constructor(reason: NoticeRefusal) {
    super(`The notice is refused: ${reason}.`);
    this.reason = reason;
  }
}

/** A notice that cannot be applied yet: its charge is not known, or does not have the state that the notice changes. */
export class NoticeEarly extends Error {
  override readonly name = 'NoticeEarly';
}

/**
 * One fact of an event. `reference` is the id of the platform's transaction; null for a modification that was made at
 * the processor and not by the platform.
 */
export type ProcessorNotice =
  | { about: 'authorization'; reference: string; amount: number; currency: string; outcome: Outcome }
  | ModificationNotice
  | { about: 'dispute'; dispute: DisputeNotice };

export interface ModificationNotice {
  about: 'capture' | 'void' | 'refund';
  authorizationReference: string;
  reference: string | null;
  amount: number;
  currency: string;
  outcome: ModificationOutcome;
}

/** The failure codes of declines by a processor, without those that only the platform sets. */
export const declineCodes = [
  'card_declined',
  'insufficient_funds',
  'lost_card',
  'expired_card',
  'incorrect_cvc',
  'authentication_failed',
] as const;
export type DeclineCode = (typeof declineCodes)[number];

/** The outcome of a call is unknown: the processor may or may not have completed it. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
  readonly reference: string;

  constructor(reference: string, why: string, cause?: unknown) {
    super(`The outcome of ${reference} is unknown: ${why}.`, cause === undefined ? undefined : { cause });
    this.reference = reference;
  }
}

/** A reference was sent again with another amount, currency or purpose. */
export class ReferenceReused extends Error {
  override readonly name = 'ReferenceReused';

  constructor(reference: string) {
    super(`The reference ${reference} was sent before for something else.`);
  }
}

/**
 * Waits for a call to a processor with a timeout. If the processor ignores the signal, its later answer is dropped, and
 * the outcome must be asked for with `find`.
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

/** A card in the form that a processor needs. It exists during one call and is never stored, logged or returned. */
export interface ClearCard {
  readonly cardNumber: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** Null if it was not given, was purged or has expired. */
  readonly cvc: string | null;
}

/**
 * Creates a clear card. The number and the CVC are not enumerable, so that a log line, `inspect`, `JSON.stringify`, a
 * spread or a snapshot of a surrounding object cannot contain them by accident. They must be read by name.
 */
export function clearCard(card: ClearCard): ClearCard {
  const hidden = { enumerable: false, writable: false };
  const clear = { expMonth: card.expMonth, expYear: card.expYear };
  return Object.freeze(
    Object.defineProperties(clear, {
      cardNumber: { value: card.cardNumber, ...hidden },
      cvc: { value: card.cvc, ...hidden },
    }) as ClearCard, // the compiler does not know the properties that defineProperties adds
  );
}

/** The processor of an account for which a call is made, with its options. */
export interface ProcessorConnection {
  /** The id of the processor, prefix `proc_`. */
  readonly id: string;
  /** The options that are not secret, by name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The decrypted secrets by name, such as API keys and tokens. They exist during one call. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Creates a connection. Its secrets are not enumerable, so that a log line, `inspect`, `JSON.stringify`, a spread or a
 * snapshot of a surrounding object cannot contain them by accident. They must be read by name.
 */
export function processorConnection({ id, options, secrets }: ProcessorConnection): ProcessorConnection {
  const shown = { id, options };
  return Object.freeze(
    Object.defineProperty(shown, 'secrets', {
      value: secrets,
      enumerable: false,
      writable: false,
    }) as ProcessorConnection,
  ); // the compiler does not know the property that defineProperty adds
}
