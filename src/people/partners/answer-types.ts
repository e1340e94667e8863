import type { PartnerMembership, Partner as PartnerRecord } from '../../generated/prisma/client.ts';
import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import type { ArchiveResult } from './archive-partner.ts';
import {
  type InvitedAdmin,
  InvitedAdminObject,
  Membership,
  Partner,
  PartnerStatus,
  type PartnerSummary,
  PartnerSummaryObject,
  type WholeList,
} from './types.ts';

export const PartnerList = builder.objectRef<WholeList<PartnerSummary>>('PartnerList').implement({
  description: 'The list of all partners.',
  fields: (t) => ({
    rows: t.field({
      type: [PartnerSummaryObject],
      description: 'The partners, newest first.',
      resolve: ({ rows }) => rows,
    }),
    total: t.exposeInt('total', { description: 'Number of partners.' }),
  }),
});

export const PartnerStaffList = builder.objectRef<WholeList<PartnerMembership>>('PartnerStaffList').implement({
  description: "A partner's whole roster.",
  fields: (t) => ({
    rows: t.field({
      type: [Membership],
      description: 'The memberships, latest invitation first.',
      resolve: ({ rows }) => rows,
    }),
    total: t.exposeInt('total', { description: 'Number of memberships.' }),
  }),
});

export const PartnerAnswer = builder.objectRef<{ partner: PartnerRecord }>('PartnerAnswer').implement({
  description: 'The answer with one partner.',
  fields: (t) => ({
    partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
  }),
});

export const CreatedPartner = builder
  .objectRef<{ partner: PartnerRecord; invited: InvitedAdmin[] }>('CreatedPartner')
  .implement({
    description: 'A partner that was created.',
    fields: (t) => ({
      partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
      invited: t.field({
        type: [InvitedAdminObject],
        description: 'The results of the invitations of its first admins.',
        resolve: ({ invited }) => invited,
      }),
    }),
  });

export const ArchivedPartner = builder.objectRef<ArchiveResult>('ArchivedPartner').implement({
  description: 'A partner that was archived.',
  fields: (t) => ({
    partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
    previousStatus: t.field({
      type: PartnerStatus,
      description: 'The status before the request. `offboarded` on a repeat.',
      // a CHECK constraint limits the column to the values of the enum
      ...asStored('previousStatus'),
    }),
  }),
});
