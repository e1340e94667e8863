/** What other domains may use of this one. No file of this domain imports it. */

export {
  assertLimitsConsistent,
  type IssuedPartnerKey,
  insertPartnerKey,
  markRevoked,
  type PartnerKeyFacts,
} from './change-key.ts';
export { ApiKey, CreatedApiKey, type KeyRow } from './types.ts';
