import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { makePartner, type SignedIn, signedIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2026-07-01T09:00:00Z'));
const hours = 3_600_000;
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
let mails: Mail[] = [];
Object.assign(platform.services.mailer, {
  send: async (mail: Mail) => {
    mails.push(mail);
  },
});

let asker: SignedIn;
let other: SignedIn;
let admin: SignedIn;
const ofPartner = (role: string, slug = partner.slug) =>
  signedIn(platform, { platformRoles: [role], whitelabelOwnership: slug });
beforeEach(async () => {
  [asker, other] = [
    await signedIn(platform, { platformRoles: ['hubadmin'] }),
    await signedIn(platform, { platformRoles: ['hubadmin'] }),
  ];
  admin = await ofPartner('partneradmin');
  mails = [];
});

const made = '... on CreatedApiKey { keyId: id secret } ... on PartnerKeyRequest { id status isOwn endsAt }';
const documents = {
  createPartnerKey: `mutation ($slug: Slug!, $reason: Name, $mode: Mode!) {
    createPartnerKey(partnerSlug: $slug, input: { label: "server", mode: $mode }, reason: $reason) { ${made} }
  }`,
  approvePartnerKeyRequest:
    'mutation ($id: ID!) { approvePartnerKeyRequest(requestId: $id, reason: "agreed") { id status } }',
  rejectPartnerKeyRequest:
    'mutation ($id: ID!) { rejectPartnerKeyRequest(requestId: $id, reason: "not now") { id status } }',
  withdrawPartnerKeyRequest:
    'mutation ($id: ID!) { withdrawPartnerKeyRequest(requestId: $id, reason: "mine") { id status } }',
  issuePartnerKey: 'mutation ($id: ID!) { issuePartnerKey(requestId: $id) { keyId: id secret } }',
};
type What = keyof typeof documents;

/** The answer of the mutation, or `status code reason` of its error. */
async function act(person: SignedIn, what: What, variables: Record<string, unknown>, key = ''): Promise<any> {
  const headers: Record<string, string> = key === '' ? {} : { 'Idempotency-Key': key };
  const { data, errors } = await person.graphql(documents[what], variables, headers);
  if (!errors) return data[what];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const create = (person: SignedIn, more: object = {}, key = '') =>
  act(person, 'createPartnerKey', { slug: partner.slug, reason: 'a new server', mode: 'test', ...more }, key);
const requested = async (): Promise<string> => (await create(asker)).id;
const keysOf = (slug = partner.slug) =>
  platform.services.prisma.apiKey.count({ where: { kind: 'partner', partner: { slug } } });

describe('a partner key that a person of the platform asks for', () => {
  test('200 with a request and no key; approved by a second person, who asked makes it, once, and it works', async () => {
    const before = await keysOf();
    const request = await create(asker);
    expect(request).toMatchObject({ id: expect.stringMatching(/^kreq_/), status: 'pending', isOwn: true });
    expect(await act(asker, 'issuePartnerKey', { id: request.id })).toBe('CONFLICT invalid_state');
    expect(await act(other, 'approvePartnerKeyRequest', { id: request.id })).toMatchObject({ status: 'approved' });
    expect(await keysOf()).toBe(before);
    expect(await act(other, 'issuePartnerKey', { id: request.id })).toBe('FORBIDDEN not_the_requester');
    const first = await act(asker, 'issuePartnerKey', { id: request.id }, 'make it');
    expect((await clientOf(platform, first.secret).call('/auth/test')).status).toBe(200);
    expect(await act(asker, 'issuePartnerKey', { id: request.id }, 'make it')).toEqual({ ...first, secret: null });
    expect(await act(asker, 'issuePartnerKey', { id: request.id })).toBe('CONFLICT invalid_state');
    expect(await keysOf()).toBe(before + 1);
  });

  test('of two approvals and of two keys at once one is made', async () => {
    const [id, before] = [await requested(), await keysOf()];
    const approvals = await Promise.all([other, admin].map((who) => act(who, 'approvePartnerKeyRequest', { id })));
    expect(approvals.filter((answer) => answer === 'CONFLICT invalid_state')).toHaveLength(1);
    const issued = await Promise.all([1, 2].map(() => act(asker, 'issuePartnerKey', { id })));
    expect(issued.filter((answer) => answer === 'CONFLICT invalid_state')).toHaveLength(1);
    expect(await keysOf()).toBe(before + 1);
  });

  test('a partneradmin of the partner is a second person; one of another partner gets 404, an accountmanager 403', async () => {
    const id = await requested();
    const stranger = await ofPartner('partneradmin', (await makePartner(platform, 'stranger')).slug);
    expect(await act(stranger, 'approvePartnerKeyRequest', { id })).toBe('NOT_FOUND');
    expect(await act(await ofPartner('accountmanager'), 'approvePartnerKeyRequest', { id })).toBe(
      'FORBIDDEN caller_lacks_role',
    );
    expect(await act(admin, 'approvePartnerKeyRequest', { id })).toMatchObject({ status: 'approved' });
  });

  test('403 second_person_required for who asked, also a superadmin, and for an account with the same mailbox', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const { id } = await create(boss);
    for (const what of ['approvePartnerKeyRequest', 'rejectPartnerKeyRequest'] as const)
      expect(await act(boss, what, { id })).toBe('FORBIDDEN second_person_required');
    const email = boss.email.replace('@', '+two@');
    await platform.services.prisma.iamUser.update({
      where: { idpUserId: other.id },
      data: { email, emailLower: email.toLowerCase() },
    });
    expect(await act(other, 'approvePartnerKeyRequest', { id })).toBe('FORBIDDEN second_person_required');
  });

  test('403 second_person_not_independent for who got their role from who asked; 200 a day later, within 72 hours', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const puppet = await signedIn(platform, {});
    await boss.iam('/internal-users/set-roles', { userId: puppet.id, roles: ['hubadmin'] });
    const { id } = await create(boss);
    expect(await act(puppet, 'approvePartnerKeyRequest', { id })).toBe('FORBIDDEN second_person_not_independent');
    clock.advance(24 * hours);
    expect(await act(puppet, 'approvePartnerKeyRequest', { id })).toMatchObject({ status: 'approved' });
  });

  test('409 after 72 hours to decide, and after 72 hours to make it; both just before', async () => {
    const [late, inTime] = [await requested(), await requested()];
    clock.advance(72 * hours - 1);
    expect(await act(other, 'approvePartnerKeyRequest', { id: inTime })).toMatchObject({ status: 'approved' });
    clock.advance(1);
    expect(await act(other, 'approvePartnerKeyRequest', { id: late })).toBe('CONFLICT invalid_state');
    clock.advance(72 * hours - 1);
    expect(await act(asker, 'issuePartnerKey', { id: inTime })).toBe('CONFLICT invalid_state');
    const again = await requested();
    await act(other, 'approvePartnerKeyRequest', { id: again });
    clock.advance(72 * hours - 1);
    expect(await act(asker, 'issuePartnerKey', { id: again })).toMatchObject({ secret: expect.any(String) });
  });

  test('403 for who asked and lost the role meanwhile; no key', async () => {
    const [id, before] = [await requested(), await keysOf()];
    await act(other, 'approvePartnerKeyRequest', { id });
    await platform.services.prisma.iamUser.update({ where: { idpUserId: asker.id }, data: { platformRoles: [] } });
    expect(await act(asker, 'issuePartnerKey', { id })).toBe('FORBIDDEN caller_lacks_role');
    expect(await keysOf()).toBe(before);
  });

  test('rejected by another, withdrawn by who asked alone; then neither is approved', async () => {
    const [rejected, withdrawn] = [await requested(), await requested()];
    expect(await act(other, 'rejectPartnerKeyRequest', { id: rejected })).toMatchObject({ status: 'rejected' });
    expect(await act(other, 'withdrawPartnerKeyRequest', { id: withdrawn })).toBe('FORBIDDEN not_the_requester');
    expect(await act(asker, 'withdrawPartnerKeyRequest', { id: withdrawn })).toMatchObject({ status: 'withdrawn' });
    for (const id of [rejected, withdrawn])
      expect(await act(other, 'approvePartnerKeyRequest', { id })).toBe('CONFLICT invalid_state');
  });

  test('400 without a reason, 404 for no partner, 409 for an offboarded one; nothing waits', async () => {
    expect(await create(asker, { reason: null })).toBe('INPUT_PARSE_ERROR reason');
    expect(await create(asker, { slug: 'unknown' })).toBe('NOT_FOUND');
    const gone = await makePartner(platform, 'gone-partner');
    await platform.services.prisma.partner.update({ where: { id: gone.id }, data: { status: 'offboarded' } });
    expect(await create(asker, { slug: gone.slug })).toBe('CONFLICT partner_offboarded');
    expect(await platform.services.prisma.partnerKeyRequest.count({ where: { partnerId: gone.id } })).toBe(0);
  });

  test('is listed by state, for internal staff and the people of the partner, and not for others', async () => {
    const id = await requested();
    const list = async (person: SignedIn, status = 'pending') => {
      const { data } = await person.graphql(
        `{ partnerKeyRequests(mode: test, filters: { status: [${status}] }) { items { id status isOwn reason } } }`,
      );
      return data.partnerKeyRequests.items.filter((item: { id: string }) => item.id === id);
    };
    expect(await list(asker)).toEqual([{ id, status: 'pending', isOwn: true, reason: 'a new server' }]);
    expect(await list(admin)).toMatchObject([{ isOwn: false }]);
    expect(await list(await ofPartner('partneradmin', (await makePartner(platform, 'elsewhere')).slug))).toEqual([]);
    clock.advance(72 * hours);
    expect(await list(asker)).toEqual([]);
    expect(await list(asker, 'expired')).toMatchObject([{ status: 'expired' }]);
  });

  test('a key with which one person would refund alone above the limit needs two, too: no path without a second person', async () => {
    const before = await keysOf();
    expect(await create(asker, { mode: 'live' })).toMatchObject({ status: 'pending' });
    expect(await keysOf()).toBe(before);
  });
});

