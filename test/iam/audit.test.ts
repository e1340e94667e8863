import { describe, expect, test } from 'vitest';
import { join, queryRows, sql } from '../../src/database/sql.ts';
import { verifyAudit } from '../../src/iam/audit/verify-audit.ts';
import { recordParts } from '../../src/unit-of-work/records.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { makePartner, makePerson, type SignedIn, signedIn } from './people.ts';

const platform = await usePlatform();
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
await makePartner(platform, 'acme');

const log = async (who: SignedIn, filters: object) => {
  const result = await who.graphql(
    'query ($filters: AuditFilters) { auditLog(filters: $filters, pageSize: 100) { total items { action ' +
      'actorUserId actorEmail target outcome reason refusal requestId before after sequence ip } } }',
    { filters },
  );
  if (result.errors) throw new Error(JSON.stringify(result.errors));
  return result.data.auditLog;
};

describe('every mutation is audited', () => {
  test('allowed: actor, action, before and after, and the request', async () => {
    const person = await makePerson(platform);
    const { headers } = await superadmin.iam('/internal-users/set-roles', {
      userId: person.id,
      roles: ['accountmanager'],
    });
    const { items } = await log(hub, { requestId: headers.get('request-id') });
    expect(items).toEqual([
      {
        action: 'setInternalUserRoles',
        actorUserId: superadmin.id,
        actorEmail: superadmin.email,
        target: person.id,
        outcome: 'allowed',
        reason: null,
        refusal: null,
        requestId: headers.get('request-id'),
        before: { platformRoles: [], whitelabelOwnership: null },
        after: { platformRoles: ['accountmanager'], whitelabelOwnership: null },
        sequence: expect.any(Number),
        ip: expect.any(String),
      },
    ]);
  });

  test('the rows about a user include those about the memberships of the user, and of no other user', async () => {
    const [member, other] = [
      await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' }),
      await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' }),
    ];
    for (const { email } of [member, other]) {
      const { errors } = await superadmin.graphql(
        `mutation { inviteStaff(partnerSlug: "acme", input: { email: "${email}", roles: [partneradmin] }) { status } }`,
      );
      expect(errors).toBeUndefined();
    }
    const membership = await platform.services.prisma.partnerMembership.findFirstOrThrow({
      where: { userId: member.id },
    });
    expect((await log(hub, { target: member.id })).items).toMatchObject([
      { action: 'inviteStaff', target: membership.id },
    ]);
    expect((await log(hub, { target: membership.id })).total).toBe(1);
  });

  test('they include those about an open and a revoked invitation of the email address, and of no other address', async () => {
    const [invited, other] = [await makePerson(platform), await makePerson(platform)];
    const done = async (mutation: string) => {
      const { errors } = await superadmin.graphql(`mutation { ${mutation} }`);
      expect(errors).toBeUndefined();
    };
    for (const { email } of [invited, other])
      await done(`inviteStaff(partnerSlug: "acme", input: { email: "${email}", roles: [partneradmin] }) { status }`);
    const ofInvited = async () =>
      (await log(hub, { target: invited.id })).items.map(({ action }: { action: string }) => action);
    expect(await ofInvited()).toEqual(['inviteStaff']);
    await done(`revokeStaff(partnerSlug: "acme", target: { email: "${invited.email}" }) { __typename }`);
    expect(await ofInvited()).toEqual(['revokeStaff', 'inviteStaff']);
  });

  test('setInternalUserRoles and setUserPartnerScope take a reason over GraphQL, and their rows have it', async () => {
    const { id } = await makePerson(platform);
    const { errors } = await superadmin.graphql(
      `mutation {
        setInternalUserRoles(input: { userId: "${id}", roles: [hubadmin] }, reason: "new colleague") { userId }
        setUserPartnerScope(input: { userId: "${id}", partnerSlug: "acme" }, reason: "moves to acme") { userId }
      }`,
    );
    expect(errors).toBeUndefined();
    const { items } = await log(hub, { target: id });
    expect(items.map(({ reason }: { reason: string }) => reason)).toEqual(['moves to acme', 'new colleague']);
  });

  test('denied by kind of caller over REST and GraphQL, denied by policy, and failed', async () => {
    const cases: [SignedIn, string, object, string, string, string][] = [
      [hub, '/partners-admin/create', { name: 'x', slug: 'xyz' }, 'createPartner', 'denied', 'caller_lacks_role'],
      [
        superadmin,
        '/internal-users/set-roles',
        { userId: superadmin.id, roles: [] },
        'setInternalUserRoles',
        'denied',
        'self_assignment_forbidden',
      ],
      [
        superadmin,
        '/internal-users/set-roles',
        { userId: 'user_unknown', roles: [] },
        'setInternalUserRoles',
        'failed',
        'not_found',
      ],
      [superadmin, '/partners-admin/create', { name: 'x', slug: 'acme' }, 'createPartner', 'failed', 'slug_taken'],
    ];
    for (const [who, path, body, action, outcome, refusal] of cases) {
      const { headers } = await who.iam(path, body);
      expect((await log(hub, { requestId: headers.get('request-id') })).items).toMatchObject([
        { action, outcome, reason: null, refusal, actorUserId: who.id, actorEmail: who.email },
      ]);
    }
    const before = (await log(hub, { action: ['archivePartner'], outcome: ['denied'] })).total;
    const { errors } = await hub.graphql('mutation { archivePartner(id: "par_x") { previousStatus } }');
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await log(hub, { action: ['archivePartner'], outcome: ['denied'] })).total).toBe(before + 1);
  });

  test('with the reason that was given and the code of the error apart, by which the log is filtered', async () => {
    const account = await (await seedPartner(platform)).account();
    const close = () =>
      hub.graphql(`mutation { closeAccount(platformAccountId: "${account.id}", reason: "Fraud") { id } }`);
    await close();
    await hub.graphql(`mutation { suspendAccount(platformAccountId: "${account.id}", reason: "Too late") { id } }`);
    await hub.graphql(`mutation { activateAccount(platformAccountId: "${account.id}") { id } }`);
    const rows = async (filters: object) =>
      (await log(hub, { target: account.id, ...filters })).items.map(
        ({ action, outcome, reason, refusal }: Record<string, string>) => [action, outcome, reason, refusal],
      );
    const allowed = ['closeAccount', 'allowed', 'Fraud', null];
    const refused = ['suspendAccount', 'failed', 'Too late', 'invalid_state'];
    const unexplained = ['activateAccount', 'failed', null, 'invalid_state'];
    expect(await rows({})).toEqual(expect.arrayContaining([allowed, refused, unexplained]));
    expect(await rows({ reason: 'Fraud' })).toEqual([allowed]);
    expect(await rows({ reason: 'Too late' })).toEqual([refused]);
    expect(await rows({ refusal: 'invalid_state' })).toEqual([unexplained, refused]);
    const { data } = await hub.graphql(
      `{ account(platformAccountId: "${account.id}") { auditEntries(first: 2) { reason refusal } } }`,
    );
    expect(data.account.auditEntries).toEqual([
      { reason: null, refusal: 'invalid_state' },
      { reason: 'Too late', refusal: 'invalid_state' },
    ]);
  });

  test('the reason of a row that keeps it elsewhere is read from there, and the chain is whole', async () => {
    const { pool, auditKeys, clock } = platform.services;
    const draft = { action: 'resetSecondFactor', target: 'user_before' };
    const by = {
      actor: { kind: 'system', id: 'system' },
      requestId: 'req_before',
      ip: null,
      testClockId: null,
    } as const;
    const parts = recordParts(
      { ...by, now: clock.now(), auditKeys },
      [],
      [
        { ...draft, reason: 'lost phone' },
        { ...draft, after: { status: 'rejected', rejectionReason: 'unreadable' } },
      ],
    );
    await queryRows(pool, sql`WITH ${join(parts, ', ')} SELECT 1 AS done`);
    const { items } = await log(hub, { target: 'user_before' });
    expect(items.map(({ reason, refusal }: Record<string, string>) => [reason, refusal])).toEqual([
      ['unreadable', null],
      ['lost phone', null],
    ]);
    expect(await verifyAudit(pool, auditKeys)).toMatchObject({ ok: true });
  });

  test('with the mode of what was changed, by which the log is read', async () => {
    const account = await (await seedPartner(platform)).account();
    await hub.graphql(`mutation { suspendAccount(platformAccountId: "${account.id}", reason: "Review") { id } }`);
    const rows = async (argument: string) =>
      (await hub.graphql(`{ auditLog${argument} { total items { action mode } } }`)).data.auditLog.items as {
        action: string;
        mode: string | null;
      }[];
    const ofTest = await rows('(mode: test, pageSize: 100)');
    expect(new Set(ofTest.map(({ mode }) => mode))).toEqual(new Set(['test']));
    expect(ofTest.map(({ action }) => action)).toEqual(expect.arrayContaining(['createApiKey', 'suspendAccount']));
    expect(await rows('(mode: live)')).toEqual([]);
    expect((await rows('(pageSize: 100)')).map(({ mode }) => mode)).toContain(null);
  });

  test("denied for another site's page over REST and GraphQL; a query is not audited", async () => {
    const Origin = 'https://evil.example.com';
    const rowsOf = async ({ headers }: { headers: Headers }) =>
      (await log(hub, { requestId: headers.get('request-id') })).items.map(
        ({ action, outcome, refusal, actorUserId }: Record<string, string>) => [action, outcome, refusal, actorUserId],
      );
    const denied = (action: string) => [action, 'denied', 'origin_not_allowed', superadmin.id];
    expect(
      await rowsOf(await superadmin.iam('/partners-admin/create', { name: 'Evil', slug: 'evil' }, { Origin })),
    ).toEqual([denied('createPartner')]);
    expect(await rowsOf(await superadmin.iam('/partners-admin/list', {}, { Origin }))).toEqual([]);
    const post = (query: string, type = 'application/json') =>
      fetch(`${platform.url}/graphql`, {
        method: 'POST',
        headers: { Cookie: superadmin.cookie, Origin, 'Content-Type': type },
        body: JSON.stringify({ query }),
      });
    const mutation =
      'mutation { archivePartner(id: "par_x") { previousStatus } again: archivePartner(id: "par_y") { ' +
      'previousStatus } ...F } fragment F on Mutation { revokePartnerKey(keyId: "ak_x") { id } noSuchThing }';
    for (const type of ['application/json', 'text/plain']) {
      const answer = await post(mutation, type);
      expect(answer.status).toBe(403);
      expect((await rowsOf(answer)).sort()).toEqual([denied('archivePartner'), denied('revokePartnerKey')]);
    }
    for (const query of ['{ me { userId } }', 'mutation {', '']) expect(await rowsOf(await post(query))).toEqual([]);
    expect(await platform.services.prisma.partner.count({ where: { slug: 'evil' } })).toBe(0);
  });

  test('an invalid body is not audited', async () => {
    const { headers } = await superadmin.iam('/partners-admin/create', { name: 7 });
    expect((await log(hub, { requestId: headers.get('request-id') })).total).toBe(0);
  });

  test('403 for callers below hubadmin', async () => {
    const manager = await signedIn(platform, { platformRoles: ['accountmanager'] });
    expect((await manager.graphql('{ auditLog { total } }')).errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('the chain', () => {
  test('is valid over rows written at once', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        hub.iam('/partners/acme/staff/invite', { email: `at-once-${index}@example.com`, roles: ['accountmanager'] }),
      ),
    );
    const verdict = await verifyAudit(platform.services.pool, platform.services.auditKeys);
    const rows = await platform.services.prisma.auditRow.count();
    expect(verdict).toEqual({ ok: true, rows, head: expect.stringMatching(`^${rows}:[0-9a-f]{64}$`) });
    const { data } = await hub.graphql('{ auditLog(pageSize: 1) { head { sequence anchor newestKeyId } } }');
    expect(data.auditLog.head).toEqual({
      sequence: rows,
      anchor: (verdict as { head: string }).head,
      newestKeyId: 'derived',
    });
  });

  test('rows cannot be changed, deleted or truncated, by the owner of the table neither', async () => {
    for (const sql of ['UPDATE audit_rows SET reason = NULL', 'DELETE FROM audit_rows', 'TRUNCATE audit_rows']) {
      await expect(platform.services.pool.query(sql)).rejects.toThrow('permission denied');
      await expect(asOwner(platform, sql)).rejects.toThrow('never changed or removed');
    }
  });
});

