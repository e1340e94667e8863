/** What other domains may use of this one. No file of this domain imports it. */
export type { Partner as PartnerRecord } from '../../generated/prisma/client.ts';
export { readLogoFile } from './partner-logo.ts';
export { Partner } from './types.ts';
