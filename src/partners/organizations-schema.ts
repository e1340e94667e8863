import { builder } from '../graph/builder.ts';
import type { Slice } from '../iam/operations.ts';
import { type Assignment, assignOrganizationToPartner } from './assign-organization.ts';
import { listOrganizations, listPartnerOrganizations, type OrganizationRow } from './organizations.ts';

const OrganizationKind = builder.enumType('OrganizationKind', {
  description: 'How a merchant came.',
  values: {
    self_serve: { description: 'By themselves.' },
    partner_managed: { description: 'Provisioned by a partner.' },
  } as const,
});

const Organization = builder.objectRef<OrganizationRow>('Organization').implement({
  description:
    "A merchant's namespace. Processing accounts stay with the partner that provisioned them, whatever it is tagged with.",
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: 'Identifier, prefix `acc_`.' }),
    organizationId: t.exposeString('organizationId', {
      nullable: true,
      description: "The identity provider's, prefix `org_`; null until somebody is to sign in there.",
    }),
    name: t.exposeString('name', { description: 'Its name.' }),
    slug: t.exposeString('slug', { nullable: true, description: 'Its slug at the identity provider.' }),
    kind: t.field({ type: OrganizationKind, description: 'How it came.', resolve: ({ kind }) => kind as never }), // a CHECK constraint holds the column to the enum
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    partnerId: t.exposeString('partnerId', {
      nullable: true,
      description: 'The partner it is tagged with, prefix `par_`.',
    }),
    partnerSlug: t.string({
      nullable: true,
      description: "The partner's slug.",
      resolve: ({ partner }) => partner?.slug ?? null,
    }),
    partnerName: t.string({
      nullable: true,
      description: "The partner's name.",
      resolve: ({ partner }) => partner?.name ?? null,
    }),
  }),
});

const OrganizationSlice = builder.objectRef<Slice<OrganizationRow>>('OrganizationSlice').implement({
  description: 'Some of the organizations.',
  fields: (t) => ({
    rows: t.field({ type: [Organization], description: 'They, the newest first.', resolve: ({ rows }) => rows }),
    total: t.exposeInt('total', { description: 'How many there are in all.' }),
    limit: t.exposeInt('limit', { description: 'As asked.' }),
    offset: t.exposeInt('offset', { description: 'As asked.' }),
  }),
});

const OrganizationAssignment = builder.objectRef<Assignment>('OrganizationAssignment').implement({
  description: 'Where an organization belongs now.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: 'The organization, prefix `acc_`.' }),
    partnerId: t.exposeString('partnerId', { nullable: true, description: 'Its partner now.' }),
    previousPartnerId: t.exposeString('previousPartnerId', { nullable: true, description: 'Its partner before.' }),
  }),
});

export const AssignOrganizationInput = builder.inputType('AssignOrganizationInput', {
  description: 'Which organization goes to which partner.',
  fields: (t) => ({
    accountId: t.string({ description: 'The organization, prefix `acc_`; or organizationId.' }),
    organizationId: t.string({
      description: 'The organization at the identity provider, prefix `org_`; or accountId.',
    }),
    partnerId: t.string({ description: 'The partner, prefix `par_`, or null to detach; or partnerSlug.' }),
    partnerSlug: t.field({ type: 'Slug', description: 'The partner, or null to detach; or partnerId.' }),
  }),
});

builder.queryFields((t) => ({
  partnerOrganizations: t.withAuth({ hub: true }).field({
    type: OrganizationSlice,
    description: 'The organizations tagged with one partner, which is named by id or slug.',
    args: {
      id: t.arg.string({ description: 'The partner, prefix `par_`.' }),
      slug: t.arg({ type: 'Slug', description: 'Or its slug.' }),
      kind: t.arg({ type: OrganizationKind, description: 'Of this kind.' }),
      limit: t.arg({ type: 'ListLimit', required: true, defaultValue: 100, description: 'How many, 1 to 500.' }),
      offset: t.arg({ type: 'ListOffset', required: true, defaultValue: 0, description: 'From where.' }),
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listPartnerOrganizations(context, args),
  }),
  organizations: t.withAuth({ hub: true }).field({
    type: OrganizationSlice,
    description: 'All organizations, flat. 404 when the partner of the filter does not exist.',
    args: {
      q: t.arg({ type: 'ShortText', description: 'Part of the name, slug or accountId, case-insensitive.' }),
      partnerId: t.arg.string({ description: 'Tagged with this partner; `__none__` for those of no partner.' }),
      partnerSlug: t.arg({ type: 'Slug', description: 'Or by its slug.' }),
      kind: t.arg({ type: OrganizationKind, description: 'Of this kind.' }),
      limit: t.arg({ type: 'ListLimit', required: true, defaultValue: 100, description: 'How many, 1 to 500.' }),
      offset: t.arg({ type: 'ListOffset', required: true, defaultValue: 0, description: 'From where.' }),
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listOrganizations(context, args),
  }),
}));

builder.mutationFields((t) => ({
  assignOrganizationToPartner: t.withAuth({ superadmin: true }).field({
    type: OrganizationAssignment,
    description:
      'Tags an organization with a partner, here and at the identity provider, or takes the tag off. It may belong to another partner now; the answer names it.',
    args: { input: t.arg({ type: AssignOrganizationInput, required: true, description: 'Which and where.' }) },
    resolve: (_root, { input }, context) => assignOrganizationToPartner(context, input),
  }),
}));