describe('people of a partner read the audit log of their partner', () => {
  const readAs = async (person: SignedIn, filters: object = {}) => (await log(person, filters)).items as any[];
  const people = async (slug: string) => ({
    admin: await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug }),
    manager: await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: slug }),
  });

  test('what its keys and people did, as it is; what internal staff did, without who it was and why', async () => {
    const partner = await seedPartner(platform);
    const account = await partner.account();
    const { admin, manager } = await people(partner.slug);
    const { payment } = await account.charge('tok_visa', { amount: 1000 });
    const refund = (person: SignedIn, reason: string) =>
      person.graphql(
        'mutation ($id: ID!, $reason: Name!) { refundPayment(input: { paymentId: $id, amount: 100 }, reason: $reason) { __typename } }',
        { id: payment['id'], reason },
      );
    await refund(admin, 'asked by the cardholder');
    await refund(hub, 'suspected fraud');
    const rows = await readAs(manager, { target: payment['id'] });
    expect(rows).toMatchObject([
      { action: 'refundPayment', actorUserId: 'internal-staff', actorEmail: null, ip: null, reason: null },
      { action: 'refundPayment', actorUserId: admin.id, actorEmail: admin.email, reason: 'asked by the cardholder' },
    ]);
    expect(JSON.stringify(rows)).not.toContain('fraud');
    expect(await readAs(admin, { reason: 'suspected fraud' })).toEqual([]);
    expect(await readAs(admin, { actorEmail: hub.email })).toEqual([]);
    expect(await readAs(hub, { reason: 'suspected fraud', target: payment['id'] })).toMatchObject([
      { actorUserId: hub.id, actorEmail: hub.email },
    ]);
    const actions = (await readAs(admin)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['createAccount', 'createApiKey', 'refundPayment']));
    const ofPayment = `{ payment(paymentId: "${payment['id']}") { auditEntries { actorEmail reason } } }`;
    expect((await admin.graphql(ofPayment)).data.payment.auditEntries).toEqual([
      { actorEmail: null, reason: null },
      { actorEmail: admin.email, reason: 'asked by the cardholder' },
    ]);
  });

  test('none of another partner, and none without a partner; 403 for partnerstaff and an accountmanager of all partners', async () => {
    const [one, other] = [await seedPartner(platform), await seedPartner(platform)];
    const account = await one.account();
    const { admin } = await people(other.slug);
    expect(await readAs(admin, { target: account.id })).toEqual([]);
    const own = await readAs(admin);
    const whole = await readAs(hub, { action: ['createPartner'] });
    expect(own.filter(({ target }) => whole.some((row) => row.target === target && target !== other.id))).toEqual([]);
    for (const access of [
      { platformRoles: ['partnerstaff'], whitelabelOwnership: other.slug },
      { platformRoles: ['accountmanager'] },
    ]) {
      const { errors } = await (await signedIn(platform, access)).graphql('{ auditLog { total } }');
      expect(errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });

  test('what admins of the partner do to its people, and a refused attempt', async () => {
    await makePartner(platform, 'initech');
    const { admin } = await people('initech');
    await admin.iam('/partners/initech/staff/invite', {
      email: 'new@initech.example',
      roles: ['accountmanager'],
    });
    await admin.iam('/partners/acme/staff/invite', { email: 'new@initech.example', roles: ['accountmanager'] });
    expect(await readAs(admin)).toMatchObject([
      { action: 'inviteStaff', outcome: 'denied', refusal: 'other_partner', actorEmail: admin.email },
      { action: 'inviteStaff', outcome: 'allowed', actorEmail: admin.email },
    ]);
  });

  test('the head of the whole log is for internal staff alone', async () => {
    const { admin } = await people((await seedPartner(platform)).slug);
    const { data, errors } = await admin.graphql('{ auditLog { head { sequence } } }');
    expect(data.auditLog.head).toBeNull();
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
