import type { Organization as OrganizationRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import type { Slice } from '../types.ts';

export const OrganizationKind = builder.enumType('OrganizationKind', {
  description: 'How a merchant came to the platform.',
  values: {
    self_serve: { description: 'The merchant signed up.' },
    partner_managed: { description: 'The merchant was provisioned by a partner.' },
  } as const,
});

export interface OrganizationRow extends OrganizationRecord {
  partner: { slug: string; name: string } | null;
}

const Organization = builder.objectRef<OrganizationRow>('Organization').implement({
  description:
    "A merchant's organization. Its processing accounts stay with the partner that provisioned them, whatever " +
    'partner the organization is tagged with.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Unique identifier of the organization, prefix `acc_`.' }),
    organizationId: t.exposeID('organizationId', {
      nullable: true,
      description:
        'Identifier of the organization at the identity provider, prefix `org_`. Null if it does not exist there.',
    }),
    name: t.exposeString('name', { description: 'Name of the organization.' }),
    slug: t.exposeString('slug', {
      nullable: true,
      description: 'Slug of the organization at the identity provider. Null if it has none.',
    }),
    kind: t.field({
      type: OrganizationKind,
      description: 'How the merchant came to the platform.',
      // a CHECK constraint limits the column to the values of the enum
      ...storedColumn('kind'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the organization was created.' }),
    partnerId: t.exposeID('partnerId', {
      nullable: true,
      description: 'Identifier of the partner the organization is tagged with, prefix `par_`. Null without a partner.',
    }),
    partnerSlug: t.string({
      nullable: true,
      description: 'Slug of that partner. Null without a partner.',
      resolve: ({ partner }) => partner?.slug ?? null,
    }),
    partnerName: t.string({
      nullable: true,
      description: 'Name of that partner. Null without a partner.',
      resolve: ({ partner }) => partner?.name ?? null,
    }),
  }),
});

export const OrganizationSlice = builder.objectRef<Slice<OrganizationRow>>('OrganizationSlice').implement({
  description: 'A part of the list of organizations.',
  fields: (t) => ({
    rows: t.field({
      type: [Organization],
      description: 'The organizations, newest first.',
      resolve: ({ rows }) => rows,
    }),
    total: t.exposeInt('total', { description: 'Number of organizations that match, over all parts.' }),
    limit: t.exposeInt('limit', { description: 'The `limit` of the request.' }),
    offset: t.exposeInt('offset', { description: 'The `offset` of the request.' }),
  }),
});

export interface Assignment {
  accountId: string;
  partnerId: string | null;
  previousPartnerId: string | null;
}

export const OrganizationAssignment = builder.objectRef<Assignment>('OrganizationAssignment').implement({
  description: 'The partner of an organization after a change.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Identifier of the organization, prefix `acc_`.' }),
    partnerId: t.exposeID('partnerId', {
      nullable: true,
      description: 'Identifier of its partner after the change, prefix `par_`. Null without a partner.',
    }),
    previousPartnerId: t.exposeID('previousPartnerId', {
      nullable: true,
      description: 'Identifier of its partner before the change, prefix `par_`. Null without a partner.',
    }),
  }),
});
