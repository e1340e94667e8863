import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startJobs } from '../../src/jobs/jobs.ts';
import { type SignedIn, signedIn } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform();
const partner = await seedPartner(platform);
for (const [name, role, scope] of [
  ['superadmin', 'superadmin', null],
  ['hubadmin', 'hubadmin', null],
  ['accountmanager', 'accountmanager', null],
  ['partneradmin', 'partneradmin', partner.slug],
  ['partnerManager', 'accountmanager', partner.slug],
  ['partnerstaff', 'partnerstaff', partner.slug],
] as const)
  who[name] = await signedIn(platform, { platformRoles: [role], whitelabelOwnership: scope });

/** The runs of a job whose interval is an hour, in the order in which they began. */
let begun: PromiseWithResolvers<void>[];
let stop: () => Promise<void>;
/** Resolves with the next run that begins. */
let next: PromiseWithResolvers<PromiseWithResolvers<void>>;

beforeEach(async () => {
  begun = [];
  next = Promise.withResolvers();
  const first = next.promise;
  const jobs = startJobs(
    [
      {
        name: 'hourly',
        everyMs: 3_600_000,
        run: () => {
          const run = Promise.withResolvers<void>();
          begun.push(run);
          next.resolve(run);
          next = Promise.withResolvers();
          return run.promise;
        },
      },
    ],
    platform.services,
  );
  stop = () => jobs.stop();
  (await first).resolve();
  await expect.poll(() => platform.services.jobRuns.get('hourly')?.isRunning).toBe(false);
});
afterEach(async () => {
  for (const run of begun) run.resolve();
  await stop();
  platform.services.jobRuns.clear();
});

/** The answer, or `code reason` of its error. */
async function runNow(
  name = 'hubadmin',
  job = 'hourly',
  reason: string | null = 'asked for by support',
  headers: Record<string, string> = {},
): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    `mutation ($job: Name!, $reason: Name!) {
      runJob(name: $job, reason: $reason) {
        name runs failures isRunning lastError recentRuns { startedAt durationMs error }
      }
    }`,
    { job, reason },
    headers,
  );
  if (!errors) return data.runJob;
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const auditRows = (target = 'hourly') =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'desc' }, take: 1 });

describe('a run of a job before its time', () => {
  test.each(['superadmin', 'hubadmin'])('%s begins one, with a reason in the audit log', async (name) => {
    const run = next.promise;
    const answer = runNow(name);
    (await run).resolve();
    expect(await answer).toMatchObject({ name: 'hourly', runs: 2, failures: 0, isRunning: false, lastError: null });
    expect(begun).toHaveLength(2);
    expect(await auditRows()).toMatchObject([
      {
        action: 'runJob',
        actorId: who[name]?.id,
        outcome: 'allowed',
        mode: null,
        after: { reason: 'asked for by support' },
      },
    ]);
  });

  test.each(['accountmanager', 'partneradmin', 'partnerManager', 'partnerstaff'])('403 for %s', async (name) => {
    expect(await runNow(name)).toBe('FORBIDDEN caller_lacks_role');
    expect(begun).toHaveLength(1);
  });

  test('409 while it runs, so that it never runs twice at a time; the next pause is a whole one', async () => {
    const run = next.promise;
    const answer = runNow();
    const second = await run;
    expect(await runNow()).toBe('CONFLICT invalid_state');
    expect(await auditRows()).toMatchObject([{ outcome: 'failed', reason: 'invalid_state' }]);
    second.resolve();
    expect((await answer).runs).toBe(2);
    expect(begun).toHaveLength(2);
  });

  test('that fails says why, and is among the latest runs, newest first', async () => {
    const run = next.promise;
    const answer = runNow();
    (await run).reject(new Error('out of order'));
    const { recentRuns, ...job } = await answer;
    expect(job).toMatchObject({ failures: 1, lastError: 'out of order' });
    expect(recentRuns).toEqual([
      { startedAt: expect.any(String), durationMs: expect.any(Number), error: 'out of order' },
      { startedAt: expect.any(String), durationMs: expect.any(Number), error: null },
    ]);
  });

  test('an Idempotency-Key is ignored: each call runs it and has its row in the audit log', async () => {
    const rows = () => platform.services.prisma.auditRow.count({ where: { target: 'hourly', outcome: 'allowed' } });
    const before = await rows();
    for (const runs of [2, 3]) {
      const run = next.promise;
      const answer = runNow('hubadmin', 'hourly', 'again', { 'Idempotency-Key': 'hourly' });
      (await run).resolve();
      expect((await answer).runs).toBe(runs);
    }
    expect((await rows()) - before).toBe(2);
  });

  test('the latest ten runs are kept', async () => {
    for (let runs = 2; runs <= 12; runs++) {
      const run = next.promise;
      const answer = runNow();
      (await run).resolve();
      expect((await answer).recentRuns).toHaveLength(Math.min(runs, 10));
    }
  });

  test('an Idempotency-Key is ignored: two calls with one key begin two runs', async () => {
    for (const runs of [2, 3]) {
      const run = next.promise;
      const answer = runNow('hubadmin', 'hourly', 'once', { 'Idempotency-Key': 'one key' });
      (await run).resolve();
      expect((await answer).runs).toBe(runs);
    }
  });

  test('404 for a job that the process does not have, 400 without a reason', async () => {
    expect(await runNow('hubadmin', 'weekly')).toBe('NOT_FOUND');
    expect(await auditRows('weekly')).toMatchObject([{ action: 'runJob', outcome: 'failed' }]);
    for (const reason of [null, '', 'x'.repeat(201)])
      expect(await runNow('hubadmin', 'hourly', reason)).toBe('INPUT_PARSE_ERROR reason');
    expect(begun).toHaveLength(1);
  });
});
