import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { ObjectPicker } from '../ui/object-picker.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { RolesField } from './roles-field.tsx';
import { rolesProbe } from './roster-probes.ts';

const setRoles = graphql(`
  mutation SetInternalRoles($input: SetInternalUserRolesInput!, $reason: Name!) {
    setInternalUserRoles(input: $input, reason: $reason) { __typename }
  }
`);
const setScope = graphql(`
  mutation SetUserScope($input: SetUserPartnerScopeInput!, $reason: Name!) {
    setUserPartnerScope(input: $input, reason: $reason) { __typename }
  }
`);
const resetFactor = graphql(`
  mutation ResetSecondFactor($userId: ID!, $reason: ShortText!) {
    resetSecondFactor(userId: $userId, reason: $reason) { __typename }
  }
`);

const internalRoles = ['superadmin', 'hubadmin', 'platformpaymentAdmin', 'accountmanager'] as const;
type InternalRole = (typeof internalRoles)[number];
const known = (values: readonly string[]): InternalRole[] => internalRoles.filter((role) => values.includes(role));

interface ListedUser {
  idpUserId: string;
  email: string;
  platformRoles: readonly string[];
  whitelabelOwnership: string | null;
}

/** Roles, partner and second factor of a user. */
export function UserActions({ user }: { user: ListedUser }) {
  const [chosen, choose] = useState<InternalRole[]>();
  const [typed, setTyped] = useState<string>();
  const roles = chosen ?? known(user.platformRoles);
  const slug = typed ?? user.whitelabelOwnership ?? '';
  const person = usePerson();
  const seen = { Roles: user.platformRoles.join(', '), Partner: user.whitelabelOwnership };
  const of = `of ${user.email}`;
  return (
    <>
      <Action
        name="Change roles"
        of={of}
        document={setRoles}
        seen={seen}
        // Roles in a partner are changed as of its staff.
        isOffered={user.whitelabelOwnership === null}
        refused={refusalReason(person, 'superadmin')}
        probe={rolesProbe(user.idpUserId, known(user.platformRoles))}
        consequence={`Replaces the internal roles of ${user.email}, from the next request on.`}
        variables={(reason) => ({ input: { userId: user.idpUserId, roles }, reason })}
        onDone={() => choose(undefined)}
      >
        <RolesField of={internalRoles} before={user.platformRoles} roles={roles} onChange={choose} />
      </Action>
      <Action
        name="Change partner"
        of={of}
        color="red"
        document={setScope}
        seen={seen}
        refused={refusalReason(person, 'superadmin')}
        probe={rolesProbe(user.idpUserId, known(user.platformRoles))}
        consequence={
          slug.trim() === ''
            ? `${user.email} no longer belongs to a partner and has no role until one is assigned.`
            : `${user.email} belongs to ${slug.trim()} and can only access that partner, from the next request on.`
        }
        variables={(reason) => ({
          input: { userId: user.idpUserId, partnerSlug: slug.trim() === '' ? null : slug.trim() },
          reason,
        })}
        onDone={() => setTyped(undefined)}
      >
        <ObjectPicker
          kind="partner"
          label="Partner"
          description="Leave empty to remove the user from the partner."
          value={slug}
          onChange={setTyped}
          onType={setTyped}
        />
      </Action>
      <Action
        name="Reset second factor"
        of={of}
        color="red"
        document={resetFactor}
        seen={seen}
        refused={refusalReason(person, 'superadmin')}
        consequence={`${user.email} must set up a new second factor. Their sessions end.`}
        variables={(reason) => ({ userId: user.idpUserId, reason })}
      />
    </>
  );
}
