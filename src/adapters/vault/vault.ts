import { createHmac } from 'node:crypto';
import { batched } from '../../database/batched.ts';
import { recordset } from '../../database/recordset.ts';
import { execute, type Queryable, queryRows, sql } from '../../database/sql.ts';
import { newDataKey, open, rewrapDataKey, seal, unwrapDataKey, VaultFailure } from '../../keys/envelope.ts';
import type { KeyRing } from '../../keys/key-ring.ts';
import type { Clock } from '../../lib/clock.ts';
import { idsFrom, newId } from '../../lib/ids.ts';
import { clearCard } from '../../ports/card-processor.ts';
import type { CardOwner, CardScope, Vault } from '../../ports/vault.ts';

/** The vault in PostgreSQL, schema `vault`. Each method is one statement, so that it needs no transaction. */
export function createVault({
  pool,
  keys,
  fingerprintKey,
  clock,
}: {
  pool: Queryable;
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

  /** Cards that are revealed concurrently are read by one statement. */
  const readCard = batched<CardOwner & { id: string }, CardRow | undefined>(
    async (cards) => {
      const rows = await queryRows<CardRow & { id: string }>(
        pool,
        sql`
          SELECT
            c.id, c.mode, c."platformAccountId", c."keyId", c."wrappedKey", c."sealedCard",
            c."sealedCvc", c."cvcExpiresAt"
          FROM ${recordset('r', { id: 'text', platformAccountId: 'text', mode: 'text' }, 'id', cards)}
          JOIN vault.cards c
            ON c.id = r.id AND c."platformAccountId" = r."platformAccountId" AND c.mode = r.mode`,
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      return cards.map(({ id, platformAccountId, mode }) => {
        const row = byId.get(id);
        return row?.platformAccountId === platformAccountId && row.mode === mode ? row : undefined;
      });
    },
    { most: cardsMax },
  );

  return {
    fingerprint,

    async store(card) {
      const now = clock.now();
      const cardId = newId('card_', now);
      const place = placeOf(cardId, card.mode);
      const { dataKey, wrappedKey } = newDataKey(keys, keyPlaceOf(cardId, card));
      const content = Buffer.from(JSON.stringify([card.cardNumber, card.expMonth, card.expYear] satisfies CardContent));
      await execute(
        pool,
        sql`
          INSERT INTO vault.cards
            (id, mode, "platformAccountId", "keyId", "wrappedKey", "sealedCard", "sealedCvc", "cvcExpiresAt",
             "createdAt")
          VALUES
            (${cardId}, ${card.mode}, ${card.platformAccountId}, ${wrappedKey.keyId}, ${wrappedKey.wrapped},
             ${seal(dataKey, content, place)},
             ${card.cvc === null ? null : seal(dataKey, Buffer.from(card.cvc), cvcOf(place))},
             ${card.cvc === null ? null : card.cvcExpiresAt},
             ${now})`,
      );
      return { cardId, fingerprint: fingerprint(card.cardNumber, card) };
    },

    async reveal(cardId, { platformAccountId, mode }) {
      const row = await readCard({ id: cardId, platformAccountId, mode });
      if (row === undefined)
        throw new VaultFailure(`The vault has no card "${cardId}" of ${platformAccountId} in ${mode} mode.`);
      const place = placeOf(cardId, row.mode);
      const dataKey = unwrapDataKey(keys, { keyId: row.keyId, wrapped: row.wrappedKey }, keyPlaceOf(cardId, row));
      // Written by `store` and authenticated by the cipher.
      const [cardNumber, expMonth, expYear] = JSON.parse(
        open(dataKey, row.sealedCard, place).toString(),
      ) as CardContent;
      // The clock decides and not the job: a late job must not extend the life of a security code.
      const cvcLives = row.sealedCvc !== null && row.cvcExpiresAt !== null && clock.earliest() < row.cvcExpiresAt;
      const cvc = cvcLives && row.sealedCvc !== null ? open(dataKey, row.sealedCvc, cvcOf(place)).toString() : null;
      return clearCard({ cardNumber, expMonth, expYear, cvc });
    },

    async remove(cardId) {
      await execute(pool, sql`DELETE FROM vault.cards WHERE id = ${cardId}`);
    },

    async listKept({ from, to, after, limit }) {
      const rows = await queryRows<{ id: string }>(
        pool,
        sql`
          SELECT id
          FROM vault.cards
          WHERE id COLLATE "C" > ${after ?? idsFrom('card_', from)} AND id COLLATE "C" < ${idsFrom('card_', to)}
          ORDER BY id COLLATE "C"
          LIMIT ${limit}`,
      );
      return rows.map(({ id }) => id);
    },

    async purgeCvc(cardId) {
      await execute(
        pool,
        sql`
          UPDATE vault.cards
          SET "sealedCvc" = NULL, "cvcExpiresAt" = NULL
          WHERE id = ${cardId} AND "sealedCvc" IS NOT NULL`,
      );
    },

    async purgeExpiredCvcs(limit = 1000) {
      return execute(
        pool,
        sql`
          UPDATE vault.cards
          SET "sealedCvc" = NULL, "cvcExpiresAt" = NULL
          WHERE id IN (
            SELECT id
            FROM vault.cards
            WHERE "cvcExpiresAt" <= ${clock.earliest()}
            ORDER BY "cvcExpiresAt"
            LIMIT ${limit}
            FOR UPDATE SKIP LOCKED
          )`,
      );
    },

    async rewrap(limit) {
      const rows = await queryRows<WrapRow>(
        pool,
        sql`
          SELECT id, mode, "platformAccountId", "keyId", "wrappedKey"
          FROM vault.cards
          WHERE "keyId" = ANY (${[...keys.keys.keys()].filter((id) => id !== keys.newestId)}::text[])
          LIMIT ${limit}`,
      );
      const fresh = rows.map((row) =>
        rewrapDataKey(keys, { keyId: row.keyId, wrapped: row.wrappedKey }, keyPlaceOf(row.id, row)),
      );
      // The old key id is compared, so that two concurrent rotations count each record once. Both results are correct:
      // the data key is the same under either wrapping.
      return execute(
        pool,
        sql`
          UPDATE vault.cards c
          SET "keyId" = ${keys.newestId}, "wrappedKey" = n."wrappedKey"
          FROM unnest(
            ${rows.map((row) => row.id)}::text[],
            ${rows.map((row) => row.keyId)}::text[],
            ${fresh.map((key) => key.wrapped)}::bytea[]
          ) AS n (id, "oldKeyId", "wrappedKey")
          WHERE c.id = n.id AND c."keyId" = n."oldKeyId"`,
      );
    },
  };
}

const cardsMax = 32;

/** cardNumber, expMonth, expYear. */
type CardContent = [string, number, number];

interface WrapRow {
  id: string;
  mode: string;
  platformAccountId: string;
  keyId: string;
  wrappedKey: Buffer;
}

interface CardRow extends Omit<WrapRow, 'id'> {
  sealedCard: Buffer;
  sealedCvc: Buffer | null;
  cvcExpiresAt: Date | null;
}

/** The context of each ciphertext: a row that is copied over another, or moved to live mode, cannot be decrypted. */
function placeOf(cardId: string, mode: string): string {
  return `card:${mode}:${cardId}`;
}

/**
 * The context of a data key, and so of everything encrypted with it: a card moved to another account cannot be
 * decrypted.
 */
function keyPlaceOf(cardId: string, { mode, platformAccountId }: Pick<WrapRow, 'mode' | 'platformAccountId'>): string {
  return `${placeOf(cardId, mode)}:${platformAccountId}`;
}

function cvcOf(place: string): string {
  return `cvc:${place}`;
}
