import { Alert } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { bulkAction } from '../ui/bulk-action.ts';
import { Id } from '../ui/facts.tsx';
import { localTime } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { RedeliverSince, seenOf, switchedOff } from './redeliver.tsx';

const switchDocument = graphql(`
  mutation SwitchEndpoint($webhookId: ID!, $input: UpdateWebhookEndpointInput!, $reason: Name!) {
    updateWebhookEndpoint(webhookId: $webhookId, input: $input, reason: $reason) { id enabled }
  }
`);
const testDocument = graphql(`
  mutation TestEndpoint($webhookId: ID!, $reason: Name!) {
    testWebhookEndpoint(webhookId: $webhookId, reason: $reason) { id status }
  }
`);
const rotate = graphql(`
  mutation RotateSecret($webhookId: ID!, $reason: Name!) {
    rotateWebhookSecret(webhookId: $webhookId, reason: $reason) { id secret }
  }
`);

interface Endpoint {
  id: string;
  url: string;
  enabled: boolean;
  openCount: number;
  /** Until when the secret before the present one signs as well. */
  rotationEndsAt: string | null;
}

function switchAll(name: string, color: string, enabled: boolean, consequence: string) {
  return bulkAction({
    name,
    color,
    right: 'admin',
    document: switchDocument,
    consequence,
    variables: ({ id }: Pick<Endpoint, 'id' | 'url' | 'enabled'>, reason) => ({
      webhookId: id,
      input: { enabled },
      reason,
    }),
    nameOf: ({ url }) => url,
    skipped: (endpoint) => (endpoint.enabled === enabled ? `Already ${enabled ? 'enabled' : 'disabled'}.` : undefined),
  });
}

/** Switches the selected endpoints on or off. */
export const switches = [
  switchAll('Enable', 'green', true, 'Delivers new events to each endpoint.'),
  switchAll('Disable', 'red', false, 'Stops delivery to each endpoint. Open and new deliveries are marked dead.'),
];

interface EndpointActionsProps {
  endpoint: Endpoint;
  /** Shows the new secret, which is shown once. Null in the answer to a repeated call. */
  onSecret(secret: string | null): void;
}

/** Switches an endpoint, tests it, sends again, and replaces its secret. */
export function EndpointActions({ endpoint, onSecret }: EndpointActionsProps) {
  const { id: webhookId, url, enabled, openCount, rotationEndsAt } = endpoint;
  const person = usePerson();
  const refused = refusalReason(person, 'admin');
  const off = enabled ? undefined : switchedOff;
  const seen = seenOf(endpoint);
  const open = openCount === 1 ? '1 open delivery is' : `${openCount.toLocaleString()} open deliveries are`;
  return (
    <>
      <Action
        name="Send a test event"
        of={`to ${url}`}
        document={testDocument}
        seen={seen}
        refused={refused ?? off}
        consequence="Sends a webhook/test event. The response is shown below."
        variables={(reason) => ({ webhookId, reason })}
        outcome={() => 'sent'}
      />
      <RedeliverSince endpoint={endpoint} />
      <Action
        name="Rotate secret"
        of={`of ${url}`}
        document={rotate}
        seen={{ 'Previous secret valid until': rotationEndsAt && localTime(rotationEndsAt) }}
        refused={refusalReason(person, 'hub')}
        consequence="Both secrets sign for 24 hours. Update the receiver by then."
        variables={(reason) => ({ webhookId, reason })}
        onDone={({ rotateWebhookSecret: done }) => onSecret(done?.secret ?? null)}
      />
      <Action
        name="Disable"
        keep="Keep endpoint enabled"
        of={url}
        color="red"
        document={switchDocument}
        seen={seen}
        isOffered={enabled}
        refused={refused}
        consequence={`Stops delivery. ${open} marked dead, and so are new deliveries. They can be resent once the endpoint is enabled.`}
        variables={(reason) => ({ webhookId, input: { enabled: false }, reason })}
      />
      <Action
        name="Enable"
        of={url}
        color="green"
        document={switchDocument}
        seen={seen}
        isOffered={!enabled}
        refused={refused}
        consequence="Delivers new events. For missed events use “Resend since”."
        variables={(reason) => ({ webhookId, input: { enabled: true }, reason })}
      />
    </>
  );
}

/** The new secret of an endpoint, until it is closed. */
export function useNewSecret() {
  const [answered, setAnswered] = useState<{ secret: string | null }>();
  const shown = answered && (
    <Alert
      color="green"
      title="New secret"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() => setAnswered(undefined)}
    >
      {answered.secret === null ? (
        'Secret lost with the response. Create a new one.'
      ) : (
        <>
          <Id>{answered.secret}</Id> Shown once. Share it with the owner of the endpoint securely.
        </>
      )}
    </Alert>
  );
  return { shown, onSecret: (secret: string | null) => setAnswered({ secret }) };
}
