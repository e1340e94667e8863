import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { bulkAction } from '../ui/bulk-action.ts';
import { humanize } from '../ui/format.ts';
import { isoOf, MomentField } from '../ui/moment-field.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';
import type { Seen } from '../ui/stale-check.ts';

const redeliver = graphql(`
  mutation RedeliverWebhook($deliveryId: ID!, $reason: Name!) {
    redeliverWebhook(deliveryId: $deliveryId, reason: $reason) { id status }
  }
`);
const redeliverSince = graphql(`
  mutation RedeliverWebhooksSince($webhookId: ID!, $since: DateTime!, $reason: Name!) {
    redeliverWebhooksSince(webhookId: $webhookId, since: $since, reason: $reason) { redelivered }
  }
`);

/** Why nothing is sent to an endpoint. */
export const switchedOff = 'The endpoint is disabled.';

/** What a person sees of an endpoint that is acted on. */
export const seenOf = ({ enabled }: { enabled: boolean }): Seen => ({
  Endpoint: enabled ? 'enabled' : 'disabled',
});

interface RedeliverProps {
  delivery: { id: string; eventType: string; status: string; endpoint: { url: string } | null };
  /** Whether the endpoint is known to be switched off. */
  isOff?: boolean;
}

const alreadySent = 'Already being sent.';
const nameOf = ({ eventType, endpoint }: RedeliverProps['delivery']): string =>
  `${eventType} to ${endpoint?.url ?? 'a deleted endpoint'}`;

export const redeliverAll = bulkAction({
  name: 'Resend',
  right: 'admin',
  consequence: 'Sends each event to its endpoint again with the same ID.',
  document: redeliver,
  variables: ({ id }: RedeliverProps['delivery'], reason) => ({ deliveryId: id, reason }),
  nameOf,
  skipped: ({ status }) => (status === 'pending' ? alreadySent : undefined),
});

/** Sends the event of a delivery to its endpoint again. */
export function Redeliver({ delivery, isOff = false }: RedeliverProps) {
  const { id, status } = delivery;
  const refused = refusalReason(usePerson(), 'admin');
  return (
    <Action
      name="Resend"
      of={nameOf(delivery)}
      document={redeliver}
      seen={{ Status: humanize(status) }}
      refused={refused ?? (isOff ? switchedOff : status === 'pending' ? alreadySent : undefined)}
      consequence="Sends the event to the endpoint again with the same ID."
      variables={(reason) => ({ deliveryId: id, reason })}
    />
  );
}

interface RedeliverSinceProps {
  endpoint: { id: string; url: string; enabled: boolean };
}

/** Sends everything since a moment to an endpoint again, for a receiver that lost what it was sent. */
export function RedeliverSince({ endpoint: { id, url, enabled } }: RedeliverSinceProps) {
  const refused = refusalReason(usePerson(), 'admin');
  const [since, setSince] = useState('');
  return (
    <Action
      name="Resend since"
      document={redeliverSince}
      seen={seenOf({ enabled })}
      refused={refused ?? (enabled ? undefined : switchedOff)}
      consequence={`Resends all events since then to ${url}, including delivered ones. At most 50,000.`}
      variables={(reason) => ({ webhookId: id, since: isoOf(since), reason })}
    >
      <MomentField label="Since" required value={since} onChange={setSince} />
    </Action>
  );
}
