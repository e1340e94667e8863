/** What other domains take of this one: how a change of access runs, who may, how a refusal reads, and how somebody joins a roster. */
export { act, type Act } from './act.ts';
export { inviteStaff } from './invite-staff.ts';
export { assertMayJoin, type JoinContext, joinRoster } from './join.ts';
export { callersPartner, lock } from './people.ts';
export {
  canAdministerPlatform,
  canManagePartnerStaff,
  canReadPartners,
  canUpdatePartner,
  readableScope,
} from './policy.ts';
export { assertAllowed, conflict, forbidden, notFound } from './refusals.ts';
export { revokedState } from './revoke-staff.ts';
export { literal, type Slice } from './users.ts';
