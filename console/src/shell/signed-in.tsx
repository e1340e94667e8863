import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, askAs } from '../graph/ask.ts';
import { failureOf } from '../graph/failure.ts';
import { graphql } from '../graph/graphql.ts';
import { Failed, Loading } from '../ui/loading-empty-failed.tsx';
import { useIsActing } from '../ui/open-dialogs.ts';
import { may, type Person, ProvidePerson } from '../ui/person.tsx';
import { signInAndReturn } from '../ui/sign-in.ts';
import { SignOut } from './sign-out.tsx';

const document = graphql(`
  query Me {
    me { kind userId email platformRoles whitelabelOwnership hasSecondFactor }
  }
`);

/** Shows its children to a signed-in person who may read anything, and says what to do to everybody else. */
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => (await ask(document, {}, { signal })).me,
    staleTime: 60_000,
  });
  const [admitted, admit] = useState<Person>();
  const isActing = useIsActing();
  if (me.isPending) return <Loading rows={1} />;
  // A page that is open stays open, with what was typed in it: its own calls say what is wrong.
  if (me.error && !me.data && !failureOf(me.error).isSignedOut)
    return <Failed error={me.error} retry={() => void me.refetch()} />;
  const person = personOf(me.data);
  if (!person)
    return (
      <Alone title="Sign in to the console" text="For operators and partner staff.">
        <Button component="a" href={signInAndReturn()}>
          Sign in
        </Button>
      </Alone>
    );
  if (!may(person, 'directory') && !admitted)
    return (
      <Alone title="No access" text={whyNothing(person)}>
        <Group justify="center">
          <Button component="a" href="/idp/account" variant="default" size="xs">
            My account
          </Button>
          <SignOut />
        </Group>
      </Alone>
    );
  askAs(person.userId);
  // Other roles show other parts of a page. A dialog that is open stays, with what was typed in it.
  const shown = isActing && admitted ? admitted : person;
  if (!admitted || !isSame(shown, admitted)) admit(shown);
  return <ProvidePerson person={shown}>{children}</ProvidePerson>;
}

/** Which role the person has, and who gives another. */
function whyNothing({ email, platformRoles, partnerSlug }: Person): string {
  const has = platformRoles.length === 0 ? 'has no role' : `has the role ${platformRoles.join(', ')}`;
  const help =
    partnerSlug === null
      ? 'A superadmin can assign roles.'
      : `An admin of ${partnerSlug} can assign you the role accountmanager, which can read, or partneradmin, which can also refund, resend webhooks, and manage staff and keys.`;
  return `${email} ${has}, which has no access to the console. ${help}`;
}

function isSame(one: Person, other: Person): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface MeData {
  userId: string | null;
  email: string | null;
  platformRoles: readonly string[];
  whitelabelOwnership: string | null;
  hasSecondFactor: boolean | null;
}

function personOf(me: MeData | null | undefined): Person | undefined {
  if (!me?.userId || me.email === null) return undefined;
  const { userId, email, platformRoles, whitelabelOwnership, hasSecondFactor } = me;
  return { userId, email, platformRoles, partnerSlug: whitelabelOwnership, hasSecondFactor };
}

function Alone({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack align="center" maw={420} ta="center">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {children}
      </Stack>
    </Center>
  );
}
