import { describe, expect, test } from 'vitest';
import { kybCodes } from '../../../../src/domains/accounts/kyb/lifecycle.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { makePartner, type SignedIn, signedIn } from '../../../iam/people.ts';
import { usePlatform } from '../../../support/platform.ts';
import { type SeededPartner, seedPartner } from '../../../support/seed.ts';
import { ask, itemsOf, marker, queries } from './people.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));
const who = {} as Record<'super' | 'hub' | 'payments' | 'am' | 'amX' | 'paX' | 'paY' | 'psX', SignedIn>;

const platform = await usePlatform({ clock });
const acme = await seedPartner(platform, 'live', (await makePartner(platform, 'acme')).id);
const globex = await seedPartner(platform, 'live', (await makePartner(platform, 'globex')).id);
const people = {
  super: ['superadmin', null],
  hub: ['hubadmin', null],
  payments: ['platformpaymentAdmin', null],
  am: ['accountmanager', null],
  amX: ['accountmanager', 'acme'],
  paX: ['partneradmin', 'acme'],
  paY: ['partneradmin', 'globex'],
  psX: ['partnerstaff', 'acme'],
} as const;
for (const [name, [role, whitelabelOwnership]] of Object.entries(people))
  who[name as keyof typeof who] = await signedIn(platform, { platformRoles: [role], whitelabelOwnership });

const submit = (of: SeededPartner, id: string, codes?: readonly string[]) =>
  of.api.ok(`/accounts/${id}/kyb/submit`, itemsOf(codes));

/** A live account that waits for a reviewer. */
async function waiting(of: SeededPartner = acme): Promise<string> {
  const { id } = await of.api.ok('/accounts', { legalName: 'Waiting Ltd' });
  await submit(of, id);
  return id;
}

const eventsOf = async (id: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId: id }, orderBy: { sequence: 'asc' } })).map(
    ({ type, sequence }) => [type, sequence],
  );
const auditOf = (id: string, action: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target: id, action }, orderBy: { sequence: 'asc' } });

