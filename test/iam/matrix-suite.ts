import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import type { IdpUser } from '../../src/ports/identity-provider.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { type Cell, callers } from './matrix.ts';
import { makePartner, makePerson, signIn } from './people.ts';
import type { Reply, Transport } from './transports.ts';

/** An invitation that is pending, and a partner that may be ended. */
interface World {
  pending: string;
  disposable: string;
}

/**
 * Runs the table over the transports, with the people at one of the two providers: code above the port cannot
 * distinguish the providers.
 */
export function matrixSuite(
  identityProvider: 'embedded' | 'clerk',
  cells: readonly Cell[],
  transports: Readonly<Record<string, Transport>>,
): void {
  let platform: TestPlatform;
  let acme: { id: string; slug: string };
  const people: Record<string, IdpUser> = {};
  const headersOf: Record<string, Record<string, string>> = { anon: {} };
  let mate: IdpUser;
  let colleague: IdpUser;
  let accountId: string;

  beforeAll(async () => {
    platform = await startTestPlatform({ identityProvider });
    acme = await makePartner(platform, 'acme');
    await makePartner(platform, 'globex');
    for (const [name, access] of Object.entries(callers)) {
      const user = await makePerson(platform, access);
      people[name] = user;
      headersOf[name] = { Cookie: (await signIn(platform, user)).cookie };
    }
    const { partnerKey, account } = await seedPartner(platform, 'test', acme.id);
    const { subKey } = await account();
    headersOf['pKey'] = { Authorization: `Bearer ${partnerKey}` };
    headersOf['sKey'] = { Authorization: `Bearer ${subKey}` };
    mate = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' });
    colleague = await makePerson(platform, { platformRoles: ['accountmanager'] });
    const organization = await platform.idp.createOrganization({ name: 'Free merchant', slug: 'free-merchant' });
    await platform.idp.flush();
    accountId = (
      await platform.services.prisma.organization.findUniqueOrThrow({ where: { organizationId: organization.id } })
    ).accountId;
  });
  afterAll(() => platform?.close());

  /**
   * The state before a request: the teammate active, the colleague without scope, one invitation pending, acme
   * active.
   */
  async function reset(): Promise<World> {
    const { prisma, clock, identityProvider } = platform.services;
    const now = clock.now();
    await prisma.partner.update({ where: { id: acme.id }, data: { status: 'active' } });
    await identityProvider.setAccess(mate.id, { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' });
    await identityProvider.setAccess(colleague.id, { platformRoles: ['accountmanager'], whitelabelOwnership: null });
    const active = {
      partnerId: acme.id,
      userId: mate.id,
      email: mate.email,
      emailLower: mate.email,
      roles: ['accountmanager'],
      status: 'active',
      invitedAt: now,
      joinedAt: now,
      revokedAt: null,
      invitationId: null,
    };
    await prisma.partnerMembership.upsert({
      where: { partnerId_emailLower: { partnerId: acme.id, emailLower: mate.email } },
      update: active,
      create: { id: newId('mem_', now), ...active },
    });
    const email = `pending${Math.random().toString(36).slice(2)}@example.com`;
    const invitation = await identityProvider.invite({
      email,
      access: { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' },
      redirectUrl: platform.url,
    });
    await prisma.partnerMembership.create({
      data: {
        id: newId('mem_', now),
        partnerId: acme.id,
        email,
        emailLower: email,
        roles: ['accountmanager'],
        status: 'pending',
        invitationId: invitation.id,
        invitedAt: now,
      },
    });
    const disposable = await makePartner(platform, `p-${Math.random().toString(36).slice(2, 12)}`);
    await platform.idp.flush();
    return { pending: email, disposable: disposable.id };
  }

  function requestOf(
    operation: string,
    self: IdpUser | null,
    world: World,
  ): { path: string; body: Record<string, unknown> } {
    const target = self ?? mate;
    const staff = (name: string) => `/partners/acme/staff/${name}`;
    const random = Math.random().toString(36).slice(2, 12);
    const requests: Record<string, { path: string; body: Record<string, unknown> }> = {
      'permissions/assign-role': {
        path: '/permissions/assign-role',
        body: { targetUserId: target.id, requestedRoles: ['partneradmin'] },
      },
      'permissions/manage-partner-staff': {
        path: '/permissions/manage-partner-staff',
        body: { partnerSlug: 'acme', action: 'revoke', targetUserId: target.id },
      },
      'partners-admin/list': { path: '/partners-admin/list', body: {} },
      'partners-admin/get': { path: '/partners-admin/get', body: { slug: 'acme' } },
      'partners-admin/list-staff': { path: '/partners-admin/list-staff', body: { id: acme.id } },
      'partners-admin/list-orgs': { path: '/partners-admin/list-orgs', body: { slug: 'acme' } },
      'partners-admin/create': { path: '/partners-admin/create', body: { name: 'New', slug: `n-${random}` } },
      'partners-admin/update': {
        path: '/partners-admin/update',
        body: { slug: 'acme', preferences: { locale: 'en' } },
      },
      'partners-admin/update to offboarded': {
        path: '/partners-admin/update',
        body: { id: world.disposable, status: 'offboarded' },
      },
      'partners-admin/archive': { path: '/partners-admin/archive', body: { id: world.disposable } },
      'staff/invite': {
        path: staff('invite'),
        body: { email: self?.email ?? `new${random}@example.com`, roles: ['accountmanager'] },
      },
      'staff/revoke': { path: staff('revoke'), body: { userId: target.id } },
      'staff/delete': { path: staff('delete'), body: { userId: target.id } },
      'staff/resend-invitation': {
        path: staff('resend-invitation'),
        body: self ? { userId: self.id } : { email: world.pending },
      },
      'staff/set-roles': { path: staff('set-roles'), body: { userId: target.id, roles: ['partneradmin'] } },
      'internal-users/set-roles': {
        path: '/internal-users/set-roles',
        body: { userId: (self ?? colleague).id, roles: ['hubadmin'] },
      },
      'internal-users/set-partner-scope': {
        path: '/internal-users/set-partner-scope',
        body: { userId: (self ?? colleague).id, partnerSlug: 'globex' },
      },
      'orgs/assign-to-partner': { path: '/orgs/assign-to-partner', body: { accountId, partnerSlug: 'acme' } },
      'orgs/list': { path: '/orgs/list', body: {} },
      'users/list': { path: '/users/list', body: {} },
      'users/find': { path: '/users/find', body: { email: mate.email } },
    };
    const request = requests[operation];
    if (!request) throw new Error(`${operation} has no request`);
    return request;
  }

  /** The result in the symbols of the table. */
  function signOf(operation: string, { status, answer }: Reply): string {
    if (status !== 200) return String(status);
    if (operation.startsWith('permissions/'))
      return answer?.['ok'] === true ? '✔' : typeof answer?.['reason'] === 'string' ? '✘' : '✘ without a reason';
    return operation === 'users/find' && answer?.['found'] === false ? '200∅' : '200';
  }

  async function state(): Promise<unknown> {
    const { prisma, pool } = platform.services;
    const idp = await pool.query('SELECT id, "publicMetadata" FROM idp."user" ORDER BY id');
    const invitations = await pool.query('SELECT id, status FROM idp.invitation ORDER BY id');
    return [
      idp.rows,
      invitations.rows,
      await prisma.partnerMembership.findMany({ orderBy: { id: 'asc' } }),
      await prisma.partner.findMany({ orderBy: { id: 'asc' } }),
      await prisma.organization.findMany({ orderBy: { accountId: 'asc' } }),
    ];
  }

  const columns = Map.groupBy(
    cells.filter(({ expected }) => expected !== '—'),
    ({ caller }) => caller,
  );
  const isWrite = ({ operation, expected }: Cell) =>
    expected === '200' && !/\/(list|list-staff|list-orgs|get|find)$/.test(operation);

  describe.each(Object.keys(transports))('over %s', (name) => {
    test.each([...columns.keys()])('%s: the column of the table, and nothing else changes', async (caller) => {
      const column = columns.get(caller) ?? [];
      const self = caller === 'self';
      const found: [operation: string, sign: string | undefined][] = [];
      const ask = async ({ operation }: Cell, world: World) => {
        const isRoster = operation.startsWith('staff/') || operation === 'permissions/manage-partner-staff';
        const who = self ? (isRoster ? 'paX' : 'super') : caller;
        const { path, body } = requestOf(operation, self ? (people[who] ?? null) : null, world);
        const reply = await transports[name]?.(platform, path, body, headersOf[who] ?? {});
        found.push([operation, reply && signOf(operation, reply)]);
      };
      // Reads, probes and rejected requests change nothing, at the provider or in the database.
      const world = await reset();
      const before = await state();
      for (const cell of column) if (!isWrite(cell)) await ask(cell, world);
      expect(await state()).toEqual(before);
      for (const cell of column) if (isWrite(cell)) await ask(cell, await reset());
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(column.map(({ operation, expected }) => [operation, expected])),
      );
    });
  });
}