describe('a partneradmin', () => {
  test('makes a key of their partner at once; all admins of the partner and all superadmins are notified by mail, without the secret', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const second = await ofPartner('partneradmin');
    const foreign = await ofPartner('partneradmin', (await makePartner(platform, 'not-notified')).slug);
    const { secret } = await create(admin);
    expect((await clientOf(platform, secret).call('/auth/test')).status).toBe(200);
    const notified = mails.map(({ to }) => to);
    expect(notified).toEqual(expect.arrayContaining([boss.email, admin.email, second.email]));
    expect(notified).not.toContain(foreign.email);
    expect(notified).not.toContain(asker.email);
    expect(JSON.stringify(mails)).not.toContain(secret);
    expect(mails[0]?.text).toContain('server');
  });

  test('who was made one by internal staff in the last 24 hours asks for a second person; 24 hours later not', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const puppet = await signedIn(platform, {});
    await boss.iam('/internal-users/set-partner-scope', { userId: puppet.id, partnerSlug: partner.slug });
    await boss.iam(`/partners/${partner.slug}/staff/set-roles`, { userId: puppet.id, roles: ['partneradmin'] });
    const request = await create(puppet);
    expect(request).toMatchObject({ status: 'pending' });
    expect(await act(boss, 'approvePartnerKeyRequest', { id: request.id })).toBe(
      'FORBIDDEN second_person_not_independent',
    );
    clock.advance(24 * hours);
    expect(await create(puppet)).toMatchObject({ secret: expect.any(String) });
  });

  test('makes the first key of a new partner at once, by any inviter', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const fresh = await makePartner(platform, 'brand-new-partner');
    const first = await signedIn(platform, {});
    await boss.iam('/internal-users/set-partner-scope', { userId: first.id, partnerSlug: fresh.slug });
    await boss.iam(`/partners/${fresh.slug}/staff/set-roles`, { userId: first.id, roles: ['partneradmin'] });
    expect(await create(first, { slug: fresh.slug })).toMatchObject({ secret: expect.any(String) });
    expect(await create(first, { slug: fresh.slug })).toMatchObject({ status: 'pending' });
  });

  test('who was made one by a partneradmin of the partner makes keys at once', async () => {
    const colleague = await ofPartner('accountmanager');
    await admin.iam(`/partners/${partner.slug}/staff/set-roles`, { userId: colleague.id, roles: ['partneradmin'] });
    expect(await create(colleague)).toMatchObject({ secret: expect.any(String) });
  });
});

