import { Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';

const create = graphql(`
  mutation CreatePartner($input: CreatePartnerInput!) {
    createPartner(input: $input) { partner { id slug } invited { email } }
  }
`);
const update = graphql(`
  mutation UpdatePartner($input: UpdatePartnerInput!) {
    updatePartner(input: $input) { partner { id slug name status } }
  }
`);

/** Makes a partner and invites its admins. */
export function CreatePartner() {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [adminEmails, setAdminEmails] = useState<string[]>([]);
  return (
    <Action
      name="New partner"
      takesReason={false}
      document={create}
      refused={whyNot(usePerson(), 'superadmin')}
      consequence="The partner starts as onboarding. Its admins get an invitation by mail."
      variables={() => ({ input: { name, slug, adminEmails } })}
    >
      <TextInput label="Name" required value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <TextInput
        label="Slug"
        description="In URLs and reports: lower case letters, digits and hyphens."
        required
        value={slug}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
      />
      <TagsInput label="E-mail addresses of its admins" value={adminEmails} onChange={setAdminEmails} />
    </Action>
  );
}

const statuses = ['onboarding', 'active', 'suspended', 'offboarded'] as const;

/** Changes the status of a partner, which decides whether anything is charged for it. */
export function ChangePartnerStatus({ partner }: { partner: { id: string; status: (typeof statuses)[number] } }) {
  const [status, setStatus] = useState(partner.status);
  return (
    <Action
      name="Change status"
      takesReason={false}
      document={update}
      refused={whyNot(usePerson(), 'hub')}
      consequence="Nothing is charged for a partner that is suspended or offboarded, by any job, page or key."
      variables={() => ({ input: { id: partner.id, status } })}
    >
      <Select
        label="Status"
        data={[...statuses]}
        value={status}
        allowDeselect={false}
        onChange={(value) => setStatus(statuses.find((known) => known === value) ?? partner.status)}
      />
    </Action>
  );
}
