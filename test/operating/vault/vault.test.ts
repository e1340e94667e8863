import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createVault } from '../../../src/adapters/vault/vault.ts';
import { openPool } from '../../../src/database/pool.ts';
import { VaultFailure } from '../../../src/keys/envelope.ts';
import { type KeyRing, parseKeyRing } from '../../../src/keys/key-ring.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import type { CardToStore } from '../../../src/ports/vault.ts';
import { freshDatabase } from '../../support/database.ts';

const start = new Date('2026-03-01T12:00:00.000Z');
const [oldKey, youngKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const oldRing = parseKeyRing(`old:${oldKey}`);
const bothRing = parseKeyRing(`young:${youngKey},old:${oldKey}`);
const youngRing = parseKeyRing(`young:${youngKey}`);
const fingerprintKey = randomBytes(32);

const cardNumber = '4000056655665556';
const card: CardToStore = {
  cardNumber,
  expMonth: 7,
  expYear: 2031,
  cvc: '987',
  cvcExpiresAt: new Date(start.getTime() + 1000),
  platformAccountId: 'tpa_1',
  mode: 'test',
};

let pool: pg.Pool;
let clock: ReturnType<typeof manualClock>;
const vaultWith = (keys: KeyRing) => createVault({ pool, keys, fingerprintKey, clock });

beforeAll(async () => {
  pool = openPool({ connectionString: await freshDatabase(), max: 4 });
});
afterAll(() => pool.end());
beforeEach(async () => {
  clock = manualClock(start);
  await pool.query('DELETE FROM vault.cards');
});

describe('reveal', () => {
  test('returns what was stored', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    const clear = await vault.reveal(cardId, card);
    expect([clear.cardNumber, clear.expMonth, clear.expYear, clear.cvc]).toEqual([cardNumber, 7, 2031, '987']);
  });

  test('returns the cvc until its expiry and not after it, before and after the job', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    clock.advance(999);
    expect((await vault.reveal(cardId, card)).cvc).toBe('987');
    clock.advance(1);
    expect(await vault.reveal(cardId, card)).toMatchObject({ cvc: null, cardNumber });
  });

  test('returns a card without a cvc', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store({ ...card, cvc: null });
    expect(await vault.reveal(cardId, card)).toMatchObject({ cvc: null, cardNumber });
  });

  test('fails for an unknown card', async () => {
    await expect(vaultWith(oldRing).reveal('card_none', card)).rejects.toThrow('no card "card_none"');
  });

  test.each([
    { platformAccountId: 'tpa_2' },
    { mode: 'live' as const },
  ])('fails for the card of another account or mode: %o', async (other) => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    await expect(vault.reveal(cardId, { ...card, ...other })).rejects.toThrow(`no card "${cardId}"`);
  });

  test.each([
    'mode',
    'platformAccountId',
    'sealedCard',
    'sealedCvc',
    'wrappedKey',
  ])('fails when the %s of another row was put in its place', async (column) => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    const other = await vault.store({
      ...card,
      cardNumber: '5555555555554444',
      mode: 'live',
      platformAccountId: 'tpa_2',
    });
    await pool.query(
      `UPDATE vault.cards c SET "${column}" = o."${column}" FROM vault.cards o WHERE c."id" = $1 AND o."id" = $2`,
      [cardId, other.cardId],
    );
    await expect(vault.reveal(cardId, card)).rejects.toThrow(VaultFailure);
  });

  test('fails when card and cvc were exchanged', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    await pool.query(`UPDATE vault.cards SET "sealedCvc" = "sealedCard"`);
    await expect(vault.reveal(cardId, card)).rejects.toThrow(VaultFailure);
  });
});

describe('the cvc', () => {
  const cvcsKept = async () =>
    (await pool.query<{ n: number }>(`SELECT count("sealedCvc")::int AS n FROM vault.cards`)).rows[0]?.n;

  test('is erased from the record, and the card stays', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    const other = await vault.store(card);
    await vault.purgeCvc(cardId);
    await vault.purgeCvc(cardId);
    await vault.purgeCvc('card_none');
    expect(await vault.reveal(cardId, card)).toMatchObject({ cvc: null, cardNumber });
    expect(await vault.reveal(other.cardId, card)).toMatchObject({ cvc: '987' });
    expect(await cvcsKept()).toBe(1);
  });

  test('is purged by the job at its expiry and not before, in batches', async () => {
    const vault = vaultWith(oldRing);
    for (let n = 0; n < 3; n++) await vault.store(card);
    await vault.store({ ...card, cvcExpiresAt: new Date(start.getTime() + 2000) });
    clock.advance(999);
    expect(await vault.purgeExpiredCvcs()).toBe(0);
    clock.advance(1);
    expect([await vault.purgeExpiredCvcs(2), await vault.purgeExpiredCvcs(2), await vault.purgeExpiredCvcs(2)]).toEqual(
      [2, 1, 0],
    );
    expect(await cvcsKept()).toBe(1);
  });
});

