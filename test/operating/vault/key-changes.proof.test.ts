import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asOwner, vaultDatabaseOf } from '../../support/database.ts';
import { openDatabaseSwitch } from '../../support/database-switch.ts';
import { startTestPlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';
import { a, b, dropDatabases, newKey, other, prepare, right, rotated, start, statesIn, x, y } from './key-story.ts';

afterAll(dropDatabases);

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

  test('a new first key that one of the two does not know becomes that of neither', async () => {
    await prepare(databaseUrl, 'apart', promoted, 'add');
    await asOwner({ databaseUrl: vaultUrl }, `DELETE FROM keys.checks WHERE "keyId" = 'c'`);
    const known = await both();
    await expect(start(databaseUrl, promoted, 'apart')).rejects.toThrow(/"c", is not known to this installation/);
    expect(await both()).toEqual(known);
    await start(databaseUrl, {}, 'apart');
  });

  test('while the vault is away a start changes nothing of its keys, and one that would is refused', async () => {
    const sentence = /^The vault database is unavailable, and VAULT_KEYS differ from the previous ones/;
    await prepare(databaseUrl, 'apart', { ...promoted, ...away }, 'add');
    expect(await both()).toEqual(before);
    await start(databaseUrl, { ...appended, ...away }, 'apart');
    expect(await both()).toEqual(before);
    await prepare(databaseUrl, 'apart', promoted, 'add');
    const announced = await both();
    await expect(start(databaseUrl, { ...promoted, ...away }, 'apart')).rejects.toThrow(sentence);
    expect(await both()).toEqual(announced);
    await start(databaseUrl, away, 'apart');
    await start(databaseUrl, promoted, 'apart');
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
  const back = { AUDIT_KEYS: `x:${x},y:${y}`, VAULT_KEYS: `a:${a},b:${b}` };

  beforeAll(async () => {
    databaseUrl = await rotated('within');
    await asOwner({ databaseUrl }, 'CREATE TABLE keys.kept AS SELECT * FROM keys.checks');
  });
  beforeEach(async () => {
    await asOwner({ databaseUrl }, 'DELETE FROM keys.checks; INSERT INTO keys.checks SELECT * FROM keys.kept');
  });

  test('a key that was replaced can be added again: it may be first, and is needed as before', async () => {
    await expect(start(databaseUrl, back)).rejects.toThrow(/"a", which was replaced by "b"/);
    await prepare(databaseUrl, 'within', back, 'add');
    await expect(start(databaseUrl, { AUDIT_KEYS: `y:${y}` })).rejects.toThrow(/^AUDIT_KEYS lacks the key "x"/);
    await expect(start(databaseUrl, { VAULT_KEYS: `b:${b}` })).rejects.toThrow(/^VAULT_KEYS lacks the key "a"/);
    await start(databaseUrl, back);
    await prepare(databaseUrl, 'within', back, 'rotate');
    await expect(start(databaseUrl, {})).rejects.toThrow(/"b", which was replaced by "a"/);
  });

  test('during a rollout servers start with the keys in either order, until the rotation ends', async () => {
    const c = newKey();
    const next = { VAULT_KEYS: `c:${c},${right.VAULT_KEYS}` };
    await expect(start(databaseUrl, next)).rejects.toThrow(/"c", is not known to this installation, which uses "b"/);
    await expect(prepare(databaseUrl, 'within', next, 'rotate')).rejects.toThrow(/"c", is not known/);
    await start(databaseUrl, { VAULT_KEYS: `${right.VAULT_KEYS},c:${c}` });
    await start(databaseUrl, next);
    await start(databaseUrl, { VAULT_KEYS: `${right.VAULT_KEYS},c:${c}` });
    await prepare(databaseUrl, 'within', next, 'rotate');
    await expect(start(databaseUrl, { VAULT_KEYS: `${right.VAULT_KEYS},c:${c}` })).rejects.toThrow(
      /"b", which was replaced by "c"/,
    );
  });

  test('a key that is retired is not needed, and its id can be given to another one', async () => {
    await asOwner(
      { databaseUrl },
      `UPDATE keys.checks SET state = 'retired' WHERE "keyId" = 'a' OR setting = 'IDP_SECRET'`,
    );
    await start(databaseUrl, { VAULT_KEYS: `b:${b}`, IDP_SECRET: other });
    await start(databaseUrl, { VAULT_KEYS: `b:${b},a:${other}`, IDP_SECRET: other });
    await expect(start(databaseUrl, {})).rejects.toThrow(
      /^The key "a" of VAULT_KEYS is not the key.*\nIDP_SECRET is not the key/,
    );
  });
});
