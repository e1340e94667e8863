import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';

const revokePartnerKey = graphql(`
  mutation RevokePartnerKey($keyId: ID!) {
    revokePartnerKey(keyId: $keyId) { id status }
  }
`);
const revokeSubKey = graphql(`
  mutation RevokeSubKey($keyId: ID!, $reason: Name!) {
    operatorRevokeApiKey(keyId: $keyId, reason: $reason) { id status }
  }
`);

interface ListedKey {
  id: string;
  kind: string;
  label: string;
  status: string;
}

/** Revokes a key. Of a sub-key, which belongs to a merchant, the reason is recorded. */
export function RevokeKey({ apiKey: { id: keyId, kind, label, status } }: { apiKey: ListedKey }) {
  const person = usePerson();
  const shared = {
    name: 'Revoke',
    seen: { Status: status },
    isOffered: status !== 'revoked',
    color: 'red',
    consequence: `Calls with the key “${label}” are refused from now on. This cannot be taken back.`,
  };
  if (kind === 'partner')
    return (
      <Action
        {...shared}
        takesReason={false}
        document={revokePartnerKey}
        refused={whyNot(person, 'roster')}
        variables={() => ({ keyId })}
      />
    );
  return (
    <Action
      {...shared}
      isRepeatable
      document={revokeSubKey}
      refused={whyNot(person, 'hub')}
      variables={(reason) => ({ keyId, reason })}
    />
  );
}
