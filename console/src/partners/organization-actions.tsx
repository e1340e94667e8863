import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { ObjectPicker } from '../ui/object-picker.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';

const assign = graphql(`
  mutation AssignOrganization($input: AssignOrganizationInput!) {
    assignOrganizationToPartner(input: $input) { __typename }
  }
`);

interface AssignedOrganization {
  accountId: string;
  name: string;
  partnerSlug: string | null;
}

/** Gives an organization to a partner, or takes it from one. */
export function AssignOrganization({ organization }: { organization: AssignedOrganization }) {
  const { accountId, name, partnerSlug } = organization;
  const [typed, setTyped] = useState<string>();
  const slug = (typed ?? partnerSlug ?? '').trim();
  return (
    <Action
      name="Assign partner"
      of={`to ${name}`}
      takesReason={false}
      document={assign}
      seen={{ Partner: partnerSlug }}
      refused={refusalReason(usePerson(), 'superadmin')}
      consequence={
        slug === '' ? `${name} no longer belongs to a partner.` : `${name} belongs to ${slug}. Its staff can see it.`
      }
      variables={() => ({ input: { accountId, partnerSlug: slug === '' ? null : slug } })}
      onDone={() => setTyped(undefined)}
    >
      <ObjectPicker
        kind="partner"
        label="Partner"
        description="Leave empty to remove the organization from its partner."
        value={typed ?? partnerSlug ?? ''}
        onChange={setTyped}
        onType={setTyped}
      />
    </Action>
  );
}
