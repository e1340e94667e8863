import type { Partner as PartnerRecord, PartnerMembership } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { MembershipStatus } from '../iam/types.ts';
import { createPartner, type InvitedAdmin } from './create-partner.ts';
import { listPartners, listPartnerStaff, type PartnerSummary, readPartner } from './read-partners.ts';
import { archivePartner, updatePartner } from './update-partner.ts';

const partnerStatuses = ['onboarding', 'active', 'suspended', 'offboarded'] as const;

const PartnerStatus = builder.enumType('PartnerStatus', {
  description:
    'Where a partner stands. Keys of a suspended or offboarded one are 403 for whatever they ask, refunds included; holds still run out, and disputes are still kept. From offboarded there is no way back.',
  values: partnerStatuses,
});

const described = {
  id: 'Identifier, prefix `par_`.',
  slug: 'Unique for ever, also after archiving.',
  name: 'Its name.',
  status: 'Where it stands.',
  createdAt: 'When it was created.',
} as const;

const PartnerRow = builder.objectRef<PartnerSummary>('PartnerSummary').implement({
  description: 'A partner in the list.',
  fields: (t) => ({
    id: t.exposeString('id', { description: described.id }),
    slug: t.exposeString('slug', { description: described.slug }),
    name: t.exposeString('name', { description: described.name }),
    status: t.field({ type: PartnerStatus, description: described.status, resolve: ({ status }) => status as never }), // a CHECK constraint holds the column to the enum
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    staffCount: t.exposeInt('staffCount', { description: 'Active members of its roster.' }),
    merchantCount: t.exposeInt('merchantCount', { description: 'Processing accounts, of both modes.' }),
    orgCount: t.exposeInt('orgCount', { description: 'Organizations tagged with it.' }),
  }),
});

