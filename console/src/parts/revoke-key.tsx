import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';

const revoke = graphql(`
  mutation RevokePartnerKey($keyId: ID!) {
    revokePartnerKey(keyId: $keyId) { id status }
  }
`);

interface ListedKey {
  id: string;
  kind: string;
  label: string;
  status: string;
}

/** Revokes a partner key. */
export function RevokeKey({ apiKey: { id, kind, label, status } }: { apiKey: ListedKey }) {
  const role = whyNot(usePerson(), 'roster');
  if (status === 'revoked' || kind !== 'partner') return null;
  return (
    <Action
      name="Revoke"
      color="red"
      takesReason={false}
      document={revoke}
      refused={role}
      consequence={`Calls with the key “${label}” are refused from now on. This cannot be taken back.`}
      variables={() => ({ keyId: id })}
    />
  );
}
