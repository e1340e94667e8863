import type { Mode } from '../kit/mode.ts';
import type { ClearCard } from './clear-card.ts';

/** Whose card it is. The same number has another fingerprint in another scope, so that two tenants cannot compare theirs. */
export interface CardScope {
  platformAccountId: string;
  mode: Mode;
}

export interface CardToStore extends CardScope {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string | null;
  /** From this moment on the cvc is not given out any more, erased or not. Means nothing when the cvc is null. */
  cvcExpiresAt: Date;
}

/** The only place where a card number is kept. */
export interface Vault {
  /** Encrypts and keeps a card. Every call makes a record of its own, for the same card too. */
  store(card: CardToStore): Promise<{ cardId: string; fingerprint: string }>;

  /** The card in clear, for one call to a processor. Throws `VaultFailure` when there is none or it cannot be decrypted. */
  reveal(cardId: string): Promise<ClearCard>;

  /** Takes a card out that nothing refers to. Doing it again changes nothing. */
  remove(cardId: string): Promise<void>;

  /** The ids of up to `limit` cards kept after `from` and before `to`, oldest first, behind the id `after`. */
  listKept(stretch: { from: Date; to: Date; after: string | null; limit: number }): Promise<string[]>;

  /** Erases the cvc of one card. Doing it again, or for a card that is not there, changes nothing. */
  forgetCvc(cardId: string): Promise<void>;

  /** Erases up to `limit` cvcs whose time is over and says how many; call again until it says 0. */
  forgetExpiredCvcs(limit?: number): Promise<number>;

  /** The same number in the same scope always has the same fingerprint, and nothing leads back from it to the number. */
  fingerprint(cardNumber: string, scope: CardScope): string;

  /**
   * Wraps up to `limit` data keys anew under the newest key of the ring and says how many. At 0 nothing is left under the
   * older keys, and they may leave the configuration.
   */
  rewrap(limit: number): Promise<number>;
}

/** Something cannot be decrypted or is not there. The message names ids only, never content. */
export class VaultFailure extends Error {
  override readonly name = 'VaultFailure';
}
