import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Ready } from '../ui/detail-page.tsx';
import { Section } from '../ui/facts.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { InviteStaff, MemberActions } from './staff-actions.tsx';

const document = graphql(`
  query Roster($slug: Slug!) {
    partnerStaff(slug: $slug) {
      total
      rows { membershipId email roles status invitedAt joinedAt userId }
    }
  }
`);

/** The people of a partner. */
export function Roster({ slug }: { slug: string }) {
  const query = useQuery({
    queryKey: ['roster', slug],
    queryFn: ({ signal }) => ask(document, { slug }, { signal }),
  });
  return (
    <Section title="Staff" aside={<InviteStaff slug={slug} />}>
      <Ready query={query}>
        {({ partnerStaff }) => (
          <Stack>
            <DataTable
              label="Staff"
              rows={partnerStaff?.rows ?? []}
              keyOf={({ membershipId }) => membershipId}
              pathOf={({ userId }) => (userId ? `/users/${userId}` : undefined)}
              columns={[
                { name: 'Email', cell: ({ email }) => email },
                { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
                { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                {
                  name: 'Created',
                  spare: true,
                  cell: ({ joinedAt, invitedAt }) => <Time at={joinedAt ?? invitedAt} />,
                },
                {
                  name: 'Actions',
                  cell: (member) => (
                    <Group gap="xs">
                      <MemberActions
                        slug={slug}
                        member={{ ...member, target: { membershipId: member.membershipId } }}
                      />
                    </Group>
                  ),
                },
              ]}
            />
          </Stack>
        )}
      </Ready>
    </Section>
  );
}
