import { jobsOf } from '../../../src/registry.ts';
import { addFunnel } from '../../domains/funnels/example-funnel.ts';
import { asOwner } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** How far the clock of the second server is ahead. */
export const differences = [
  ['3 seconds ahead', 3_000],
  ['3 seconds behind', -3_000],
  ['2 hours ahead', 2 * hourMs],
  ['2 hours behind', -2 * hourMs],
  ['26 hours ahead', 26 * hourMs],
  ['26 hours behind', -26 * hourMs],
  ['8 days ahead', 8 * dayMs],
  ['8 days behind', -8 * dayMs],
  ['400 days ahead', 400 * dayMs],
] as const;

export interface DifferingWorld {
  /** A server whose clock is right. */
  right: TestPlatform;
  /** A server on the same database with a clock of its own. */
  other: TestPlatform;
  partner: SeededPartner;
  account: SeededAccount;
  setAhead(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Two servers on one database, which compare their clocks with the database's as in production. */
export async function differingWorld(): Promise<DifferingWorld> {
  let aheadMs = 0;
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  const right = await startTestPlatform({ env, identityProvider: 'embedded' });
  const other = await startTestPlatform({
    env,
    identityProvider: 'embedded',
    databaseUrl: right.databaseUrl,
    ownClock: () => Date.now() + aheadMs,
  });
  const partner = await seedPartner(right);
  return {
    right,
    other,
    partner,
    account: await partner.account(),
    async setAhead(ms) {
      aheadMs = ms;
      await other.services.clockCheck.fault();
    },
    async close() {
      await other.close();
      await right.close();
    },
  };
}

/** Runs every job of a server once, past the check that holds jobs back while the clock is off. */
export async function runEveryJob({ services }: TestPlatform): Promise<void> {
  const { signal } = new AbortController();
  for (const job of jobsOf(services)) await job.run(signal);
}

/** A row of each kind that is removed, expires, is charged or is tried again later, all of them young. */
export async function fillWithYoungRows({ right, partner, account }: DifferingWorld): Promise<void> {
  const { api, storeId } = account;
  await api.ok('/customers/create', { email: 'kept@example.com' }, { headers: { 'Idempotency-Key': 'kept' } });
  await account.charge('tok_visa');
  await account.charge('tok_visa', { mode: 'auth' });
  await account.charge('4000000000003220');
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  for (const more of [{}, { trialDays: 7 }])
    await api.ok('/subscriptions/create', {
      customerId,
      paymentInstrumentId,
      priceId: await priceOf(account),
      ...more,
    });
  await api.ok('/payment-instruments/tokenize', {
    storeId,
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: new Date().getUTCFullYear() + 2,
    cvc: '123',
  });
  await api.ok('/payment-instruments/client-sessions', { storeId, origins: ['https://shop.example'] });
  await addFunnel(account, { isDefault: true });
  await api.ok('/funnel-sessions', {});
  await partner.api.ok(`/accounts/${account.id}/api-keys`, {
    label: 'for an hour',
    expiresAt: new Date(Date.now() + hourMs).toISOString(),
  });
  const { id: clockId } = await api.ok('/test-clocks/create', { name: 'Clock', now: new Date().toISOString() });
  await api.ok('/customers/create', { email: 'on-a-clock@example.com', testClockId: clockId });
  const user = await right.idp.createUser({ email: 'person@example.com', password: 'correct horse battery' });
  await right.idp.invite({
    email: 'invited@example.com',
    access: { platformRoles: ['partnerstaff'], whitelabelOwnership: partner.slug },
    redirectUrl: right.url,
  });
  await right.idp.flush();
  // Work that was put off for a little, and marks of what was seen.
  await asOwner(
    right,
    `
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "createdAt", answer)
      VALUES ('${account.id}', 'createCustomer', 'an-hour-old', 'hash', now() - interval '1 hour', '{}');
    INSERT INTO processor_events ("processorId", "eventId", "receivedAt") VALUES ('proc_x', 'evt_x', now());
    INSERT INTO idp_processed_events (id, type, at) VALUES ('msg_x', 'user.upserted', now());
    INSERT INTO ended_sessions ("sessionId", "userId", at) VALUES ('sess_x', '${user.id}', now());
    INSERT INTO idp.session (id, "userId", token, "expiresAt", "createdAt", "updatedAt")
      VALUES ('sess_y', '${user.id}', 'token', now() + interval '7 days', now(), now());
    INSERT INTO idp.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
      VALUES ('verify', 'reset-password:x', '${user.id}', now() + interval '1 hour', now(), now());
    INSERT INTO limits.windows (subject, start, calls) VALUES ('person', date_trunc('hour', now()), 3);
    INSERT INTO limits.field_calls (subject, calls) VALUES ('probes/person', ARRAY[now()]);
    INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
      VALUES ('try_x', 'session', '${storeId}', '127.0.0.1', 'declined', now());
    INSERT INTO test_processor.connect_codes ("codeHash", "codeChallenge", "redirectUri", "expiresAt")
      VALUES ('hash', 'challenge', 'http://127.0.0.1', now() + interval '5 minutes');
    INSERT INTO pending_compensations ("organizationId", "dueAt", "createdAt") VALUES ('org_x', now() + interval '10 minutes', now());
    INSERT INTO partner_memberships (id, "partnerId", email, "emailLower", roles, status, "invitedAt")
      VALUES ('mem_x', '${partner.id}', 'a@example.com', 'a@example.com', '{partnerstaff}', 'pending', now());
    INSERT INTO refund_requests (id, "partnerId", "platformAccountId", mode, "paymentId", amount, currency,
        "cancelSubscription", reason, "requestedBy", "requestedByEmail", "expiresAt", "createdAt", "updatedAt")
      SELECT 'rr_x', "partnerId", "platformAccountId", mode, id, 1, currency, false, 'A reason', '${user.id}',
        'person@example.com', now() + interval '3 days', now(), now()
      FROM payments WHERE status = 'succeeded' LIMIT 1;
    INSERT INTO webhook_endpoints (id, "partnerId", mode, url, "eventTypes", secret, "createdAt", "updatedAt")
      VALUES ('wh_x', '${partner.id}', 'test', 'http://127.0.0.1:9', '{customer/created}', 'secret', now(), now());
    INSERT INTO webhook_deliveries (id, "partnerId", mode, "endpointId", "eventId", "eventType", "objectId", sequence,
        status, "nextAttemptAt", "createdAt", "failureCount")
      SELECT 'whd_' || n, '${partner.id}', 'test', 'wh_x', 'evt_x', 'customer/created', 'cus_x', n,
        CASE n WHEN 1 THEN 'failed' ELSE 'delivered' END, CASE n WHEN 1 THEN now() + interval '5 hours' END, now(), 4
      FROM generate_series(1, 2) n;`,
  );
}

/** What may change with every run of the jobs, whatever the time is. */
const changing = ['ledger.checks', 'public.api_keys', 'limits.key_uses', 'limits.buckets'];

/** A digest of each table. */
export async function digestsOf({ right }: DifferingWorld): Promise<Record<string, string>> {
  const { rows: tables } = await asOwner<{ name: string }>(
    right,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname !~ '^pg_|^information_schema$' ORDER BY 1`,
  );
  const names = tables.map(({ name }) => name).filter((name) => !changing.includes(name));
  const { rows } = await asOwner<{ name: string; digest: string }>(
    right,
    names
      .map(
        (name) =>
          `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(md5(string_agg(t::text, '' ORDER BY t::text)), '') AS digest FROM ${name} t`,
      )
      .join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
