/** What other domains may use of this one. No file of this domain imports it. */

export {
  assertLimitsConsistent,
  type IssuedPartnerKey,
  insertPartnerKey,
  markRevoked,
  noSuchKey,
  type PartnerKeyFacts,
  revokeApiKey,
} from './change-key.ts';
export { listKeysWithin } from './inputs.ts';
export { ApiKey, KeyKind, type KeyRow, KeyStatus } from './types.ts';
