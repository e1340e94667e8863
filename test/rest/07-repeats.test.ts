import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPool } from '../../src/database/pool.ts';
import { setWaits } from '../../src/database/waits.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { signInEachRole } from '../iam/people.ts';
import { dropDatabase, freshDatabase } from '../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../support/database-switch.ts';
import { runExampleStory, storyBegins } from '../support/example-story.ts';
import { rootFields } from '../support/operations.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type MadeCall, notingClient, repeated, runPeoplesCalls } from '../support/repeated-calls.ts';
import { runAdministrationCalls } from '../support/repeated-people-calls.ts';
import { type SeededPartner, seedPartner } from '../support/seed.ts';

/**
 * How each mutation keeps its key, and what that leaves of it when its process dies.
 *
 * - `write`: one transaction. Killed, nothing of it is there, its key neither: the repeat is the first call.
 * - `processor`: the key is claimed with the intent, before a processor is called. Killed, it is in use until a job has
 *   resolved the outcome; then the repeat gets that outcome.
 * - `steps`: the key is claimed with a lease. Killed, the lease ends and the repeat makes what is left.
 * - `changes`: as `steps`, of what people administer. Each change is stored with its key too: killed after it, the
 *   repeat answers it.
 * - `none`: takes no key: what a person reads with a row of the audit log for each time, and runs of jobs.
 */
type Kind = 'write' | 'processor' | 'steps' | 'changes' | 'none';

const kinds: Record<Exclude<Kind, 'write'>, string[]> = {
  processor: [
    'processPayment',
    'continuePayment',
    'capturePayment',
    'voidPayment',
    'refundPayment',
    'approveRefundRequest',
  ],
  steps: [
    'createSubscription',
    'updateSubscription',
    'resumeSubscription',
    'rebillSubscription',
    'openTestDispute',
    'advanceTestDispute',
    'advanceTestClock',
  ],
  changes: [
    'activateAccount',
    'approveKyb',
    'approvePartnerKeyRequest',
    'archivePartner',
    'assignOrganizationToPartner',
    'closeAccount',
    'createPartner',
    'createPartnerKey',
    'deleteStaff',
    'deleteView',
    'endMyOtherSessions',
    'endMySession',
    'endUserSessions',
    'inviteStaff',
    'issuePartnerKey',
    'rejectKyb',
    'rejectPartnerKeyRequest',
    'resendStaffInvitation',
    'resetSecondFactor',
    'resolvePayment',
    'reviewKybRequirement',
    'revokePartnerKey',
    'revokeStaff',
    'saveView',
    'setAccountPlan',
    'setInternalUserRoles',
    'setRefundLimit',
    'setStaffRoles',
    'setUserPartnerScope',
    'suspendAccount',
    'updatePartner',
    'withdrawPartnerKeyRequest',
  ],
  none: ['createExport', 'runJob', 'revealKyb'],
};
const kindOf = (field: string): Kind =>
  (Object.keys(kinds) as (keyof typeof kinds)[]).find((kind) => kinds[kind].includes(field)) ?? 'write';
const inUse = { refused: 'idempotency_key_in_use' };

const clock = manualClock(storyBegins);
let database: string;
let direct: pg.Pool;
let line: DatabaseSwitch;
let platform: TestPlatform;
let partner: SeededPartner;
/** Every mutation that takes a key, called once. Since then, all that it depended on has changed. */
const made: MadeCall[] = [];

/** How long a repeat waits for its first call here. */
const runningCallMs = 400;

