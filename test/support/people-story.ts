import type { Example } from '../../rest/openapi/operation.ts';
import type { manualClock } from '../../src/lib/clock.ts';
import { demoNames } from '../../src/settings/demo-credentials.ts';
import { makePerson, signIn } from '../iam/people.ts';
import { stableWriter } from './examples.ts';
import { iamEndpoints } from './operations.ts';
import type { TestPlatform } from './platform.ts';

/** A superadmin makes a partner, looks after its staff and organizations, and uses every endpoint of IAM once. */
export async function runPeopleStory(
  platform: TestPlatform,
  clock: ReturnType<typeof manualClock>,
): Promise<Record<string, Example>> {
  const examples: Record<string, Example> = {};
  const stable = stableWriter(platform.url);
  const ada = await signIn(
    platform,
    await makePerson(platform, { platformRoles: ['superadmin'], email: 'ada@example.com' }),
  );
  const tell = async (name: string, body: object, params: Record<string, string> = {}) => {
    const endpoint = iamEndpoints.find((candidate) => candidate.name === name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}.`);
    clock.advance(1000);
    const path = endpoint.path.replace(/:(\w+)/g, (_all, param: string) => params[param] ?? `no ${param}`);
    const answer = await ada.iam(path, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    examples[name] = {
      ...(Object.keys(params).length > 0 && { params }),
      body: stable(body),
      answer: stable(answer.body),
    };
    return answer.body;
  };

  // The partner of the demo exists when a reader runs the examples, so they create another one.
  const { slug } = demoNames.partner;
  const at = { partnerSlug: slug };
  await ada.iam('/partners-admin/create', demoNames.partner);
  const { partner } = await tell('CreatePartner', {
    name: 'South Payments',
    slug: 'south',
    branding: { primaryColor: '#1a56db' },
    adminEmails: ['grace@example.com'],
  });
  await tell('UpdatePartner', { slug, preferences: { statementPrefix: 'NORTH' } });
  await tell('GetPartner', { slug });
  await tell('ListPartners', { status: ['active'] });
  const { membershipId } = await tell('InviteStaff', { email: 'edsger@example.com', roles: ['accountmanager'] }, at);
  await tell('ResendStaffInvitation', { membershipId }, at);
  await tell('RevokeStaff', { membershipId }, at);
  await tell('DeleteStaff', { membershipId }, at);

  const barbara = await makePerson(platform, { email: 'barbara@example.com' });
  const userId = barbara.id;
  await tell('FindUser', { email: barbara.email });
  await tell('AssignRolePermission', { targetUserId: userId, requestedRoles: ['hubadmin'], requestedScope: null });
  await tell('SetInternalUserRoles', { userId, roles: ['accountmanager'] });
  await tell('SetUserPartnerScope', { userId, partnerSlug: slug });
  await tell('ManagePartnerStaffPermission', { partnerSlug: slug, action: 'set-roles', targetUserId: userId });
  await tell('SetStaffRoles', { userId, roles: ['partneradmin'] }, at);
  await tell('ListPartnerStaff', { slug, status: ['active', 'pending'] });
  await tell('ListUsers', { platformRole: 'partneradmin', partnerScope: slug, limit: 20 });

  const { id: organizationId } = await platform.idp.createOrganization({ name: 'Harbor Bakery', slug: 'harbor' });
  await platform.idp.flush(); // its message creates the row of the mirror, at the time of the machine
  const createdAt = clock.now();
  await platform.services.prisma.organization.update({ where: { organizationId }, data: { createdAt } });
  await tell('AssignOrganizationToPartner', { organizationId, partnerSlug: slug });
  await tell('ListOrganizations', { q: 'harbor', limit: 20 });
  await tell('ListPartnerOrganizations', { slug, limit: 20 });
  await tell('ArchivePartner', { id: partner.id });
  return examples;
}
