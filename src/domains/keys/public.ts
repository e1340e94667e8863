/** What other domains may use of this one. No file of this domain imports it. */

export type { KeyRow } from './api-key-rows.ts';
export { type IssuedPartnerKey, insertPartnerKey, type PartnerKeyFacts } from './insert-partner-key.ts';
export { assertLimitsConsistent } from './key-restrictions.ts';
export { listKeysWithin } from './list-api-keys.ts';
export { noSuchKey, revokeApiKey } from './revoke-api-key.ts';
export { ApiKey, KeyKind, KeyStatus } from './types.ts';