test('429 for the 61st partner key in a minute: by all admins of a partner together, by internal staff each', async () => {
  const fill = async (subject: string) =>
    platform.services.pool.query(
      `INSERT INTO limits.field_calls (subject, calls) VALUES ($1, array_fill($2::timestamptz, ARRAY[59]))
        ON CONFLICT (subject) DO UPDATE SET calls = excluded.calls`,
      [`createPartnerKey/${subject}`, clock.now()],
    );
  await fill(partner.slug);
  expect(await create(admin)).toMatchObject({ secret: expect.any(String) });
  for (const person of [admin, await ofPartner('partneradmin')]) expect(await create(person)).toBe('TOO_MANY_REQUESTS');
  await fill(asker.id);
  expect(await create(asker)).toMatchObject({ status: 'pending' });
  expect(await create(asker)).toBe('TOO_MANY_REQUESTS');
  expect(await create(other)).toMatchObject({ status: 'pending' });
  clock.advance(60_000);
  expect(await create(admin)).toMatchObject({ secret: expect.any(String) });
});

describe('the admins of a partner and the superadmins are notified by mail', () => {
  test('of a user who becomes an admin of the partner, or is invited to it, and not of other roles', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const colleague = await ofPartner('accountmanager');
    const staff = `/partners/${partner.slug}/staff`;
    await boss.iam(`${staff}/invite`, { email: 'reader@example.com', roles: ['accountmanager'] });
    const notifiedOf = (email: string) => mails.filter(({ text }) => text.includes(email)).map(({ to }) => to);
    expect(notifiedOf('reader@example.com')).not.toContain(admin.email);
    await boss.iam(`${staff}/set-roles`, { userId: colleague.id, roles: ['partneradmin'] });
    expect(notifiedOf(colleague.email)).toEqual(expect.arrayContaining([boss.email, admin.email]));
    await boss.iam(`${staff}/invite`, { email: 'new-admin@example.com', roles: ['partneradmin'] });
    expect(notifiedOf('new-admin@example.com')).toEqual(expect.arrayContaining([boss.email, admin.email]));
  });

  test('the superadmins alone of a new hubadmin, and of a changed limit of all partners', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const person = await signedIn(platform, {});
    await boss.iam('/internal-users/set-roles', { userId: person.id, roles: ['hubadmin'] });
    const limit = 'mutation { setRefundLimit(mode: test, currency: "USD", amount: 500, reason: "new") { currency } }';
    await boss.graphql(limit);
    expect(mails.map(({ to }) => to)).toContain(boss.email);
    expect(mails.map(({ to }) => to)).not.toContain(admin.email);
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(2);
  });

  test('both of a changed limit of the partner, and the admins of no other partner', async () => {
    const boss = await signedIn(platform, { platformRoles: ['superadmin'] });
    const foreign = await ofPartner('partneradmin', (await makePartner(platform, 'another-limit')).slug);
    const limit = `mode: test, currency: "USD", amount: 500, partnerSlug: "${partner.slug}", reason: "new"`;
    await boss.graphql(`mutation { setRefundLimit(${limit}) { currency } }`);
    const notified = mails.map(({ to }) => to);
    expect(notified).toEqual(expect.arrayContaining([boss.email, admin.email]));
    expect(notified).not.toContain(foreign.email);
  });

  test('of a new key: it is made although the mail cannot be sent, which is logged', async () => {
    clock.advance(24 * hours); // notices of a kind are counted by the hour and the day
    const { mailer } = platform.services;
    const { send } = mailer;
    Object.assign(mailer, { send: () => Promise.reject(new Error('The mail server is away.')) });
    const before = platform.logged.length;
    expect(await create(admin)).toMatchObject({ secret: expect.any(String) });
    Object.assign(mailer, { send });
    const logged = platform.logged.slice(before).filter((line) => line.includes('A notice was not mailed.'));
    expect(logged).toEqual([expect.stringContaining('The mail server is away.')]);
  });
});

test('every step has an audit row about the partner, with the reason, and without the secret', async () => {
  const id = await requested();
  await act(asker, 'approvePartnerKeyRequest', { id });
  await act(other, 'approvePartnerKeyRequest', { id });
  const { secret } = await act(asker, 'issuePartnerKey', { id });
  const rows = await platform.services.prisma.auditRow.findMany({
    where: { OR: [{ target: id }, { actorId: asker.id }] },
    orderBy: { sequence: 'asc' },
  });
  expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'createPartnerKey allowed',
    'approvePartnerKeyRequest denied',
    'approvePartnerKeyRequest allowed',
    'createPartnerKey allowed',
  ]);
  expect(rows[2]).toMatchObject({ after: { status: 'approved', reason: 'agreed' }, partnerId: partner.id });
  expect(
    JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ).not.toContain(secret);
});