/** The answer to a live charge: 403 until the account is active, then failed because it has no processor. */
async function charge(of: SeededPartner, id: string): Promise<unknown> {
  const [{ id: storeId }] = (await of.api.ok(`/accounts/${id}`)).stores;
  const { token } = await of.api.ok('/payment-instruments/tokenize', {
    storeId,
    cardNumber: '4111111111111111',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await of.api.ok('/payment-instruments/create-from-token', {
    storeId,
    token,
    customerData: { email: 'payer@example.com' },
  });
  const { status, body } = await of.api.call('/payments/process', {
    storeId,
    paymentInstrumentId: paymentInstrument.id,
    amount: 500,
    currency: 'USD',
  });
  return status === 200 ? body.payment.failureCode : [status, body.data.reason];
}

describe('the queue', () => {
  test('the one that waits longest comes first, with its age; partner staff see their own', async () => {
    const ids: string[] = [];
    for (const partner of [acme, globex, acme]) {
      ids.push(await waiting(partner));
      clock.advance(3_600_000);
    }
    const { total, items } = await ask(who.hub, queries.queue, { mode: 'live' });
    expect(total).toBe(3);
    expect(
      items.map((item: { account: { id: string }; waitingSeconds: number }) => [item.account.id, item.waitingSeconds]),
    ).toEqual(ids.map((id, index) => [id, (3 - index) * 3_600]));
    expect(
      (await ask(who.am, queries.queue, { mode: 'live', page: 2, pageSize: 2 })).items.map(
        (item: { account: { id: string } }) => item.account.id,
      ),
    ).toEqual(ids.slice(2));
    expect((await ask(who.paX, queries.queue, { mode: 'live' })).total).toBe(2);
    expect((await ask(who.amX, queries.queue, { mode: 'live' })).total).toBe(2);
    expect((await ask(who.hub, queries.queue, { mode: 'live', partnerSlug: 'globex' })).total).toBe(1);
    expect(await ask(who.paX, queries.queue, { mode: 'live', partnerSlug: 'globex' })).toEqual([
      'FORBIDDEN',
      'other_partner',
    ]);
    expect((await ask(who.hub, queries.queue, { mode: 'test' })).total).toBe(0);
    expect((await ask(who.psX, queries.queue, { mode: 'live' }))[0]).toBe('FORBIDDEN');
  });

  test('is read along its index, of all partners and of one', async () => {
    for (const tenant of [`mode = 'live'`, `"partnerId" = '${acme.id}' AND mode = 'live'`]) {
      const client = await platform.services.pool.connect();
      try {
        await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
        const { rows } = await client.query(
          `EXPLAIN SELECT id
            FROM processing_accounts
            WHERE ${tenant} AND "kybStatus" = 'submitted' AND status <> 'closed'
            ORDER BY "kybSubmittedAt", id
            LIMIT 21`,
        );
        const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/processing_accounts_awaiting_review/);
        expect(plan).not.toContain('Sort');
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    }
  });
});

describe('what a reviewer reads', () => {
  test('one query reads the whole account; submitted values only when revealed, which is audited first', async () => {
    const id = await waiting();
    const view = await ask(who.hub, queries.view, { id });
    expect(view).toMatchObject({
      account: { id, status: 'pending_operator_assignment', kybStatus: 'submitted' },
    });
    expect(await ask(who.hub, queries.history, { id })).toMatchObject({
      events: [{ type: 'account/kybUpdated' }, { type: 'account/created' }],
      auditEntries: [{ action: 'submitKyb' }, { action: 'createAccount' }],
    });
    expect(view.requirements.length).toBe(10);
    expect(JSON.stringify(view)).not.toContain(marker);
    const revealed = await ask(who.payments, queries.reveal, { id });
    expect(revealed.requirements[0].value).toBe(`${marker} business.legal_name`);
    expect(revealed.requirements[3].value).toEqual({
      line1: `${marker} Street 1`,
      city: 'Springfield',
      country: 'US',
    });
    const { auditEntries } = await ask(who.hub, queries.history, { id });
    expect(auditEntries[0]).toMatchObject({
      action: 'revealKyb',
      actorEmail: who.payments.email,
      after: { codes: [...kybCodes].sort(), reason: 'Review' },
    });
    const { rows } = await platform.services.pool.query(`SELECT string_agg(t::text, ' ') AS text FROM audit_rows t`);
    expect(rows[0].text).not.toContain(marker);
  });

  test('an Idempotency-Key of a reveal is ignored: each has its row in the audit log', async () => {
    const id = await waiting();
    for (let n = 0; n < 2; n++)
      expect((await who.hub.graphql(queries.reveal, { id }, { 'Idempotency-Key': 'reveal' })).errors).toBeUndefined();
    const { auditEntries } = await ask(who.hub, queries.history, { id });
    expect(auditEntries.filter(({ action }: { action: string }) => action === 'revealKyb')).toHaveLength(2);
  });

  test('values are 400 without a reason, naming it, and nothing is recorded', async () => {
    const id = await waiting();
    const reveal =
      'mutation ($id: ID!, $reason: Name!) { revealKyb(platformAccountId: $id, reason: $reason) { submittedAt } }';
    for (const reason of [undefined, null, ' ']) {
      const { errors } = await who.hub.graphql(reveal, { id, reason });
      const { code, data } = errors[0].extensions;
      expect([code, data.issues[0].path], String(reason)).toEqual(['INPUT_PARSE_ERROR', 'reason']);
    }
    const { auditEntries } = await ask(who.hub, queries.history, { id });
    expect(auditEntries.map(({ action }: { action: string }) => action)).not.toContain('revealKyb');
  });

  test('people of the partner read events and audit rows, an account manager of all partners no audit rows; foreign is 404; values need hubadmin or above', async () => {
    const id = await waiting();
    for (const name of ['am', 'amX', 'paX'] as const) {
      const view = await ask(who[name], queries.view.replace(' value', ''), { id });
      expect(view.account.id).toBe(id);
      const history = await ask(who[name], queries.history, { id });
      if (name === 'am') expect(history[0]).toBe('FORBIDDEN');
      else expect(history.events.length).toBeGreaterThan(0);
    }
    expect((await ask(who.paY, queries.view, { id }))[0]).toBe('NOT_FOUND');
    for (const name of ['am', 'amX', 'paX', 'paY', 'psX'] as const) {
      expect(await ask(who[name], queries.reveal, { id })).toEqual(['FORBIDDEN', 'caller_lacks_role']);
      expect(await ask(who[name], queries.approve, { id })).toEqual(['FORBIDDEN', 'caller_lacks_role']);
    }
    expect((await ask(who.hub, queries.reveal, { id: 'tpa_none' }))[0]).toBe('NOT_FOUND');
    expect(
      (await platform.services.prisma.auditRow.findMany({ where: { target: 'tpa_none' } })).map(
        ({ action, outcome }) => [action, outcome],
      ),
    ).toEqual([['revealKyb', 'failed']]);
  });
});

describe('decisions', () => {
  test('approval activates a pending account: its charges are 403 before and accepted after', async () => {
    const id = await waiting();
    expect(await charge(acme, id)).toEqual([403, 'account_not_active']);
    expect(await ask(who.hub, queries.approve, { id })).toMatchObject({
      account: { status: 'active', kybStatus: 'approved' },
      submittedAt: null,
    });
    expect(await charge(acme, id)).toBe('no_processor');
    expect(await eventsOf(id)).toEqual([
      ['account/created', 1],
      ['account/kybUpdated', 2],
      ['account/kybUpdated', 3],
      ['account/updated', 4],
    ]);
    expect(await auditOf(id, 'approveKyb')).toMatchObject([
      {
        actorEmail: who.hub.email,
        outcome: 'allowed',
        before: { status: 'pending_operator_assignment', kybStatus: 'submitted' },
        after: { status: 'active', kybStatus: 'approved' },
      },
    ]);
    expect(
      (await acme.api.ok(`/accounts/${id}/kyb`)).requirements.every(
        ({ status }: { status: string }) => status === 'approved',
      ),
    ).toBe(true);
  });

  test('one rejected requirement is submitted again: the partner reads why, and only that is open', async () => {
    const id = await waiting();
    const review = { id, code: 'business.mcc', decision: 'rejected', reason: 'four digits, please' };
    expect(await ask(who.hub, queries.review, { ...review, reason: undefined })).toEqual([
      'INPUT_PARSE_ERROR',
      undefined,
    ]);
    expect(await ask(who.hub, queries.review, review)).toMatchObject({ account: { kybStatus: 'submitted' } });
    expect(await ask(who.super, queries.review, review)).toMatchObject({ account: { kybStatus: 'submitted' } });
    expect(await ask(who.hub, queries.approve, { id })).toEqual(['CONFLICT', 'invalid_state']);
    expect(await ask(who.hub, queries.reject, { id, reason: 'see the requirement' })).toMatchObject({
      account: { kybStatus: 'rejected', status: 'pending_operator_assignment' },
    });
    const { requirements } = await acme.api.ok(`/accounts/${id}/kyb`);
    expect(requirements.filter(({ status }: { status: string }) => status === 'rejected')).toMatchObject([
      { code: 'business.mcc', rejectionReason: 'four digits, please' },
    ]);
    expect(await submit(acme, id, ['business.mcc'])).toMatchObject({ kybStatus: 'submitted' });
    // The repeated calls added no event: created, submitted, requirement rejected, KYB rejected, submitted again.
    expect((await eventsOf(id)).length).toBe(5);
    expect(await ask(who.hub, queries.approve, { id })).toMatchObject({
      account: { status: 'active', kybStatus: 'approved' },
    });
    expect((await auditOf(id, 'reviewKybRequirement')).filter(({ outcome }) => outcome === 'allowed')).toMatchObject([
      {
        before: { code: 'business.mcc', status: 'submitted' },
        after: { code: 'business.mcc', status: 'rejected', rejectionReason: review.reason },
      },
      { before: { status: 'rejected' } },
    ]);
  });

  test('a rejection of the whole returns everything; a decision on one can be corrected before', async () => {
    const id = await waiting();
    await ask(who.hub, queries.review, { id, code: 'business.mcc', decision: 'rejected', reason: 'a slip' });
    expect(
      (await ask(who.hub, queries.review, { id, code: 'business.mcc', decision: 'approved' })).requirements[5],
    ).toEqual({ code: 'business.mcc', status: 'approved', rejectionReason: null, value: null });
    const rejected = await ask(who.hub, queries.reject, { id, reason: 'the register does not know it' });
    expect(rejected.requirements).toEqual(
      kybCodes.map((code) => ({
        code,
        status: 'rejected',
        rejectionReason: 'the register does not know it',
        value: null,
      })),
    );
    expect(await submit(acme, id, kybCodes.slice(1))).toMatchObject({ kybStatus: 'rejected' });
  });

  test('409 for what is not submitted, decided, closed, or submitted again since it was read', async () => {
    const { id: fresh } = await acme.api.ok('/accounts', { legalName: 'Fresh Ltd' });
    for (const query of [queries.approve, queries.reject, queries.review])
      expect(await ask(who.hub, query, { id: fresh, reason: 'x', code: 'business.mcc', decision: 'rejected' })).toEqual(
        ['CONFLICT', 'invalid_state'],
      );
    const id = await waiting();
    const { submittedAt } = await ask(who.hub, queries.view, { id });
    await ask(who.hub, queries.reject, { id, reason: 'all of it' });
    clock.advance(1_000);
    await submit(acme, id);
    expect(await ask(who.hub, queries.approve, { id, submittedAt })).toEqual(['CONFLICT', 'invalid_state']);
    const latest = (await ask(who.hub, queries.view, { id })).submittedAt;
    expect(await ask(who.hub, queries.approve, { id, submittedAt: latest })).toMatchObject({
      account: { kybStatus: 'approved' },
    });
    expect(await ask(who.hub, queries.reject, { id, reason: 'too late' })).toEqual(['CONFLICT', 'invalid_state']);
    expect(await ask(who.hub, queries.approve, { id })).toMatchObject({ account: { kybStatus: 'approved' } });
  });

  test('two reviewers at once: one decision, one event; of an approval and a rejection one is 409', async () => {
    const same = await waiting();
    const both = await Promise.all([
      ask(who.hub, queries.approve, { id: same }),
      ask(who.super, queries.approve, { id: same }),
    ]);
    expect(both).toMatchObject([{ account: { kybStatus: 'approved' } }, { account: { kybStatus: 'approved' } }]);
    expect(await eventsOf(same)).toEqual([
      ['account/created', 1],
      ['account/kybUpdated', 2],
      ['account/kybUpdated', 3],
      ['account/updated', 4],
    ]);
    for (let round = 0; round < 5; round++) {
      const id = await waiting();
      const answers = await Promise.all([
        ask(who.hub, queries.approve, { id }),
        ask(who.super, queries.reject, { id, reason: 'no' }),
      ]);
      const won = answers.filter((answer) => !Array.isArray(answer));
      expect(won.length).toBe(1);
      expect(answers.filter((answer) => Array.isArray(answer))).toEqual([['CONFLICT', 'invalid_state']]);
      const { status, kybStatus } = await acme.api.ok(`/accounts/${id}`);
      expect([status, kybStatus]).toEqual([won[0].account.status, won[0].account.kybStatus]);
      expect((await eventsOf(id)).map(([, sequence]) => sequence)).toEqual(
        kybStatus === 'approved' ? [1, 2, 3, 4] : [1, 2, 3],
      );
    }
  });
});

describe('the status of an account', () => {
  test('suspended and closed accounts do not charge in either mode; suspended is lifted, closed is final', async () => {
    const id = await waiting();
    await ask(who.hub, queries.approve, { id });
    expect(await ask(who.hub, queries.suspend, { id, reason: 'disputes' })).toEqual({ status: 'suspended' });
    expect(await charge(acme, id)).toEqual([403, 'account_not_active']);
    expect(await ask(who.hub, queries.activate, { id })).toEqual({ status: 'active' });
    expect(await charge(acme, id)).toBe('no_processor');
    expect(await ask(who.hub, queries.close, { id })).toEqual({ status: 'closed' });
    expect(await ask(who.hub, queries.close, { id })).toEqual({ status: 'closed' });
    expect(await charge(acme, id)).toEqual([403, 'account_not_active']);
    for (const query of [queries.activate, queries.suspend, queries.plan, queries.approve])
      expect(await ask(who.hub, query, { id, plan: 'premium' })).toEqual(['CONFLICT', 'invalid_state']);
    expect(await auditOf(id, 'suspendAccount')).toMatchObject([
      { before: { status: 'active' }, after: { status: 'suspended', reason: 'disputes' } },
      { outcome: 'failed', reason: 'invalid_state' },
    ]);
  });

  test('409 for suspending an inactive account; a closed account leaves the queue and cannot submit', async () => {
    const id = await waiting();
    expect(await ask(who.hub, queries.suspend, { id })).toEqual(['CONFLICT', 'invalid_state']);
    const before = (await ask(who.hub, queries.queue, { mode: 'live' })).total;
    await ask(who.hub, queries.close, { id });
    expect((await ask(who.hub, queries.queue, { mode: 'live' })).total).toBe(before - 1);
    expect((await acme.api.call(`/accounts/${id}/kyb/submit`, itemsOf(['business.mcc']))).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'invalid_state' },
    });
  });

  test('a plan limits the next call, up and down', async () => {
    const account = await acme.account();
    const policy = async () => (await account.api.call('/auth/test')).headers.get('ratelimit-policy');
    await ask(who.hub, queries.plan, { id: account.id, plan: 'standard' });
    expect(await policy()).toBe('"standard";q=100;w=60');
    await ask(who.hub, queries.plan, { id: account.id, plan: 'premium' });
    expect(await policy()).toBe('"premium";q=500;w=60');
    expect(await auditOf(account.id, 'setAccountPlan')).toMatchObject([
      { before: { plan: 'premium' }, after: { plan: 'standard' } },
      { before: { plan: 'standard' }, after: { plan: 'premium' } },
    ]);
  });
});
