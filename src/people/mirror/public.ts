/** What other domains may use of this one. No file of this domain imports it. */
export {
  endSession,
  markUserDeleted,
  readUser,
  setOrgMember,
  tagOrganization,
  unlinkOrganization,
  upsertOrganization,
  upsertUser,
} from './mirror.ts';
