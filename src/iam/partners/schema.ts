import { builder } from '../../graph/builder.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { MembershipStatus } from '../types.ts';
import { archivePartner, createPartner } from './change-partner.ts';
import { CreatePartnerInput, UpdatePartnerInput } from './inputs.ts';
import { listPartnerStaff, listPartners, readPartner } from './read-partners.ts';
import {
  ArchivedPartner,
  CreatedPartner,
  described,
  Partner,
  PartnerList,
  PartnerStaffList,
  PartnerStatus,
} from './types.ts';
import { updatePartner } from './update-partner.ts';

const slugInPlaceOfId = 'Slug of the partner, in place of `id`.';

builder.queryFields((t) => ({
  partners: t.withAuth({ hub: true }).field({
    type: PartnerList,
    description: 'Lists all partners, newest first, with the number of their staff, accounts and organizations.',
    args: { status: t.arg({ type: [PartnerStatus], description: 'Only partners with one of these statuses.' }) },
    resolve: (_root, { status }, context) => listPartners(context, status),
  }),
  partner: t.withAuth({ hub: true }).field({
    type: Partner,
    description: 'Returns one partner, named by exactly one of `id` and `slug`. 404 if there is none.',
    args: {
      id: t.arg.id({ description: described.id }),
      slug: t.arg({ type: 'Slug', description: slugInPlaceOfId }),
    },
    resolve: (_root, args, context) => readPartner(context, args),
  }),
  partnerStaff: t.withAuth({ hub: true }).field({
    type: PartnerStaffList,
    description:
      'Lists the whole roster of a partner, named by exactly one of `id` and `slug`: pending, active and revoked ' +
      'memberships.',
    args: {
      id: t.arg.id({ description: described.id }),
      slug: t.arg({ type: 'Slug', description: slugInPlaceOfId }),
      status: t.arg({ type: [MembershipStatus], description: 'Only memberships with one of these statuses.' }),
    },
    resolve: (_root, args, context) => listPartnerStaff(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createPartner: t.withAuth({ superadmin: true }).field({
    type: CreatedPartner,
    description: 'Creates a partner and invites its first admins.',
    args: { input: t.arg({ type: CreatePartnerInput, required: true, description: 'The partner.' }) },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { input }, context) => createPartner(context, input),
  }),
  updatePartner: t.withAuth({ hub: true }).field({
    type: Partner,
    description:
      'Changes the given fields of a partner and keeps the others. The status `offboarded` requires the role ' +
      '`superadmin`.',
    args: { input: t.arg({ type: UpdatePartnerInput, required: true, description: 'The partner and its changes.' }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { input }, context) => updatePartner(context, input),
  }),
  archivePartner: t.withAuth({ superadmin: true }).field({
    type: ArchivedPartner,
    description:
      'Archives a partner permanently. Pending invitations are revoked, its keys and its staff are refused, and the ' +
      'slug stays taken. A repeat returns the same partner.',
    args: { id: t.arg.id({ required: true, description: described.id }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { id }, context) => archivePartner(context, id),
  }),
}));
