import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Ready } from '../ui/detail-page.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { MemberActions } from './staff-actions.tsx';

const document = graphql(`
  query Invitations($partnerSlug: Slug, $email: Email) {
    openInvitations(partnerSlug: $partnerSlug, email: $email) {
      membershipId partnerSlug email roles state invitedAt expiresAt
    }
  }
`);

/** The invitations to a partner, or of an email address, that were not accepted. Shown to who may invite. */
export function Invitations({ of }: { of: { partnerSlug: string } | { email: string } }) {
  const isOffered = may(usePerson(), 'admin');
  const query = useQuery({
    queryKey: ['invitations', of],
    queryFn: ({ signal }) => ask(document, of, { signal }),
    enabled: isOffered,
  });
  if (!isOffered) return null;
  return (
    <Ready query={query}>
      {({ openInvitations }) => (
        <RowsSection
          title="Pending invitations"
          rows={openInvitations}
          keyOf={({ membershipId }) => membershipId}
          empty="No pending invitations."
          columns={[
            { name: 'Email', cell: ({ email }) => email },
            { name: 'Partner', cell: ({ partnerSlug }) => partnerSlug },
            { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
            { name: 'Status', cell: ({ state }) => <Status of={state} /> },
            { name: 'Sent', cell: ({ invitedAt }) => <Time at={invitedAt} /> },
            { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} far /> },
            {
              name: 'Actions',
              cell: ({ membershipId, partnerSlug, email, roles }) => (
                <MemberActions
                  slug={partnerSlug}
                  member={{ target: { membershipId }, userId: null, email, roles, status: 'pending' }}
                />
              ),
            },
          ]}
        />
      )}
    </Ready>
  );
}
