import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { RolesField } from './roles-field.tsx';
import { staffProbe } from './roster-probes.ts';

const invite = graphql(`
  mutation InviteStaff($partnerSlug: Slug!, $input: InviteStaffInput!) {
    inviteStaff(partnerSlug: $partnerSlug, input: $input) { membershipId status }
  }
`);
const resend = graphql(`
  mutation ResendInvitation($partnerSlug: Slug!, $target: StaffTargetInput!) {
    resendStaffInvitation(partnerSlug: $partnerSlug, target: $target) { __typename }
  }
`);
const revoke = graphql(`
  mutation RevokeStaff($partnerSlug: Slug!, $target: StaffTargetInput!) {
    revokeStaff(partnerSlug: $partnerSlug, target: $target) { __typename }
  }
`);
const deleteDocument = graphql(`
  mutation DeleteStaff($partnerSlug: Slug!, $target: StaffTargetInput!) {
    deleteStaff(partnerSlug: $partnerSlug, target: $target) { __typename }
  }
`);
const setRoles = graphql(`
  mutation SetStaffRoles($partnerSlug: Slug!, $input: SetStaffRolesInput!) {
    setStaffRoles(partnerSlug: $partnerSlug, input: $input) { __typename }
  }
`);

/** The roles that people of a partner can have. `partnerstaff` is not given any more, and is kept by who has it. */
const partnerRoles = ['partneradmin', 'partnerstaff', 'accountmanager'] as const;
type PartnerRole = (typeof partnerRoles)[number];

const known = (values: string[]): PartnerRole[] => partnerRoles.filter((role) => values.includes(role));

const offeredTo = (roles: readonly string[]): readonly PartnerRole[] =>
  partnerRoles.filter((role) => role !== 'partnerstaff' || roles.includes(role));

/** A member without a role is removed, by an action of its own. */
function chosenOf(roles: PartnerRole[]): PartnerRole[] {
  if (roles.length === 0) throw new Error('Choose at least one role.');
  return roles;
}

export function InviteStaff({ slug }: { slug: string }) {
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<PartnerRole[]>(['partneradmin']);
  return (
    <Action
      name="Invite member"
      of={`to ${slug}`}
      takesReason={false}
      document={invite}
      refused={refusalReason(usePerson(), 'admin')}
      probe={staffProbe(slug, 'invite')}
      consequence="Sends an invitation by email. It is valid for 7 days."
      variables={() => ({ partnerSlug: slug, input: { email, roles: chosenOf(roles) } })}
      onDone={() => setEmail('')}
    >
      <TextInput
        label="Email"
        type="email"
        required
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <RolesField of={offeredTo([])} before={[]} roles={roles} onChange={setRoles} />
    </Action>
  );
}

interface Member {
  /** One of the identifiers that the mutations take. */
  target: { membershipId: string } | { userId: string };
  /** Null for a person who has not joined yet. */
  userId: string | null;
  email: string;
  roles: readonly string[];
  status: string;
}

export function MemberActions({ slug, member }: { slug: string; member: Member }) {
  const { email, status, userId } = member;
  const [chosen, choose] = useState<PartnerRole[]>();
  const roles = chosen ?? known([...member.roles]);
  const refused = refusalReason(usePerson(), 'admin');
  const target = { partnerSlug: slug, target: member.target };
  const seen = { Status: status, Roles: member.roles.join(', ') };
  return (
    <>
      <Action
        name="Resend"
        of={`invitation to ${email}`}
        seen={seen}
        isOffered={status === 'pending'}
        takesReason={false}
        document={resend}
        refused={refused}
        probe={staffProbe(slug, 'resend_invitation', userId)}
        consequence={`${email} receives a new link. The previous link stops working.`}
        variables={() => target}
      />
      <Action
        name="Change roles"
        of={`of ${email}`}
        seen={seen}
        isOffered={status === 'active'}
        takesReason={false}
        document={setRoles}
        refused={refused}
        probe={staffProbe(slug, 'set_roles', userId)}
        consequence={`Replaces the roles of ${email}.`}
        variables={() => ({ partnerSlug: slug, input: { ...member.target, roles: chosenOf(roles) } })}
        onDone={() => choose(undefined)}
      >
        <RolesField of={offeredTo(member.roles)} before={member.roles} roles={roles} onChange={choose} />
      </Action>
      <Action
        name="Revoke"
        keep="Keep access"
        of={`access of ${email}`}
        seen={seen}
        isOffered={status !== 'revoked'}
        color="red"
        takesReason={false}
        document={revoke}
        refused={refused}
        probe={staffProbe(slug, 'revoke', userId)}
        consequence={`${email} loses access to ${slug} immediately.`}
        variables={() => target}
      />
      <Action
        name="Delete"
        keep="Keep member"
        of={email}
        seen={seen}
        color="red"
        takesReason={false}
        document={deleteDocument}
        refused={refused}
        probe={staffProbe(slug, 'delete', userId)}
        consequence={`${email} loses access to ${slug} immediately and is removed from this list.`}
        variables={() => target}
      />
    </>
  );
}
