import type pg from 'pg';
import { itemsOf } from '../domains/accounts/kyb/people.ts';
import { makePerson, type SignedIn, signIn } from '../iam/people.ts';
import type { TestPlatform } from './platform.ts';
import { actingPeople, type MadeCall } from './repeated-calls.ts';
import { type SeededAccount, seedPartner } from './seed.ts';
import { withLostAnswers } from './unreliable-processor.ts';

/**
 * Calls each mutation with which people change partners, staff, users, keys, accounts and KYB, with a key, once. `direct`
 * is the database as its owner. Needs the embedded identity provider.
 */
export async function runAdministrationCalls(
  platform: TestPlatform,
  { direct, account, who }: { direct: pg.Pool; account: SeededAccount; who: Record<string, SignedIn> },
  made: MadeCall[],
): Promise<void> {
  const act = actingPeople(who, made);

  const partnerSlug = 'repeated';
  const { partner } = await act('createPartner', {
    input: { slug: partnerSlug, name: 'Repeated', adminEmails: ['first@example.com', 'second@example.com'] },
  });
  await act('updatePartner', { input: { slug: partnerSlug, preferences: { statementPrefix: 'REPEAT' } } });
  const askForKey = async () => ({
    requestId: (await act('createPartnerKey', { partnerSlug, input: { mode: 'test', label: 'server' } }))['id'],
  });
  const requested = await askForKey();
  await act('approvePartnerKeyRequest', requested, 'hubadmin');
  const { id: keyId } = await act('issuePartnerKey', requested);
  await act('revokePartnerKey', { keyId });
  await act('rejectPartnerKeyRequest', await askForKey(), 'hubadmin');
  await act('withdrawPartnerKeyRequest', await askForKey());
  const { membershipId } = await act('inviteStaff', {
    partnerSlug,
    input: { email: 'third@example.com', roles: ['accountmanager'] },
  });
  await act('resendStaffInvitation', { partnerSlug, target: { membershipId } });
  await act('revokeStaff', { partnerSlug, target: { membershipId } });
  await act('deleteStaff', { partnerSlug, target: { membershipId } });

  const { id: userId } = await makePerson(platform, {});
  await act('setInternalUserRoles', { input: { userId, roles: ['accountmanager'] } });
  await act('setUserPartnerScope', { input: { userId, partnerSlug } });
  await act('setStaffRoles', { partnerSlug, input: { userId, roles: ['partneradmin'] } });
  await direct.query(
    `INSERT INTO idp."twoFactor" (id, secret, "backupCodes", "userId", verified) VALUES ('factor', 'x', 'x', $1, true)`,
    [userId],
  );
  await act('resetSecondFactor', { userId });
  await act('endUserSessions', { userId });
  const { id: organizationId } = await platform.idp.createOrganization({ name: 'Bakery', slug: 'bakery' });
  await platform.idp.flush();
  await act('assignOrganizationToPartner', { input: { organizationId, partnerSlug } });
  await act('archivePartner', { id: partner.id });

  const { id: viewId } = await act('saveView', { list: 'payments', name: 'All', query: '', isShared: false });
  await act('deleteView', { id: viewId });
  await act('setRefundLimit', { mode: 'test', currency: 'EUR', amount: 100_000 });
  const live = await seedPartner(platform, 'live');
  const sent = async () => {
    const { id } = await live.api.ok('/accounts', { legalName: 'Bakery' });
    await live.api.ok(`/accounts/${id}/kyb/submit`, itemsOf());
    return { platformAccountId: id };
  };
  const [approved, rejected] = [await sent(), await sent()];
  await act('reviewKybRequirement', { ...approved, code: 'business.website', decision: 'approved', reason: null });
  await act('approveKyb', approved);
  await act('rejectKyb', rejected);
  await act('activateAccount', rejected);
  await act('setAccountPlan', { ...rejected, plan: 'premium' });
  await act('suspendAccount', rejected);
  await act('closeAccount', rejected);

  let lineIsDown = true;
  withLostAnswers(platform, () => (lineIsDown ? 'neverArrived' : 'answered'));
  const paymentId = (await account.charge()).payment['id'];
  lineIsDown = false;
  await act('resolvePayment', { input: { paymentId, outcome: 'ask', note: 'seen' } });

  const superadmin = who['superadmin'] as SignedIn;
  for (let n = 0; n < 2; n++) await signIn(platform, superadmin);
  const { sessions } = (await superadmin.graphql('{ me { sessions { id isPresent } } }')).data.me;
  const other = sessions.find(({ isPresent }: { isPresent: boolean }) => !isPresent);
  await act('endMySession', { id: other.id });
  await act('endMyOtherSessions', {});
}
