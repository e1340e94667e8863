import type { PartnerMembership, Partner as PartnerRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { MembershipStatus } from '../types.ts';
import type { ArchiveResult } from './change-partner.ts';

/** A list that is returned as a whole. */
export interface WholeList<Row> {
  rows: Row[];
  total: number;
}

export const PartnerStatus = builder.enumType('PartnerStatus', {
  description:
    'The status of a partner. While it is `suspended` or `offboarded`, nothing is charged for it. Authorizations ' +
    'expire, disputes are recorded, and operators can refund, void and cancel.',
  values: {
    onboarding: { description: 'The partner is being set up.' },
    active: { description: 'The partner uses the platform.' },
    suspended: {
      description:
        'The keys of the partner can refund, void and cancel, and read payments, subscriptions and events. ' +
        'Everything else is refused until the partner is active again.',
    },
    offboarded: { description: 'The partner is archived and its keys are refused. This status is final.' },
  } as const,
});

export const described = {
  id: 'Unique identifier of the partner, prefix `par_`.',
  slug: 'Slug of the partner. It is unique, never changes, and stays taken after the partner is archived.',
  name: 'Name of the partner.',
  status: 'The status of the partner.',
  createdAt: 'Time at which the partner was created.',
} as const;

export interface PartnerSummary extends Pick<PartnerRecord, 'id' | 'slug' | 'name' | 'status' | 'createdAt'> {
  staffCount: number;
  merchantCount: number;
  orgCount: number;
}

const PartnerSummaryObject = builder.objectRef<PartnerSummary>('PartnerSummary').implement({
  description: 'A partner in a list.',
  fields: (t) => ({
    id: t.exposeID('id', { description: described.id }),
    slug: t.exposeString('slug', { description: described.slug }),
    name: t.exposeString('name', { description: described.name }),
    // a CHECK constraint limits the column to the values of the enum
    status: t.field({ type: PartnerStatus, description: described.status, ...storedColumn('status') }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    staffCount: t.exposeInt('staffCount', { description: 'Number of active memberships of its roster.' }),
    merchantCount: t.exposeInt('merchantCount', { description: 'Number of its processing accounts in both modes.' }),
    orgCount: t.exposeInt('orgCount', { description: 'Number of organizations tagged with it.' }),
  }),
});

export const Partner = builder.prismaObject('Partner', {
  description: 'A business that uses the platform to take payments for its merchants.',
  fields: (t) => ({
    id: t.exposeID('id', { description: described.id }),
    slug: t.exposeString('slug', { description: described.slug }),
    name: t.exposeString('name', { description: described.name }),
    // as above
    status: t.field({ type: PartnerStatus, description: described.status, ...storedColumn('status') }),
    branding: t.expose('branding', {
      type: 'JSONObject',
      description:
        'Free-form object. Invitations use its strings `displayName`, `primaryColor` (`#rgb` or `#rrggbb`), ' +
        '`emailFooter` and `invitationRedirectUrl`, the https address of the page that an accepted invitation ' +
        'redirects to.',
    }),
    preferences: t.expose('preferences', { type: 'JSONObject', description: 'Free-form object.' }),
    commercialTerms: t.expose('commercialTerms', { type: 'JSONObject', description: 'Free-form object.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the partner last changed.' }),
  }),
});

const Membership = builder.prismaObject('PartnerMembership', {
  description: "A membership in a partner's roster.",
  fields: (t) => ({
    membershipId: t.exposeID('id', { description: 'Unique identifier of the membership, prefix `mem_`.' }),
    userId: t.exposeID('userId', {
      nullable: true,
      description: 'Identifier of the user, prefix `user_`. Null until the invitation is accepted.',
    }),
    email: t.exposeString('email', { description: 'The invited email address.' }),
    roles: t.exposeStringList('roles', { description: 'The roles last given on this roster.' }),
    status: t.field({
      type: MembershipStatus,
      description: 'The status of the membership.',
      ...storedColumn('status'),
    }),
    invitedAt: t.expose('invitedAt', { type: 'DateTime', description: 'Time of the latest invitation.' }),
    joinedAt: t.expose('joinedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the membership became active. Null if it has not.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the membership was revoked. Null if it is not revoked.',
    }),
  }),
});

export interface InvitedAdmin {
  email: string;
  status: 'invited' | 'role_updated' | 'error';
  error: string | null;
}

const InvitedAdminObject = builder.objectRef<InvitedAdmin>('InvitedAdmin').implement({
  description: 'The result of the invitation of one of the first admins.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The email address.' }),
    status: t.exposeString('status', { description: '`invited`, `role_updated` or `error`.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Message of the error. Null unless `status` is `error`.',
    }),
  }),
});

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
      ...storedColumn('previousStatus'),
    }),
  }),
});
