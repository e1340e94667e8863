import { createHmac } from 'node:crypto';
import type pg from 'pg';
import type { Clock } from '../kit/clock.ts';
import { idsFrom, newId } from '../kit/ids.ts';
import { clearCard } from '../ports/clear-card.ts';
import { VaultFailure } from '../ports/vault.ts';
import type { CardScope, Vault } from '../ports/vault.ts';
import { newDataKey, open, rewrapDataKey, seal, unwrapDataKey } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';

/** The vault in PostgreSQL, schema `vault`. One statement a method, so that each is whole or nothing without a transaction. */
export function createVault({
  pool,
  keys,
  fingerprintKey,
  clock,
}: {
  pool: pg.Pool;
  keys: KeyRing;
  fingerprintKey: Buffer;
  clock: Clock;
}): Vault {
  function fingerprint(cardNumber: string, { platformAccountId, mode }: CardScope): string {
    return createHmac('sha256', fingerprintKey)
      .update(`${mode}:${platformAccountId}:${cardNumber}`)
      .digest('base64url')
      .slice(0, 32);
  }

  return {
    fingerprint,

    async store(card) {
      const now = clock.now();
      const cardId = newId('card', now);
      const place = placeOf(cardId, card.mode);
      const { dataKey, wrappedKey } = newDataKey(keys, place);
      const content = Buffer.from(JSON.stringify([card.cardNumber, card.expMonth, card.expYear] satisfies CardContent));
      await pool.query({
        name: 'vault-store',
        text: `INSERT INTO vault.cards ("id", "mode", "platformAccountId", "keyId", "wrappedKey", "sealedCard", "sealedCvc", "cvcExpiresAt", "createdAt")
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        values: [
          cardId,
          card.mode,
          card.platformAccountId,
          wrappedKey.keyId,
          wrappedKey.wrapped,
          seal(dataKey, content, place),
          card.cvc === null ? null : seal(dataKey, Buffer.from(card.cvc), cvcOf(place)),
          card.cvc === null ? null : card.cvcExpiresAt,
          now,
        ],
      });
      return { cardId, fingerprint: fingerprint(card.cardNumber, card) };
    },

    async reveal(cardId) {
      const { rows } = await pool.query<CardRow>({
        name: 'vault-reveal',
        text: `SELECT "mode", "keyId", "wrappedKey", "sealedCard", "sealedCvc", "cvcExpiresAt" FROM vault.cards WHERE "id" = $1`,
        values: [cardId],
      });
      const [row] = rows;
      if (row === undefined) throw new VaultFailure(`The vault has no card "${cardId}".`);
      const place = placeOf(cardId, row.mode);
      const dataKey = unwrapDataKey(keys, { keyId: row.keyId, wrapped: row.wrappedKey }, place);
      // Written by `store` above, and authenticated by the cipher.
      const [cardNumber, expMonth, expYear] = JSON.parse(
        open(dataKey, row.sealedCard, place).toString(),
      ) as CardContent;
      // The clock decides, not the sweep: a sweep that is late must not lengthen the life of a cvc.
      const cvcLives = row.sealedCvc !== null && row.cvcExpiresAt !== null && clock.now() < row.cvcExpiresAt;
      const cvc = cvcLives && row.sealedCvc !== null ? open(dataKey, row.sealedCvc, cvcOf(place)).toString() : null;
      return clearCard({ cardNumber, expMonth, expYear, cvc });
    },

    async remove(cardId) {
      await pool.query({ name: 'vault-remove', text: `DELETE FROM vault.cards WHERE "id" = $1`, values: [cardId] });
    },

    async listKept({ from, to, after, limit }) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'vault-list-kept',
        text: `SELECT "id" FROM vault.cards WHERE "id" COLLATE "C" > $1 AND "id" COLLATE "C" < $2 ORDER BY "id" COLLATE "C" LIMIT $3`,
        values: [after ?? idsFrom('card', from), idsFrom('card', to), limit],
      });
      return rows.map(({ id }) => id);
    },

    async forgetCvc(cardId) {
      await pool.query({
        name: 'vault-forget-cvc',
        text: `UPDATE vault.cards SET "sealedCvc" = NULL, "cvcExpiresAt" = NULL WHERE "id" = $1 AND "sealedCvc" IS NOT NULL`,
        values: [cardId],
      });
    },

    async forgetExpiredCvcs(limit = 1000) {
      const { rowCount } = await pool.query({
        name: 'vault-forget-expired-cvcs',
        text: `UPDATE vault.cards SET "sealedCvc" = NULL, "cvcExpiresAt" = NULL
               WHERE "id" IN (SELECT "id" FROM vault.cards WHERE "cvcExpiresAt" <= $1 ORDER BY "cvcExpiresAt" LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        values: [clock.now(), limit],
      });
      return rowCount ?? 0;
    },

    async rewrap(limit) {
      const olderIds = [...keys.keys.keys()].filter((id) => id !== keys.newestId);
      const { rows } = await pool.query<WrapRow>(
        `SELECT "id", "mode", "keyId", "wrappedKey" FROM vault.cards WHERE "keyId" = ANY ($1) LIMIT $2`,
        [olderIds, limit],
      );
      const fresh = rows.map((row) =>
        rewrapDataKey(keys, { keyId: row.keyId, wrapped: row.wrappedKey }, placeOf(row.id, row.mode)),
      );
      // The old key id is compared again, so that two rotations at once count each record once. Both would be right: the
      // data key is the same under either wrapping.
      const { rowCount } = await pool.query(
        `UPDATE vault.cards c SET "keyId" = $4, "wrappedKey" = n."wrappedKey"
         FROM unnest($1::text[], $2::text[], $3::bytea[]) AS n ("id", "oldKeyId", "wrappedKey")
         WHERE c."id" = n."id" AND c."keyId" = n."oldKeyId"`,
        [rows.map((row) => row.id), rows.map((row) => row.keyId), fresh.map((key) => key.wrapped), keys.newestId],
      );
      return rowCount ?? 0;
    },
  };
}

/** cardNumber, expMonth, expYear. */
type CardContent = [string, number, number];

interface WrapRow {
  id: string;
  mode: string;
  keyId: string;
  wrappedKey: Buffer;
}

interface CardRow extends Omit<WrapRow, 'id'> {
  sealedCard: Buffer;
  sealedCvc: Buffer | null;
  cvcExpiresAt: Date | null;
}

/** What each ciphertext is bound to: a row copied over another, or a test card turned live, does not decrypt. */
function placeOf(cardId: string, mode: string): string {
  return `card:${mode}:${cardId}`;
}

function cvcOf(place: string): string {
  return `cvc:${place}`;
}
