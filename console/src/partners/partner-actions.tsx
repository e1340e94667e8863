import { Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';

const create = graphql(`
  mutation CreatePartner($input: CreatePartnerInput!) {
    createPartner(input: $input) { partner { id slug } invited { email } }
  }
`);
const update = graphql(`
  mutation UpdatePartner($input: UpdatePartnerInput!) {
    updatePartner(input: $input) { id slug name status }
  }
`);

/** Makes a partner and invites its admins. */
export function CreatePartner() {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [adminEmails, setAdminEmails] = useState<string[]>([]);
  return (
    <Action
      name="Create partner"
      takesReason={false}
      document={create}
      refused={refusalReason(usePerson(), 'superadmin')}
      consequence="The partner starts as onboarding. Its admins receive an invitation by email."
      variables={() => ({ input: { name, slug, adminEmails } })}
      onDone={() => {
        setName('');
        setSlug('');
        setAdminEmails([]);
      }}
    >
      <TextInput label="Name" required value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <TextInput
        label="Slug"
        description="Used in URLs and reports. Lowercase letters, digits and hyphens."
        required
        value={slug}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
      />
      <TagsInput label="Email addresses of its admins" value={adminEmails} onChange={setAdminEmails} />
    </Action>
  );
}

/** Changes the status of a partner, which decides whether anything is charged for it. */
export function ChangePartnerStatus({
  partner,
}: {
  partner: { id: string; name: string; status: (typeof enums.PartnerStatus)[number] };
}) {
  const [chosen, choose] = useState<typeof partner.status>();
  const status = chosen ?? partner.status;
  return (
    <Action
      name="Change status"
      of={`of ${partner.name}`}
      seen={{ Status: partner.status }}
      takesReason={false}
      document={update}
      refused={refusalReason(usePerson(), 'hub')}
      consequence="A suspended or offboarded partner cannot charge."
      variables={() => ({ input: { id: partner.id, status } })}
      onDone={() => choose(undefined)}
    >
      <Select
        label="Status"
        data={[...enums.PartnerStatus]}
        value={status}
        allowDeselect={false}
        onChange={(value) => choose(enums.PartnerStatus.find((known) => known === value))}
      />
    </Action>
  );
}

interface EditedPartner {
  id: string;
  name: string;
  branding: Record<string, unknown> | null;
}

/** Changes the name of a partner and how its invitations and pages look. */
export function EditPartner({ partner: { id, name, branding } }: { partner: EditedPartner }) {
  const text = (field: string): string => {
    const value = branding?.[field];
    return typeof value === 'string' ? value : '';
  };
  const [changed, setChanged] = useState<Record<string, string>>({});
  const { name: newName = name, ...looks } = changed;
  const field = (key: string, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      value={changed[key] ?? text(key)}
      onChange={({ currentTarget }) => setChanged({ ...changed, [key]: currentTarget.value })}
    />
  );
  return (
    <Action
      name="Edit partner"
      of={name}
      seen={{ Name: name, Branding: JSON.stringify(branding) }}
      takesReason={false}
      document={update}
      refused={refusalReason(usePerson(), 'hub')}
      consequence="Updates the branding on the partner's pages and emails."
      // An empty field takes its part of the look away.
      variables={() => ({
        input: {
          id,
          name: newName,
          branding: Object.fromEntries(Object.entries(looks).map(([key, value]) => [key, value === '' ? null : value])),
        },
      })}
      onDone={() => setChanged({})}
    >
      <TextInput
        label="Name"
        required
        value={newName}
        onChange={({ currentTarget }) => setChanged({ ...changed, name: currentTarget.value })}
      />
      {field('displayName', 'Name on pages and emails', 'Defaults to the name.')}
      {field('primaryColor', 'Color', 'For example #1a5fb4.')}
      {field('language', 'Language of invitations', 'en or de.')}
    </Action>
  );
}

const archive = graphql(`
  mutation ArchivePartner($id: ID!) {
    archivePartner(id: $id) { previousStatus }
  }
`);

/** Ends a partner. Its slug is typed, since nothing brings it back. */
export function ArchivePartner({
  partner: { id, name, slug, status },
}: {
  partner: { id: string; name: string; slug: string; status: string };
}) {
  const [typed, setTyped] = useState('');
  return (
    <Action
      name="Archive"
      keep="Keep partner"
      of={name}
      color="red"
      takesReason={false}
      document={archive}
      seen={{ Status: status }}
      refused={
        refusalReason(usePerson(), 'superadmin') ??
        (status === 'offboarded' ? 'The partner is already archived.' : undefined)
      }
      consequence={`API keys and staff of ${slug} lose access, and its invitations are revoked. The slug stays reserved. This cannot be undone.`}
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
