/** What other domains may use of this one. No file of this domain imports it. */
export { setOrgMember, unlinkOrganization, upsertOrganization } from './mirrored-organizations.ts';
export { endSession, markUserDeleted, readUser, upsertUser } from './mirrored-users.ts';
