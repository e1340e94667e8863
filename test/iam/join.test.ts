import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Mail } from '../../src/ports/mailer.ts';
import { usePlatform } from '../support/platform.ts';
import { makePerson, password, signedIn, signIn } from './people.ts';

const mails: Mail[] = [];

const platform = await usePlatform({ identityProvider: 'embedded' });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });

const ticketTo = (email: string) => /ticket=([\w-]+)/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[1];
const accept = async (body: object, cookie?: string) =>
  fetch(`${platform.url}/idp/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(cookie !== undefined && { Cookie: cookie }) },
    body: JSON.stringify(body),
  });

test('a partner is made, its admin accepts by mail and invites a teammate, and all of it is audited', async () => {
  await superadmin.iam('/partners-admin/create', {
    name: 'Acme',
    slug: 'acme',
    branding: { displayName: 'Acme <Ltd>', primaryColor: '#ff0000', emailFooter: 'Acme, Main Street' },
    adminEmails: ['admin@acme.example.com'],
  });
  const mail = mails.findLast(({ to }) => to === 'admin@acme.example.com');
  expect(mail).toMatchObject({ to: 'admin@acme.example.com', subject: 'Acme <Ltd> has invited you' });
  expect(mail?.html).toContain('Acme &#60;Ltd&#62;');
  expect(mail?.text).toContain('Acme, Main Street');
  expect((await accept({ ticket: ticketTo('admin@acme.example.com'), password })).status).toBe(200);
  await platform.idp.flush();
  const user = await platform.services.identityProvider.findUserByEmail('admin@acme.example.com');
  const admin = await signIn(platform, { id: user?.id ?? '', email: 'admin@acme.example.com' });
  expect(
    (await admin.iam('/partners/acme/staff/invite', { email: 'mate@acme.example.com', roles: ['accountmanager'] })).body
      .status,
  ).toBe('invited');
  const { rows } = (await superadmin.iam('/partners-admin/list-staff', { slug: 'acme' })).body;
  expect(rows.map(({ email, status }: { email: string; status: string }) => [email, status])).toEqual([
    ['mate@acme.example.com', 'pending'],
    ['admin@acme.example.com', 'active'],
  ]);
  const { data } = await superadmin.graphql('{ auditLog { items { action actorEmail outcome } } }');
  expect(data.auditLog.items).toEqual([
    { action: 'inviteStaff', actorEmail: 'admin@acme.example.com', outcome: 'allowed' },
    { action: 'acceptInvitation', actorEmail: 'admin@acme.example.com', outcome: 'allowed' },
    { action: 'inviteStaff', actorEmail: superadmin.email, outcome: 'allowed' },
    { action: 'createPartner', actorEmail: superadmin.email, outcome: 'allowed' },
  ]);
  // The ticket is in the mail and is not stored by the platform.
  expect(platform.logged.join('\n')).not.toContain(ticketTo('mate@acme.example.com'));
});

test('an existing account accepts signed in; 409 and an ended membership after joining another partner', async () => {
  const [person, mover] = [await makePerson(platform), await makePerson(platform)];
  for (const { email } of [person, mover])
    await superadmin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'] });
  const { cookie } = await signIn(platform, person);
  expect((await accept({ ticket: ticketTo(person.email) }, cookie)).status).toBe(200);
  expect((await superadmin.iam('/users/find', { idpUserId: person.id })).body.user).toMatchObject({
    platformRoles: ['accountmanager'],
    whitelabelOwnership: 'acme',
  });
  await superadmin.iam('/internal-users/set-roles', { userId: mover.id, roles: ['hubadmin'] });
  expect((await accept({ ticket: ticketTo(mover.email) }, (await signIn(platform, mover)).cookie)).status).toBe(409);
  expect(
    await platform.services.prisma.partnerMembership.findFirst({ where: { emailLower: mover.email } }),
  ).toMatchObject({
    status: 'revoked',
  });
});

test("an accepted invitation redirects to the page in the partner's branding, and a stored one that is not https is ignored", async () => {
  const branding = { invitationRedirectUrl: 'https://umbrella.example.com/welcome?from=mail' };
  const emails = ['a@umbrella.example.com', 'b@umbrella.example.com'] as const;
  await superadmin.iam('/partners-admin/create', { name: 'U', slug: 'umbrella', branding, adminEmails: [emails[0]] });
  const redirectOf = async (email: string) => {
    const answer = (await (await accept({ ticket: ticketTo(email), password })).json()) as { redirectUrl: string };
    return answer.redirectUrl;
  };
  expect(await redirectOf(emails[0])).toBe('https://umbrella.example.com/welcome?from=mail');
  await platform.services.prisma.partner.update({
    where: { slug: 'umbrella' },
    data: { branding: { invitationRedirectUrl: 'javascript:alert(1)' } },
  });
  await superadmin.iam('/partners/umbrella/staff/invite', { email: emails[1], roles: ['accountmanager'] });
  expect(await redirectOf(emails[1])).toBe(`${platform.url}/join`);
});

test('no request chooses the page of an accepted invitation: 422 for a redirectUrl of an invitation, 400 of its acceptance', async () => {
  const [email, redirectUrl] = ['page@acme.example.com', 'https://evil.example.com/'];
  const invite = (more: object) =>
    superadmin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'], ...more });
  expect((await invite({ redirectUrl })).status).toBe(422);
  expect((await invite({})).status).toBe(200);
  expect((await accept({ ticket: ticketTo(email), password, redirectUrl })).status).toBe(400);
  const accepted = await accept({ ticket: ticketTo(email), password });
  expect([accepted.status, await accepted.json()]).toEqual([
    200,
    expect.objectContaining({ redirectUrl: `${platform.url}/join` }),
  ]);
});

test('409 when the partner was archived before the link is used; a used link stays 410', async () => {
  await superadmin.iam('/partners-admin/create', {
    name: 'Initech',
    slug: 'initech',
    adminEmails: ['early@initech.example.com', 'late@initech.example.com'],
  });
  const [early, late] = [ticketTo('early@initech.example.com'), ticketTo('late@initech.example.com')];
  expect((await accept({ ticket: early, password })).status).toBe(200);
  const { id } = await platform.services.prisma.partner.findUniqueOrThrow({ where: { slug: 'initech' } });
  expect((await superadmin.iam('/partners-admin/archive', { id })).status).toBe(200);
  const refused = await accept({ ticket: late, password });
  expect({ status: refused.status, body: JSON.stringify(await refused.json()) }).toEqual({
    status: 409,
    body: expect.stringContaining('partner_offboarded'),
  });
  expect(
    await platform.services.prisma.partnerMembership.findFirst({ where: { emailLower: 'late@initech.example.com' } }),
  ).toMatchObject({ status: 'revoked' });
  expect(await platform.services.identityProvider.findUserByEmail('late@initech.example.com')).toBeNull();
  expect((await accept({ ticket: early, password })).status).toBe(410);
});

test('platform verify audit reports a valid log', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'src', 'cli', 'platform.ts'), 'verify', 'audit'],
    {
      env: {
        ...process.env,
        DATABASE_URL: platform.databaseUrl,
        VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
        FINGERPRINT_KEY: platform.services.config.fingerprintKey.toString('base64'),
        IDP_SECRET: Buffer.alloc(32).toString('base64'),
      },
    },
  );
  expect(stdout).toMatch(/^The audit log is verified: \d+ rows/);
});
