import { randomBytes } from 'node:crypto';
import type { KeyPurpose } from '../../../src/keys/checks.ts';
import { createLog } from '../../../src/observability/log.ts';
import { prepareDatabase } from '../../../src/operating/prepare-database.ts';
import { asOwner, dropDatabase, freshDatabase, vaultDatabaseOf } from '../../support/database.ts';
import { startTestPlatform, testConfig } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';

export const newKey = (): string => randomBytes(32).toString('base64');
export const [a, b, x, y] = [newKey(), newKey(), newKey(), newKey()];
/** After one rotation of each ring. */
export const right = {
  VAULT_KEYS: `b:${b},a:${a}`,
  AUDIT_KEYS: `y:${y},x:${x}`,
  FINGERPRINT_KEY: newKey(),
  IDP_SECRET: newKey(),
};
export const other = newKey();
export const databases: string[] = [];

export async function dropDatabases(): Promise<void> {
  for (const url of databases.splice(0)) await dropDatabase(url);
}

/** A database with cards and audit rows under both keys of each ring. */
export async function rotated(vault: 'within' | 'apart'): Promise<string> {
  const databaseUrl = await freshDatabase();
  databases.push(databaseUrl);
  const steps = [
    { VAULT_KEYS: `a:${a}`, AUDIT_KEYS: `x:${x}` },
    // Behind the others a key encrypts nothing, and is known from now on.
    { VAULT_KEYS: `a:${a},b:${b}`, AUDIT_KEYS: `x:${x},y:${y}` },
    {},
  ];
  for (const env of steps) {
    const platform = await startTestPlatform({ databaseUrl, vault, env: { ...right, ...env } });
    await (await (await seedPartner(platform)).account()).instrument();
    await fetch(`${platform.url}/idp/jwks`);
    await platform.close();
  }
  await prepare(databaseUrl, vault, {}, 'rotate');
  return databaseUrl;
}

/** What `platform keys add` and `rotate` do before anything else. */
export async function prepare(
  databaseUrl: string,
  vault: 'within' | 'apart',
  env: Record<string, string>,
  purpose: KeyPurpose,
): Promise<void> {
  const vaultEnv = vault === 'apart' ? vaultSettingsOf(await vaultDatabaseOf(databaseUrl)) : {};
  const config = testConfig(databaseUrl, { ...right, ...vaultEnv, ...env });
  const urls = { url: databaseUrl, ownerUrl: databaseUrl };
  await prepareDatabase(config, urls, createLog({ level: 'silent' }), purpose);
}

/** A start with keys, and the stop. */
export const start = async (databaseUrl: string, env: Record<string, string>, vault: 'within' | 'apart' = 'within') => {
  const platform = await startTestPlatform({ databaseUrl, vault, env: { ...right, ...env } });
  await platform.close();
};

/** The keys that a database knows. */
export const statesIn = async (databaseUrl: string) =>
  (
    await asOwner<{ name: string }>(
      { databaseUrl },
      `SELECT setting || ' ' || "keyId" || ' ' || state AS name FROM keys.checks ORDER BY 1`,
    )
  ).rows.map(({ name }) => name);