describe('fingerprint', () => {
  test('is equal for the same number, regardless of other stored numbers', async () => {
    const vault = vaultWith(oldRing);
    const one = await vault.store(card);
    const two = await vault.store({ ...card, expYear: 2032, cvc: null });
    expect(one.cardId).not.toBe(two.cardId);
    expect(two.fingerprint).toBe(one.fingerprint);
    expect(vault.fingerprint(cardNumber, card)).toBe(one.fingerprint);
  });

  test('differs by number, account, mode and key', () => {
    const vault = vaultWith(oldRing);
    const otherKey = createVault({ pool, keys: oldRing, fingerprintKey: randomBytes(32), clock });
    const all = [
      vault.fingerprint(cardNumber, card),
      vault.fingerprint('4242424242424242', card),
      vault.fingerprint(cardNumber, { ...card, platformAccountId: 'tpa_2' }),
      vault.fingerprint(cardNumber, { ...card, mode: 'live' }),
      otherKey.fingerprint(cardNumber, card),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('rewrap', () => {
  test('moves every record to the newest key in batches, after which the old key is not needed', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await vaultWith(oldRing).store(card)).cardId));
    const fresh = await vaultWith(bothRing).store(card);
    const moved = [
      await vaultWith(bothRing).rewrap(3),
      await vaultWith(bothRing).rewrap(3),
      await vaultWith(bothRing).rewrap(3),
    ];
    expect(moved).toEqual([3, 2, 0]);
    for (const id of [...ids, fresh.cardId])
      expect(await vaultWith(youngRing).reveal(id, card)).toMatchObject({ cardNumber, cvc: '987' });
  });

  test('two at once count each record once', async () => {
    for (let n = 0; n < 4; n++) await vaultWith(oldRing).store(card);
    const [one, two] = await Promise.all([vaultWith(bothRing).rewrap(10), vaultWith(bothRing).rewrap(10)]);
    expect(one + two).toBe(4);
  });

  test('skips records under a key that is not in the ring', async () => {
    const { cardId } = await vaultWith(oldRing).store(card);
    expect(await vaultWith(youngRing).rewrap(10)).toBe(0);
    expect(await vaultWith(oldRing).reveal(cardId, card)).toMatchObject({ cardNumber });
  });
});

describe('a card number cannot be read', () => {
  test('in the database', async () => {
    await vaultWith(oldRing).store(card);
    const { rows } = await pool.query<{ row: string; sealed: string }>(
      `SELECT c::text AS row, encode("sealedCard", 'escape') || encode("sealedCvc", 'escape') AS sealed FROM vault.cards c`,
    );
    expect(rows[0]?.row).not.toMatch(/4000056655665556|5566555/);
    // Three digits are in the hexadecimal text of many a row by chance; in the bytes themselves they are not.
    expect(rows[0]?.sealed).not.toMatch(/4000056655665556|5566555|987/);
  });

  test('in the print, the JSON or a copy of a revealed card, nor in the vault itself', async () => {
    const vault = vaultWith(oldRing);
    const { cardId } = await vault.store(card);
    const clear = await vault.reveal(cardId, card);
    for (const text of [
      inspect(clear),
      String(clear),
      JSON.stringify({ clear }),
      inspect({ ...clear }),
      inspect(vault, { depth: 9 }),
    ]) {
      expect(text).not.toMatch(/4000056655665556|987/);
    }
  });

  test('in the error of a store that failed', async () => {
    const closed = openPool({ host: '127.0.0.1', port: 1 });
    const failing = () => createVault({ pool: closed, keys: oldRing, fingerprintKey, clock }).store(card);
    // The check constraint must reject it.
    const refused = () => vaultWith(oldRing).store({ ...card, mode: 'other' as 'test' });
    for (const attempt of [failing, refused]) {
      const error = await attempt().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/4000056655665556/);
    }
    await closed.end();
  });
});
