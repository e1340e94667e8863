import { Group, MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';
import { rolesProbe } from './probe.ts';

const setRoles = graphql(`
  mutation SetInternalRoles($input: SetInternalUserRolesInput!) {
    setInternalUserRoles(input: $input) { __typename }
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

/** Roles and second factor of a user. */
export function UserActions({ user }: { user: ListedUser }) {
  const [roles, setChosen] = useState<InternalRole[]>(known(user.platformRoles));
  const person = usePerson();
  const isScoped = user.whitelabelOwnership !== null;
  return (
    <Group gap="xs">
      <Action
        name="Roles"
        takesReason={false}
        document={setRoles}
        refused={
          whyNot(person, 'superadmin') ??
          (isScoped ? 'The roles of people of a partner are changed in its staff.' : undefined)
        }
        probe={rolesProbe(user.idpUserId, known(user.platformRoles))}
        consequence={`The internal roles of ${user.email} are replaced, and take effect with the next call.`}
        variables={() => ({ input: { userId: user.idpUserId, roles } })}
      >
        <MultiSelect
          label="Roles"
          data={[...internalRoles]}
          value={roles}
          onChange={(values) => setChosen(known(values))}
        />
      </Action>
      <Action
        name="Reset second factor"
        color="red"
        document={resetFactor}
        refused={whyNot(person, 'superadmin')}
        consequence={`${user.email} must set up a new second factor. Their sessions end.`}
        variables={(reason) => ({ userId: user.idpUserId, reason })}
      />
    </Group>
  );
}
