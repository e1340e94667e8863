import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { prettyLine } from '../../../src/observability/pretty-log.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

/** The access log line of the last request on a path, once it is written. */
async function lineOf(route: string): Promise<{ line: string; fields: Record<string, unknown> }> {
  const find = () =>
    platform.logged.findLast((line) => line.includes('"msg":"request"') && line.includes(`"${route}"`));
  await expect.poll(find).toBeDefined();
  const line = find() ?? '';
  return { line, fields: JSON.parse(line) };
}

test('a charge is logged with its payment, status, decline code, account and key, in JSON and in short', async () => {
  const { payment } = await account.charge('4000000000000002');
  const { line, fields } = await lineOf('/api/public/v1/payments/process');
  const keyPrefix = account.subKey.slice(0, 'tp_sk_test_'.length + 8);
  expect(fields).toMatchObject({
    method: 'POST',
    status: 200,
    outcome: 'declined',
    code: 'card_declined',
    paymentId: payment['id'],
    platformAccountId: account.id,
    keyPrefix,
  });
  expect(line).not.toContain(account.subKey);
  const short = `POST /api/public/v1/payments/process 200 declined card_declined ${payment['id']} ${account.id} ${keyPrefix} `;
  expect(prettyLine(line, false).slice(9)).toMatch(new RegExp(`^${short}\\d+ ms\\n$`));
  expect(stripVTControlCharacters(prettyLine(line, true))).toBe(prettyLine(line, false));
  expect(prettyLine(line, true)).not.toBe(prettyLine(line, false));
});

test('a refusal is logged with its code and without what was sent', async () => {
  await account.api.call('/payments/process', { amount: 'canary-4242424242424242' });
  await expect.poll(async () => (await lineOf('/api/public/v1/payments/process')).fields['status']).toBe(400);
  const { line, fields } = await lineOf('/api/public/v1/payments/process');
  expect(fields).toMatchObject({ code: 'INPUT_PARSE_ERROR', platformAccountId: account.id });
  expect(fields['paymentId']).toBeUndefined();
  expect(line).not.toContain('canary');
});

test('a GraphQL operation is logged with its payment, or the code of its first error', async () => {
  const { payment } = await account.charge();
  await account.api.graphql('query($id: ID!) { own: payment(paymentId: $id) { id status } }', {
    id: payment['id'],
  });
  expect((await lineOf('/graphql')).fields).toMatchObject({ outcome: 'succeeded', paymentId: payment['id'] });
  await account.api.graphql('{ payment(paymentId: "pay_none") { id } }');
  await expect.poll(async () => (await lineOf('/graphql')).fields['code']).toBe('PAYMENT_NOT_FOUND');
});

test('a request of the demo’s own receivers is at the level debug, any other at info', async () => {
  await fetch(`${platform.url}/test/receivers/accepts`, { method: 'POST' });
  expect((await lineOf('/test/receivers/:kind')).fields).toMatchObject({ level: 'debug', status: 200 });
  await account.charge();
  expect((await lineOf('/api/public/v1/payments/process')).fields['level']).toBe('info');
});

test('another line is its message, fields and stack; a control character of a field does not reach the terminal', () => {
  const fields = {
    level: 'warn',
    time: '2026-01-02T03:04:05.678Z',
    note: 'a\u001b[2J',
    err: { stack: 'Error: x\n    at y' },
  };
  expect(prettyLine(JSON.stringify({ ...fields, msg: 'Careful.' }), false)).toBe(
    '03:04:05 WARN Careful. note=a?[2J\nError: x\n    at y\n',
  );
  expect(prettyLine('no JSON\n', true)).toBe('no JSON\n');
});
