import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectTo } from '../../../src/database/errors.ts';
import type { KeyIntent } from '../../../src/keys/checks.ts';
import { createLog } from '../../../src/observability/log.ts';
import { prepareDatabase } from '../../../src/operating/prepare-database.ts';
import { keysOfBackup } from '../../../src/operating/prepare-keys.ts';
import { asOwner, vaultDatabaseOf } from '../../support/database.ts';
import { openDatabaseSwitch } from '../../support/database-switch.ts';
import { startTestPlatform, testConfig } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';
import { a, b, dropDatabases, newKey, other, right, rotated, start, statesIn, x, y } from './key-story.ts';

afterAll(dropDatabases);

/** Announces the keys of the settings, as `npm run keys:announce`. */
async function announce(databaseUrl: string, env: Record<string, string>, givesUp: string[] = []): Promise<void> {
  const intent: KeyIntent = { announces: true, uses: false, givesUp };
  const config = testConfig(databaseUrl, { ...right, ...env });
  await prepareDatabase(config, { url: databaseUrl, ownerUrl: databaseUrl }, createLog({ level: 'silent' }), intent);
}

describe('with the cards in a database of their own', () => {
  let databaseUrl: string;
  let vaultUrl: string;
  const c = newKey();
  const promoted = { VAULT_KEYS: `c:${c},${right.VAULT_KEYS}` };
  const appended = { VAULT_KEYS: `${right.VAULT_KEYS},c:${c}` };
  const away = {
    VAULT_DATABASE_URL: 'postgresql://platform_vault:x@127.0.0.1:1/vault',
    VAULT_MIGRATION_DATABASE_URL: '',
  };
  const both = async () => [await statesIn(databaseUrl), await statesIn(vaultUrl)];
  let before: string[][];

  beforeAll(async () => {
    databaseUrl = await rotated('apart');
    vaultUrl = await vaultDatabaseOf(databaseUrl);
    for (const url of [databaseUrl, vaultUrl])
      await asOwner({ databaseUrl: url }, 'CREATE TABLE keys.kept AS SELECT * FROM keys.checks');
    before = await both();
  });
  beforeEach(async () => {
    for (const url of [databaseUrl, vaultUrl])
      await asOwner({ databaseUrl: url }, 'DELETE FROM keys.checks; INSERT INTO keys.checks SELECT * FROM keys.kept');
  });
  const forget = async (...urls: string[]) => {
    for (const url of urls) await asOwner({ databaseUrl: url }, 'DELETE FROM keys.checks');
  };

  test.each([
    ['wrong VAULT_KEYS', { VAULT_KEYS: `c:${other}` }, /VAULT_KEYS lacks the key "a"/],
    ['VAULT_KEYS with other bytes', { VAULT_KEYS: `b:${b},a:${other}` }, /The key "a" of VAULT_KEYS does not open/],
    ['another FINGERPRINT_KEY', { FINGERPRINT_KEY: other }, /^FINGERPRINT_KEY is not the one/],
    ['another IDP_SECRET', { IDP_SECRET: other }, /^IDP_SECRET does not open/],
  ])('a first start with %s is refused and keeps no check in either, so that the right ones start', async (_what, env, sentence) => {
    await forget(databaseUrl, vaultUrl);
    await expect(start(databaseUrl, env, 'apart')).rejects.toThrow(sentence);
    expect(await both()).toEqual([[], []]);
    await start(databaseUrl, {}, 'apart');
    expect(await both()).toEqual(before);
  });

  test('a new first key that one of the two does not know becomes that of neither', async () => {
    await announce(databaseUrl, { ...promoted, ...vaultSettingsOf(vaultUrl) });
    await asOwner({ databaseUrl: vaultUrl }, `DELETE FROM keys.checks WHERE "keyId" = 'c'`);
    const known = await both();
    await expect(start(databaseUrl, promoted, 'apart')).rejects.toThrow(/"c", is not known to this installation/);
    expect(await both()).toEqual(known);
    await start(databaseUrl, {}, 'apart');
  });

  test('while the vault is away a start changes nothing of its keys, and one that would is refused', async () => {
    const sentence = /^The database of the vault is away, and VAULT_KEYS are not those of before/;
    await expect(announce(databaseUrl, { ...promoted, ...away })).rejects.toThrow(sentence);
    await start(databaseUrl, { ...appended, ...away }, 'apart');
    expect(await both()).toEqual(before);
    await announce(databaseUrl, { ...promoted, ...vaultSettingsOf(vaultUrl) });
    const announced = await both();
    await expect(start(databaseUrl, { ...promoted, ...away }, 'apart')).rejects.toThrow(sentence);
    expect(await both()).toEqual(announced);
    await start(databaseUrl, away, 'apart');
    await start(databaseUrl, promoted, 'apart');
    await forget(databaseUrl);
    for (const env of [{}, { VAULT_KEYS: `c:${other}` }, { FINGERPRINT_KEY: other }] as Record<string, string>[])
      await expect(start(databaseUrl, { ...env, ...away }, 'apart')).rejects.toThrow();
    expect(await statesIn(databaseUrl)).toEqual([]);
  });

  test('a server that was started while the vault was away, without a key of stored cards, stores and reads none', async () => {
    const { VAULT_DATABASE_URL } = vaultSettingsOf(vaultUrl);
    const line = await openDatabaseSwitch(VAULT_DATABASE_URL);
    line.cut();
    const env = { ...right, VAULT_KEYS: `b:${b}`, VAULT_DATABASE_URL: line.url, VAULT_MIGRATION_DATABASE_URL: '' };
    const platform = await startTestPlatform({ databaseUrl, vault: 'apart', env });
    try {
      const account = await (await seedPartner(platform)).account();
      line.restore();
      await expect(platform.services.vaultDatabase.check()).rejects.toThrow(
        /has cards of other keys. VAULT_KEYS lacks the key "a"/,
      );
      await expect(account.instrument()).rejects.toThrow(/ 503: /);
      expect((await account.api.call('/auth/test')).status).toBe(200);
    } finally {
      await platform.close();
      await line.close();
    }
  });
});

