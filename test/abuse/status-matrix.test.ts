import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockDriven, jobsOf } from '../../src/domains.ts';
import { endpoints } from '../support/operations.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let platform: TestPlatform;
let account: SeededAccount;
let partnerId: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  await liftRates(platform);
  const partner = await seedPartner(platform);
  partnerId = partner.id;
  account = await partner.account();
});
afterAll(() => platform?.close());

const partnerStatuses = ['active', 'suspended', 'offboarded'] as const;

/**
 * What each job does for an account that may not charge, because of its own status or its partner's. A job without
 * a row fails: who adds one says here whether it takes money.
 */
const neverCharges = 'takes no money';
const withJobs: Record<string, string> = {
  'aggregate-key-uses': neverCharges,
  'anchor-audit-log': neverCharges,
  'rewrap-kyb-values': neverCharges,
  'purge-unclaimed-cards': neverCharges,
  'purge-expired-cvcs': neverCharges,
  'purge-presented-numbers': neverCharges,
  'rewrap-cards': neverCharges,
  'fail-test-refunds': neverCharges,
  'deliver-test-disputes': neverCharges,
  'retry-waiting-events': neverCharges,
  'purge-card-attempts': neverCharges,
  'purge-client-sessions': neverCharges,
  'purge-processor-events': neverCharges,
  'reconcile-with-processor': neverCharges,
  'rewrap-processor-secrets': neverCharges,
  'purge-connect-attempts': neverCharges,
  'follow-funnel-payments': neverCharges,
  'abandon-funnel-sessions': neverCharges,
  'deliver-webhooks': neverCharges,
  'measure-webhooks': neverCharges,
  'rewrap-signing-secrets': neverCharges,
  'remove-old-webhook-deliveries': neverCharges,
  'run-pending-reverts': neverCharges,
  'end-expired-invitations': neverCharges,
  'repair-identity-mirror': neverCharges,
  'purge-sign-in-attempts': neverCharges,
  'purge-identity-rows': neverCharges,
  'remove-old-idempotency-records': neverCharges,
  'renew-subscriptions': 'postponed: withheld and recorded; ends and cancels as ever',
  'resolve-unknown-payments': 'recorded; what the processor has not seen is not sent, and fails after ten minutes',
  'expire-challenges': 'ended at once for a partner that is cut off, else at its time',
  'expire-authorizations': 'voided at its time',
  'advance-test-clocks': 'postponed: a clock charges as the job of its domain does',
};
const withClocks: Record<string, string> = {
  disputes: neverCharges,
  webhooks: neverCharges,
  payments: 'as resolve-unknown-payments, expire-challenges and expire-authorizations',
  subscriptions: 'as renew-subscriptions',
};

function rowOf(rows: Readonly<Record<string, string>>, name: string): string {
  const row = rows[name];
  if (row === undefined) throw new Error(`${name} has no row: say what it does for an account that may not charge.`);
  return row;
}

test('every endpoint and job by the status of the partner is the tracked table', async () => {
  const lines: string[] = ['endpoint, with a key: what it answers while the partner is active, suspended, offboarded'];
  for (const { method, path } of endpoints.filter(({ scopes }) => !scopes.partnerKey)) {
    const cells: string[] = [];
    for (const status of partnerStatuses) {
      await platform.services.pool.query('UPDATE partners SET status = $1 WHERE id = $2', [status, partnerId]);
      const takesBody = method === 'POST' || method === 'PUT';
      // Not JSON: an endpoint that is open answers 400, and nothing is done.
      const answer = await account.api.call(
        path.replace(/:\w+/g, 'nothing_0000000000000000'),
        takesBody ? '{' : undefined,
        {
          method,
        },
      );
      const reason = answer.body?.data?.reason ?? answer.body?.issues?.[0]?.reason;
      cells.push(answer.status === 403 ? `403 ${reason ?? 'FORBIDDEN'}` : 'open');
    }
    lines.push(`${method.padEnd(6)} ${path.padEnd(48)} ${cells.map((cell) => cell.padEnd(22)).join(' ')}`.trimEnd());
  }
  lines.push('', 'job, for an account or partner that may not charge');
  for (const { name } of jobsOf(platform.services)) lines.push(`${name.padEnd(40)} ${rowOf(withJobs, name)}`);
  lines.push('', 'test clock, the same');
  for (const { name } of clockDriven) lines.push(`${name.padEnd(40)} ${rowOf(withClocks, name)}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('status-matrix.txt');
});
