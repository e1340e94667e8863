import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from './data-table.tsx';
import { Ready } from './detail-page.tsx';
import { Section } from './facts.tsx';
import { InvitationByEmail } from './invitation-by-email.tsx';
import { InviteStaff, MemberActions } from './staff-actions.tsx';
import { Time } from './time.tsx';

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
            columns={[
              { name: 'E-mail', cell: ({ email }) => email },
              { name: 'Roles', cell: ({ platformRoles }) => platformRoles.join(', ') },
              { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
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