beforeAll(async () => {
  database = await freshDatabase();
  direct = openPool({ connectionString: database, max: 2 });
  line = await openDatabaseSwitch(database);
  platform = await startTestPlatform({
    databaseUrl: line.url,
    clock,
    env: { DATABASE_POOL_SIZE: '40' },
    identityProvider: 'embedded', // second factors are its own
  });
  setWaits(platform.services.pool, { runningCallMs });
  await disableRateLimits({ databaseUrl: database });
  partner = await seedPartner(platform);
  const people: MadeCall[] = [];
  const who = await signInEachRole(platform, partner);
  const account = await partner.account();
  await runPeoplesCalls(who, partner, account, people);
  await runAdministrationCalls(platform, { direct, account, who }, people);
  await runExampleStory({ url: platform.url, api: notingClient(partner.api, made), clock });
  made.push(...people);
  await direct.query(`UPDATE processing_accounts SET status = 'suspended'`);
  await direct.query(`UPDATE payment_instruments SET "isActive" = false, "isDefault" = false`);
  await direct.query(`UPDATE customers SET "emailLower" = 'other-' || id, email = 'other-' || id`);
  await direct.query(`UPDATE orders SET status = 'canceled', "paymentId" = NULL`);
  await direct.query(`UPDATE prices SET amount = amount * 10`);
  await direct.query(`UPDATE subscriptions SET quantity = quantity + 1, "cancelAtPeriodEnd" = status = 'active'`);
  await direct.query('DELETE FROM tokens');
});
afterAll(async () => {
  await platform?.close();
  await line?.close();
  await direct?.end();
  await dropDatabase(database);
});

/** What becomes of each call, by its field and key. */
async function outcomesOf(calls: readonly MadeCall[], of: (call: MadeCall) => Promise<unknown>) {
  const answers = await Promise.all(calls.map(async (call) => [`${call.field} ${call.key}`, await of(call)] as const));
  return Object.fromEntries(answers);
}
const all = (outcome: unknown, calls: readonly MadeCall[] = made) => outcomesOf(calls, async () => outcome);
const ofKind = (kind: Kind) => made.filter(({ field }) => kindOf(field) === kind);
/** Calls that look for their first call in different ways: one of each kind and surface, and all of processors. */
const lookedUpApart = () => [
  ...ofKind('processor'),
  ...(['write', 'steps', 'changes'] as const).flatMap((kind) =>
    [/^story/, /^person/].flatMap((surface) => ofKind(kind).find(({ key }) => surface.test(key)) ?? []),
  ),
  ...made.filter(({ field }) => field === 'updateSubscription'),
];
const ofSteps = () => [...ofKind('steps'), ...ofKind('changes')];
const answers = () => outcomesOf(made, async ({ answer }) => ({ answer: repeated(answer) }));

/** The record that has the answer of a call. */
async function recordOf({ field, key }: MadeCall) {
  const { rows } = await direct.query(
    `SELECT owner, operation, key, "requestHash", answer
      FROM idempotency_records
      WHERE key = $1
      ORDER BY operation LIKE '%:answer' DESC, operation = $2 DESC
      LIMIT 1`,
    [key, field],
  );
  return rows[0];
}
const owners = `SELECT owner, operation, $2::text, "requestHash", now() FROM idempotency_records WHERE key = $1`;

