import { Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Ready } from '../ui/detail-page.tsx';
import { Section } from '../ui/facts.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { Time } from '../ui/time.tsx';
import { staffProbe } from './roster-probes.ts';
import { InviteStaff, MemberActions, resend, revoke } from './staff-actions.tsx';

const document = graphql(`
  query OwnStaff {
    users(limit: 100) {
      total
      rows { idpUserId email platformRoles createdAt }
    }
  }
`);

/**
 * The people of the person's own partner, as its admins see them. Invitations that are open are listed for internal staff
 * alone: an admin sends one again, or takes it back, by its address.
 */
export function OwnStaff({ slug }: { slug: string }) {
  const query = useQuery({ queryKey: ['ownStaff'], queryFn: ({ signal }) => ask(document, {}, { signal }) });
  return (
    <Section
      title="People"
      aside={
        <Group gap="xs">
          <InviteStaff slug={slug} />
          <InvitationByEmail slug={slug} />
        </Group>
      }
    >
      <Ready query={query}>
        {({ users }) => (
          <DataTable
            label="People"
            rows={users?.rows ?? []}
            keyOf={({ idpUserId }) => idpUserId}
            pathOf={({ idpUserId }) => `/users/${idpUserId}`}
            columns={[
              { name: 'Email', cell: ({ email }) => email },
              { name: 'Roles', cell: ({ platformRoles }) => platformRoles.join(', ') },
              { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                name: 'Actions',
                cell: ({ idpUserId, email, platformRoles }) => (
                  <Group gap="xs">
                    <MemberActions
                      slug={slug}
                      member={{
                        target: { userId: idpUserId },
                        userId: idpUserId,
                        email,
                        roles: platformRoles,
                        status: 'active',
                      }}
                    />
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Ready>
    </Section>
  );
}

/** Sends an invitation again, or takes it back, by the address that was invited. */
function InvitationByEmail({ slug }: { slug: string }) {
  const [email, setEmail] = useState('');
  const shared = {
    takesReason: false,
    refused: refusalReason(usePerson(), 'admin'),
    variables: () => ({ partnerSlug: slug, target: { email } }),
    onDone: () => setEmail(''),
    children: (
      <TextInput
        label="Email"
        type="email"
        required
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
    ),
  };
  return (
    <>
      <Action
        {...shared}
        name="Resend an invitation"
        document={resend}
        probe={staffProbe(slug, 'resend_invitation')}
        consequence="Sends a new link to an invited address that has not joined. The previous link stops working."
      />
      <Action
        {...shared}
        name="Revoke an invitation"
        color="red"
        document={revoke}
        probe={staffProbe(slug, 'revoke')}
        consequence={`The link stops working. A member with this address loses access to ${slug} immediately.`}
      />
    </>
  );
}
