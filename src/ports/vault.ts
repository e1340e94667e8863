import type { Mode } from '../lib/ids.ts';
import type { ClearCard } from './card-processor.ts';

/**
 * The account and mode of a card. The same number has another fingerprint for another account or mode, so that tenants
 * cannot compare cards.
 */
export interface CardScope {
  platformAccountId: string;
  mode: Mode;
}

/** The account and mode of a requested card, as rows name them. */
export interface CardOwner {
  platformAccountId: string;
  mode: string;
}

export interface CardToStore extends CardScope {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string | null;
  /** The time after which the CVC is no longer returned, even if it was not purged. Ignored if the CVC is null. */
  cvcExpiresAt: Date;
}

/** The only storage of card numbers. */
export interface Vault {
  /** Encrypts and stores a card. Every call creates a record, also for the same card. */
  store(card: CardToStore): Promise<{ cardId: string; fingerprint: string }>;

  /**
   * The decrypted card, for one call to a processor. Throws `VaultFailure` if the account has no such card in this
   * mode, or it cannot be decrypted.
   */
  reveal(cardId: string, owner: CardOwner): Promise<ClearCard>;

  /** Deletes a card that no row refers to. Idempotent. */
  remove(cardId: string): Promise<void>;

  /** The ids of up to `limit` cards stored after `from` and before `to`, oldest first, following the id `after`. */
  listKept(stretch: { from: Date; to: Date; after: string | null; limit: number }): Promise<string[]>;

  /** Purges the CVC of one card. Idempotent, and without effect for an unknown card. */
  purgeCvc(cardId: string): Promise<void>;

  /** Purges up to `limit` expired CVCs and returns their number. 0 means that none is left. */
  purgeExpiredCvcs(limit?: number): Promise<number>;

  /**
   * The fingerprint of a number: the same within one account and mode. The number cannot be derived from it.
   */
  fingerprint(cardNumber: string, scope: CardScope): string;

  /**
   * Rewraps up to `limit` data keys under the newest key of the ring and returns their number. 0 means that none is
   * left under the older keys, which can then be removed from the configuration.
   */
  rewrap(limit: number): Promise<number>;
}
