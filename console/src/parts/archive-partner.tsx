import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';

const archive = graphql(`
  mutation ArchivePartner($id: ID!) {
    archivePartner(id: $id) { previousStatus }
  }
`);

/** Ends a partner. Its slug is typed, since nothing brings it back. */
export function ArchivePartner({
  partner: { id, slug, status },
}: {
  partner: { id: string; slug: string; status: string };
}) {
  const [typed, setTyped] = useState('');
  return (
    <Action
      name="Archive"
      color="red"
      takesReason={false}
      document={archive}
      seen={{ Status: status }}
      refused={
        whyNot(usePerson(), 'superadmin') ?? (status === 'offboarded' ? 'The partner is archived already.' : undefined)
      }
      consequence={`The keys and the people of ${slug} are refused from now on, its invitations end, and its slug stays taken. This cannot be taken back.`}
      variables={() => {
        if (typed.trim() !== slug) throw new Error(`Type ${slug} to confirm.`);
        return { id };
      }}
    >
      <TextInput
        label={`Type ${slug} to confirm`}
        required
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </Action>
  );
}
