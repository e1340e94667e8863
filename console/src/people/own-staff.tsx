import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Ready } from '../ui/detail-page.tsx';
import { Section } from '../ui/facts.tsx';
import { Time } from '../ui/time.tsx';
import { Invitations } from './invitations.tsx';
import { InviteStaff, MemberActions } from './staff-actions.tsx';

const document = graphql(`
  query OwnStaff {
    users(limit: 100) {
      total
      rows { idpUserId email platformRoles createdAt }
    }
  }
`);

/** The people of the person's own partner, as its admins see them, and those who are invited. */
export function OwnStaff({ slug }: { slug: string }) {
  const query = useQuery({ queryKey: ['ownStaff'], queryFn: ({ signal }) => ask(document, {}, { signal }) });
  return (
    <Stack>
      <Section title="People" aside={<InviteStaff slug={slug} />}>
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
      <Invitations of={{ partnerSlug: slug }} />
    </Stack>
  );
}
