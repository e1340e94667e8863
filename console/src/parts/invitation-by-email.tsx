import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';
import { staffProbe } from './probe.ts';
import { resend, revoke } from './staff-actions.tsx';

/** Sends an invitation again, or takes it back, by the address that was invited. */
export function InvitationByEmail({ slug }: { slug: string }) {
  const [email, setEmail] = useState('');
  const shared = {
    takesReason: false,
    refused: whyNot(usePerson(), 'roster'),
    variables: () => ({ partnerSlug: slug, target: { email } }),
    onDone: () => setEmail(''),
    children: (
      <TextInput
        label="E-mail"
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
        name="Send an invitation again"
        document={resend}
        probe={staffProbe(slug, 'resend_invitation')}
        consequence="Whoever was invited under this address and has not joined gets the mail once more. The earlier link ends."
      />
      <Action
        {...shared}
        name="Take an invitation back"
        color="red"
        document={revoke}
        probe={staffProbe(slug, 'revoke')}
        consequence={`The link in the mail ends. Somebody who has joined under this address loses every access to ${slug} at once.`}
      />
    </>
  );
}