const Partner = builder.objectRef<PartnerRecord>('Partner').implement({
  description: 'A business that integrates the platform.',
  fields: (t) => ({
    id: t.exposeString('id', { description: described.id }),
    slug: t.exposeString('slug', { description: described.slug }),
    name: t.exposeString('name', { description: described.name }),
    status: t.field({ type: PartnerStatus, description: described.status, resolve: ({ status }) => status as never }), // as above
    branding: t.expose('branding', {
      type: 'JSONObject',
      description: 'Free-form. Invitations use `displayName`, `primaryColor` and `emailFooter`.',
    }),
    preferences: t.expose('preferences', { type: 'JSONObject', description: 'Free-form.' }),
    commercialTerms: t.expose('commercialTerms', { type: 'JSONObject', description: 'Free-form.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const Membership = builder.objectRef<PartnerMembership>('PartnerMembership').implement({
  description: "A row of a partner's roster.",
  fields: (t) => ({
    membershipId: t.exposeString('id', { description: 'Identifier, prefix `mem_`.' }),
    userId: t.exposeString('userId', {
      nullable: true,
      description: 'The account, prefix `user_`; null until the invitation is accepted.',
    }),
    email: t.exposeString('email', { description: 'The e-mail address invited.' }),
    roles: t.exposeStringList('roles', { description: 'The roles last given on this roster.' }),
    status: t.field({
      type: MembershipStatus,
      description: 'Where it stands.',
      resolve: ({ status }) => status as never,
    }), // as above
    invitedAt: t.expose('invitedAt', { type: 'DateTime', description: 'The latest invitation.' }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', nullable: true, description: 'When it became active.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
  }),
});

const Invited = builder.objectRef<InvitedAdmin>('InvitedAdmin').implement({
  description: 'What became of one of the first invitations.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Who was to be invited.' }),
    status: t.exposeString('status', { description: '`invited`, `role_updated` or `error`.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
  }),
});

const PartnerList = builder.objectRef<{ rows: PartnerSummary[]; total: number }>('PartnerList').implement({
  description: 'All partners.',
  fields: (t) => ({
    rows: t.field({ type: [PartnerRow], description: 'They, the newest first.', resolve: ({ rows }) => rows }),
    total: t.exposeInt('total', { description: 'How many.' }),
  }),
});

const StaffList = builder.objectRef<{ rows: PartnerMembership[]; total: number }>('PartnerStaffList').implement({
  description: "A partner's whole roster.",
  fields: (t) => ({
    rows: t.field({
      type: [Membership],
      description: 'Its rows, the latest invited first.',
      resolve: ({ rows }) => rows,
    }),
    total: t.exposeInt('total', { description: 'How many.' }),
  }),
});

const PartnerAnswer = builder.objectRef<{ partner: PartnerRecord }>('PartnerAnswer').implement({
  description: 'One partner.',
  fields: (t) => ({
    partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
  }),
});

const CreatedPartner = builder
  .objectRef<{ partner: PartnerRecord; invited: InvitedAdmin[] }>('CreatedPartner')
  .implement({
    description: 'A partner just made.',
    fields: (t) => ({
      partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
      invited: t.field({
        type: [Invited],
        description: 'What became of the invitations of its first admins.',
        resolve: ({ invited }) => invited,
      }),
    }),
  });

const ArchivedPartner = builder
  .objectRef<{ partner: PartnerRecord; previousStatus: string }>('ArchivedPartner')
  .implement({
    description: 'A partner taken off the platform.',
    fields: (t) => ({
      partner: t.field({ type: Partner, description: 'The partner.', resolve: ({ partner }) => partner }),
      previousStatus: t.field({
        type: PartnerStatus,
        description: 'Where it stood before.',
        resolve: ({ previousStatus }) => previousStatus as never,
      }), // as above
    }),
  });

export const CreatePartnerInput = builder.inputType('CreatePartnerInput', {
  description: 'A partner to make.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: described.name }),
    slug: t.field({
      type: 'Slug',
      required: true,
      description: 'Unique for ever: 409 `slug_taken` when it is taken or once was.',
    }),
    status: t.field({ type: PartnerStatus, description: 'Where it begins, `active` when left out; not `offboarded`.' }),
    branding: t.field({
      type: 'JSONObject',
      description: 'Free-form, at most 65,536 characters as JSON, as the other two.',
    }),
    preferences: t.field({ type: 'JSONObject', description: 'Free-form.' }),
    commercialTerms: t.field({ type: 'JSONObject', description: 'Free-form.' }),
    adminEmails: t.field({
      type: ['Email'],
      description: 'Who is invited as partneradmin, at most 50. One that fails takes nothing back.',
    }),
  }),
});

export const UpdatePartnerInput = builder.inputType('UpdatePartnerInput', {
  description: 'What to change of a partner, which is named by exactly one of id and slug.',
  fields: (t) => ({
    id: t.string({ description: described.id }),
    slug: t.field({ type: 'Slug', description: 'Or its slug, which never changes.' }),
    name: t.field({ type: 'Name', description: described.name }),
    status: t.field({
      type: PartnerStatus,
      description: '`offboarded` archives, which takes a superadmin; from there it is 409.',
    }),
    branding: t.field({
      type: 'JSONObject',
      description:
        'A JSON merge patch: null takes a key away. At most 65,536 characters as JSON when merged, as the other two.',
    }),
    preferences: t.field({ type: 'JSONObject', description: 'A JSON merge patch.' }),
    commercialTerms: t.field({ type: 'JSONObject', description: 'A JSON merge patch.' }),
  }),
});

builder.queryFields((t) => ({
  partners: t.withAuth({ hub: true }).field({
    type: PartnerList,
    description: 'All partners with how many people, merchants and organizations they have.',
    args: { status: t.arg({ type: [PartnerStatus], description: 'Any of these statuses.' }) },
    resolve: (_root, { status }, context) => listPartners(context, status),
  }),
  partner: t.withAuth({ hub: true }).field({
    type: PartnerAnswer,
    description: 'One partner, by id or slug.',
    args: {
      id: t.arg.string({ description: described.id }),
      slug: t.arg({ type: 'Slug', description: 'Or its slug.' }),
    },
    resolve: async (_root, args, context) => ({ partner: await readPartner(context, args) }),
  }),
  partnerStaff: t.withAuth({ hub: true }).field({
    type: StaffList,
    description: "A partner's whole roster: pending, active and revoked.",
    args: {
      id: t.arg.string({ description: described.id }),
      slug: t.arg({ type: 'Slug', description: 'Or its slug.' }),
      status: t.arg({ type: [MembershipStatus], description: 'Any of these statuses.' }),
    },
    resolve: (_root, args, context) => listPartnerStaff(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createPartner: t.withAuth({ superadmin: true }).field({
    type: CreatedPartner,
    description: 'Makes a partner and invites its first admins.',
    args: { input: t.arg({ type: CreatePartnerInput, required: true, description: 'The partner.' }) },
    resolve: (_root, { input }, context) => createPartner(context, input),
  }),
  updatePartner: t.withAuth({ hub: true }).field({
    type: PartnerAnswer,
    description: 'Changes what is named and leaves the rest. Status `offboarded` takes a superadmin.',
    args: { input: t.arg({ type: UpdatePartnerInput, required: true, description: 'Which and what.' }) },
    resolve: async (_root, { input }, context) => ({ partner: await updatePartner(context, input) }),
  }),
  archivePartner: t.withAuth({ superadmin: true }).field({
    type: ArchivedPartner,
    description:
      'Takes a partner off the platform for good: pending invitations end, keys and staff are refused, the slug stays taken. Again: the same answer.',
    args: { id: t.arg.string({ required: true, description: described.id }) },
    resolve: (_root, { id }, context) => archivePartner(context, id),
  }),
}));
