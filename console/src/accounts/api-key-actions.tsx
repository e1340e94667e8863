import { Alert, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { bulkAction } from '../ui/bulk-action.ts';
import { Id } from '../ui/facts.tsx';
import { localTime } from '../ui/format.ts';
import { useMode } from '../ui/mode.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const create = graphql(`
  mutation CreatePartnerKey($partnerSlug: Slug!, $input: CreatePartnerKeyInput!, $reason: Name!) {
    createPartnerKey(partnerSlug: $partnerSlug, input: $input, reason: $reason) {
      ... on CreatedApiKey { id secret }
      ... on PartnerKeyRequest { id }
    }
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
  const person = usePerson();
  const [label, setLabel] = useState('');
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <>
      <NewSecret of={created} onClose={() => setCreated(undefined)} />
      <Action
        name={`Create ${mode} key`}
        of={slug && `of ${slug}`}
        document={create}
        refused={refusalReason(person, 'admin') ?? refused}
        consequence={`A key of ${slug} for ${mode} mode, with every right of the partner in it.${
          person.partnerSlug === null ? ' It requires a second approver within 72 hours.' : ''
        }`}
        outcome={({ createPartnerKey: made }) => (made && 'secret' in made ? 'done' : 'needs a second approver')}
        variables={(reason) => ({ partnerSlug: slug, input: { label, mode }, reason })}
        onDone={({ createPartnerKey: made }) => {
          setCreated(made && 'secret' in made ? made : undefined);
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

/** A new partner key. The secret is null in the answer to a repeated call. */
export interface CreatedKey {
  secret: string | null;
}

/** The secret of a new partner key, until it is closed. */
export function NewSecret({ of: created, onClose }: { of: CreatedKey | undefined; onClose(): void }) {
  const { partnerSlug } = usePerson();
  if (!created) return null;
  const { secret } = created;
  return (
    <Alert
      color={secret === null ? 'yellow' : 'green'}
      title="New partner key"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      {secret === null ? (
        'Secret lost with the response. Revoke this key and create a new one.'
      ) : (
        <>
          <Id>{secret}</Id> Shown once.{' '}
          {partnerSlug === null
            ? 'Share it with the partner securely.'
            : 'Store it where only your servers can read it.'}
        </>
      )}
    </Alert>
  );
}

const revokePartnerKey = graphql(`
  mutation RevokePartnerKey($keyId: ID!) {
    revokePartnerKey(keyId: $keyId) { id status }
  }
`);
const revokeSubKey = graphql(`
  mutation RevokeSubKey($keyId: ID!, $reason: Name!) {
    revokeApiKey(keyId: $keyId, reason: $reason) { id status }
  }
`);

interface ListedKey {
  id: string;
  kind: string;
  label: string;
  prefix: string;
  status: string;
  lastUsedAt: string | null;
  account: { legalName: string } | null;
  /** Absent for people of a partner, whose own it is. */
  partner?: { name: string } | null;
}

/** Revokes sub-keys, for example of a merchant whose server was broken into. */
export const revokeAll = bulkAction({
  name: 'Revoke',
  right: 'admin',
  color: 'red',
  document: revokeSubKey,
  consequence: 'API requests with these keys fail immediately. This cannot be undone.',
  variables: ({ id }: ListedKey, reason) => ({ keyId: id, reason }),
  nameOf: ({ label, prefix }) => `key ${prefix}… “${label}”`,
  skipped({ kind, status }) {
    if (status === 'revoked') return 'Already revoked.';
    return kind === 'partner' ? 'Partner keys are revoked one by one.' : undefined;
  },
});

/** Revokes a key. Of a sub-key, which belongs to a merchant, the reason is recorded. */
export function RevokeKey({ apiKey }: { apiKey: ListedKey }) {
  const { id: keyId, kind, label, prefix, status, lastUsedAt, account, partner } = apiKey;
  const person = usePerson();
  const partnerName = partner?.name ?? person.partnerSlug;
  const hit = account
    ? [account.legalName, partnerName].filter(Boolean).join(' of ')
    : `all accounts of ${partnerName}`;
  const shared = {
    name: 'Revoke',
    keep: 'Keep key',
    of: `key ${prefix}…`,
    seen: { Status: status },
    isOffered: status !== 'revoked',
    color: 'red',
    consequence:
      `API requests for ${hit} with the key “${label}” fail immediately. ` +
      `${lastUsedAt === null ? 'The key was never used' : `Last used ${localTime(lastUsedAt)}`}. This cannot be undone.`,
  };
  if (kind === 'partner')
    return (
      <Action
        {...shared}
        takesReason={false}
        document={revokePartnerKey}
        refused={refusalReason(person, 'admin')}
        variables={() => ({ keyId })}
      />
    );
  return (
    <Action
      {...shared}
      document={revokeSubKey}
      refused={refusalReason(person, 'admin')}
      variables={(reason) => ({ keyId, reason })}
    />
  );
}
