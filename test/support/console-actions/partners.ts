import type { SignedIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import { seedPartner } from '../seed.ts';
import { type ActionCase, does } from './action-case.ts';

export async function ofPartners({ platform, partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const [edited, suspended, archived] = await Promise.all([
    seedPartner(platform),
    seedPartner(platform),
    seedPartner(platform),
  ]);
  const suspend = (id: string) => () => does(other, `updatePartner(input: { id: "${id}", status: suspended }) { id }`);
  const isSuspended = /Status changed from active to suspended/;
  await platform.idp.createOrganization({ name: 'Tea Traders' });
  await platform.idp.flush();
  const organization = await platform.services.prisma.organization.findFirstOrThrow({ where: { name: 'Tea Traders' } });
  return [
    {
      mutation: 'CreatePartner',
      name: 'Create partner',
      path: '/test/partners',
      typed: { Name: 'New Partner', Slug: 'new-partner' },
    },
    {
      mutation: 'UpdatePartner',
      name: 'Edit partner',
      path: `/test/partners/${edited.slug}`,
      typed: { Color: '#1a5fb4' },
      meanwhile: {
        happens: () => does(other, `updatePartner(input: { id: "${edited.id}", name: "Renamed" }) { id }`),
        says: /Name changed from partner-.* to Renamed/,
      },
    },
    {
      mutation: 'UpdatePartner',
      name: 'Change status',
      path: `/test/partners/${suspended.slug}`,
      meanwhile: { happens: suspend(suspended.id), says: isSuspended },
    },
    {
      mutation: 'ArchivePartner',
      name: 'Archive',
      path: `/test/partners/${archived.slug}`,
      typed: { [`Type ${archived.slug} to confirm`]: archived.slug },
      meanwhile: { happens: suspend(archived.id), says: isSuspended },
    },
    {
      mutation: 'CreatePartnerKey',
      name: 'Create test key',
      path: `/test/partners/${edited.slug}`,
      typed: { Label: 'night batch' },
    },
    {
      mutation: 'AssignOrganization',
      name: 'Assign partner',
      path: '/test/organizations',
      row: 'Tea Traders',
      typed: { Partner: partner.slug },
      meanwhile: {
        happens: () =>
          does(
            other,
            `assignOrganizationToPartner(input: { accountId: "${organization.accountId}", partnerSlug: "${edited.slug}" }) { __typename }`,
          ),
        says: /Partner changed from none to partner-.*/,
      },
    },
  ];
}
