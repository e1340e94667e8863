import { createVault } from '../adapters/vault/vault.ts';
import { sampleCard, sampleSecret } from '../database/keys/used-keys.ts';
import { type Queryable, queryRow, queryRows, sql } from '../database/sql.ts';
import { openAuditKeys } from '../keys/audit-keys.ts';
import { fullNameOf, type Keys } from '../keys/checks.ts';
import { decryptSecret, VaultFailure } from '../keys/envelope.ts';
import { parseKeyRing } from '../keys/key-ring.ts';
import { systemClock } from '../lib/clock.ts';
import { verifyNewestRows } from '../people/audit/verify-audit.ts';

/** The databases of an installation that may have no checks yet: that of the cards, and the main one. */
export interface StoredData {
  /** The database whose checks are missing. */
  database: Queryable;
  /** The database with the instruments, which contain the fingerprints of cards. */
  main: Queryable;
  isVaultAlone: boolean;
}

/** A key that does not open stored data: its name in commands, and the message. */
export interface WrongKey {
  name: string;
  problem: string;
}

/**
 * Compares keys with data that was stored by a version without checks, and returns the wrong ones. For each key one
 * stored value is decrypted. `used` are the ids of the vault's keys that stored data needs.
 */
export async function verifyKeys(data: StoredData, keys: Keys, used: readonly string[]): Promise<WrongKey[]> {
  const wrong = await wrongVaultKeys(data, keys, used);
  if (data.isVaultAlone) return wrong;
  const audit = [...(await verifyNewestRows(data.main, openAuditKeys(keys.auditKeys)))];
  for (const [id, matches] of audit)
    if (matches !== true) wrong.push(id === 'derived' ? wrongFingerprintKey : wrongAuditKey(id));
  if (keys.idpSecret !== null && !(await opensTokenKeys(data.main, keys.idpSecret)))
    wrong.push({
      name: 'IDP_SECRET',
      problem:
        'IDP_SECRET does not open the keys that the identity provider stored with it. Put the one of before back, from ' +
        'the copy of the secrets.',
    });
  return [...new Map(wrong.map((one) => [one.name, one])).values()];
}

const wrongFingerprintKey: WrongKey = {
  name: 'FINGERPRINT_KEY',
  problem:
    'FINGERPRINT_KEY is not the one that stored fingerprints or audit rows were made with. Put the one of before back, ' +
    'from the copy of the secrets.',
};

function wrongAuditKey(keyId: string): WrongKey {
  return {
    name: fullNameOf({ setting: 'AUDIT_KEYS', keyId }),
    problem:
      `AUDIT_KEYS lacks the key "${keyId}", or has another one by this id: rows of the audit log were hashed with it. ` +
      'Put it back, from the copy of the secrets.',
  };
}

async function wrongVaultKeys(
  { database, main, isVaultAlone }: StoredData,
  { vaultKeys, fingerprintKey }: Keys,
  used: readonly string[],
): Promise<WrongKey[]> {
  const ring = parseKeyRing(vaultKeys);
  const vault = createVault({ pool: database, keys: ring, fingerprintKey, clock: systemClock });
  const wrong: WrongKey[] = [];
  for (const id of used.filter((known) => ring.keys.has(known))) {
    const card = await sampleCard(database, id);
    const secret = card || isVaultAlone ? undefined : await sampleSecret(database, id);
    try {
      if (secret) decryptSecret(ring, secret.text, secret.context);
      if (!card) continue;
      const { cardNumber } = await vault.reveal(card.id, card);
      const instrument = await queryRow<{ fingerprint: string }>(
        main,
        sql`SELECT fingerprint FROM payment_instruments WHERE "cardId" = ${card.id} LIMIT 1`,
      );
      if (instrument && instrument.fingerprint !== vault.fingerprint(cardNumber, card)) wrong.push(wrongFingerprintKey);
    } catch (error) {
      if (!(error instanceof VaultFailure)) throw error;
      wrong.push({
        name: fullNameOf({ setting: 'VAULT_KEYS', keyId: id }),
        problem:
          `The key "${id}" of VAULT_KEYS does not open what was stored with the key of this id. Put the one of before ` +
          'back, from the copy of the secrets.',
      });
    }
  }
  return wrong;
}

/**
 * Whether the secret opens one of the provider's keys. A changed secret leaves keys that it does not open; one that
 * opens none was never that of this provider.
 */
async function opensTokenKeys(main: Queryable, secret: string): Promise<boolean> {
  const stored = await queryRows<{ key: string }>(
    main,
    sql`SELECT "privateKey" AS key FROM idp.jwks ORDER BY "createdAt" DESC LIMIT 10`,
  );
  if (stored.length === 0) return true;
  const { symmetricDecrypt } = await import('better-auth/crypto');
  for (const { key } of stored)
    try {
      await symmetricDecrypt({ key: secret, data: JSON.parse(key) as string });
      return true;
    } catch {
      // An older secret encrypted it.
    }
  return false;
}
