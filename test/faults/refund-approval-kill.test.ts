import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { makePerson, type SignedIn, signIn } from '../iam/people.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';

const secret = () => randomBytes(32).toString('base64');
const env: Record<string, string> = { VAULT_KEYS: `test:${secret()}`, FINGERPRINT_KEY: secret(), IDP_SECRET: secret() };
const clock = manualClock(new Date());
let onlooker: TestPlatform;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  onlooker = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
});
afterAll(() => onlooker?.close());

async function ask(person: SignedIn, field: string, args: string): Promise<any> {
  const { data, errors } = await person.graphql(
    `mutation { ${field}(${args}, reason: "asked by the cardholder") { refund { status } request { id status } } }`,
  );
  return errors ? errors[0].extensions.data.reason : data[field];
}

test('a server killed after an approval is committed has refunded once, and the request stays approved', {
  timeout: 120_000,
}, async () => {
  const { prisma } = onlooker.services;
  await prisma.refundLimit.create({ data: { mode: 'test', currency: 'USD', amount: 500, updatedAt: clock.now() } });
  const partner = await seedPartner(onlooker);
  const account = await partner.account();
  const paymentId = String((await account.charge('tok_visa', { amount: 1000 })).payment['id']);
  const [asker, approver] = await Promise.all([
    makePerson(onlooker, { platformRoles: ['hubadmin'] }),
    makePerson(onlooker, { platformRoles: ['hubadmin'] }),
  ]);
  const { request } = await ask(await signIn(onlooker, asker), 'operatorRefundPayment', `paymentId: "${paymentId}"`);
  // The processor books the refund at once, and its answer is on the way when the server is killed.
  const [processor] = (await account.api.ok('/processors/list', {})).items;
  await account.api.ok(`/processors/${processor.id}`, { options: { latencyMs: 15_000 } }, { method: 'PUT' });

  const server = await startServerProcess(env);
  const there = await signIn({ ...onlooker, url: server.url }, approver);
  const unanswered = ask(there, 'approveRefundRequest', `requestId: "${request.id}"`).catch(() => 'unanswered');
  await expect
    .poll(async () => (await prisma.refundRequest.findUniqueOrThrow({ where: { id: request.id } })).status, {
      timeout: 10_000,
    })
    .toBe('approved');
  await server.kill();
  expect(await unanswered).toBe('unanswered');

  const here = await signIn(onlooker, approver);
  expect(await ask(here, 'approveRefundRequest', `requestId: "${request.id}"`)).toBe('invalid_state');
  await account.api.ok(`/processors/${processor.id}`, { options: { latencyMs: 0 } }, { method: 'PUT' });
  clock.set(new Date(Date.now() + 60_000));
  await resolveUnknownPayments(onlooker.services);
  const refunds = await prisma.refund.findMany({ where: { paymentId } });
  expect(refunds.map(({ amount, status, requestedBy }) => [Number(amount), status, requestedBy])).toEqual([
    [1000, 'succeeded', asker.id],
  ]);
  const { status, refundId } = await prisma.refundRequest.findUniqueOrThrow({ where: { id: request.id } });
  expect([status, refundId]).toEqual(['approved', refunds[0]?.id]);
  const { rows } = await onlooker.services.pool.query(
    `SELECT f.refusal FROM test_processor.follow_ups f JOIN transactions t ON t.id = f.reference WHERE t."paymentId" = $1`,
    [paymentId],
  );
  expect(rows).toEqual([{ refusal: null }]);
  expect((await verifyLedger(onlooker.services)).differences).toEqual([]);
});
