import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Ready } from '../ui/detail-page.tsx';
import { Facts, Section } from '../ui/facts.tsx';
import { Status } from '../ui/status.tsx';
import { OwnSessions, Sessions } from './sessions.tsx';

const document = graphql(
  `
  query MyProfile {
    me {
      userId email platformRoles whitelabelOwnership impersonatorId hasSecondFactor
      ...OwnSessions
    }
  }
`,
  [OwnSessions],
);

type Data = ResultOf<typeof document>;
type Profile = NonNullable<Data['me']>;

/** Who is signed in, how safely, and where else. */
export function Me() {
  const query = useQuery({ queryKey: ['profile'], queryFn: ({ signal }) => ask(document, {}, { signal }) });
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Profile
      </Title>
      <Ready query={query}>
        {({ me }) => (
          <>
            {me && <ProfileOf me={me} />}
            <Sessions sessions={me?.sessions ?? []} />
          </>
        )}
      </Ready>
    </Stack>
  );
}

function ProfileOf({ me }: { me: Profile }) {
  const { userId, email, platformRoles, whitelabelOwnership, impersonatorId, hasSecondFactor } = me;
  return (
    <>
      <Section title="User">
        <Facts
          of={[
            ['Email', email],
            ['Roles', platformRoles.join(', ') || 'None'],
            ['Partner', whitelabelOwnership ?? 'None (internal staff)'],
            ['ID', userId],
            ['Impersonated by', impersonatorId],
          ]}
        />
      </Section>
      <Section
        title="Password and two-factor authentication"
        aside={
          <Button component="a" href="/idp/account" size="xs" variant="light">
            {hasSecondFactor === false ? 'Set up two-factor authentication' : 'Manage'}
          </Button>
        }
      >
        <SecondFactor has={hasSecondFactor} />
      </Section>
    </>
  );
}

function SecondFactor({ has }: { has: boolean | null }) {
  if (has === null) return <Text size="sm">Managed by your identity provider.</Text>;
  return (
    <Text size="sm" component="div">
      <Status of={has ? 'active' : 'pending'} detail={has ? 'on' : 'off'} />{' '}
      {has
        ? 'Sign-in requires a code from your authenticator app.'
        : 'Two-factor authentication is off. Turn it on so that a stolen password is not enough.'}
    </Text>
  );
}
