import { Alert, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { useMode } from '../shell/mode.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';
import { Id } from './facts.tsx';

const create = graphql(`
  mutation CreatePartnerKey($partnerSlug: Slug!, $input: CreatePartnerKeyInput!) {
    createPartnerKey(partnerSlug: $partnerSlug, input: $input) { id secret }
  }
`);

/** Makes a key of the person's own partner, or of the one that the list is filtered by. */
export function CreateListedPartnerKey() {
  const { partnerSlug } = usePerson();
  const { partner = '' }: { partner?: string } = useSearch({ strict: false });
  const slug = partnerSlug ?? partner;
  return <CreatePartnerKey slug={slug} refused={slug === '' ? 'Filter the list by a partner first.' : undefined} />;
}

/** Makes a partner key of the present mode. Its secret is shown once and kept nowhere. */
export function CreatePartnerKey({ slug, refused }: { slug: string; refused?: string | undefined }) {
  const mode = useMode();
  const [label, setLabel] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      {secret !== null && (
        <Alert
          color="green"
          title="The new partner key"
          withCloseButton
          closeButtonLabel="Dismiss"
          onClose={() => setSecret(null)}
        >
          <Id>{secret}</Id> It is shown this once. Send it to the partner by a safe way.
        </Alert>
      )}
      <Action
        name={`New ${mode} key`}
        takesReason={false}
        document={create}
        refused={whyNot(usePerson(), 'roster') ?? refused}
        consequence={`A key of ${slug} for ${mode} mode, with every right of the partner in it.`}
        variables={() => ({ partnerSlug: slug, input: { label, mode } })}
        onDone={({ createPartnerKey }) => {
          setSecret(createPartnerKey?.secret ?? null);
          setLabel('');
        }}
      >
        <TextInput
          label="Label"
          required
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        />
      </Action>
    </>
  );
}