describe('7 repeats of every mutation', () => {
  test('the table has every mutation', () => {
    const mutations = rootFields.filter(({ kind }) => kind === 'mutation').map(({ field }) => field.name);
    const known = new Set([...made.map(({ field }) => field), ...kinds.none]);
    expect(mutations.filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !mutations.includes(name))).toEqual([]);
    expect(kinds.none.filter((name) => made.some(({ field }) => field === name))).toEqual([]);
  });

  test('the first answer, whatever has changed since', async () => {
    expect(await outcomesOf(made, (call) => call.again())).toEqual(await answers());
  });

  test('the first answer, when the partner is suspended since', async () => {
    await direct.query(`UPDATE partners SET status = 'suspended' WHERE id = $1`, [partner.id]);
    expect(await outcomesOf(made, (call) => call.again())).toEqual(await answers());
    const refused = await partner.api.call('/customers/create', { email: 'a@example.com' });
    expect([refused.status, refused.body.data]).toEqual([403, { reason: 'partner_not_active' }]);
    await direct.query(`UPDATE partners SET status = 'active' WHERE id = $1`, [partner.id]);
  });

  test('409 idempotency_key_in_use while a call of one transaction runs; then its key is free', async () => {
    const calls = ofKind('write');
    const client = await direct.connect();
    await client.query('BEGIN');
    for (const { key } of calls)
      await client.query(
        `INSERT INTO idempotency_records (owner, operation, key, "requestHash", "createdAt") ${owners}`,
        [key, `${key}-running`],
      );
    const begun = performance.now();
    const waited: number[] = [];
    const outcomes = await outcomesOf(calls, async ({ key, again }) => {
      const outcome = await again(`${key}-running`);
      waited.push(performance.now() - begun);
      return outcome;
    });
    expect(outcomes).toEqual(await all(inUse, calls));
    expect(Math.min(...waited)).toBeGreaterThan(runningCallMs - 50);
    await client.query('ROLLBACK');
    client.release();
    // One after the other: calls of one account wait for its row.
    for (const { field, key, again } of calls) {
      const outcome = await again(`${key}-running`);
      expect([field, outcome]).not.toEqual([field, inUse]);
      expect([field, outcome]).not.toEqual([field, { refused: 'INTERNAL_SERVER_ERROR' }]);
    }
  });

  test('409 idempotency_key_in_use while a processor is asked or steps are made; then the answer', async () => {
    const calls = [...ofKind('processor'), ...ofSteps()];
    const records = new Map(await Promise.all(calls.map(async (call) => [call, await recordOf(call)] as const)));
    for (const [call, { owner, operation, key }] of records)
      await direct.query(
        `UPDATE idempotency_records SET answer = NULL, "runsUntil" = CASE WHEN $4 THEN now() + interval '1 hour' END
          WHERE owner = $1 AND operation = $2 AND key = $3`,
        [owner, operation, key, kindOf(call.field) !== 'processor'],
      );
    expect(await outcomesOf(calls, (call) => call.again())).toEqual(await all(inUse, calls));
    for (const { owner, operation, key, answer } of records.values())
      await direct.query(
        `UPDATE idempotency_records SET answer = $4, "runsUntil" = NULL
          WHERE owner = $1 AND operation = $2 AND key = $3 AND answer IS NULL`,
        [owner, operation, key, JSON.stringify(answer)],
      );
    expect(await outcomesOf(made, (call) => call.again())).toEqual(await answers());
  });

  test('503 when the look-up of the first call fails, never an error of what has changed', async () => {
    for (const call of lookedUpApart()) {
      const lost = line.loseAnswerTo(/"requestHash", "subjectId", answer\s+FROM/);
      // until the pool has noticed that its connections are broken
      while ((await partner.api.call('/auth/test')).status !== 200);
      expect([call.field, await call.again()]).toEqual([call.field, { refused: 'SERVICE_UNAVAILABLE' }]);
      await lost;
      line.restore();
    }
    expect(await outcomesOf(made, (call) => call.again())).toEqual(await answers());
  });

  test('a call of steps whose process died is completed by its repeat, and answered once', async () => {
    const calls = ofSteps();
    for (const { owner, operation, key } of await Promise.all(calls.map(recordOf)))
      await direct.query(
        `UPDATE idempotency_records SET answer = NULL, "runsUntil" = now()
          WHERE owner = $1 AND operation = $2 AND key = $3`,
        [owner, operation, key],
      );
    const outcomes = await outcomesOf(calls, async (call) => [await call.again(), await call.again()]);
    for (const [call, [first, second]] of Object.entries(outcomes) as [string, unknown[]][]) {
      // The answer, or what the call is refused for now if the first step of it was refused.
      expect([call, first]).not.toEqual([call, inUse]);
      expect([call, second]).toEqual([call, first]);
    }
    for (const { field, key } of ofKind('changes')) expect(outcomes).toHaveProperty([`${field} ${key}`, '0', 'answer']);
  });
});