describe('with the cards beside everything else', () => {
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = await rotated('within');
    await asOwner({ databaseUrl }, 'CREATE TABLE keys.kept AS SELECT * FROM keys.checks');
  });
  beforeEach(async () => {
    await asOwner({ databaseUrl }, 'DELETE FROM keys.checks; INSERT INTO keys.checks SELECT * FROM keys.kept');
  });
  const forget = (condition = 'true') => asOwner({ databaseUrl }, `DELETE FROM keys.checks WHERE ${condition}`);

  test('a key that may be first again is needed as before, by a start and by a backup', async () => {
    await announce(databaseUrl, { AUDIT_KEYS: `x:${x},y:${y}`, VAULT_KEYS: `a:${a},b:${b}` });
    expect(await statesIn(databaseUrl)).toEqual(
      expect.arrayContaining(['AUDIT_KEYS x recalled', 'VAULT_KEYS a recalled']),
    );
    await expect(start(databaseUrl, { AUDIT_KEYS: `y:${y}` })).rejects.toThrow(/^AUDIT_KEYS lacks the key "x"/);
    await expect(start(databaseUrl, { VAULT_KEYS: `b:${b}` })).rejects.toThrow(/^VAULT_KEYS lacks the key "a"/);
    const client = await connectTo('DATABASE_URL', databaseUrl);
    const { keys, problems } = await keysOfBackup(testConfig(databaseUrl, right), client, ['a', 'b']);
    await client.end();
    expect([Object.keys(keys['AUDIT_KEYS'] ?? {}), Object.keys(keys['VAULT_KEYS'] ?? {}), problems]).toEqual([
      ['x', 'y'],
      ['a', 'b'],
      [],
    ]);
    await start(databaseUrl, { AUDIT_KEYS: `x:${x},y:${y}`, VAULT_KEYS: `a:${a},b:${b}` });
    await expect(start(databaseUrl, {})).rejects.toThrow(/"b", which was replaced by "a"/);
  });

  test('a setting that has no check yet is compared with what is stored, also when the others have theirs', async () => {
    for (const [setting, sentence] of [
      ['IDP_SECRET', /^IDP_SECRET does not open/],
      ['FINGERPRINT_KEY', /^FINGERPRINT_KEY is not the one/],
    ] as const) {
      await forget(`setting = '${setting}'`);
      await expect(start(databaseUrl, { [setting]: other })).rejects.toThrow(sentence);
      expect((await statesIn(databaseUrl)).filter((state) => state.startsWith(setting))).toEqual([]);
    }
    await start(databaseUrl, {});
  });

  test.each<[string, Record<string, string>]>([
    ['AUDIT_KEYS:x', { AUDIT_KEYS: `y:${y}` }],
    ['VAULT_KEYS:a', { VAULT_KEYS: `b:${b},a:${other}` }],
    ['VAULT_KEYS:a', { VAULT_KEYS: `b:${b}` }],
    ['FINGERPRINT_KEY', { FINGERPRINT_KEY: other }],
    ['IDP_SECRET', { IDP_SECRET: other }],
  ])('%s, which is lost already, can be given up before a database has any check', async (name, env) => {
    await forget();
    await expect(announce(databaseUrl, env)).rejects.toThrow();
    await expect(announce(databaseUrl, env, ['AUDIT_KEYS:other'])).rejects.toThrow();
    await announce(databaseUrl, env, [name]);
    await start(databaseUrl, env);
  });
});
