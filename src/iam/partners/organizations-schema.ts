import { builder } from '../../graph/builder.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { assignOrganizationToPartner } from './assign-organization-to-partner.ts';
import { AssignOrganizationInput } from './inputs.ts';
import { listOrganizations, listPartnerOrganizations } from './list-organizations.ts';
import { OrganizationAssignment, OrganizationKind, OrganizationSlice } from './organization-types.ts';

const paging = builder.args((t) => ({
  kind: t.field({ type: OrganizationKind, description: 'Only organizations of this kind.' }),
  limit: t.field({
    type: 'ListLimit',
    required: true,
    defaultValue: 100,
    description: 'Maximum number of organizations to return, 1 to 500.',
  }),
  offset: t.field({
    type: 'ListOffset',
    required: true,
    defaultValue: 0,
    description: 'Number of organizations to skip.',
  }),
}));

builder.queryFields((t) => ({
  partnerOrganizations: t.withAuth({ hub: true }).field({
    type: OrganizationSlice,
    description:
      'Lists the organizations tagged with one partner, which is named by exactly one of `id` and `slug`, newest ' +
      'first.',
    args: {
      id: t.arg.id({ description: 'Identifier of the partner, prefix `par_`.' }),
      slug: t.arg({ type: 'Slug', description: 'Slug of the partner, in place of `id`.' }),
      ...paging,
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listPartnerOrganizations(context, args),
  }),
  organizations: t.withAuth({ hub: true }).field({
    type: OrganizationSlice,
    description: 'Lists organizations, newest first. 404 if the partner of the filter does not exist.',
    args: {
      q: t.arg({ type: 'ShortText', description: 'Part of the name, the slug or the `accountId`, case-insensitive.' }),
      partnerId: t.arg.id({
        description: 'Only organizations tagged with this partner, prefix `par_`, or `__none__` for those without one.',
      }),
      partnerSlug: t.arg({ type: 'Slug', description: 'Slug of the partner, in place of `partnerId`.' }),
      ...paging,
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listOrganizations(context, args),
  }),
}));

builder.mutationFields((t) => ({
  assignOrganizationToPartner: t.withAuth({ superadmin: true }).field({
    type: OrganizationAssignment,
    description:
      'Tags an organization with a partner, on the platform and at the identity provider, or removes the tag. An ' +
      'organization of another partner is moved; the answer names its previous partner.',
    args: {
      input: t.arg({
        type: AssignOrganizationInput,
        required: true,
        description: 'The organization and its new partner.',
      }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { input }, context) => assignOrganizationToPartner(context, input),
  }),
}));
