import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Conflict } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { recordRefusal } from '../../src/unit-of-work/refusals.ts';
import type { Answer, Client } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const { pool } = platform.services;

const auditCount = async () => Number((await pool.query('SELECT count(*) FROM audit_rows')).rows[0].count);

describe('identifiers', () => {
  let rows: number;
  beforeEach(async () => {
    rows = await auditCount();
    platform.logged.length = 0;
  });
  /** A refused one leaves no row of the audit log, and no long line of the other. */
  afterEach(async () => {
    expect(await auditCount()).toBe(rows);
    expect(Math.max(...platform.logged.map((line) => line.length))).toBeLessThan(1_000);
  });

  const problem = 'must be an identifier of at most 100 characters';
  const named = (path: string) => ({ path, message: expect.stringContaining(problem) });
  const [allowed, tooLong, huge] = ['x'.repeat(100), 'x'.repeat(101), 'x'.repeat(4_000)];

  const { paths } = JSON.parse(readFileSync('rest/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  };
  const withIdentifier = Object.entries(paths).flatMap(([path, methods]) =>
    path.includes('{') ? Object.keys(methods).map((method) => [method.toUpperCase(), path] as const) : [],
  );
  test.each(
    withIdentifier,
  )('%s %s: 400 that names the identifier of 101 and of 4,000 characters', async (method, path) => {
    const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
    const call = (api: Client, id: string) =>
      api.call(path.replace(`{${name}}`, id), method === 'GET' ? undefined : {}, { method: method as 'GET' });
    for (const id of [tooLong, huge]) {
      const answers = await Promise.all([call(account.api, id), call(partner.api, id)]);
      // Some endpoints take one kind of key.
      const [{ body }, ...others] = answers.filter(({ status }) => status !== 403) as [Answer, ...Answer[]];
      for (const { status } of others) expect(status).toBe(400);
      expect((body.data ?? body).issues, JSON.stringify(body)).toEqual(expect.arrayContaining([named(name)]));
    }
  });

  test('404 for one of 100 characters, as for any that does not exist', async () => {
    expect((await account.api.call(`/payments/${allowed}`)).status).toBe(404);
  });

  test.each([
    ['/orders/cancel', { orderId: huge }, 'orderId'],
    ['/payments', { filters: { customerId: huge } }, 'filters.customerId'],
    ['/block-rules', { name: 'A rule', storeId: huge }, 'storeId'],
  ])('%s: 400 that names the identifier in the body', async (path, input, field) => {
    const { status, body } = await account.api.call(path, input);
    expect([status, body.data?.issues], JSON.stringify(body)).toEqual([400, expect.arrayContaining([named(field)])]);
  });

  test('400 in GraphQL, in a variable and in the document', async () => {
    for (const [document, variables, field] of [
      ['query ($id: ID!) { payment(paymentId: $id) { id } }', { id: huge }, 'id'],
      [`{ payment(paymentId: "${huge}") { id } }`, {}, 'paymentId'],
    ] as const) {
      const { errors } = await account.api.graphql(document, variables);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'INPUT_PARSE_ERROR', data: { issues: [named(field)] } });
    }
  });
});

test('the target of a refusal is cut to 400 characters, with a hash that tells it from others', async () => {
  const refused = async (target: string) => {
    const requestId = newId('req_', platform.services.clock.now());
    const actor = { kind: 'system', id: 'test' } as const;
    const writer = {
      services: platform.services,
      actor,
      requestId,
      ip: null,
      idempotency: null,
      answer: { replayed: false },
    };
    await recordRefusal(writer, { action: 'inviteStaff', target }, new Conflict('invalid_state', 'Refused.'));
    return (await pool.query('SELECT target FROM audit_rows WHERE "requestId" = $1', [requestId])).rows[0].target;
  };
  expect(await refused('x'.repeat(400))).toBe('x'.repeat(400));
  const [one, other] = [await refused(`${'x'.repeat(5_000)}1`), await refused(`${'x'.repeat(5_000)}2`)];
  for (const cut of [one, other]) expect(cut).toMatch(/^x{335}#[0-9a-f]{64}$/);
  expect(one).not.toBe(other);
});

test('an error with a long message is one line of at most 20,000 characters', () => {
  platform.services.log.error(
    { err: new Error('x'.repeat(100_000), { cause: new Error('y'.repeat(100_000)) }) },
    'Failed.',
  );
  const line = platform.logged.at(-1) ?? '';
  expect(line).toContain('(100000 characters)');
  expect(line.length).toBeLessThan(20_000);
});
