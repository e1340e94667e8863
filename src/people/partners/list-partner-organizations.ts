import type { SessionContext } from '../../graph/context.ts';
import type { Slice } from '../iam/public.ts';
import { type OrganizationPaging, readOrganizations } from './organization-rows.ts';
import type { OrganizationRow } from './organization-types.ts';
import type { PartnerName } from './partner-name.ts';
import { readPartner } from './read-partner.ts';

/** The organizations tagged with one partner. */
export async function listPartnerOrganizations(
  context: SessionContext,
  { id, slug, ...paging }: PartnerName & OrganizationPaging,
): Promise<Slice<OrganizationRow>> {
  const partner = await readPartner(context, { id, slug });
  return readOrganizations(context, { partnerId: partner.id }, paging);
}
