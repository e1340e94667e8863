import { describe, expect, test } from 'vitest';
import { renameFormer, withFormerNames } from '../../rest/engine/request.ts';
import { InvalidInput } from '../../src/lib/errors.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const other = await partner.account();
const { organizationAccountId } = await partner.api.ok(`/accounts/${account.id}`);
const create = (body: object, headers = {}) =>
  partner.api.call('/stores/create', { name: 'Shop', ...body }, { headers });

describe('accountId is the former name of platformAccountId in a body', () => {
  test('200 for the former name, and the answer has only the name of today', async () => {
    const { status, body } = await create({ accountId: account.id });
    expect(status).toBe(200);
    expect(body.platformAccountId).toBe(account.id);
    expect(body).not.toHaveProperty('accountId');
  });

  test('200 for both names with the same value', async () => {
    const both = { accountId: account.id, platformAccountId: account.id };
    expect((await create(both)).body.platformAccountId).toBe(account.id);
  });

  test('400 for both names with different values, naming both', async () => {
    const { status, body } = await create({ accountId: account.id, platformAccountId: other.id });
    expect(status).toBe(400);
    expect(body.data.issues).toEqual([
      {
        path: 'platformAccountId',
        message: 'and its former name accountId have different values: send platformAccountId only',
      },
    ]);
  });

  test('400 for an invalid value under the former name, naming that of today', async () => {
    const { status, body } = await create({ accountId: 7 });
    expect([status, body.data.issues[0].path]).toEqual([400, 'platformAccountId']);
  });

  test('200 replayed when a call is repeated under the other name', async () => {
    const headers = { 'Idempotency-Key': 'store-once' };
    const first = await create({ accountId: account.id }, headers);
    expect((await create({ platformAccountId: account.id }, headers)).body).toEqual(first.body);
  });

  test('400 for accountId where no processing account is taken', async () => {
    const { status, body } = await account.api.call('/products/create', { name: 'X', accountId: account.id });
    expect([status, body.data.issues[0].path]).toEqual([400, 'accountId']);
  });
});

describe('the names of a query string', () => {
  const known = new Set(['platformAccountId']);

  test('the former name is read, and its value is that of the name of today', () => {
    expect(withFormerNames(known)).toEqual(['platformAccountId', 'accountId']);
    const sent = { accountId: 'tpa_1' };
    renameFormer(sent, known);
    expect(sent).toEqual({ platformAccountId: 'tpa_1' });
  });

  test('400 for both with different values', () => {
    expect(() => renameFormer({ accountId: 'tpa_1', platformAccountId: 'tpa_2' }, known)).toThrow(InvalidInput);
  });

  test('accountId stays where an endpoint has a field of this name, such as in IAM', () => {
    const sent = { accountId: 'acc_1' };
    renameFormer(sent, new Set(['accountId', 'platformAccountId']));
    expect(sent).toEqual({ accountId: 'acc_1' });
  });
});

describe('the identifier of an organization where that of a processing account is wanted', () => {
  const message =
    'Account not found. This is the identifier of an organization; that of a processing account begins with tpa_.';

  test.each([
    ['GET', '', undefined],
    ['GET', '/kyb', undefined],
    ['PUT', '', { legalName: 'X' }],
    ['POST', '/api-keys', { label: 'x' }],
    ['POST', '/api-keys/list', {}],
    ['POST', '/kyb/submit', { items: [{ code: 'business.website', value: 'https://shop.example.com' }] }],
  ] as const)('404 saying so for %s /accounts/acc_…%s', async (method, below, body) => {
    const answer = await partner.api.call(`/accounts/${organizationAccountId}${below}`, body, { method });
    expect([answer.status, answer.body.message]).toEqual([404, message]);
  });

  test('404 saying so in a body, for both kinds of key', async () => {
    for (const { api } of [partner, account]) {
      const answer = await api.call('/stores/create', { name: 'X', platformAccountId: organizationAccountId });
      expect([answer.status, answer.body.message]).toEqual([404, message]);
    }
  });

  test('NOT_FOUND saying so in the graph, whose arguments have no former name', async () => {
    const found = await partner.api.graphql(`{ account(platformAccountId: "${organizationAccountId}") { id } }`);
    expect(found.errors[0]).toMatchObject({ message, extensions: { code: 'NOT_FOUND' } });
    const former = await partner.api.graphql(`{ account(accountId: "${account.id}") { id } }`);
    expect(former.errors[0].message).toContain('accountId');
    expect(former.data ?? null).toBe(null);
  });
});

test('an account has organizationAccountId, of its organization, and no accountId', async () => {
  const answer = await partner.api.ok(`/accounts/${account.id}`);
  expect(answer.organizationAccountId).toMatch(/^acc_/);
  expect(answer).not.toHaveProperty('accountId');
});
