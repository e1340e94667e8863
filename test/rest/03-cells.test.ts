import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Platform } from '../../sdk/src/index.ts';
import { isWellFormedSecret, newSecret } from '../../src/auth/secret.ts';
import { scrub } from '../../src/observability/scrub.ts';
import { makePerson, signIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import { startTestPlatform, type TestPlatform, testConfig } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

let first: TestPlatform;
let cell: TestPlatform;
let elder: SeededPartner;
let partner: SeededPartner;
let account: SeededAccount;

beforeAll(async () => {
  first = await startTestPlatform();
  cell = await startTestPlatform({ env: { CELL: 'b2' } });
  elder = await seedPartner(first);
  partner = await seedPartner(cell);
  account = await partner.account();
});
afterAll(async () => {
  await first?.close();
  await cell?.close();
});

const refusal = async (platform: TestPlatform, key: string) => {
  const { status, body } = await clientOf(platform, key).call('/auth/test');
  return [status, body.code, body.message];
};

test('a key of a cell has its tag and _ before its 46 characters; its prefix ends with the first 8 of them', async () => {
  expect(partner.partnerKey).toMatch(/^tp_sk_partner_test_b2_[0-9A-Za-z]{46}$/);
  const made = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'shop' });
  expect(made.secret).toMatch(/^tp_sk_test_b2_[0-9A-Za-z]{46}$/);
  expect(made.prefix).toBe(made.secret.slice(0, 'tp_sk_test_b2_'.length + 8));
  expect(await clientOf(cell, made.secret).ok('/auth/test')).toMatchObject({ keyPrefix: made.prefix, mode: 'test' });
  const { items } = await partner.api.ok(`/accounts/${account.id}/api-keys/list`, {});
  expect(items.map(({ prefix }: { prefix: string }) => prefix)).toContain(made.prefix);
  expect(Platform.test(made.secret, { baseUrl: cell.url })).toMatchObject({ mode: 'test', keyKind: 'sub' });
});

test('a key of the cell without a tag has none', () => {
  expect(elder.partnerKey).toMatch(/^tp_sk_partner_test_[0-9A-Za-z]{46}$/);
});

test.each(['b', '0', 'zz', '42'])('the checksum covers the tag %s: another, a longer or none is no key', (tag) => {
  const { secret } = newSecret('sub', 'live', tag);
  expect(isWellFormedSecret(secret)).toBe(true);
  for (const other of ['', 'c_', 'B_', `${tag}${tag}${tag}_`, '_', `${tag}-`])
    expect(isWellFormedSecret(secret.replace(`_live_${tag}_`, `_live_${other}`)), other).toBe(false);
});

test('401 for a key of another cell, which says so in the same words whether the other cell knows the key or not', async () => {
  const toFirst =
    'The API key has the form of a key of the cell "b2", and this is the cell without a tag: check the address of ' +
    'the request.';
  for (const key of [partner.partnerKey, account.subKey, newSecret('sub', 'test', 'b2').secret])
    expect(await refusal(first, key)).toEqual([401, 'NOT_AUTHORIZED', toFirst]);
  const toCell =
    'The API key has the form of a key of the cell without a tag, and this is the cell "b2": check the address of ' +
    'the request.';
  for (const key of [elder.partnerKey, newSecret('partner', 'live').secret])
    expect(await refusal(cell, key)).toEqual([401, 'NOT_AUTHORIZED', toCell]);
  expect((await refusal(cell, newSecret('sub', 'test', 'b').secret))[2]).toMatch(/of the cell "b", and this is/);
  expect(await refusal(cell, newSecret('sub', 'test', 'b2').secret)).toEqual([
    401,
    'NOT_AUTHORIZED',
    'The API key is unknown, revoked or expired.',
  ]);
});

test('a log line keeps the tag and the prefix of a key, and nothing after them', () => {
  const { secret, prefix } = newSecret('partner', 'live', 'b2');
  expect(scrub(`{"note":"${secret}"}`)).toBe(`{"note":"${prefix}[redacted]"}`);
  expect(scrub(`{"keyPrefix":"${prefix}"}`)).toBe(`{"keyPrefix":"${prefix}"}`);
});

test('operators find a key with a tag by its prefix, also if it is pasted whole', async () => {
  const operator = await signIn(cell, await makePerson(cell, { platformRoles: ['hubadmin'] }));
  const query = 'query ($text: Name!) { search(mode: test, text: $text) { kind platformAccountId } }';
  for (const text of [account.subKey.slice(0, -38), account.subKey])
    expect((await operator.graphql(query, { text })).data).toEqual({
      search: [{ kind: 'apiKey', platformAccountId: account.id }],
    });
});

test.each(['B', 'abc', 'a_', '-', 'é'])('CELL=%s does not start, and says what a tag is', (tag) => {
  expect(() => testConfig(first.databaseUrl, { CELL: tag })).toThrow(/CELL .*one or two digits or lower-case letters/);
});

test('a database belongs to the cell of its first start: another CELL, or none, does not start on it', async () => {
  await expect(startTestPlatform({ databaseUrl: cell.databaseUrl })).rejects.toThrow(
    'The database belongs to the cell "b2", and CELL is not set: set CELL=b2, or use the database of the other cell.',
  );
  await expect(startTestPlatform({ databaseUrl: cell.databaseUrl, env: { CELL: 'b' } })).rejects.toThrow(
    'The database belongs to the cell "b2", and CELL is "b": set CELL=b2',
  );
  const { databaseUrl } = first;
  await (await startTestPlatform({ databaseUrl })).close();
  await expect(startTestPlatform({ databaseUrl, env: { CELL: 'b2' } })).rejects.toThrow(
    'The database belongs to the cell without a tag, and CELL is "b2": unset CELL',
  );
  const second = await startTestPlatform({ databaseUrl: cell.databaseUrl, env: { CELL: 'b2' } });
  await second.close();
});

test("the server's role cannot change the cell of a database", async () => {
  const { pool } = cell.services;
  const tag = randomBytes(1).toString('hex');
  await expect(pool.query('UPDATE cells.own SET tag = $1', [tag])).rejects.toThrow(/permission denied/);
  await expect(pool.query('DELETE FROM cells.own')).rejects.toThrow(/permission denied/);
  await expect(asOwner(cell, 'DELETE FROM cells.own')).rejects.toThrow();
});
